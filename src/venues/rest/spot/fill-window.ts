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
  /** Exchange time up to which everything visible has been read and kept. */
  #readTo: number;
  /** What the last look found, and up to when it looked. */
  #found: readonly SpotFillRecord[] = [];
  #foundTo = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly client: Pick<ExchangeClient, 'fills' | 'serverTime'>,
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
    this.#advance();
    const now = this.client.serverTime();
    const after = Math.max(0, Math.floor(this.#readTo - this.overlapMs));
    const records = await this.#pages({ after });
    this.#found = records;
    this.#foundTo = now;
    this.#forget(after - this.overlapMs);
    return records;
  }

  /** The fills of one order that are news. */
  ofOrder(orderId: string): Promise<SpotFillRecord[]> {
    return this.#pages({ orderId });
  }

  /** @returns false where it was seen before. */
  keep({ fillId, cTime }: SpotFillRecord): boolean {
    if (this.#seen.has(fillId)) return false;
    this.#seen.set(fillId, cTime);
    return true;
  }

  /** What was found and has not been kept holds the window where it is. */
  #advance(): void {
    const left = this.#found.filter(({ fillId }) => !this.#seen.has(fillId));
    const to = left.reduce((earliest, { cTime }) => Math.min(earliest, cTime), this.#foundTo);
    this.#readTo = Math.max(this.#readTo, to);
    this.#found = left;
  }

  async #pages(of: { after: number } | { orderId: string }): Promise<SpotFillRecord[]> {
    const found = new Map<string, SpotFillRecord>();
    for (let pageIndex = 0; pageIndex < MAX_PAGES; pageIndex++) {
      const { fillsOrderResultList: page, nextPage } = await this.client.fills({
        symbol: wireSymbol(this.symbol),
        ...of,
        pageIndex,
        pageSize: PAGE,
      });
      for (const record of page) if (!this.#seen.has(record.fillId)) found.set(record.fillId, record);
      if (!nextPage && page.length < PAGE) break;
    }
    // They come newest first: of one instant, the last is the oldest.
    return [...found.values()].reverse().sort((a, b) => a.cTime - b.cTime);
  }

  #forget(before: number): void {
    for (const [fillId, time] of this.#seen) if (time < before) this.#seen.delete(fillId);
  }
}
