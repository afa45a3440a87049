import type { AccountEvent, OrderDenied, OrderEvent, OrderFilled } from '../../../model/account-events.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { OrderRequest } from '../../../model/order.ts';
import { eventWords } from '../../base/text.ts';
import type { JournalDenial, JournalFill, JournalLatch, JournalOrder } from '../api/journal-schemas.ts';

/** So many of each list are kept: the newest. */
export const KEPT = 2_000;
/** So many steps of the life of one order are kept; a stop that moves all day has more. */
const STEPS_KEPT = 100;

/** An order whose end may not have been read yet. */
interface ReadOrder {
  readonly shown: JournalOrder;
  readonly instrument: Instrument;
  filledSteps: number;
}

/** The orders, fills, denials and latches of a journal, from its account events, the newest of each. */
export class RecordLists {
  readonly #orders = new Map<string, ReadOrder>();
  readonly #fills: JournalFill[] = [];
  readonly #denials: JournalDenial[] = [];
  readonly #latches: JournalLatch[] = [];

  /** Takes the next event. @param id the number of its record. */
  take(id: number, event: AccountEvent): void {
    if (event.kind === 'orderDenied') this.#denied(id, event);
    else if (event.kind === 'riskLatched' || event.kind === 'latchReset') {
      const { rule, strategyId = null, symbol = null, time } = event;
      const isSet = event.kind === 'riskLatched';
      const more = { until: isSet ? (event.until ?? null) : null, reason: isSet ? (event.reason ?? '') : '' };
      keep(this.#latches, { id, time, kind: isSet ? 'set' : 'lifted', rule, strategy: strategyId, symbol, ...more });
    } else if ('clientOrderId' in event) this.#order(id, event);
  }

  /** The newest first. */
  orders(count: number): JournalOrder[] {
    return [...this.#orders.values()]
      .slice(-count)
      .reverse()
      .map(({ shown }) => shown);
  }

  fills(count: number): JournalFill[] {
    return this.#fills.slice(-count).reverse();
  }

  denials(count: number): JournalDenial[] {
    return this.#denials.slice(-count).reverse();
  }

  latches(count: number): JournalLatch[] {
    return this.#latches.slice(-count).reverse();
  }

  #denied(id: number, { time, strategyId, symbol, side, reason, clientOrderId }: OrderDenied): void {
    const { code, ...numbers } = reason as unknown as { readonly code: string } & Record<string, unknown>;
    keep(this.#denials, { id, time, strategy: strategyId, symbol, side: side ?? null, code, reason: wordsOf(code, numbers) });
    const order = this.#orders.get(clientOrderId);
    if (order !== undefined) Object.assign(order.shown, { state: 'rejected', reason: wordsOf(code, numbers) });
  }

  #order(id: number, event: Exclude<OrderEvent, OrderDenied>): void {
    const { clientOrderId } = event;
    if (event.kind === 'orderSubmitted' || event.kind === 'orderAdopted') this.#begin(clientOrderId, event);
    const order = this.#orders.get(clientOrderId);
    // Its beginning is before the records that were read, or was dropped.
    if (event.kind === 'orderFilled') this.#filled(id, event, order);
    if (order === undefined) return;
    const { shown } = order;
    Object.assign(shown, changeBy(event, order));
    keep(shown.life, { id, time: event.time, kind: event.kind, words: eventWords(event) }, STEPS_KEPT);
  }

  #begin(clientOrderId: string, event: Extract<OrderEvent, { readonly request: OrderRequest }>): void {
    const { request, time } = event;
    const { instrument, strategyId, side, steps, priceTicks, quoteQuantity, tag } = request;
    const known = this.#orders.get(clientOrderId);
    const stopTicks = event.kind === 'orderSubmitted' ? event.stopTicks : undefined;
    const terms = {
      type: event.kind === 'orderSubmitted' ? event.type : request.type,
      quantity:
        steps === undefined
          ? quoteQuantity === undefined
            ? null
            : `${quoteQuantity.toFixed()} ${instrument.quote}`
          : instrument.step.toText(steps),
      price: priceTicks === undefined ? null : instrument.tick.toText(priceTicks),
      stopPrice: stopTicks === undefined ? null : instrument.tick.toText(stopTicks),
    };
    // A held one that is sent, or has another size now, is the same order.
    if (known !== undefined) {
      Object.assign(known.shown, terms);
      return;
    }
    const filledSteps = event.kind === 'orderAdopted' ? event.filledSteps : 0;
    const shown: JournalOrder = {
      ...{ clientOrderId, orderId: '', time, strategy: strategyId, symbol: instrument.symbol, side, ...terms },
      ...{ state: 'submitted', filled: instrument.step.toText(filledSteps), tag, reason: '', life: [] },
    };
    this.#orders.set(clientOrderId, { shown, instrument, filledSteps });
    if (this.#orders.size > KEPT) this.#orders.delete(this.#orders.keys().next().value!);
  }

  #filled(id: number, { time, clientOrderId, fill }: OrderFilled, order: ReadOrder | undefined): void {
    const { instrument, steps, priceTicks, fee, feeAsset, strategyId, side, positionSide, fillId, liquidity, tag } = fill;
    if (order !== undefined) order.filledSteps += steps;
    keep(this.#fills, {
      ...{ id, time, clientOrderId, fillId, strategy: strategyId, symbol: instrument.symbol, side, feeAsset, liquidity, tag },
      positionSide: positionSide === 'net' ? null : positionSide,
      quantity: instrument.step.toText(steps),
      price: instrument.tick.toText(priceTicks),
      fee: fee.toFixed(),
    });
  }
}

function changeBy(event: Exclude<OrderEvent, OrderDenied>, { instrument, filledSteps }: ReadOrder): Partial<JournalOrder> {
  switch (event.kind) {
    case 'orderSubmitted':
      return { state: 'submitted' };
    case 'orderAdopted':
      return { state: 'adopted', orderId: event.orderId };
    case 'orderAccepted':
      return { state: event.held ? 'held' : 'open', ...(event.orderId !== '' && { orderId: event.orderId }) };
    case 'orderFilled':
      return { filled: instrument.step.toText(filledSteps), ...(event.complete && { state: 'filled' as const }) };
    case 'orderCanceled':
      return { state: 'canceled', reason: event.reason };
    case 'orderExpired':
      return { state: 'expired', reason: event.reason };
    case 'orderRejected':
    case 'orderVanished': {
      const { code = '', ...numbers } = event.reason as unknown as { readonly code?: string } & Record<string, unknown>;
      return { state: event.kind === 'orderRejected' ? 'rejected' : 'vanished', reason: wordsOf(code, numbers) };
    }
    case 'orderUnknown':
      return { state: 'unknown', reason: 'no reply was received' };
    case 'orderTriggered':
    case 'cancelSubmitted':
    case 'cancelRejected':
      return {};
    default:
      return event satisfies never;
  }
}

function wordsOf(code: string, numbers: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(numbers).map(
    ([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  );
  return [code, ...texts].filter((one) => one !== '').join(', ');
}

function keep<T>(rows: T[], row: T, most = KEPT): void {
  rows.push(row);
  if (rows.length > most) rows.shift();
}
