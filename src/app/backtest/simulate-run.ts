import type { Engine } from '../../engine/engine.ts';
import { EventLog } from '../../journal/event-log.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal.ts';
import { applyAccount } from '../../state/apply.ts';
import type { State } from '../../state/state.ts';
import type { RequestFigures } from '../../venues/simulated/request-pacer.ts';
import { SimulatedVenue } from '../../venues/simulated/simulated-venue.ts';
import type { BacktestPlan } from '../planning/run-plans.ts';
import { backtestContainer, SIMULATION } from '../wiring/backtest-container.ts';
import { TOKENS } from '../wiring/core-container.ts';
import type { Simulation } from '../wiring/simulation.ts';
import { JournalPair } from './journal-pair.ts';
import { RunRecorder } from './recorders/run-recorder.ts';
import { ReplayStrays } from './replay-strays.ts';

/** What a simulated run leaves behind, whether it reached its end or not. */
export interface SimulatedRun {
  readonly state: State;
  readonly recorder: RunRecorder;
  readonly eventLogSha256: string;
  readonly marketEvents: number;
  /** Epoch ms of the first and last market event; `NaN` when there was none. */
  readonly from: number;
  readonly to: number;
  /** Fills that hung on the assumed path inside a bar, they or their exits. */
  readonly pathFills: number;
  /** What the venue's insurance fund holds of an asset. */
  readonly insurance: (asset: string) => Decimal;
  readonly interrupted: boolean;
  /** What waiting for the exchange's limits came to, where the run keeps to any. */
  readonly requests: RequestFigures | undefined;
  /** What stopped the run, if something did. */
  readonly failure: { readonly error: unknown } | undefined;
}

export interface SimulateOptions {
  /** Takes the bytes of the event log, for `events.jsonl`. */
  readonly writeEvents?: ((bytes: Uint8Array) => void) | undefined;
  /** Told what the event log is told. */
  readonly journal?: Journal | undefined;
  /** Called before the first event, for whoever wants to observe. */
  readonly observe?: ((engine: Engine, clock: Clock, state: State) => void) | undefined;
}

/** Wires the plan, opens the account and replays the data to its end. */
export async function simulateRun(plan: BacktestPlan, options: SimulateOptions = {}): Promise<SimulatedRun> {
  const log = new EventLog(options.writeEvents);
  const journal = new JournalPair(log);
  const container = backtestContainer(plan, journal);
  const simulation = container.get(SIMULATION);
  const state = container.get(TOKENS.state);
  const recorder = new RunRecorder(state, simulation.matching.hangsOnPath);
  journal.second = new JournalPair(recorder, options.journal);
  simulation.clock.advanceTo(simulation.timeline.startTime);
  const strays = new ReplayStrays(plan.strategies, state);
  let engine: Engine | undefined;
  let failure: SimulatedRun['failure'];
  try {
    // This makes the strategies, whose code may throw.
    engine = container.get(TOKENS.engine);
    openAccount(simulation.venue, plan);
    recorder.observe(engine);
    options.observe?.(engine, simulation.clock, state);
    await engine.run(simulation.feed);
  } catch (error) {
    failure = { error };
    simulation.close();
    if (engine === undefined) showDeposits(simulation.venue, plan, state);
  }
  const stray = await strays.close();
  const { timeline, matching } = simulation;
  state.portfolio.finish(timeline.lastTime);
  recorder.prices.finish();
  return {
    state,
    recorder,
    eventLogSha256: log.finish(),
    marketEvents: timeline.marketEvents,
    from: timeline.firstTime,
    to: timeline.lastTime,
    pathFills: matching.pathFills,
    insurance: (asset) => matching.insuranceFund(asset),
    interrupted: timeline.interrupted,
    requests: simulation.venue instanceof SimulatedVenue ? simulation.venue.requests : undefined,
    failure: failure ?? stray,
  };
}

/** Pays in what the account opens with, wallet by wallet. */
function openAccount(venue: Simulation['venue'], { account, balances, spotBalances }: BacktestPlan): void {
  venue.deposit(account.kind === 'futures' ? 'futures' : 'spot', balances);
  if (spotBalances !== undefined) venue.deposit('spot', spotBalances);
}

/** Where no engine came to be, the account still shows what was paid in. */
function showDeposits(venue: Simulation['venue'], plan: BacktestPlan, state: State): void {
  venue.events$.subscribe((event) => applyAccount(state, event));
  openAccount(venue, plan);
}
