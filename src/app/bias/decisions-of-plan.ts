import { tap } from 'rxjs';
import type { Engine } from '../../engine/engine.ts';
import type { Intent } from '../../model/intents.ts';
import type { AccountEvent } from '../../model/order-events.ts';
import type { Journal } from '../../ports/journal.ts';
import type { BiasOutcome, Decision } from '../../research/bias/decision.ts';
import type { BacktestPlan } from '../backtest/backtest-plan.ts';
import { ReplayStrays } from '../backtest/replay-strays.ts';
import { backtestContainer, SIMULATION } from '../wiring/backtest-container.ts';
import { TOKENS } from '../wiring/core-container.ts';

/** Writes down what strategies want, up to where the data ends. */
class DecisionJournal implements Journal {
  readonly decisions: Decision[] = [];
  first = Number.NaN;
  /** The newest market data, not after `to`. */
  until = Number.NEGATIVE_INFINITY;
  /** What strategies ask for when they are told that it is over hangs on where it is. */
  over = false;
  #sequence = 0;
  #afterNext = false;

  constructor(
    private readonly to: number,
    private readonly shiftMs: number,
  ) {}

  watch(engine: Engine): void {
    engine.watch(({ time, sequence }) => {
      if (Number.isNaN(this.first)) this.first = time - this.shiftMs;
      if (time <= this.to) this.until = Math.max(this.until, time - this.shiftMs);
      this.#sequence = sequence;
      this.#afterNext = false;
    });
  }

  intent(_sequence: number, time: number, strategyId: string, intent: Intent): void {
    if (this.over) return;
    const wanted = intent.kind === 'setTimer' && intent.at !== undefined ? { ...intent, at: intent.at - this.shiftMs } : intent;
    this.decisions.push({ time: time - this.shiftMs, strategyId, intent: JSON.stringify(wanted), afterNext: this.#afterNext });
  }

  event(_sequence: number, event: AccountEvent): void {
    if (event.kind !== 'orderFilled' && event.kind !== 'positionLiquidated') return;
    if (event.fill.pricedSequence > this.#sequence) this.#afterNext = true;
  }

  commit(): void {}
}

/**
 * Runs a plan and tells what its strategies decided.
 * @param to where the future is cut off, in epoch ms of the plan.
 * @param shiftMs how much later the plan is than its recording: taken off all times that are told.
 * @throws whatever the strategies throw
 */
export async function decisionsOfPlan(plan: BacktestPlan, to = Number.POSITIVE_INFINITY, shiftMs = 0): Promise<Omit<BiasOutcome, 'files'>> {
  const journal = new DecisionJournal(to, shiftMs);
  const container = backtestContainer(plan, journal);
  const simulation = container.get(SIMULATION);
  simulation.clock.advanceTo(simulation.timeline.startTime);
  const engine = container.get(TOKENS.engine);
  const { account, balances, spotBalances } = plan;
  simulation.venue.deposit(account.kind === 'futures' ? 'futures' : 'spot', balances);
  if (spotBalances !== undefined) simulation.venue.deposit('spot', spotBalances);
  journal.watch(engine);
  const end = tap(({ kind }: { readonly kind: string }) => {
    if (kind === 'ending') journal.over = true;
  });
  const strays = new ReplayStrays(plan.strategies, container.get(TOKENS.state));
  let stray: { readonly error: unknown } | undefined;
  try {
    await engine.run({ events$: simulation.feed.events$.pipe(end) as typeof simulation.feed.events$ });
  } finally {
    simulation.close();
    stray = await strays.close();
  }
  if (stray !== undefined) throw stray.error;
  const { decisions, first, until } = journal;
  return { decisions, first, until };
}
