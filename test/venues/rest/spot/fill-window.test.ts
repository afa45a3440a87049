import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ExchangeError } from '../../../../src/exchange/errors.ts';
import type { SpotFillRecord } from '../../../../src/exchange/mapping.ts';
import { FillWindow } from '../../../../src/venues/reconcile/fill-window.ts';
import { type Asking, answered } from '../../../../src/venues/reconcile/records.ts';
import { SpotReads } from '../../../../src/venues/rest/spot/spot-reads.ts';
import { instrument } from '../../../builders.ts';

const DAY = 86_400_000;
const START = Date.UTC(2025, 0, 1);
const OVERLAP = 7_000;
const DOUBT = 60_000;

const BTC = instrument({ symbol: 'BTC-USDT' });

/** A window, and its questions answered. */
interface Read {
  readonly window: FillWindow;
  answered<T>(asking: Asking<T>): Promise<T>;
}

interface Fill {
  readonly fillId: string;
  readonly cTime: number;
  readonly visibleAt: number;
}

/** A window on what an exchange answers. */
function windowOn(
  client: { serverTime(): number; fills(request: never): Promise<object> },
  more: { readonly from?: number; readonly seen?: readonly string[] } = {},
  warned: (fields: object) => void = () => {},
): Read {
  const log = { debug() {}, info() {}, warn: (_: string, fields: object = {}) => warned(fields) };
  const times = { overlapMs: OVERLAP, clockSlackMs: DOUBT, from: START, seen: [] };
  const window = new FillWindow({ instrument: BTC, exchangeTime: () => client.serverTime(), ...times, ...more });
  return { window, answered: (asking) => answered(asking, new SpotReads(client as never, [BTC], log)) };
}

/** Lists fills as they become visible, newest first; each request takes its time. */
class Lister {
  now = START;
  /** How far the bot's idea of this clock is ahead. */
  skewMs = 0;
  requestMs = 40;
  /** How long ago a period may begin. */
  allowsMs = Number.POSITIVE_INFINITY;
  /** It says where a page is not the last. */
  saysMore = true;
  readonly fills: Fill[] = [];
  readonly asked: number[] = [];
  readonly warned: object[] = [];
  #staleAfter: number | undefined;

  window(more: { readonly from?: number; readonly seen?: readonly string[] } = {}): Read {
    const client = { serverTime: () => this.now + this.skewMs, fills: (request: object) => this.#list(request as never) };
    return windowOn(client, more, (fields) => void this.warned.push(fields));
  }

  /** Answers as if the period asked for began at this time. @returns ends that. */
  stale(after: number): () => void {
    this.#staleAfter = after;
    return () => {
      this.#staleAfter = undefined;
    };
  }

  async #list(request: { readonly after?: number; readonly pageIndex: number; readonly pageSize: number }) {
    const { after = 0, pageIndex, pageSize } = request;
    if (pageIndex === 0) this.asked.push(after);
    if (after < this.now - this.allowsMs) {
      throw new ExchangeError({ operation: 'fills', cause: 'parameter', scope: 'read', message: 'too old', exchangeCode: '40704' });
    }
    const begin = this.#staleAfter ?? after;
    const visible = this.fills.filter(({ cTime, visibleAt }) => cTime >= begin && visibleAt <= this.now);
    const newestFirst = visible.sort((a, b) => b.cTime - a.cTime);
    const page = newestFirst.slice(pageIndex * pageSize, (pageIndex + 1) * pageSize).map(recordOf);
    this.now += this.requestMs;
    return {
      fillsOrderResultList: page,
      nextPage: this.saysMore && newestFirst.length > (pageIndex + 1) * pageSize,
      totals: newestFirst.length,
    };
  }
}

function recordOf({ fillId, cTime }: Pick<Fill, 'fillId' | 'cTime'>): SpotFillRecord {
  const amounts = { fillPrice: '1', fillQuantity: '1', fillTotalAmount: '1', fees: '0' };
  return {
    fillId,
    orderId: '',
    symbol: '',
    side: 'buy',
    baseCoin: 'BTC',
    quoteCoin: 'USDT',
    cTime,
    ...amounts,
  } as unknown as SpotFillRecord;
}

/** One look: what was news, now kept. */
async function look({ window, answered }: Read): Promise<string[]> {
  const news = await answered(window.news());
  for (const record of news) window.keep(record);
  window.advance();
  return news.map(({ fillId }) => fillId);
}

const fill = (id: number, cTime: number, visibleAt = cTime): Fill => ({ fillId: String(id), cTime, visibleAt });

