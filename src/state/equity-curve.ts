import type { DayZone } from '../model/day-zone.ts';
import type { Decimal } from '../model/decimal.ts';

/** The account at one moment. Money is in the account's currency. */
export interface EquitySample {
  /** Epoch ms. */
  readonly time: number;
  /** The balance of the account's currency. */
  readonly cash: Decimal;
  /** Cash, other coins at their last prices, and positions. */
  readonly equity: Decimal;
  /** The highest equity so far, over every market event. */
  readonly peak: number;
  /** `(peak - equity) / peak`. */
  readonly drawdown: number;
  /** Value of all positions, both sides counted. */
  readonly exposure: number;
  /** The same, with shorts as negative values. */
  readonly netExposure: number;
  /** The number of positions that had an exit and have none (`unprotected`). */
  readonly unprotected: number;
}

/** The values of a sample. */
export type SampledFigures = Omit<EquitySample, 'time'>;

/** The last equity of one day with market data. */
export interface DayEnd {
  /** The midnight that ends the day, epoch ms. */
  readonly time: number;
  readonly equity: Decimal;
  /** No position was open on this day, and nothing was traded. */
  readonly idle: boolean;
}

/** The account as the curve sees it. */
interface CurveSource {
  /**
   * @param time of the sample, epoch ms.
   * @param atEnd with fills whose price is not in the market state yet: nothing comes after the end.
   */
  sampledFigures(time: number, atEnd?: boolean): SampledFigures;
  /** @returns whether the account had a position or traded since the last call. */
  takeActivity(): boolean;
}

const DAY_MS = 86_400_000;

/**
 * Samples of equity: at the first value of the account, at regular times, at the end; and at the end of each day with market data. A sample
 * at T includes everything up to and including T, except fills at the open of a bar that closes after T. They have no other price than that
 * bar's.
 *
 * A day is (midnight, midnight], as a bar that closes at midnight belongs to the day it covers. Only market events begin a day. The first
 * value is the start of the first day's return: at midnight, it belongs to no day.
 */
export class EquityCurve {
  readonly samples: EquitySample[] = [];
  readonly days: DayEnd[] = [];
  /** Call `advance` before an event later than this; compared once per market event. */
  nextTime = Number.NEGATIVE_INFINITY;
  #nextSample = Number.NaN;
  /** `NaN` before the day's first market event. */
  #dayEnd = Number.NaN;
  /** The next UTC midnight, at which daily limits begin again. */
  #midnight = Number.NaN;
  readonly #listeners: (() => void)[] = [];

  constructor(
    private readonly everyMs: number,
    private readonly zone: DayZone,
    private readonly source: CurveSource,
  ) {}

  get started(): boolean {
    return this.samples.length > 0;
  }

  /** Calls the listener each time that samples were stored, while prices are still those of the samples. */
  whenWritten(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The first value of the account, after the market event at `time`. */
  start(time: number): void {
    this.samples.push({ time, ...this.source.sampledFigures(time) });
    this.#nextSample = (Math.floor(time / this.everyMs) + 1) * this.everyMs;
    this.#midnight = Math.ceil(time / DAY_MS) * DAY_MS;
    this.#beginDay(time);
    this.#schedule();
    for (const listener of this.#listeners) listener();
  }

  /** Stores the samples that are due before an event at `time`. @param market the event is one of the market. */
  advance(time: number, market: boolean): void {
    if (!this.started) return;
    if (this.#nextSample < time || this.#dayEnd < time) this.#write(time);
    if (market && Number.isNaN(this.#dayEnd)) this.#beginDay(time);
    this.#midnight = Math.ceil(time / DAY_MS) * DAY_MS;
    this.#schedule();
  }

  /** The last sample and the last day, at the run's end. */
  finish(time: number): void {
    if (!this.started) return;
    const now = this.source.sampledFigures(time, true);
    this.samples.push({ time, ...now });
    const changed = this.days.length === 0 && !now.equity.eq(this.samples[0]!.equity);
    if (changed || !Number.isNaN(this.#dayEnd))
      this.#closeDay(Number.isNaN(this.#dayEnd) ? this.zone.endOf(time) : this.#dayEnd, now.equity);
    else this.#amendLastDay(now.equity);
    for (const listener of this.#listeners) listener();
  }

  #write(time: number): void {
    const now = this.source.sampledFigures(Number.isNaN(this.#dayEnd) ? this.#nextSample : Math.min(this.#nextSample, this.#dayEnd));
    for (; this.#nextSample < time; this.#nextSample += this.everyMs) this.samples.push({ time: this.#nextSample, ...now });
    if (this.#dayEnd < time) this.#closeDay(this.#dayEnd, now.equity);
    for (const listener of this.#listeners) listener();
  }

  /** Events at the midnight of the start, one or several, are of no day. */
  #beginDay(time: number): void {
    const end = this.zone.endOf(time);
    if (end > this.samples[0]!.time) this.#dayEnd = end;
  }

  /** A fill after the last market event, which closed a day at its midnight, belongs to that day. */
  #amendLastDay(equity: Decimal): void {
    const last = this.days.at(-1);
    if (last === undefined || last.equity.eq(equity)) return;
    this.days[this.days.length - 1] = { ...last, equity, idle: last.idle && !this.source.takeActivity() };
  }

  #closeDay(time: number, equity: Decimal): void {
    this.days.push({ time, equity, idle: !this.source.takeActivity() });
    this.#dayEnd = Number.NaN;
  }

  #schedule(): void {
    this.nextTime = Number.isNaN(this.#dayEnd) ? Number.NEGATIVE_INFINITY : Math.min(this.#nextSample, this.#dayEnd, this.#midnight);
  }
}
