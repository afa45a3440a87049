import { answerOf, isFlag, madeModel, type OwnModel, requireField } from '../../matching/models/own-model.ts';
import { normalQuantile, Random } from '../../model/random.ts';
import type { Rejection } from '../../model/reasons.ts';
import { isoTime } from '../../model/time.ts';
import type { LatencyLeg, LatencyModel } from '../../ports/models.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** A distribution of times, of which one kind is given; parameters are in ms except `sigma`. */
interface Distribution {
  /** [least, most] */
  readonly uniform?: readonly number[] | undefined;
  /** Values below 0 count as 0. */
  readonly normal?: { readonly mean: number; readonly deviation: number } | undefined;
  /** `sigma` is the standard deviation of the logarithm. */
  readonly lognormal?: { readonly median: number; readonly sigma: number } | undefined;
  /** `mean` is that of the whole time, `least` included. */
  readonly exponential?: { readonly least: number; readonly mean: number } | undefined;
}

/** Ms, or a distribution. */
export type Delay = number | Distribution;

/** The middle of the steps in which `Random` draws: never 0, never 1. */
const HALF_STEP = 2 ** -33;

/**
 * Draws the times of a leg, each from one random number. They are rounded to the microsecond, as all times are; this also removes the last
 * digits, in which logarithms can differ between machines.
 */
function drawerOf(delay: Delay, random: Random): () => number {
  if (typeof delay === 'number') return () => delay;
  const at = shapeOf(delay);
  return () => Math.round(at(random.uniform() + HALF_STEP) * 1000) / 1000;
}

/** The quantile function: returns the time that the given share of all draws is below. */
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

/** The recorded times of one leg, as two columns. */
export interface RecordedDelays {
  /** Epoch ms, rising. */
  readonly times: Float64Array;
  /** In ms; `NaN` where the exchange refused the request. */
  readonly delays: Float64Array;
}

/** The legs in a file of recorded times. */
export type RecordedLatency = { readonly [L in LatencyLeg]?: RecordedDelays | undefined };

/** When the exchange is too busy to accept an order. */
interface OverloadSettings {
  /** Share of the orders that it refuses at random. */
  readonly probability?: number | undefined;
  /** It accepts this many of our orders within any second, and refuses the others. */
  readonly ordersPerSecond?: number | undefined;
}

/** The time of each leg, and whether the exchange refuses arriving orders because it is too busy. */
export interface Latency {
  readonly entryMs: Delay;
  readonly cancelMs: Delay;
  readonly responseMs: Delay;
  /** Left out: strategies receive every event as it happens. */
  readonly feedMs?: Delay | undefined;
  /** Seed of the random numbers. */
  readonly seed?: number | undefined;
  /** Takes precedence over the settings of its legs. */
  readonly recorded?: RecordedLatency | undefined;
  readonly overload?: OverloadSettings | undefined;
  /** Takes precedence over the settings of all legs. */
  readonly model?: OwnModel<LatencyModel> | undefined;
  /** Added to the entry and to the response leg, each. */
  readonly addedMs?: number | undefined;
}

/** Whether strategies receive prices later than matching has them. */
export function hasFeedLeg({ feedMs = 0, recorded, model }: Latency): boolean {
  if (model !== undefined) {
    const { delaysPrices } = madeModel(model);
    requireField(model, 'delaysPrices', delaysPrices, isFlag, 'true or false');
    return delaysPrices === true;
  }
  return feedMs !== 0 || recorded?.feed !== undefined;
}

/** The default seed: the same run draws the same numbers again. */
const SEED = 1;

/** The random numbers of one part of the latency: draws of other parts do not change them. */
function streamOf({ seed = SEED }: Latency, name: string): Random {
  return new Random(seed, `latency/${name}`);
}

/** The time in ms of a message that leaves now. Must be called with times that never go back. */
export type LegDelays = (now: number) => number;

/**
 * The times of one leg: recorded ones where there are any, else from the settings.
 * @param stream the name of the random stream; it separates the streams of one leg.
 */
export function legDelays(latency: Latency, leg: LatencyLeg, stream: string = leg): LegDelays {
  const { recorded, addedMs = 0 } = latency;
  const rows = recorded?.[leg];
  const own =
    latency.model !== undefined
      ? modelDelays(latency.model, leg, streamOf(latency, stream))
      : rows === undefined
        ? drawerOf(latency[`${leg}Ms`] ?? 0, streamOf(latency, stream))
        : recordedDelays(rows);
  const added = leg === 'entry' || leg === 'response' ? addedMs : 0;
  return added === 0 ? own : (now) => own(now) + added;
}

/** The times of a leg by a model of the user, which are checked and rounded to the microsecond. */
function modelDelays(own: OwnModel<LatencyModel>, leg: LatencyLeg, random: Random): LegDelays {
  const model = madeModel(own);
  const draw = () => random.uniform() + HALF_STEP;
  return (time) => {
    const message = { leg, time, draw };
    const ask = () => model.delayMs(message);
    return Math.round(answerOf(own, `delayMs(${leg} at ${isoTime(time)})`, ask, isDelay, 'ms of at least 0') * 1000) / 1000;
  };
}

/** The longest delay: about thirty years. */
const MOST_MS = 1e12;

/** Whether a model may answer this. */
export function isDelay(ms: unknown): boolean {
  return typeof ms === 'number' && ms >= 0 && ms <= MOST_MS;
}

/** A row of a refused request has no time. */
function recordedDelays(rows: RecordedDelays): LegDelays {
  const at = rowFinder(rows);
  return (now) => at(now) || 0;
}

/** Returns the delay of the row at or before `now`; before the first row that of the first, after the last that of the last. */
function rowFinder({ times, delays }: RecordedDelays): LegDelays {
  let row = 0;
  return (now) => {
    while (row + 1 < times.length && times[row + 1]! <= now) row++;
    return delays[row]!;
  };
}

/** One leg of the venue: a message never overtakes an earlier one. */
export class DelayQueue {
  #last = Number.NEGATIVE_INFINITY;
  #underWay = 0;

  constructor(
    private readonly clock: SimulatedClock,
    private readonly delays: LegDelays,
    /** A message without delay arrives at once, before its sender continues; otherwise it arrives with the others of its time. */
    private readonly atOnce: boolean,
  ) {}

  /** @param takesTime false for a message that arrives as it is sent. */
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
 * Refuses orders on arrival, like an overloaded exchange: where a recorded row says so, at random, and above a rate. Refused orders do not
 * count towards the rate. Cancels always pass.
 */
export class Overload {
  /** Accepted arrivals of the last second. */
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

  /** Whether a recorded row refuses a request that leaves now. */
  refusesAt(now: number): boolean {
    return Number.isNaN(this.#recorded(now));
  }

  /**
   * An order arrives.
   * @param recorded a row refuses it.
   * @returns the reason of a refusal.
   */
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
