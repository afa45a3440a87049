import { describe, expect, test } from '@jest/globals';
import type { Fill } from '../../src/model/fill.ts';
import type { MarketEventKind } from '../../src/model/market-events.ts';
import { place } from '../../src/strategy/intents.ts';
import { instrument, minuteBars, type Row, run, type Script, secondsOf, series } from '../builders.ts';

const BTC = instrument();
const ETH = instrument({ symbol: 'ETH-USDT' }, 1);
const buy = (symbol: string) => place({ symbol, side: 'buy', type: 'market', quantity: 1, tag: symbol });

interface Feed {
  readonly of: typeof BTC;
  readonly kind: MarketEventKind;
  readonly rows: readonly Row[];
  /** How much later than its stamps say the data comes, in seconds. */
  readonly late?: number;
}

/** The fills of a run as `seconds symbol @price`. */
async function fillsOf(feeds: readonly Feed[], script: Script): Promise<string[]> {
  const sources = feeds.map(({ of, kind, rows, late = 0 }) => ({
    instrument: of,
    kind,
    open: () =>
      series(
        kind,
        rows.map(([seconds, ...rest]): Row => [seconds + late, ...rest]),
      ),
  }));
  const instruments = feeds.some(({ of }) => of === ETH) ? [BTC, ETH] : [BTC];
  const { fills, failure } = await run({
    instruments,
    sources,
    kind: 'netting',
    balances: { USDT: '1000000' },
    bars: { from: 'bar', intervals: instruments.map(() => []), graceMs: 0 },
    script,
  });
  if (failure !== undefined) throw failure.error;
  return fills.map((fill: Fill) => `${secondsOf(fill.time)} ${fill.symbol} @${fill.priceTicks}`);
}

// The check itself, that no fill is priced by data older than its strategy had seen, runs on every fill of every run
// (freezing.test.ts breaks it); here is data that would tempt a simulator to break it.
describe('data whose two sides arrive apart', () => {
  test('a quote: bid and ask with one stamp in two rows are delivered together, and neither is priced by the previous other', async () => {
    const quote: Row[] = [
      [0, 100, 102],
      [10, 105, 102],
      [10, 105, 107],
      [20, 105, 107],
    ];
    const onQuote: Script['onQuote'] = (_, { bidTicks, askTicks }) => (bidTicks === 105 && askTicks === 102 ? buy('BTC-USDT') : undefined);
    expect(await fillsOf([{ of: BTC, kind: 'quote', rows: quote }], { onQuote })).toEqual(['10 BTC-USDT @107']);
  });

  test('a bar: after its close the next price comes only after a gap, and the order waits for it', async () => {
    const bars: Row[] = [
      [0, 100, 101, 99, 100],
      [180, 120, 125, 118, 122],
    ];
    const onBar: Script['onBar'] = (_, { closeTicks }) => (closeTicks === 100 ? buy('BTC-USDT') : undefined);
    expect(await fillsOf([{ of: BTC, kind: 'bar', rows: bars }], { onBar })).toEqual(['180 BTC-USDT @120']);
  });

  test('two symbols: the bar of one is delivered ten seconds before that of the other, whose old close prices nothing', async () => {
    const btc = minuteBars([100, 101, 99, 100], [101, 103, 100, 102], [102, 104, 101, 103]);
    const eth = minuteBars([10, 11, 9, 10], [20, 22, 19, 21], [21, 23, 20, 22]);
    const onBar: Script['onBar'] = (_, { symbol, closeTicks }) =>
      symbol === 'BTC-USDT' && closeTicks === 102 ? [buy('BTC-USDT'), buy('ETH-USDT')] : undefined;
    const feeds: Feed[] = [
      { of: BTC, kind: 'bar', rows: btc },
      { of: ETH, kind: 'bar', rows: eth, late: 10 },
    ];
    // Decided at 120 by BTC's close; ETH, last told at 10, is inside its second bar until 130, and opens anew there.
    expect(await fillsOf(feeds, { onBar })).toEqual(['120 BTC-USDT @102', '130 ETH-USDT @21']);
  });

  test('a book and its trades: a trade is delivered before the change that it made, and takers match the present book', async () => {
    const depth: Row[] = [
      [0, 1, 100, 5, 1],
      [0, -1, 102, 5, 1],
      [11, -1, 102, 0, 0],
      [11, -1, 103, 5, 0],
    ];
    const trade: Row[] = [[10, 102, 5, 1]];
    const onTrade: Script['onTrade'] = () => buy('BTC-USDT');
    const feeds: Feed[] = [
      { of: BTC, kind: 'depth', rows: depth },
      { of: BTC, kind: 'trade', rows: trade },
    ];
    expect(await fillsOf(feeds, { onTrade })).toEqual(['10 BTC-USDT @102']);
  });
});
