import { normalQuantile, Random } from '../../model/random.ts';
import type { Rejection } from '../../model/reasons.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** What times are drawn from, of which one is given; parameters in ms but for `sigma`. */
interface Distribution {
  /** [least, most] */
  readonly uniform?: readonly number[] | undefined;
  /** What falls below 0 is 0. */
  readonly normal?: { readonly mean: number; readonly deviation: number } | undefined;
  /** `sigma` is the standard deviation of the logarithm. */
  readonly lognormal?: { readonly median: number; readonly sigma: number } | undefined;
  /** `mean` is that of the whole, `least` included. */
  readonly exponential?: { readonly least: number; readonly mean: number } | undefined;
}

/** Ms, or what they are drawn from. */
export type Delay = number | Distribution;

/** The middle of the steps that `Random` draws in: never 0, never 1. */
const HALF_STEP = 2 ** -33;

/**
 * Draws the times of a leg, one number of the stream each. What is drawn is rounded to the microsecond, as all times
 * are; that also takes the last digits off, in which logarithms of two machines might differ.
 */
function drawerOf(delay: Delay, random: Random): () => number {
  if (typeof delay === 'number') return () => delay;
  const at = shapeOf(delay);
  return () => Math.round(at(random.uniform() + HALF_STEP) * 1000) / 1000;
}

/** The time that this share of all draws is below. */
function shapeOf({ uniform, normal, lognormal, exponential }: Distribution): (share: number) => number {
  if (normal !== undefined) return (share) => Math.max(0, normal.mean + normal.deviation * normalQuantile(share));
  if (lognormal !== undefined) return (share) => lognormal.median * Math.exp(lognormal.sigma * normalQuantile(share));
  if (exponential !== undefined) {
    const { least, mean } = exponential;
    return (share) => least - (mean - least) * Math.log1p(-share);
  }
  const [least = 0, most = least] = uniform ?? [];
  return (share) => least + share * (most - least);
}

/** The ways between a bot and its exchange: prices to it, its orders and cancels there, what the exchange answers back. */
export type Leg = 'feed' | 'entry' | 'cancel' | 'response';

/** How long one leg took, recorded, as two columns. */
export interface RecordedDelays {
  /** Epoch ms, rising. */
  readonly times: Float64Array;
  /** In ms; `NaN` where the exchange refused what came then. */
  readonly delays: Float64Array;
}

/** What a file of recorded times tells of each leg. */
export type RecordedLatency = { readonly [L in Leg]?: RecordedDelays | undefined };

/** When the exchange is too busy for an order. */
interface OverloadSettings {
  /** Share of the orders that it refuses, whatever else happens. */
  readonly probability?: number | undefined;
  /** It takes so many orders of ours within any second, and refuses those beyond. */
  readonly ordersPerSecond?: number | undefined;
}

/** How long each leg takes, and whether the exchange is too busy for what arrives. */
export interface Latency {
  readonly entryMs: Delay;
  readonly cancelMs: Delay;
  readonly responseMs: Delay;
  /** Left out: strategies see every event as it happens. */
  readonly feedMs?: Delay | undefined;
  /** Of what is drawn. */
  readonly seed?: number | undefined;
  /** Goes before the settings of the legs that it tells of. */
  readonly recorded?: RecordedLatency | undefined;
  readonly overload?: OverloadSettings | undefined;
  /** Comes on top of the entry and of the response leg, each. */
  readonly addedMs?: number | undefined;
}

/** Whether strategies hear of prices later than matching has them. */
export function hasFeedLeg({ feedMs = 0, recorded }: Latency): boolean {
  return feedMs !== 0 || recorded?.feed !== undefined;
}

/** Where nothing else is said: the same run again gives the same draws. */
const SEED = 1;

/** The random numbers that one part of the latency draws from: what another draws changes nothing. */
function streamOf({ seed = SEED }: Latency, name: string): Random {
  return new Random(seed, `latency/${name}`);
}

/** How long what sets out now takes, in ms. Called with times that never go back. */
export type LegDelays = (now: number) => number;

/**
 * The times of one leg: the recorded ones where there are any, else as they are set.
 * @param stream that is drawn from, told apart from other streams of the same leg.
 */
export function legDelays(latency: Latency, leg: Leg, stream: string = leg): LegDelays {
  const { recorded, addedMs = 0 } = latency;
  const rows = recorded?.[leg];
  const own = rows === undefined ? drawerOf(latency[`${leg}Ms`] ?? 0, streamOf(latency, stream)) : recordedDelays(rows);
  const added = leg === 'entry' || leg === 'response' ? addedMs : 0;
  return added === 0 ? own : (now) => own(now) + added;
}

/** A refused row has no time of its own. */
function recordedDelays(rows: RecordedDelays): LegDelays {
  const at = rowFinder(rows);
  return (now) => at(now) || 0;
}

/** The row at or before `now`; before the first one the first, after the last one the last. */
function rowFinder({ times, delays }: RecordedDelays): LegDelays {
  let row = 0;
  return (now) => {
    while (row + 1 < times.length && times[row + 1]! <= now) row++;
    return delays[row]!;
  };
}

/** One leg of the venue's: nothing that goes it overtakes what set out before. */
export class Lane {
  #last = Number.NEGATIVE_INFINITY;
  #underWay = 0;

  constructor(
    private readonly clock: SimulatedClock,
    private readonly delays: LegDelays,
    /** What takes no time arrives at once, before whoever sent it goes on; else with the arrivals of its time. */
    private readonly atOnce: boolean,
  ) {}

  /** @param takesTime false for what arrives as it sets out. */
  send(arrive: () => void, takesTime = true): void {
    const now = this.clock.now();
    const due = Math.max(this.#last, takesTime ? now + this.delays(now) : now);
    this.#last = due;
    if (due <= now && this.atOnce && this.#underWay === 0) {
      arrive();
      return;
    }
    this.#underWay++;
    this.clock.venue.add(due, () => {
      this.#underWay--;
      arrive();
    });
  }
}

const WINDOW_MS = 1000;

/**
 * Refuses orders as they arrive, as an exchange that is overloaded does: where a recorded row says so, by chance, and by
 * their rate. Refused orders do not count into the rate. Cancels always pass.
 */
export class Overload {
  /** Arrivals of the last second that were let through. */
  #taken: number[] = [];
  readonly #chance: Random;
  readonly #recorded: (now: number) => number;

  readonly #settings: OverloadSettings;

  constructor(latency: Latency) {
    const { overload = {}, recorded } = latency;
    this.#settings = overload;
    this.#chance = streamOf(latency, 'overload');
    this.#recorded = recorded?.entry === undefined ? () => 0 : rowFinder(recorded.entry);
  }

  /** Whether a recorded row refuses what sets out now. */
  refusesAt(now: number): boolean {
    return Number.isNaN(this.#recorded(now));
  }

  /** An order arrives. @param recorded a row refuses it. @returns why it is refused. */
  refusal(now: number, recorded: boolean): Rejection | undefined {
    const { probability = 0, ordersPerSecond = Number.POSITIVE_INFINITY } = this.#settings;
    this.#taken = this.#taken.filter((time) => time > now - WINDOW_MS);
    const unlucky = probability > 0 && this.#chance.uniform() < probability;
    const by = recorded ? 'record' : unlucky ? 'chance' : this.#taken.length >= ordersPerSecond ? 'rate' : undefined;
    if (by !== undefined) return { code: 'overloaded', by, orders: String(this.#taken.length + 1), windowMs: String(WINDOW_MS) };
    this.#taken.push(now);
    return undefined;
  }
}
