import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import type { SpotFillRecord } from '../../../exchange/mapping/spot-fill-figures.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';

const PAGE = 100;
/** More pages than any window can honestly hold. */
const MAX_PAGES = 1_000;

/**
 * The fills of one pair as they come to be known. Windows overlap by the time that a fill may stay invisible, and are read
 * to their last page; what was seen before is left out.
 */
export class FillWindow {
  readonly #seen = new Map<string, number>();
  /** Stamp of the newest fill that is known, with all before it. */
  #readTo: number;
  /** What the last look found. */
  #found: readonly SpotFillRecord[] = [];

  constructor(
    private readonly client: Pick<ExchangeClient, 'fills'>,
    private readonly symbol: string,
    private readonly overlapMs: number,
    readFrom: number,
    seen: Iterable<string>,
  ) {
    this.#readTo = readFrom;
    for (const fillId of seen) this.#seen.set(fillId, readFrom);
  }

  /** Fills that are news, oldest first; they count as seen once they have been kept. */
  async news(): Promise<SpotFillRecord[]> {
    const after = Math.max(0, Math.floor(this.#readTo - this.overlapMs));
    const records = await this.#pages({ after });
    this.#found = records;
    this.#forget(after - this.overlapMs);
    return records;
  }

  /** The fills of one order that are news. */
  ofOrder(orderId: string): Promise<SpotFillRecord[]> {
    return this.#pages({ orderId });
  }

  /** All fills of one order, with whether each is dealt with: kept, or older than the window. */
  async allOf(orderId: string): Promise<{ readonly record: SpotFillRecord; readonly told: boolean }[]> {
    const records = await this.#pages({ orderId }, true);
    const from = this.#readTo - this.overlapMs;
    return records.map((record) => ({ record, told: this.#seen.has(record.fillId) || record.cTime < from }));
  }

  /** @returns false where it was seen before. */
  keep({ fillId, cTime }: SpotFillRecord): boolean {
    if (this.#seen.has(fillId)) return false;
    this.#seen.set(fillId, cTime);
    return true;
  }

  /**
   * All that was found is dealt with. The window follows the exchange's own stamps, not an idea of its clock, and what has
   * not been kept holds it where it is.
   */
  advance(): void {
    const isLeft = ({ fillId }: SpotFillRecord) => !this.#seen.has(fillId);
    const newest = this.#found.reduce((time, record) => (isLeft(record) ? time : Math.max(time, record.cTime)), this.#readTo);
    const oldestLeft = this.#found.reduce((time, record) => (isLeft(record) ? Math.min(time, record.cTime) : time), newest);
    this.#readTo = Math.max(this.#readTo, Math.min(newest, oldestLeft));
    this.#found = [];
  }

  async #pages(of: { after: number } | { orderId: string }, evenSeen = false): Promise<SpotFillRecord[]> {
    const found = new Map<string, SpotFillRecord>();
    for (let pageIndex = 0; pageIndex < MAX_PAGES; pageIndex++) {
      const { fillsOrderResultList: page, nextPage } = await this.client.fills({
        symbol: wireSymbol(this.symbol),
        ...of,
        pageIndex,
        pageSize: PAGE,
      });
      for (const record of page) if (evenSeen || !this.#seen.has(record.fillId)) found.set(record.fillId, record);
      if (!nextPage && page.length < PAGE) break;
    }
    // They come newest first: of one instant, the last is the oldest.
    return [...found.values()].reverse().sort((a, b) => a.cTime - b.cTime);
  }

  #forget(before: number): void {
    for (const [fillId, time] of this.#seen) if (time < before) this.#seen.delete(fillId);
  }
}