describe('the window of fills', () => {
  test('moves on where nothing is filled', async () => {
    const lister = new Lister();
    const window = lister.window();
    await look(window);
    const before = lister.now;
    lister.now += 90 * DAY;
    await look(window);
    await look(window);
    // The first look was asked for just before `before`; the third, by its stamp, right after the second.
    expect(lister.asked).toEqual([START - DOUBT - OVERLAP, START - DOUBT - OVERLAP, before + 90 * DAY - DOUBT - OVERLAP]);
  });

  test('reports no fill again that an older reply shows, however long it is seen', async () => {
    const lister = new Lister();
    const window = lister.window();
    lister.fills.push(fill(1, START - 100));
    expect(await look(window)).toEqual(['1']);
    lister.now += DAY;
    await look(window);
    await look(window);
    // The exchange answers as it would have a day earlier.
    const list = lister.stale(START - DOUBT);
    expect(await look(window)).toEqual([]);
    list();
    lister.fills.push(fill(2, lister.now));
    expect(await look(window)).toEqual(['2']);
  });

  // Fills are visible within 5 s; 7 s leave 2 s for the stamps of others. The bot's idea of the time is 30 s off at most.
  test('reports every fill once, whenever it becomes visible and whatever the clocks', async () => {
    const fills = fc.array(fc.record({ at: fc.nat(900_000), lag: fc.nat(5_000) }), { maxLength: 250 });
    const waits = fc.array(fc.oneof(fc.nat(2_000), fc.nat(120_000)), { minLength: 1, maxLength: 30 });
    const skew = fc.integer({ min: -30_000, max: 30_000 });
    await fc.assert(
      fc.asyncProperty(fills, waits, skew, async (planned, pauses, skewMs) => {
        const lister = new Lister();
        lister.skewMs = skewMs;
        lister.fills.push(...planned.map(({ at, lag }, id) => fill(id, START + at, START + at + lag)));
        const window = lister.window();
        const told: string[] = [];
        for (const pause of [...pauses, 1_000_000]) {
          lister.now += pause;
          told.push(...(await look(window)));
        }
        expect(told.sort()).toEqual(lister.fills.map(({ fillId }) => fillId).sort());
      }),
      { numRuns: 200 },
    );
  });

  test.each([1, 99, 100, 101, 250])('reads all pages of a window (%d fills)', async (count) => {
    const lister = new Lister();
    for (let id = 0; id < count; id++) lister.fills.push(fill(id, START + id));
    lister.now = START + 1_000;
    expect(await look(lister.window())).toEqual(lister.fills.map(({ fillId }) => fillId).sort((a, b) => Number(a) - Number(b)));
  });

  test('ends a list that repeats its page for ever, in part', async () => {
    let asked = 0;
    const records = [recordOf(fill(1, START)), recordOf(fill(2, START))];
    const fills = async () => {
      asked++;
      return { fillsOrderResultList: records, nextPage: true, totals: 1_000 };
    };
    const read = windowOn({ serverTime: () => START, fills });
    expect((await look(read)).sort()).toEqual(['1', '2']);
    expect([asked, read.window.partSince]).toEqual([2, START]);
  });

  test('does not move past an answer in part: it may lack older fills than it shows', async () => {
    const late = recordOf(fill(1, START + DAY));
    const read = windowOn({
      serverTime: () => START + DAY,
      fills: async () => ({ fillsOrderResultList: [late], nextPage: true, totals: 9 }),
    });
    expect([await look(read), read.window.from]).toEqual([['1'], START - DOUBT - OVERLAP]);
  });

  test('shows two fills with one id, and one fill that is listed twice once', async () => {
    const [one, other] = [recordOf(fill(1, START)), { ...recordOf(fill(1, START)), fillQuantity: '3' }];
    const { window, answered } = windowOn({
      serverTime: () => START,
      fills: async () => ({ fillsOrderResultList: [one, other, one], nextPage: false, totals: 3 }),
    });
    const quantities = (await answered(window.news())).map(({ quantity }) => quantity.toFixed());
    expect(quantities.sort()).toEqual(['1', '3']);
  });

  test('reads on after a full page, though the exchange does not announce more', async () => {
    const lister = new Lister();
    lister.saysMore = false;
    for (let id = 0; id < 250; id++) lister.fills.push(fill(id, START + id));
    lister.now = START + 1_000;
    expect(await look(lister.window())).toHaveLength(250);
  });

  test('does not move past fills that are not stored', async () => {
    const lister = new Lister();
    lister.fills.push(fill(1, START + 1_000), fill(2, START + 2_000));
    const { window, answered } = lister.window();
    for (let minute = 0; minute < 5; minute++) {
      lister.now += 60_000;
      const news = await answered(window.news());
      expect(news[0]?.fillId).toBe('1');
      for (const record of news) if (record.fillId === '2') window.keep(record);
      window.advance();
    }
    expect(lister.asked.at(-1)).toBe(START + 1_000 - OVERLAP);
  });

  test('does not report again a fill that was known when it began', async () => {
    const lister = new Lister();
    lister.now = START + 1_000;
    lister.fills.push(fill(1, START - 20_000), fill(2, START + 500));
    const window = lister.window({ seen: ['1', '2'] });
    for (let second = 0; second < 180; second++) {
      expect(await look(window)).toEqual([]);
      lister.now += 1_000;
    }
  });

  test('begins as late as the exchange allows, and reports the uncovered time', async () => {
    const lister = new Lister();
    lister.allowsMs = 30 * DAY;
    lister.now = START + 400 * DAY;
    lister.fills.push(fill(1, START + 300 * DAY), fill(2, lister.now - 29 * DAY));
    const window = lister.window();
    expect(await look(window)).toEqual(['2']);
    // A month, less two minutes for what passes until it is asked.
    expect(lister.warned).toEqual([{ from: '2024-12-31T23:58:53Z', to: '2026-01-06T00:02:00Z' }]);
    expect(await look(window)).toEqual([]);
    expect(lister.asked.at(-1)).toBe(START + 400 * DAY - DOUBT - OVERLAP);
    expect(lister.warned).toHaveLength(1);
  });

  test('fails where the exchange takes no period at all, or refuses for another reason', async () => {
    const lister = new Lister();
    lister.allowsMs = -1;
    const { window, answered } = lister.window();
    await expect(answered(window.news())).rejects.toMatchObject({ exchangeCode: '40704' });
    expect(lister.asked).toHaveLength(1);
  });
});

