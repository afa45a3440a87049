import type { MatchingEngine } from '../../matching/matching-engine.ts';
import { type EngineItem, SETTLED } from '../../ports/market-feed.ts';
import type { DataSource } from './row-source.ts';
import type { Schedule, SimulatedClock } from './simulated-clock.ts';

/** Receives the items of a replay. A call returns when the engine has taken its turn. */
export interface FeedOutlet {
  next(item: EngineItem): void;
}

/** Called from time to time during a replay, to show progress and to stop it. */
export interface ReplayMonitor {
  /**
   * Called every few events, or as soon as `wanted` requests it, and at the end.
   * @returns false to stop the replay here.
   */
  look(marketEvents: number, time: number): boolean;
  /** Memory that another thread may write to: while its first number is not zero, the monitor is called at every step. */
  readonly wanted?: Int32Array | undefined;
  /** For a replay in a process that also does other work. Without it, the replay is one call. */
  readonly breaks?: Breaks | undefined;
}

/** When a replay pauses, so that its process can do other work. */
export interface Breaks {
  /** Called before the first event. */
  begin(): void;
  /** Called after each look. @returns whether the replay pauses. */
  isDue(): boolean;
  /** @returns a promise that resolves when the replay goes on. */
  pause(): Promise<void>;
}

/** A replay that can be done in parts. */
export interface Replay {
  /** Begins, before the first event. */
  begin(out: FeedOutlet): void;
  /** Replays up to the next look. @returns whether data is left. */
  advance(out: FeedOutlet): boolean;
  /** Ends, after the last event. */
  end(out: FeedOutlet): void;
}

/** Replays everything without a pause. */
export function replayWhole(replay: Replay, out: FeedOutlet): void {
  replay.begin(out);
  while (replay.advance(out));
  replay.end(out);
}

/** Often enough for a progress bar. */
export const LOOK_EVERY = 256;
export const NEVER_WANTED = new Int32Array(1);

/** Runs everything that is due by `time`, one by one, each settled before the next. */
export function runDue(schedule: Schedule, time: number, out: FeedOutlet): void {
  while (schedule.nextTime <= time) {
    schedule.runNext();
    out.next(SETTLED);
  }
}

/** The data has ended: strategies stop, messages on their way still arrive, then open orders end. */
export function runOut(clock: SimulatedClock, matching: MatchingEngine, out: FeedOutlet): void {
  matching.useLastPrice();
  out.next({ kind: 'ending' });
  drain(clock, out);
  matching.expireAll(clock.now());
  drain(clock, out);
  out.next(SETTLED);
}

function drain(clock: SimulatedClock, out: FeedOutlet): void {
  const { venue } = clock;
  while (venue.nextTime < Number.POSITIVE_INFINITY) {
    clock.advanceTo(venue.nextTime);
    runDue(venue, clock.now(), out);
  }
}

/** The sources of a replay, ordered by their next event. */
export class SourceOrder {
  /** Epoch ms of the next event of any source but the earliest; computed by the last call of `earliest`. */
  bound = Number.POSITIVE_INFINITY;
  readonly #prices: readonly DataSource[];

  /** @param all in the declared order of kinds, then of instruments: the tie-break at equal times. */
  constructor(readonly all: readonly DataSource[]) {
    this.#prices = all.filter(({ follows }) => !follows);
  }

  /** Time of the first price; `Infinity` when there is none. */
  get startTime(): number {
    return Math.min(...this.#prices.map(({ time }) => time));
  }

  get pricesLeft(): boolean {
    return this.#prices.some(({ time }) => time < Number.POSITIVE_INFINITY);
  }

  /** The source with the earliest event. */
  earliest(): DataSource | undefined {
    let first: DataSource | undefined;
    let time = Number.POSITIVE_INFINITY;
    let bound = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.all.length; i++) {
      const source = this.all[i]!;
      const next = source.time;
      if (next < time) {
        bound = time;
        time = next;
        first = source;
      } else if (next < bound) {
        bound = next;
      }
    }
    this.bound = bound;
    return first;
  }

  /** The source whose event at `time` comes first; funding and opens come later. */
  nextAt(time: number): DataSource | undefined {
    let found: DataSource | undefined;
    for (let i = 0; i < this.all.length; i++) {
      const source = this.all[i]!;
      if (source.time !== time || source.opens || source.funds) continue;
      if (found === undefined || source.nanos < found.nanos) found = source;
    }
    return found;
  }
}
