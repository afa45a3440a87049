import { Subject } from 'rxjs';
import type { ApprovedOrder, CancelRequest } from '../../model/order.ts';
import type { VenueEvent } from '../../model/order-events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExecutionVenue, VenueCapabilities } from '../../ports/execution-venue.ts';

/** The engine's clock in a replay: it shows what the journal says, and nothing comes due but what came due then. */
export class ReplayClock implements Clock {
  #now: number;
  #scheduled = 0;
  readonly #callbacks = new Map<number, () => void>();

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  set(now: number): void {
    this.#now = now;
  }

  schedule(_time: number, callback: () => void): () => void {
    const timer = ++this.#scheduled;
    this.#callbacks.set(timer, callback);
    return () => this.#callbacks.delete(timer);
  }

  /** Calls what was asked for as the so-manyth. @returns false where nothing waits under this number. */
  fire(timer: number): boolean {
    const callback = this.#callbacks.get(timer);
    this.#callbacks.delete(timer);
    callback?.();
    return callback !== undefined;
  }
}

/** Where requests of a replayed engine end: it notes them, sends nothing, and tells what the journal says that was told. */
export class ReplayVenue implements ExecutionVenue {
  readonly events$ = new Subject<VenueEvent>();
  readonly placed = new Map<string, ApprovedOrder>();
  readonly canceled = new Set<string>();

  constructor(
    readonly capabilities: VenueCapabilities,
    /** Called as something is handed over: what the venue told at once then, it tells now. */
    private readonly onSend: () => void,
  ) {}

  submit(orders: readonly ApprovedOrder[]): void {
    for (const order of orders) this.placed.set(order.clientOrderId, order);
    this.onSend();
  }

  cancel({ clientOrderId }: CancelRequest): void {
    this.canceled.add(clientOrderId);
    this.onSend();
  }
}
