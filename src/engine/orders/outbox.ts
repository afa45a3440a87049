import type { Instrument } from '../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../model/order.ts';
import type { ExecutionVenue } from '../../ports/execution-venue.ts';

/**
 * The requests that the turn sends: cancels first, then orders grouped by symbol within the venue's
 * batch limit, in the order of each symbol's first intent.
 */
export class Outbox {
  #cancels: CancelRequest[] = [];
  #orders: ApprovedOrder[] = [];

  constructor(private readonly venue: ExecutionVenue) {}

  get empty(): boolean {
    return this.#cancels.length === 0 && this.#orders.length === 0;
  }

  order(order: ApprovedOrder): void {
    this.#orders.push(order);
  }

  /** @returns false if a cancel of this order is already in it. */
  cancel(request: CancelRequest): boolean {
    if (this.#cancels.some(({ clientOrderId }) => clientOrderId === request.clientOrderId)) return false;
    this.#cancels.push(request);
    return true;
  }

  /** Withdraws an order that has not been sent yet. */
  withdraw(clientOrderId: string): boolean {
    const at = this.#orders.findIndex((order) => order.clientOrderId === clientOrderId);
    if (at >= 0) this.#orders.splice(at, 1);
    return at >= 0;
  }

  flush(): void {
    const cancels = this.#cancels;
    const orders = this.#orders;
    this.#cancels = [];
    this.#orders = [];
    for (const request of cancels) this.venue.cancel(request);
    if (orders.length === 1) this.venue.submit(orders);
    else this.#submitGrouped(orders);
  }

  #submitGrouped(orders: readonly ApprovedOrder[]): void {
    const groups = new Map<Instrument, ApprovedOrder[]>();
    for (const order of orders) {
      const group = groups.get(order.instrument);
      if (group === undefined) groups.set(order.instrument, [order]);
      else group.push(order);
    }
    const { batchLimit } = this.venue.capabilities;
    for (const group of groups.values()) {
      for (let at = 0; at < group.length; at += batchLimit) this.venue.submit(group.slice(at, at + batchLimit));
    }
  }
}
