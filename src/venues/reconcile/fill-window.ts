import type { Instrument } from '../../model/instrument.ts';
import { type Asking, ask, type SeenFill, type SharedFills } from './records.ts';

interface FillWindowOptions {
  readonly instrument: Instrument;
  /** Epoch ms on the exchange's clock, as estimated. */
  readonly exchangeTime: () => number;
  /** How long a fill may stay invisible, in ms. */
  readonly overlapMs: number;
  /** Error of our estimate of the exchange's time, in ms. */
  readonly clockSlackMs: number;
  /** Epoch ms on the exchange's clock, as estimated: all earlier fills are known. */
  readonly from: number;
  /** Ids of the fills known at the start. */
  readonly seen: Iterable<string>;
}

/**
 * Finds the new fills of one instrument. Windows overlap by the time that a fill may stay invisible, and are read
 * to their last page. Fills that were seen before are skipped.
 *
 * A window begins `overlapMs` before a time up to which every visible fill is known. There are two such
 * times. One is the newest stamp seen, which is the exchange's own. The other, for an instrument without fills, is the time of the
 * last request that was answered completely: a later fill had not happened then, or was still invisible. The
 * second is on our estimate of the exchange's clock, hence `clockSlackMs` earlier: the exchange answers no request whose
 * stamp is off by half of it. Without the second time, the window of a quiet instrument would grow for ever, in the end
 * beyond the period that the exchange allows.
 */
