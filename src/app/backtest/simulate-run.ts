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
import type { ReplayMonitor } from '../../venues/simulated/replay.ts';
import type { RequestFigures } from '../../venues/simulated/request-pacer.ts';
import { SimulatedVenue } from '../../venues/simulated/simulated-venue.ts';
import type { BacktestPlan } from '../planning/run-plans.ts';
import { TOKENS } from '../wiring/container.ts';
import { backtestContainer, SIMULATION, type Simulation } from '../wiring/simulation.ts';
import { ReplayStrays, type RunStrays, SharedStrays } from '../wiring/stray-errors.ts';
import { type RowTables, RunRecorder } from './recorders/run-recorder.ts';

/** The result of a simulated run, whether it reached its end or not. */
export interface SimulatedRun {
  readonly state: State;
  readonly recorder: RunRecorder;
  /** Empty if no hash was wanted. */
  readonly eventLogSha256: string;
  readonly marketEvents: number;
  /** Epoch ms of the first and last market event; `NaN` when there was none. */
  readonly from: number;
  readonly to: number;
  /** The fills that depend on the assumed path inside a bar, or whose exits do. */
  readonly pathFills: number;
  /** The number of bars in which the price passed a stop that worked only from the next bar on. */
  readonly unguardedBars: number;
  /** The number of bars with a trailing stop whose distance is not above the bar's range. */
  readonly narrowTrailBars: number;
  /** Entries that filled at or beyond their stop loss. */
  readonly stopsBeyondFill: number;
  /** Entries that filled at or beyond their take profit. */
  readonly targetsBeyondFill: number;
  /** The number of `protect` that found nothing to protect, by strategy. */
  readonly idleProtects: Engine['idleProtects'];
  /** The number of closes and exits whose size was changed for the minimum of an order, by strategy. */
  readonly sizesChanged: Engine['sizesChanged'];
  /** The indicators whose value was held at some bars, as their formula had none there. */
  readonly heldIndicators: Engine['heldIndicators'];
  /** The venue's insurance fund of an asset. */
  readonly insurance: (asset: string) => Decimal;
  readonly interrupted: boolean;
  /** The symbols that strategies received later than the start of the run. */
  readonly late: Engine['late'];
  /** How requests waited for the exchange's limits, if the run has limits. */
  readonly requests: RequestFigures | undefined;
  /** The error that stopped the run. */
  readonly failure: { readonly error: unknown } | undefined;
}

export interface SimulateOptions {
  /** `false`: the hash of the event log is not wanted, so that no text of events is made; default: true. */
  readonly hash?: boolean | undefined;
  /** Receives the bytes of the event log, for `events.jsonl`. */
  readonly writeEvents?: ((bytes: Uint8Array) => void) | undefined;
  /** Receives the rows of the tables. */
  readonly tables?: readonly RowTables[] | undefined;
  /** Receives the entries of the event log. */
  readonly journal?: Journal | undefined;
  /** Called before the first event. */
  readonly observe?: ((engine: Engine, clock: Clock, state: State, recorder: RunRecorder) => void) | undefined;
}

