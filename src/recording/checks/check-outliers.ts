import { BookRebuilding } from '../../model/book-rebuilding.ts';
import type { DepthBook, DepthColumns } from '../../model/depth-sequence.ts';
import { decimalText } from '../columns/decimal-units.ts';
import type { SeriesMeta } from '../columns/series-meta.ts';
import { fundingTime } from '../funding-time.ts';
import { type CheckedRows, durationText, type Finding, Tally } from './check-tally.ts';

/** A change that had none before it to follow, and its place. */
interface FirstChange {
  readonly previous: number;
  readonly row: number;
  readonly time: number;
}

/**
 * Judges a recorded order book: whether the numbers of its changes follow each other and the snapshots (an error, as the book is
 * wrong from there to the next snapshot; a change may reach back behind a snapshot), whether there is a snapshot at all (warning), and
 * what the book is after each whole change, rebuilt as a replay rebuilds it: a bid above the ask (error) or at it (warning). Where rows
 * begin inside a series, the book is what the changes from there on tell of it.
 */
export class DepthCheck {
  readonly #meta: SeriesMeta;
  readonly #lost = new Tally('lostUpdates', 'error', 'changes that do not follow the one before: updates are lost');
  readonly #backward = new Tally('disorder', 'error', 'changes whose number is not above that of the one before');
  readonly #crossed = new Tally('crossedBooks', 'error', 'changes that leave a bid above the ask');
  readonly #locked = new Tally('lockedBooks', 'warning', 'changes that leave a bid at the ask');
  readonly #noSnapshot = new Tally('noSnapshot', 'warning', 'no snapshot: the book is what changed since the first row');
  #rebuilding: BookRebuilding | undefined;
  /** Number of the newest change, and of the newest snapshot. */
  #update = 0;
  #snapshot = 0;
  /** Whether a series from its beginning has had no snapshot yet, and the change that it began with. */
  #awaitsSnapshot = false;
  #first: FirstChange | undefined;
  /** Rows of the changes judged and of the one at hand, which the row after it has not joined. */
  #row = 0;

  constructor(meta: SeriesMeta) {
    this.#meta = meta;
  }

  update({ time, nanos, columns, length }: CheckedRows): void {
    this.#rebuilding ??= this.#begin(time[0]!);
    for (let row = 0; row < length; row++) {
      this.#rebuilding.add(time[row]!, nanos === undefined ? 0 : nanos[row]!, columns as unknown as DepthColumns, row);
      this.#row++;
    }
  }

  findings(): Finding[] {
    this.#rebuilding?.end();
    return [this.#lost, this.#backward, this.#crossed, this.#locked, this.#noSnapshot].flatMap((tally) => tally.findings());
  }

  #begin(time: number): BookRebuilding {
    const { snapshots = 0, firstTime } = this.#meta;
    if (snapshots === 0) this.#noSnapshot.add(1, time);
    this.#awaitsSnapshot = snapshots > 0 && time === firstTime;
    const rebuilding = new BookRebuilding(this.#awaitsSnapshot, (change, at, told) => {
      if (change.snapshot) this.#onSnapshot(change.update);
      else this.#number(change.update, change.previous, at);
      if (told) this.#judge(rebuilding.book, at);
    });
    return rebuilding;
  }

  #judge({ bids, asks }: DepthBook, time: number): void {
    const bid = bids.bestTicks;
    const ask = asks.bestTicks;
    if (!(bid >= ask)) return;
    const text = (units: number) => decimalText(units, this.#meta.priceDecimals);
    (bid > ask ? this.#crossed : this.#locked).add(this.#row, time, () => `bid ${text(bid)} ask ${text(ask)}`);
  }

  /** The changes in hand are put on the first snapshot: those after the first are judged already, each by the one before. */
  #onSnapshot(update: number): void {
    const first = this.#first;
    if (first !== undefined && update > 0 && first.previous > update) this.#addLost(first, update);
    this.#first = undefined;
    this.#awaitsSnapshot = false;
    // One that is older than the newest says nothing new, and one without a number leaves nothing to follow.
    this.#snapshot = update === 0 ? 0 : Math.max(update, this.#snapshot);
  }

  #addLost({ previous, row, time }: FirstChange, before: number): void {
    this.#lost.add(row, time, () => `${previous} should be ${before}`);
  }

  #number(update: number, previous: number, time: number): void {
    const before = this.#update;
    if (before === 0 && update > 0 && this.#awaitsSnapshot) this.#first = { previous, row: this.#row, time };
    const known = Math.max(before, this.#snapshot);
    if (known > 0 && previous > known) this.#addLost({ previous, row: this.#row, time }, known);
    else if (update > 0 && update <= before) this.#backward.add(this.#row, time, () => `${update} after ${before}`);
    this.#update = update;
  }
}

/**
 * Judges when funding is due, jitter apart: two rates of one time would both be charged (error), and a distance
 * longer than the most frequent one is a gap (warning). Funding comes a few times a day, so all its times are kept.
 */
export class FundingTimesCheck {
  readonly #times: number[] = [];

  update({ time, length }: CheckedRows): void {
    for (let row = 0; row < length; row++) this.#times.push(fundingTime(time[row]!));
  }

