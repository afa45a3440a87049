import { setFlagsFromString } from 'node:v8';
import type { Engine } from '../../engine/engine.ts';
import { EventLog } from '../../journal/event-log.ts';
import type { AccountEvent } from '../../model/account-events.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Intent } from '../../model/intents.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal.ts';
import { applyAccount } from '../../state/apply.ts';
import type { State } from '../../state/state.ts';
import type { RequestFigures } from '../../venues/simulated/request-pacer.ts';
import { SimulatedVenue } from '../../venues/simulated/simulated-venue.ts';
import type { BacktestPlan } from '../planning/run-plans.ts';
import { TOKENS } from '../wiring/container.ts';
import { backtestContainer, SIMULATION, type Simulation } from '../wiring/simulation.ts';
import { ReplayStrays } from '../wiring/stray-errors.ts';
import { RunRecorder } from './recorders/run-recorder.ts';

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
  /** Bars in which the price passed a stop that did not work before the next bar opened. */
  readonly unguardedBars: number;
  /** Bars in which a stop trailed by no more than their range. */
  readonly narrowTrailBars: number;
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
  /** Receives what the event log receives. */
  readonly journal?: Journal | undefined;
  /** Called before the first event. */
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
    unguardedBars: matching.unguardedBars,
    narrowTrailBars: matching.narrowTrailBars,
    insurance: (asset) => matching.insuranceFund(asset),
    interrupted: timeline.interrupted,
    requests: simulation.venue instanceof SimulatedVenue ? simulation.venue.figures : undefined,
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

/** Two journals as one; the second needs the state, which exists only after the first is wired. */
class JournalPair implements Journal {
  constructor(
    private readonly first: Journal,
    public second?: Journal,
  ) {}

  intent(sequence: number, time: number, strategyId: string, intent: Intent): void {
    this.first.intent(sequence, time, strategyId, intent);
    this.second?.intent(sequence, time, strategyId, intent);
  }

  event(sequence: number, event: AccountEvent): void {
    this.first.event(sequence, event);
    this.second?.event(sequence, event);
  }

  commit(): void {
    this.first.commit();
    this.second?.commit();
  }
}

/** Bytes of bytecode that may be inlined into one function; V8's 920 are used up half-way through a turn. */
const INLINED_BYTES = 4_500;

/**
 * A function of more bytes is compiled by itself; V8 says 460. The loop over quotes is one: as a part of what calls it, the bytes above
 * are shared with that, and now and then too few were left for the compiler to see that nobody keeps a quote.
 */
const INLINED_FUNCTION_BYTES = 250;

/**
 * Sets V8's compiler to replays, for the whole process and before the first event: the way of a market event
 * leads through some thirty small functions and is worth compiling as one.
 */
export function tuneCompiler(): void {
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${INLINED_BYTES}`);
  setFlagsFromString(`--max-inlined-bytecode-size=${INLINED_FUNCTION_BYTES}`);
}