describe('lists that do as they like', () => {
  /** Two fills a second, listed in this order, in pages that are cut short. */
  const windowOf = (rising: boolean, more: 'flag' | 'total') => {
    const fills = Array.from({ length: 9 }, (_, index) => ({ fillId: `f${index}`, cTime: START + Math.floor(index / 2) * 1_000 }));
    const list = rising ? fills : [...fills].reverse();
    const client = {
      serverTime: () => START + 10_000,
      fills: async ({ pageIndex }: { readonly pageIndex: number }) => {
        const page = list.slice(pageIndex * 4, (pageIndex + 1) * 4);
        return {
          fillsOrderResultList: page.map(recordOf),
          nextPage: more === 'flag' && (pageIndex + 1) * 4 < list.length,
          totals: more === 'total' ? list.length : page.length,
        };
      },
    };
    return windowOn(client);
  };
  const ALL = ['f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'f8'];

  test.each([
    ['newest first, with a flag', false, 'flag'],
    ['oldest first, with a flag', true, 'flag'],
    ['newest first, with a total alone', false, 'total'],
    ['oldest first, with a total alone', true, 'total'],
  ] as const)('%s, are read to the end and reported in order of time', async (_, rising, more) => {
    expect(await look(windowOf(rising, more))).toEqual(ALL);
  });

  test('a fill that a growing list moves to a page that was read before is found all the same', async () => {
    const fill = (index: number) => ({ fillId: `f${index}`, cTime: START + index * 1_000 });
    let asked = 0;
    const fills = async ({ pageIndex }: { readonly pageIndex: number }) => {
      // Before the second page is read, a new fill comes, and the order of the list changes.
      const list = asked++ === 0 ? [1, 2, 3, 4, 5, 6] : [5, 6, 0, 1, 2, 3, 4];
      return {
        fillsOrderResultList: list
          .slice(pageIndex * 4, (pageIndex + 1) * 4)
          .map(fill)
          .map(recordOf),
        nextPage: pageIndex === 0,
        totals: 0,
      };
    };
    const window = windowOn({ serverTime: () => START + 10_000, fills });
    expect(await look(window)).toEqual(['f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6']);
  });

  test('a total that is never reached ends with the first empty page', async () => {
    let asked = 0;
    const answer = { fillsOrderResultList: [], nextPage: false, totals: 7 };
    const fills = async () => {
      asked++;
      return answer;
    };
    const window = windowOn({ serverTime: () => START, fills });
    expect([await look(window), asked]).toEqual([[], 1]);
  });
});