  findings(): Finding[] {
    const times = this.#times;
    const usual = this.#usualDistance();
    const duplicates = new Tally('duplicates', 'error', 'second rates of one funding time');
    const gaps = new Tally('gaps', 'warning', `gaps in funding every ${durationText(usual)}`);
    let longest = 0;
    for (let row = 1; row < times.length; row++) {
      const distance = times[row]! - times[row - 1]!;
      if (distance === 0) duplicates.add(row + 1, times[row]!);
      if (distance <= usual) continue;
      gaps.add(row, times[row - 1]!, () => `then nothing for ${durationText(distance)}`);
      longest = Math.max(longest, distance);
    }
    const told = gaps.findings().map((finding) => ({ ...finding, text: `${finding.text}; the longest lasts ${durationText(longest)}` }));
    return [...duplicates.findings(), ...told];
  }

  /** The most frequent distance in ms, the shorter one of two; `Infinity` where there is none. */
  #usualDistance(): number {
    const counts = new Map<number, number>();
    for (let row = 1; row < this.#times.length; row++) {
      const distance = this.#times[row]! - this.#times[row - 1]!;
      if (distance > 0) counts.set(distance, (counts.get(distance) ?? 0) + 1);
    }
    const [usual] = [...counts].sort(([a, often], [b, oftener]) => oftener - often || a - b);
    return usual?.[0] ?? Number.POSITIVE_INFINITY;
  }
}

/** Least share by which a price must stand out from both its neighbours, however calm the market. */
const LEAST_SHARE = 0.05;
/** So many times the usual move between two rows is out of reason. */
const USUAL_MOVES = 10;
/** What the newest move counts for in the usual one, which opens at 2 %. */
const NEWEST_WEIGHS = 1 / 128;
const FIRST_USUAL_MOVE = 0.02;
/** A price that more than doubles or halves between two rows, and stays, is most likely in another unit. */
const LEAP = 2;

/**
 * Judges prices against their neighbours (warnings): a row stands out where its highest price is above those of the rows before
 * and after, or its lowest below, by more than 5 % and by more than ten times the usual move; and prices leap where
 * they more than double or halve and stay there. Rows that repeat the prices before count as one with them.
 */
export class OutlierCheck {
  readonly #decimals: number;
  readonly #topColumn: number;
  readonly #bottomColumn: number;
  readonly #outliers = new Tally('outliers', 'warning', 'prices far from those before and after');
  readonly #leaps = new Tally('outliers', 'warning', 'prices that more than double or halve at once');
  /** Highest and lowest price of the last row that did not stand out, and of the row at hand; 0 where there is none. */
  #beforeTop = 0;
  #beforeBottom = 0;
  #top = 0;
  #bottom = 0;
  #row = 0;
  #time = 0;
  #usualMove = FIRST_USUAL_MOVE;

  constructor({ kind, priceDecimals }: SeriesMeta) {
    this.#decimals = priceDecimals;
    this.#topColumn = kind === 'bar' || kind === 'quote' ? 1 : 0;
    this.#bottomColumn = kind === 'bar' ? 2 : 0;
  }

  update({ time, columns, length }: CheckedRows, rowsBefore: number): void {
    const tops = columns[this.#topColumn]!;
    const bottoms = columns[this.#bottomColumn]!;
    for (let row = 0; row < length; row++) {
      const top = tops[row]!;
      const bottom = bottoms[row]!;
      if ((top === this.#top && bottom === this.#bottom) || bottom <= 0) continue;
      this.#judge(top, bottom);
      this.#top = top;
      this.#bottom = bottom;
      this.#row = rowsBefore + row + 1;
      this.#time = time[row]!;
    }
  }

  findings(): Finding[] {
    this.#judge(this.#top, this.#bottom);
    return [this.#outliers, this.#leaps].flatMap((tally) => tally.findings());
  }

  /** Judges the row at hand, now that the prices after it are known. */
  #judge(nextTop: number, nextBottom: number): void {
    const top = this.#top;
    const bottom = this.#bottom;
    const before = this.#beforeTop + this.#beforeBottom;
    if (before > 0) {
      const calm = top <= (1 + LEAST_SHARE) * this.#beforeTop && bottom >= (1 - LEAST_SHARE) * this.#beforeBottom;
      if (!calm && this.#standsOut(nextTop, nextBottom)) return;
      const move = Math.abs(top + bottom - before) / before;
      this.#usualMove += (Math.min(move, this.#limit) - this.#usualMove) * NEWEST_WEIGHS;
    }
    this.#beforeTop = top;
    this.#beforeBottom = bottom;
  }

  get #limit(): number {
    return Math.max(LEAST_SHARE, USUAL_MOVES * this.#usualMove);
  }

  /** Counts the row at hand as an outlier, or as a leap, which the prices after it are judged by. */
  #standsOut(nextTop: number, nextBottom: number): boolean {
    const top = this.#top;
    const bottom = this.#bottom;
    const [row, time, from] = [this.#row, this.#time, this.#beforeBottom];
    const above = top > (1 + this.#limit) * Math.max(this.#beforeTop, nextTop);
    if (above || bottom < (1 - this.#limit) * Math.min(from, nextBottom)) {
      this.#outliers.add(row, time, () => this.#price(above ? top : bottom));
      return true;
    }
    const ratio = (top + bottom) / (this.#beforeTop + from);
    if (ratio >= LEAP || ratio <= 1 / LEAP) this.#leaps.add(row, time, () => `${this.#price(from)} to ${this.#price(bottom)}`);
    return false;
  }

  #price(units: number): string {
    return decimalText(units, this.#decimals);
  }
}
