import type { OrderEvent } from '../../model/account-events.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { CancelReason } from '../../model/reasons.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Order } from '../../state/order.ts';
import type { State } from '../../state/state.ts';

/** How long a trigger that should be triggered at once may wait, by default. */
const TIMEOUT_MS = 5_000;

interface TimeoutContext {
  cancelAtVenue(clientOrderId: string, instrument: Instrument, reason: CancelReason): void;
  /** The order has ended, and the rest of it is sent again. @returns false if it is no longer needed. */
  replace(order: Order, steps: number): boolean;
  /** Something happened outside the feed: the engine takes its turn. */
  wake(): void;
}

/**
 * Time limits for triggers that should be triggered at once: the price may have moved away meanwhile. One that was not triggered
 * after this many ms is canceled, and replaced when the venue confirms the cancel; a fill that comes first wins.
 */
export class TriggerTimeouts {
  /** Orders with a running time limit, and how to cancel it. */
  readonly #waiting = new Map<string, () => void>();
  /** Canceled because of the time limit: to be replaced. */
  readonly #recalled = new Set<string>();
  readonly #timeoutMs: number;
  /** Before the engine runs there are no turns: time limits set by then begin with the run. */
  #running = false;

  constructor(
    private readonly state: State,
    private readonly clock: Clock,
    timeoutMs: number | undefined,
    private readonly context: TimeoutContext,
  ) {
    this.#timeoutMs = timeoutMs ?? TIMEOUT_MS;
  }

  watch(clientOrderId: string): void {
    this.forget(clientOrderId);
    const inTime = () => this.clock.schedule(this.clock.now() + this.#timeoutMs, () => this.#due(clientOrderId));
    this.#waiting.set(clientOrderId, this.#running ? inTime() : () => {});
  }

  /**
   * The engine runs. Time limits that are set already begin now.
   * @param earlier the orders whose time limit was running in an earlier run. It starts again, also for all that should have been
   * triggered at once.
   */
  start(earlier: readonly string[] | undefined): void {
    this.#running = true;
    for (const clientOrderId of this.watched) this.watch(clientOrderId);
    if (earlier !== undefined) this.#resume(earlier);
  }

  #resume(watched: readonly string[]): void {
    for (const { clientOrderId, request, triggered, cancelRequested, held } of this.state.openOrders.values()) {
      if (triggered || cancelRequested || held) continue;
      if ((request.atLast && !request.fromNextBar) || watched.includes(clientOrderId)) this.watch(clientOrderId);
    }
  }

  /** Orders that an earlier run has canceled, to be replaced when the venue confirms the cancel. */
  restoreRecalled(recalled: readonly string[]): void {
    for (const clientOrderId of recalled) this.#recalled.add(clientOrderId);
  }

  get watched(): string[] {
    return [...this.#waiting.keys()];
  }

  get recalled(): string[] {
    return [...this.#recalled];
  }

  /** Another cancel of the order means that it is not replaced. */
  forget(clientOrderId: string): void {
    this.#waiting.get(clientOrderId)?.();
    this.#waiting.delete(clientOrderId);
    this.#recalled.delete(clientOrderId);
  }

  /** Called for every event of an order, after the state has it. @returns true if the order's end is not the end of its intent. */
  onEvent(event: OrderEvent, order: Order, over: boolean): boolean {
    const { clientOrderId } = event;
    if (this.#waiting.size === 0 && this.#recalled.size === 0) return false;
    if (event.kind === 'cancelRejected' && this.#recalled.delete(clientOrderId)) {
      // The cancel overtook the order, or came too late.
      if (!over && !order.triggered) this.watch(clientOrderId);
      return false;
    }
    const replaced = event.kind === 'orderCanceled' && this.#recalled.has(clientOrderId);
    if (over || (order.triggered && this.#waiting.has(clientOrderId))) this.forget(clientOrderId);
    const steps = order.wantedSteps;
    return replaced && steps > 0 && this.context.replace(order, steps);
  }

  #due(clientOrderId: string): void {
    this.#waiting.delete(clientOrderId);
    const order = this.state.openOrders.get(clientOrderId);
    if (order !== undefined && !order.triggered && !order.cancelRequested) {
      this.#recalled.add(clientOrderId);
      this.context.cancelAtVenue(clientOrderId, order.instrument, 'untriggered');
    }
    // It may cause the very first turn, which handles everything that the start found.
    this.context.wake();
  }
}
