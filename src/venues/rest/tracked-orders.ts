import type { ResumedOrder } from '../../ports/execution-venue.ts';
import { TrackedOrder } from './tracked-order.ts';

/** How many ended orders stay known: a fill that came before the cancel may show up after it. */
const ENDED_KEPT = 1_000;

/** The orders of one half of the exchange, by client id and by the exchange's id. */
export class TrackedOrders {
  readonly #alive = new Map<string, TrackedOrder>();
  readonly #ended = new Map<string, TrackedOrder>();
  readonly #byOrderId = new Map<string, TrackedOrder>();

  /** Those of which more may come, oldest first. */
  get alive(): readonly TrackedOrder[] {
    return [...this.#alive.values()];
  }

  get size(): number {
    return this.#alive.size;
  }

  find(clientOrderId: string): TrackedOrder | undefined {
    return this.#alive.get(clientOrderId) ?? this.#ended.get(clientOrderId);
  }

  byOrderId(orderId: string): TrackedOrder | undefined {
    return this.#byOrderId.get(orderId);
  }

  add(order: TrackedOrder): void {
    this.#alive.set(order.clientOrderId, order);
    if (order.orderId !== '') this.#byOrderId.set(order.orderId, order);
  }

  /** The exchange's id has come to be known. */
  name(order: TrackedOrder, orderId: string): void {
    order.orderId = orderId;
    if (orderId !== '') this.#byOrderId.set(orderId, order);
  }

  end(order: TrackedOrder): void {
    order.phase = 'ended';
    order.lookAt = Number.POSITIVE_INFINITY;
    this.#alive.delete(order.clientOrderId);
    this.#ended.set(order.clientOrderId, order);
    if (this.#ended.size <= ENDED_KEPT) return;
    const [oldest] = this.#ended.values();
    if (oldest === undefined) return;
    this.#ended.delete(oldest.clientOrderId);
    this.#byOrderId.delete(oldest.orderId);
  }

  /** What the journal says of an order; whether a request of it is in doubt is for the caller to say. */
  resume({ request, orderId, filledSteps, status }: ResumedOrder, isOver: boolean): TrackedOrder {
    const order = new TrackedOrder(request);
    order.orderId = orderId;
    order.toldSteps = filledSteps;
    this.add(order);
    if (isOver) this.end(order);
    else order.phase = status === 'submitted' || status === 'unknown' || orderId === '' ? 'unknown' : 'open';
    return order;
  }
}
