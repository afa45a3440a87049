import { ZERO } from '../../model/decimal.ts';
import type { OrderRequest, Side } from '../../model/order.ts';
import type { AccountEvent, OrderDenied, PositionFound } from '../../model/order-events.ts';
import type { ComparedFill, ComparedOrder } from '../../statistics/comparison/compared-run.ts';

type Writable = { -readonly [Key in keyof ComparedOrder]: ComparedOrder[Key] } & { fills: ComparedFill[] };

/** Gathers the orders of a journal with their fills and ends, event by event. */
export class BotOrders {
  readonly #orders: Writable[] = [];
  readonly #byId = new Map<string, Writable>();

  /** In order of time. */
  get orders(): readonly ComparedOrder[] {
    return this.#orders;
  }

  add(event: AccountEvent): void {
    switch (event.kind) {
      case 'orderSubmitted':
        if (!this.#byId.has(event.clientOrderId)) this.#place(event.request, event.time, { type: event.type, stopTicks: event.stopTicks });
        return;
      case 'orderAdopted':
        this.#place(event.request, event.time, { type: event.request.type, stopTicks: undefined }).foreign = true;
        return;
      case 'orderFilled':
        this.#fill(event);
        return;
      case 'orderCanceled':
      case 'orderExpired':
        this.#end(event.clientOrderId, event.kind === 'orderCanceled' ? 'canceled' : 'expired', event.reason);
        return;
      case 'orderRejected':
        this.#end(event.clientOrderId, 'rejected', event.reason.code);
        return;
      case 'orderDenied':
        this.#deny(event);
        return;
      case 'positionFound':
        this.#find(event);
        return;
      default:
    }
  }

  #place(request: OrderRequest, time: number, { type, stopTicks }: { type: string; stopTicks: number | undefined }): Writable {
    const { clientOrderId, strategyId, instrument, side, positionSide, tag, steps, priceTicks } = request;
    const { symbol, tick, step } = instrument;
    const price = priceTicks === undefined ? '' : tick.toText(priceTicks);
    const order: Writable = {
      ...{ clientOrderId, strategyId, symbol, side, positionSide, type, tag, time },
      quantity: steps === undefined ? undefined : step.toDecimal(steps),
      price: stopTicks === undefined ? price : `${price} after ${tick.toText(stopTicks)}`,
      ...{ status: 'open', reason: '', foreign: false, fills: [] },
    };
    return this.#keep(order);
  }

  #fill({ clientOrderId, fill, complete }: Extract<AccountEvent, { kind: 'orderFilled' }>): void {
    const { strategyId, symbol, side, positionSide, tag, time, instrument, steps, notional, fee, feeAsset } = fill;
    const order =
      this.#byId.get(clientOrderId) ??
      this.#keep({
        ...{ clientOrderId, strategyId, symbol, side, positionSide, tag, time },
        ...{ type: 'liquidation', quantity: undefined, price: '', status: 'open', reason: '', foreign: false, fills: [] },
      });
    order.fills.push({ time, quantity: instrument.step.toDecimal(steps), notional, fee, feeAsset });
    if (complete) order.status = 'filled';
  }

  #deny({ clientOrderId, strategyId, symbol, side, tag, time, reason }: OrderDenied): void {
    if (this.#byId.has(clientOrderId)) {
      this.#end(clientOrderId, 'denied', reason.code);
      return;
    }
    this.#keep({
      ...{ clientOrderId, strategyId, symbol, side, positionSide: 'net', type: '', tag, time },
      ...{ quantity: undefined, price: '', status: 'denied', reason: reason.code, foreign: false, fills: [] },
    });
  }

  /** What somebody else traded shows as a position alone. */
  #find({ instrument, positionSide, action, steps, notional, time }: PositionFound): void {
    const { symbol, step, quote } = instrument;
    const side: Side = (positionSide === 'long') === (action === 'opened') ? 'buy' : 'sell';
    const quantity = step.toDecimal(steps);
    this.#keep({
      ...{ clientOrderId: '', strategyId: '', symbol, side, positionSide, type: 'found', tag: '', time, quantity },
      ...{ price: '', status: 'filled', reason: '', foreign: true, fills: [{ time, quantity, notional, fee: ZERO, feeAsset: quote }] },
    });
  }

  #end(clientOrderId: string, status: string, reason: string): void {
    const order = this.#byId.get(clientOrderId);
    if (order === undefined) return;
    order.status = status;
    order.reason = reason;
  }

  #keep(order: Writable): Writable {
    this.#orders.push(order);
    if (order.clientOrderId !== '') this.#byId.set(order.clientOrderId, order);
    return order;
  }
}
