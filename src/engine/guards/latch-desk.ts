import type { LatchReset, RiskLatched } from '../../model/account-events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RiskLimits } from '../../risk/limits.ts';
import { latchKey, type State } from '../../state/state.ts';
import type { Reviewer } from '../orders/reviewer.ts';
import type { Flattening } from './flattening.ts';

/** What latches. */
export type Breach = Omit<RiskLatched, 'kind' | 'time'>;

interface LatchDeskParts {
  readonly state: State;
  readonly limits: RiskLimits;
  readonly reviewer: Reviewer;
  readonly flattening: Flattening;
  readonly clock: Clock;
  emit(event: RiskLatched | LatchReset): void;
  /** The event came due outside the feed. */
  wake(event?: LatchReset): void;
}

/** Sets latches, does what they mean, and takes back those whose time is over. */
export class LatchDesk {
  /** Told, and not yet in the state. */
  readonly #pending = new Set<string>();
  readonly #timers = new Map<string, () => void>();

  /** Taken back by their time: what they had closed is closed to its end. */
  readonly #over = new Set<string>();

  constructor(private readonly parts: LatchDeskParts) {}

  /** Latches of an earlier run go on, and end at their time. */
  start(): void {
    for (const latched of this.parts.state.latches.values()) this.#watchTime(latched);
  }

  /** A latch that is set stays as it is, but for a kill that is to flatten from here. */
  latch(breach: Breach): void {
    const { state, emit, clock } = this.parts;
    const key = latchKey(breach);
    const set = state.latches.get(key);
    const isMore = breach.flatten === true && set !== undefined && set.flatten !== true;
    if ((set !== undefined && !isMore) || this.#pending.has(key)) return;
    this.#pending.add(key);
    emit({ kind: 'riskLatched', time: clock.now(), ...breach });
  }

  /** Called after the state has the event. */
  onEvent(event: RiskLatched | LatchReset): void {
    const { flattening } = this.parts;
    const key = latchKey(event);
    this.#timers.get(key)?.();
    this.#timers.delete(key);
    if (event.kind === 'latchReset') {
      if (!this.#over.delete(key)) flattening.stop(event);
      return;
    }
    this.#pending.delete(key);
    this.#watchTime(event);
    // A kill cancels everything, and flattens as its command says.
    if (event.rule === 'kill') return;
    this.#cancelEntries(event.strategyId);
    if (this.flattens(event)) flattening.begin({ cause: event.rule, strategyId: event.strategyId });
  }

  /** Everything that could still open something is canceled; exits stay. */
  #cancelEntries(strategyId: string | undefined): void {
    const { state, reviewer } = this.parts;
    for (const order of [...state.openOrders.values()]) {
      if (strategyId !== undefined && order.strategyId !== strategyId) continue;
      if (!order.request.reduceOnly) reviewer.cancel(order, 'riskLatch');
    }
  }

  /** Whether the latch closes positions, for as long as it is set. */
  flattens({ rule, strategyId, flatten }: RiskLatched): boolean {
    const { limits } = this.parts;
    if (rule === 'kill') return flatten === true;
    const own = strategyId === undefined ? limits : limits.strategies?.get(strategyId);
    return (rule === 'maxDrawdown' || rule === 'dailyLoss') && own?.[rule]?.onBreach === 'flatten';
  }

  #watchTime({ rule, strategyId, until }: RiskLatched): void {
    if (until === undefined) return;
    const { clock, state, wake } = this.parts;
    const key = latchKey({ rule, strategyId });
    const over = () => {
      this.#timers.delete(key);
      const isOver = state.latches.has(key);
      if (isOver) this.#over.add(key);
      // As with every timer of the engine's, it may be the first turn of all.
      wake(isOver ? { kind: 'latchReset', time: clock.now(), rule, strategyId } : undefined);
    };
    this.#timers.set(key, clock.schedule(until, over));
  }
}
