import type { OrderEvent } from '../../model/account-events.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { CancelReason } from '../../model/reasons.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Order } from '../../state/order.ts';
import type { State } from '../../state/state.ts';

/** How long a trigger that ought to fire at once may wait, unless the config says otherwise. */
const TIMEOUT_MS = 5_000;

interface TimeoutOutlets {
  cancelAtVenue(clientOrderId: string, instrument: Instrument, reason: CancelReason): void;
  /** The order is gone; what is left of it goes out anew. @returns false where nobody wants it any more. */
  replace(order: Order, steps: number): boolean;
  /** Something happened outside the feed: the engine takes its turn. */
  wake(): void;
}

/**
 * Asks after triggers that ought to fire at once: the price may have left them on their way. One that has not fired
 * after so many ms is canceled, and replaced once the venue says that it is gone; a fill that comes first wins.
 */
export class TriggerTimeouts {
  /** What is waited for, with what stops the waiting. */
  readonly #waiting = new Map<string, () => void>();
  /** Canceled for this alone: to be replaced. */
  readonly #recalled = new Set<string>();
  readonly #timeoutMs: number;
  /** Before the engine runs nobody takes turns: the time of what is watched by then begins with the run. */
  #running = false;

  constructor(
    private readonly state: State,
    private readonly clock: Clock,
    timeoutMs: number | undefined,
    private readonly outlets: TimeoutOutlets,
  ) {
    this.#timeoutMs = timeoutMs ?? TIMEOUT_MS;
  }

  watch(clientOrderId: string): void {
    this.forget(clientOrderId);
    const inTime = () => this.clock.schedule(this.clock.now() + this.#timeoutMs, () => this.#due(clientOrderId));
    this.#waiting.set(clientOrderId, this.#running ? inTime() : () => {});
  }

  /**
   * The engine runs. Asks from now after what is watched already.
   * @param earlier what an earlier run asked after when it stopped: asked after again, with all that should have fired at once.
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

  /** What was recalled by an earlier run, to be replaced when the venue has canceled it. */
  restoreRecalled(recalled: readonly string[]): void {
    for (const clientOrderId of recalled) this.#recalled.add(clientOrderId);
  }

  get watched(): string[] {
    return [...this.#waiting.keys()];
  }

  get recalled(): string[] {
    return [...this.#recalled];
  }

  /** Whoever canceled the order wants it gone, not replaced. */
  forget(clientOrderId: string): void {
    this.#waiting.get(clientOrderId)?.();
    this.#waiting.delete(clientOrderId);
    this.#recalled.delete(clientOrderId);
  }

  /** Called for every event of an order, after the state has it. @returns true when the order's end is not that of its intent. */
  onEvent(event: OrderEvent, order: Order, over: boolean): boolean {
    const { clientOrderId } = event;
    if (this.#waiting.size === 0 && this.#recalled.size === 0) return false;
    if (event.kind === 'cancelRejected' && this.#recalled.delete(clientOrderId)) {
      // It overtook the order, or came too late.
      if (!over && !order.triggered) this.watch(clientOrderId);
      return false;
    }
    const replaced = event.kind === 'orderCanceled' && this.#recalled.has(clientOrderId);
    if (over || (order.triggered && this.#waiting.has(clientOrderId))) this.forget(clientOrderId);
    const steps = order.remainingSteps;
    return replaced && steps > 0 && this.outlets.replace(order, steps);
  }

  #due(clientOrderId: string): void {
    this.#waiting.delete(clientOrderId);
    const order = this.state.openOrders.get(clientOrderId);
    if (order !== undefined && !order.triggered && !order.cancelRequested) {
      this.#recalled.add(clientOrderId);
      this.outlets.cancelAtVenue(clientOrderId, order.instrument, 'untriggered');
    }
    // It may be the first turn of all: what the start found is dealt with in it, whatever became of the order.
    this.outlets.wake();
  }
}
