import type { Engine } from '../../../engine/engine.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { OrderRequest } from '../../../model/order.ts';
import type { OrderEvent, OrderSubmitted } from '../../../model/order-events.ts';
import type { ChartOrder, OrderChange } from '../../../report/run-report.ts';

/** A life under way. */
interface Life {
  readonly order: Omit<ChartOrder, 'changes'>;
  readonly changes: OrderChange[];
  readonly instrument: Instrument;
  filledSteps: number;
  endTime: number | undefined;
  end: string;
}

/** Follows every order from its placing over its changes to its end, for the price charts. */
export class OrderLives {
  readonly #lives = new Map<string, Life>();

  observe(engine: Pick<Engine, 'account$'>): void {
    engine.account$.subscribe((event) => {
      switch (event.kind) {
        case 'orderSubmitted':
          this.#submitted(event);
          return;
        case 'orderFilled':
          this.#filled(event);
          return;
        case 'orderCanceled':
        case 'orderExpired':
          this.#end(event, `${WORDS[event.kind]} (${event.reason})`);
          return;
        case 'orderRejected':
        case 'orderDenied':
          this.#end(event, `${WORDS[event.kind]} (${event.reason.code})`);
          return;
        default:
      }
    });
  }

  /** The orders of one instrument, in the order of their placing. */
  of(instrument: Instrument): ChartOrder[] {
    return [...this.#lives.values()].filter((life) => life.instrument === instrument).map(orderOf);
  }

  #submitted({ time, clientOrderId, request, type, stopTicks, again }: OrderSubmitted): void {
    const { instrument, side, tag } = request;
    const known = this.#lives.get(clientOrderId);
    const terms = termsOf(request, stopTicks);
    if (again && known !== undefined) {
      known.changes.push({ time, ...terms });
      return;
    }
    const order = { time, side, type, tag, ...terms, endTime: undefined, state: '' };
    this.#lives.set(clientOrderId, { order, changes: [], instrument, filledSteps: 0, endTime: undefined, end: '' });
  }

  #filled({ time, clientOrderId, fill, complete }: Extract<OrderEvent, { kind: 'orderFilled' }>): void {
    const life = this.#lives.get(clientOrderId);
    if (life === undefined) return;
    life.filledSteps += fill.steps;
    if (complete) [life.endTime, life.end] = [time, 'filled'];
  }

  #end({ time, clientOrderId }: OrderEvent, end: string): void {
    const life = this.#lives.get(clientOrderId);
    if (life !== undefined) [life.endTime, life.end] = [time, end];
  }
}

const WORDS = { orderCanceled: 'canceled', orderExpired: 'expired', orderRejected: 'rejected', orderDenied: 'denied' } as const;

function termsOf({ instrument, priceTicks, triggerTicks, steps, quoteQuantity }: OrderRequest, stopTicks: number | undefined) {
  const price = (ticks: number | undefined) => (ticks === undefined ? undefined : instrument.tick.toNumber(ticks));
  const size = steps === undefined ? `${quoteQuantity?.toFixed() ?? ''} ${instrument.quote}` : instrument.step.toText(steps);
  return { price: price(priceTicks), stopPrice: price(stopTicks ?? triggerTicks), size };
}

function orderOf({ order, changes, instrument, filledSteps, endTime, end }: Life): ChartOrder {
  const part = filledSteps > 0 && end !== 'filled' ? `${instrument.step.toText(filledSteps)} filled` : '';
  return { ...order, changes, endTime, state: [part, end || 'open'].filter((word) => word !== '').join(', ') };
}