export class FillWindow {
  readonly #seen = new Map<string, Kept>();
  /** Every fill with an earlier stamp that was visible at the last request is known. */
  #readTo: number;
  /** All records of the last poll, and its fills that are new. */
  #read: readonly SeenFill[] = [];
  #found: readonly SeenFill[] = [];
  /** The last poll has found fills that were not kept, besides those that are pending. */
  waits = false;
  /** Since when answers have been in part, on the exchange's clock as estimated; `NaN` if the last one was complete. */
  partSince = Number.NaN;
  /** When the last poll was requested, if it was answered completely. */
  #askedAt = Number.NEGATIVE_INFINITY;
  /** When the newest poll was requested all of whose fills have been kept. */
  readAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: FillWindowOptions) {
    const { from, clockSlackMs, seen } = options;
    this.#readTo = from - clockSlackMs;
    // The stamps of these fills are unknown: the latest possible one, so that none is forgotten while a window covers it.
    for (const fillId of seen) this.#seen.set(fillId, { time: from + clockSlackMs, counted: undefined });
  }

  /**
   * New fills, oldest first, and records whose id has counted as another fill. They count as seen after `keep`.
   * @param askedAt epoch ms on the exchange's clock, as estimated: the list is not older.
   * @param shared the list of several instruments that will do.
   */
  *news(askedAt = this.options.exchangeTime(), shared?: SharedFills): Asking<readonly SeenFill[]> {
    const { instrument, overlapMs } = this.options;
    const { from } = this;
    const read = yield* ask({ ask: 'fills', instrument, from, shared });
    // A late reply to an earlier request may hold older fills than requested. They were seen, and are forgotten by now.
    const begin = Math.max(from, read.from);
    this.#read = read.records.filter(({ time }) => time >= begin);
    const fills = this.#read.filter((fill) => {
      const counted = this.countedAs(fill);
      return counted === undefined ? !this.has(fill.fillId) : !isSame(counted, fill);
    });
    this.#readTo = Math.max(this.#readTo, begin + overlapMs);
    this.#found = fills;
    if (read.whole) this.partSince = Number.NaN;
    else if (Number.isNaN(this.partSince)) this.partSince = askedAt;
    this.#askedAt = read.whole ? askedAt : Number.NEGATIVE_INFINITY;
    this.#forget(begin - overlapMs);
    return fills;
  }

  /** Epoch ms on the exchange's clock from which fills are asked for. */
  get from(): number {
    return Math.max(0, Math.floor(this.#readTo - this.options.overlapMs));
  }

  /** The new fills of one order. */
  *ofOrder(orderId: string): Asking<readonly SeenFill[]> {
    const fills = yield* this.#of(orderId);
    return fills.filter(({ fillId }) => !this.#seen.has(fillId));
  }

  /** All fills of one order. `reported`: kept before, or older than the window. */
  *allOf(orderId: string): Asking<readonly { readonly fill: SeenFill; readonly reported: boolean }[]> {
    const fills = yield* this.#of(orderId);
    const from = this.#readTo - this.options.overlapMs;
    return fills.map((fill) => ({ fill, reported: this.#seen.has(fill.fillId) || fill.time < from }));
  }

  /** @returns false if it was seen before. */
  keep(fill: SeenFill): boolean {
    if (this.#seen.has(fill.fillId)) return false;
    this.#seen.set(fill.fillId, { time: fill.time, counted: fill });
    return true;
  }

  has(fillId: string): boolean {
    return this.#seen.has(fillId);
  }

  /** The record with this id as it has counted; `undefined` if it has not, or in an earlier run. */
  countedAs({ fillId }: SeenFill): SeenFill | undefined {
    return this.#seen.get(fillId)?.counted;
  }

  /** Whether the last poll has the id, and for nothing else. */
  showsOnly(fillId: string, content: string): boolean {
    const shown = this.#read.filter((fill) => fill.fillId === fillId);
    return shown.length > 0 && shown.every((fill) => contentOf(fill) === content);
  }

  /** The fill with this id has counted, and records may say something else of it. */
  accept(fillId: string): void {
    const kept = this.#seen.get(fillId);
    if (kept !== undefined) this.#seen.set(fillId, { ...kept, counted: undefined });
  }

  /**
   * Every fill found has been handled. A fill that was not kept holds the window where it is.
   * @param isPending it is not kept, because its order has not ended: nothing else waits for it.
   */
  advance(isPending: (fill: SeenFill) => boolean = () => false): void {
    const isLeft = ({ fillId }: SeenFill) => !this.#seen.has(fillId);
    const read = Math.max(this.#readTo, this.#askedAt - this.options.clockSlackMs);
    // An answer in part may lack fills that are older than those it shows.
    const known = this.#askedAt === Number.NEGATIVE_INFINITY ? [] : this.#found;
    const newest = known.reduce((time, fill) => (isLeft(fill) ? time : Math.max(time, fill.time)), read);
    const oldestLeft = this.#found.reduce((time, fill) => (isLeft(fill) ? Math.min(time, fill.time) : time), newest);
    this.#readTo = Math.max(this.#readTo, Math.min(newest, oldestLeft));
    this.waits = this.#found.some((fill) => isLeft(fill) && !isPending(fill));
    if (!this.waits) this.readAt = Math.max(this.readAt, this.#askedAt);
    this.#found = [];
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  /** Pages that were answered at different times may both show a fill: each is here once. */
  *#of(orderId: string): Asking<readonly SeenFill[]> {
    const fills = yield* ask({ ask: 'fillsOf', instrument: this.options.instrument, orderId });
    return [...new Map(fills.map((fill) => [fill.fillId, fill])).values()];
  }

  #forget(before: number): void {
    for (const [fillId, { time }] of this.#seen) if (time < before) this.#seen.delete(fillId);
  }
}

/** A fill as a window remembers it. */
interface Kept {
  /** Its stamp. */
  readonly time: number;
  /** As it has counted; `undefined` of an earlier run. */
  readonly counted: SeenFill | undefined;
}

/** Whether two records with one id are of one fill. Prices and fees may be in other digits later. */
export function isSame(one: SeenFill, other: SeenFill): boolean {
  return one === other || (one.orderId === other.orderId && one.side === other.side && one.quantity.equals(other.quantity));
}

/** The same, as text for people. */
export function contentOf({ side, quantity, orderId }: SeenFill): string {
  return `${side ?? 'record'} of ${quantity.toFixed()} for order ${orderId}`;
}
