import { isLock, type LatchReset, type RiskLatched } from '../../model/account-events.ts';
import type { LockSymbol } from '../../model/intents.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RiskLimits } from '../../risk/limits.ts';
import { latchKey, type State } from '../../state/state.ts';
import type { Reviewer } from '../orders/reviewer.ts';
import type { Flattening } from './flattening.ts';

/** The cause of a latch. */
export type Breach = Omit<RiskLatched, 'kind' | 'time'>;

interface RiskLatchesParts {
  readonly state: State;
  /** The present limits. */
  limits(): RiskLimits;
  readonly reviewer: Reviewer;
  readonly flattening: Flattening;
  readonly clock: Clock;
  emit(event: RiskLatched | LatchReset): void;
  /** The event became due outside the feed. */
  wake(event?: LatchReset): void;
}

/** Sets latches, acts on them, and resets those whose time is over. */
export class RiskLatches {
  /** Reported, and not yet in the state. */
  readonly #pending = new Set<string>();
  readonly #timers = new Map<string, () => void>();

  /** Reset because their time is over: closes that they started are finished. */
  readonly #over = new Set<string>();

  constructor(private readonly parts: RiskLatchesParts) {}

  /** Latches of an earlier run continue, and end at their time. */
  start(): void {
    for (const latched of this.parts.state.latches.values()) this.#watchTime(latched);
  }

  /** A latch that is set is not changed, except by a kill that flattens, and by a lock with another end. */
  latch(breach: Breach): void {
    const { state, emit, clock } = this.parts;
    const key = latchKey(breach);
    const set = state.latches.get(key);
    const isMore = (breach.flatten === true && set?.flatten !== true) || (isLock(breach.rule) && set?.until !== breach.until);
    if ((set !== undefined && !isMore) || this.#pending.has(key)) return;
    this.#pending.add(key);
    emit({ kind: 'riskLatched', time: clock.now(), ...breach });
  }

  /** Locks a strategy's symbol, or all of its symbols. A time that is not in the future ends its lock. */
  lock(strategyId: string, { symbol, until }: Pick<LockSymbol, 'symbol' | 'until'>): void {
    const { state, emit, clock } = this.parts;
    const time = clock.now();
    const breach = { rule: 'lock', strategyId, symbol } as const;
    if (until > time) this.latch({ ...breach, drawdown: 0, limit: 0, until });
    else if (state.latches.has(latchKey(breach))) emit({ kind: 'latchReset', time, ...breach });
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
    // A kill cancels everything, and its command decides whether it flattens.
    if (event.rule === 'kill') return;
    this.#cancelEntries(event);
    if (!isLock(event.rule) && event.rule !== 'paused' && this.flattens(event))
      flattening.begin({ cause: event.rule, strategyId: event.strategyId });
  }

  /** Cancels everything that could still open a position. Exits remain. */
  #cancelEntries({ strategyId, symbol }: RiskLatched): void {
    const { state, reviewer } = this.parts;
    for (const order of [...state.openOrders.values()]) {
      if ((strategyId !== undefined && order.strategyId !== strategyId) || (symbol !== undefined && order.symbol !== symbol)) continue;
      if (!order.request.reduceOnly) reviewer.cancel(order, 'riskLatch');
    }
  }

  /** Whether the latch closes positions, for as long as it is set. */
  flattens({ rule, strategyId, flatten }: RiskLatched): boolean {
    const limits = this.parts.limits();
    if (rule === 'kill') return flatten === true;
    const own = strategyId === undefined ? limits : limits.strategies?.get(strategyId);
    return (rule === 'maxDrawdown' || rule === 'dailyLoss') && own?.[rule]?.onBreach === 'flatten';
  }

  #watchTime({ rule, strategyId, symbol, until }: RiskLatched): void {
    if (until === undefined) return;
    const { clock, state, wake } = this.parts;
    const key = latchKey({ rule, strategyId, symbol });
    const over = () => {
      this.#timers.delete(key);
      const isOver = state.latches.has(key);
      if (isOver) this.#over.add(key);
      // Like every timer of the engine, it may cause the very first turn.
      wake(isOver ? { kind: 'latchReset', time: clock.now(), rule, strategyId, symbol } : undefined);
    };
    this.#timers.set(key, clock.schedule(until, over));
  }
}
