import { ExchangeError } from '../../../exchange/errors.ts';
import type { OperationName } from '../../../exchange/operations/operation-table.ts';

/** One page, and whether the exchange says that there is an older one. */
interface Page<T> {
  readonly list: readonly T[];
  readonly more: boolean;
}

interface Listing<T> {
  readonly operation: OperationName;
  /** Epoch ms: nothing older is asked for. */
  readonly from?: number | undefined;
  /** Epoch ms of the newest record of this list that any page has shown; `-Infinity` before. */
  readonly newest?: number | undefined;
  /** @param endTime epoch ms; nothing newer is asked for. */
  read(endTime: number | undefined): Promise<Page<T>>;
  /** The id of a record, and the time by which the list is ordered, in epoch ms. */
  of(record: T): readonly [id: string, time: number];
}

/** How often a page is asked for. */
const TRIES = 3;

/**
 * A list without page numbers, read from its newest records back. No document says whether the end of a period belongs to it: a page ends
 * one ms after the oldest record of the one before. A page that does not reach that record, or has newer ones, is an old answer to another
 * request, as caches give, and is asked for again; so is one that has a record from before the period, and says that older ones follow.
 * So is a first page that ends before a record that was shown before: but if all answers say so, that record was wrong.
 */
export class BackwardPages<T> {
  readonly found = new Map<string, T>();
  /** Nothing older is left. */
  whole = false;
  pages = 0;
  #oldest: number | undefined;
  #endTime: number | undefined;

  constructor(private readonly listing: Listing<T>) {}

  /** Reads the next page. @throws ExchangeError. */
  async next(): Promise<void> {
    const { list, more } = await this.#page();
    const before = this.found.size;
    for (const record of list) this.found.set(this.listing.of(record)[0], record);
    this.pages++;
    this.whole = !more || list.length === 0;
    if (this.whole) return;
    const oldest = Math.min(...this.#times(list));
    // A page full of records of one ms: older ones alone bring it on.
    const isStuck = this.found.size === before && this.#endTime !== undefined;
    this.#endTime = isStuck ? this.#endTime! - 1 : oldest + 1;
    this.#oldest = isStuck ? undefined : oldest;
  }

  async #page(): Promise<Page<T>> {
    const { operation, read } = this.listing;
    for (let left = TRIES; left > 0; left--) {
      const page = await read(this.#endTime);
      if (this.#fits(page) && (left === 1 || !this.#isBehind(page))) return page;
    }
    throw new ExchangeError({ operation, cause: 'unreadable', scope: 'read', message: 'the records are those of another period' });
  }

  #fits({ list, more }: Page<T>): boolean {
    if (list.length === 0) return true;
    const times = this.#times(list);
    if (more && Math.min(...times) < (this.listing.from ?? 0)) return false;
    if (this.#endTime === undefined) return true;
    const newest = Math.max(...times);
    return newest <= this.#endTime && (this.#oldest === undefined || newest >= this.#oldest);
  }

  /** It is a first page, and lacks the newest record that was shown. */
  #isBehind({ list }: Page<T>): boolean {
    return this.#endTime === undefined && Math.max(Number.NEGATIVE_INFINITY, ...this.#times(list)) < (this.listing.newest ?? Number.NaN);
  }

  #times(list: readonly T[]): number[] {
    return list.map((record) => this.listing.of(record)[1]);
  }
}