/** Builds the run, opens the account and replays the data to its end. */
export async function simulateRun(plan: BacktestPlan, options: SimulateOptions = {}): Promise<SimulatedRun> {
  const log = options.hash === false && options.writeEvents === undefined ? undefined : new EventLog(options.writeEvents);
  const journals = new Journals(log);
  let strays: RunStrays | undefined;
  const monitor = withBreaks(plan.monitor, () => strays);
  const container = backtestContainer({ ...plan, monitor }, journals);
  const simulation = container.get(SIMULATION);
  const state = container.get(TOKENS.state);
  const recorder = new RunRecorder(state, options.tables, simulation.matching.dependsOnPath);
  journals.add(recorder);
  journals.add(options.journal);
  simulation.clock.advanceTo(simulation.timeline.startTime);
  strays = monitor?.breaks === undefined ? new ReplayStrays(plan.strategies, state) : new SharedStrays(plan.strategies, state);
  let engine: Engine | undefined;
  let failure: SimulatedRun['failure'];
  try {
    // This creates the strategies, whose code may throw.
    strays.enter();
    engine = container.get(TOKENS.engine);
    openAccount(simulation.venue, plan);
    recorder.observe(engine);
    options.observe?.(engine, simulation.clock, state, recorder);
    strays.leave();
    await engine.run(simulation.feed);
  } catch (error) {
    failure = { error };
    simulation.close();
    if (engine === undefined) showDeposits(simulation.venue, plan, state);
  }
  const stray = await strays.close();
  const { timeline, matching } = simulation;
  state.portfolio.finish(timeline.lastTime);
  recorder.finish();
  return {
    state,
    recorder,
    eventLogSha256: log?.finish() ?? '',
    marketEvents: timeline.marketEvents,
    from: timeline.firstTime,
    to: timeline.lastTime,
    pathFills: matching.pathFills,
    unguardedBars: matching.unguardedBars,
    narrowTrailBars: matching.narrowTrailBars,
    stopsBeyondFill: engine?.stopsBeyondFill ?? 0,
    targetsBeyondFill: engine?.targetsBeyondFill ?? 0,
    idleProtects: engine?.idleProtects ?? new Map(),
    sizesChanged: engine?.sizesChanged ?? new Map(),
    heldIndicators: engine?.heldIndicators ?? [],
    insurance: (asset) => matching.insuranceFund(asset),
    interrupted: timeline.interrupted,
    late: engine?.late ?? [],
    requests: simulation.venue instanceof SimulatedVenue ? simulation.venue.figures : undefined,
    failure: failure ?? stray,
  };
}

/**
 * A monitor whose breaks end when strategies begin something that goes on after their hook, such as a promise. From then on the replay is
 * one call, as it is without breaks: so a strategy gets no result of its promises while it runs, whatever the process does.
 */
function withBreaks(monitor: ReplayMonitor | undefined, strays: () => RunStrays | undefined): ReplayMonitor | undefined {
  if (monitor?.breaks === undefined) return monitor;
  const { breaks } = monitor;
  return {
    ...monitor,
    look: monitor.look,
    breaks: {
      begin: () => {
        breaks.begin();
        strays()?.enter();
      },
      isDue: () => strays()?.begun === false && breaks.isDue(),
      pause: () => {
        strays()?.leave();
        return breaks.pause().then(() => strays()?.enter());
      },
    },
  };
}

/** Deposits the opening balances, wallet by wallet. */
function openAccount(venue: Simulation['venue'], { account, balances, spotBalances }: BacktestPlan): void {
  venue.deposit(account.kind === 'futures' ? 'futures' : 'spot', balances);
  if (spotBalances !== undefined) venue.deposit('spot', spotBalances);
}

/** If the engine could not be created, the account still has its deposits. */
function showDeposits(venue: Simulation['venue'], plan: BacktestPlan, state: State): void {
  venue.events$.subscribe((event) => applyAccount(state, event));
  openAccount(venue, plan);
}

/** Several journals as one, in the order in which they were added. Some need the state, which exists only after the first one is bound. */
class Journals implements Journal {
  readonly #all: Journal[] = [];

  constructor(first: Journal | undefined) {
    this.add(first);
  }

  add(journal: Journal | undefined): void {
    if (journal !== undefined) this.#all.push(journal);
  }

  intent(sequence: number, time: number, strategyId: string, intent: Intent): void {
    for (let at = 0; at < this.#all.length; at++) this.#all[at]!.intent(sequence, time, strategyId, intent);
  }

  event(sequence: number, event: AccountEvent): void {
    for (let at = 0; at < this.#all.length; at++) this.#all[at]!.event(sequence, event);
  }

  commit(): void {
    for (let at = 0; at < this.#all.length; at++) this.#all[at]!.commit();
  }
}

/**
 * The growth of the heap before V8 collects garbage, as a percentage of the memory in use. By default, V8 lets the heap grow to up to four
 * times this memory. A replay keeps few objects and makes much garbage: with 50 % it takes no more time, and saves some 60 MB.
 */
const HEAP_GROWTH_PERCENT = 50;

/**
 * The bytes of bytecode that V8 may inline into one function. Its default of 920 is enough for only half of a turn's functions. This
 * limit may only be raised: V8 ends the process when a limit falls below what a compiler thread is inlining at that moment.
 */
const INLINED_BYTES = 4_500;

/**
 * Tunes V8 for replays, in the whole process and before the first event. A market event passes some thirty small functions, which run
 * faster if V8 compiles them as one.
 */
export function tuneV8(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${INLINED_BYTES}`);
}
