import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { performance } from 'node:perf_hooks';
import { tap } from 'rxjs';
import type { Engine } from '../../engine/engine.ts';
import { type AccountEvent, isForcedClose } from '../../model/account-events.ts';
import { isMonths } from '../../model/bar-interval.ts';
import type { Intent } from '../../model/intents.ts';
import type { Bar } from '../../model/market-events.ts';
import { Random } from '../../model/random.ts';
import type { Journal } from '../../ports/journal.ts';
import type { BiasOutcome, Decision } from '../../research/find-bias.ts';
import type { RowStream } from '../../venues/simulated/row-source.ts';
import type { BacktestPlan } from '../planning/run-plans.ts';
import { TOKENS } from '../wiring/container.ts';
import { backtestContainer, SIMULATION } from '../wiring/simulation.ts';
import { ReplayStrays } from '../wiring/stray-errors.ts';

/**
 * Runs a plan and returns the decisions of its strategies.
 * @param to the time at which later data is cut off, in epoch ms of the plan.
 * @param shiftMs how much later the plan is than its recording, in ms: subtracted from all returned times.
 * @throws the errors of the strategies
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

/** Collects the intents of strategies up to the end of the data. */
class DecisionJournal implements Journal {
  readonly decisions: Decision[] = [];
  first = Number.NaN;
  /** The sequence of the newest market event, not after `to`. */
  until = Number.NEGATIVE_INFINITY;
  /** True after the end: intents of `onStop` depend on the place of the end, so they are not compared. */
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
    if (event.kind !== 'orderFilled' && !isForcedClose(event)) return;
    if (event.fill.pricedSequence > this.#sequence) this.#afterNext = true;
  }

  commit(): void {}
}

const READERS = ['readFileSync', 'openSync', 'readFile', 'open', 'createReadStream'] as const;
const RealDate = Date;
const readClock = performance.now.bind(performance);

/** Moves the wall clock of this thread forward, and seeds its random numbers. A run that depends on neither stays the same. */
export function changeWorld({
  clockMs = 0,
  seed = 0,
}: {
  readonly clockMs?: number | undefined;
  readonly seed?: number | undefined;
}): void {
  const draws = new Random(seed, 'world');
  Math.random = () => draws.uniform();
  performance.now = () => readClock() + clockMs;
  globalThis.Date =
    clockMs === 0
      ? RealDate
      : new Proxy(RealDate, {
          construct: (target, parts: unknown[], self) =>
            Reflect.construct(target, parts.length === 0 ? [RealDate.now() + clockMs] : parts, self) as object,
          get: (target, key, self) => (key === 'now' ? () => RealDate.now() + clockMs : Reflect.get(target, key, self)),
        });
}

/** The files that strategies read during construction and run, with the stack of each read. */
export interface Reading {
  readonly path: string;
  readonly stack: string;
}

/** Records every file that any code opens from now on. */
export function watchFiles(readings: Reading[]): void {
  const watched = (owner: object, name: string) => {
    const own = Reflect.get(owner, name) as (...parts: unknown[]) => unknown;
    Reflect.set(owner, name, function (this: unknown, ...parts: unknown[]) {
      if (typeof parts[0] === 'string' || parts[0] instanceof URL || parts[0] instanceof Uint8Array) {
        readings.push({ path: String(parts[0]), stack: new Error('read').stack ?? '' });
      }
      return Reflect.apply(own, this, parts);
    });
  };
  for (const name of READERS) watched(fs, name);
  for (const name of ['readFile', 'open']) watched(fs.promises, name);
  syncBuiltinESMExports();
}

/** 56 years of 365.25 days: all months and weekdays are the same again. */
const SAME_CALENDAR_MS = 20_454 * 86_400_000;

/** The ms by which a plan is moved: `ms`, or so many years that bars of months stay the same. */
export function shiftOf({ bars }: Pick<BacktestPlan, 'bars'>, ms: number): number {
  return bars.intervals.flat().some(isMonths) ? SAME_CALENDAR_MS : ms;
}

/** The plan with its whole recording moved by this number of ms, the bars before the start included. */
export function shiftedPlan(plan: BacktestPlan, ms: number): BacktestPlan {
  const later = (bar: Bar) => Object.assign(Object.create(Object.getPrototypeOf(bar)) as Bar, bar, { time: bar.time + ms });
  return {
    ...plan,
    from: plan.from + ms,
    to: plan.to + ms,
    sources: plan.sources.map((source) => ({
      ...source,
      ...(source.within && { within: { from: source.within.from + ms, to: source.within.to + ms } }),
      open: () => {
        const opened = source.open();
        return { ...opened, rows: shiftedRows(opened.rows, ms) };
      },
    })),
    signals: plan.signals?.map((one) => ({ ...one, sourceTimes: Float64Array.from(one.sourceTimes, (time) => time + ms) })),
    bars: {
      ...plan.bars,
      before: plan.bars.before?.map((known) => known && { firstTime: known.firstTime + ms, begun: known.begun.map(later) }),
    },
    history: (...asked) => plan.history(...asked).map(later),
  };
}

/** Copies the times of loaded rows, which must not be changed. */
function shiftedRows(rows: RowStream, ms: number): RowStream {
  let time = new Float64Array(0);
  return {
    get length() {
      return rows.length;
    },
    get time() {
      return time;
    },
    get columns() {
      return rows.columns;
    },
    get nanos() {
      return rows.nanos;
    },
    next() {
      const more = rows.next();
      time = rows.time.map((own) => own + ms);
      return more;
    },
    close: () => rows.close(),
  };
}
