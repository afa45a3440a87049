import { expect, test } from '@jest/globals';
import type { Bar } from '../../src/model/market-events.ts';
import { place } from '../../src/strategy/intents.ts';
import { bars, MINUTE, run, type Script, strategy, T0, tickers, trades } from './builders.ts';

const FIVE = 5 * MINUTE;
const BUY = { symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 1 } as const;

/** When the strategy receives bars of five minutes, in minutes from the start, with their closes; it buys at each. */
function fives(seen: string[]): Script {
  return {
    needs: { bars: ['1m', '5m'] },
    onBar: ({ intervalMs, time, close }: Bar, me) => {
      if (intervalMs !== FIVE) return undefined;
      seen.push(`${(time - T0) / MINUTE} at ${(me.now - T0) / MINUTE}: ${close}`);
      return place(BUY);
    },
  };
}

test('a longer bar without its last shorter bar closes by the clock, before the next open', async () => {
  const seen: string[] = [];
  const data = [bars([100, 101, 102, undefined, undefined, 105, 106, 107, 108, 109])];
  const { filled } = await run([strategy('a', fives(seen))], { data, build: [FIVE] });
  expect(seen).toEqual(['5 at 5: 102', '10 at 10: 109']);
  expect(filled).toEqual(['buy 1 at 105']);
});

test.each<[string, (number | undefined)[], number | undefined, string[]]>([
  ['has as many bars as the fullest', [100, 101, 102, undefined, undefined, 105, 106, 107], undefined, ['5 at 5: 102', '10 at 8: 107']],
  ['has fewer', [100, 101, 102, undefined, undefined, 105, 106], undefined, ['5 at 5: 102']],
  ['has fewer, and the period reaches its end', [100, 101, 102, undefined, undefined, 105, 106], 10, ['5 at 5: 102', '10 at 7: 106']],
])('at the end of the data, a longer bar that %s', async (_, rows, to, expected) => {
  const seen: string[] = [];
  const plan = { from: 'bar', intervals: [[FIVE]], graceMs: 2000, to: to === undefined ? undefined : T0 + to * MINUTE } as const;
  await run([strategy('a', fives(seen))], { data: [bars(rows)], bars: plan });
  expect(seen).toEqual(expected);
});

test.each([
  [
    'tickers',
    [
      tickers([
        [0, 100],
        [10, 101],
        [60, 102],
      ]),
    ],
  ],
  [
    'trades',
    [
      trades([
        [0, 100],
        [10, 101],
        [60, 102],
      ]),
    ],
  ],
])('on %s, an exit by age goes by the clock and not by the next price', async (_, data) => {
  const times: number[] = [];
  let placed = false;
  const enter = () => {
    if (placed) return undefined;
    placed = true;
    return place({ ...BUY, exits: { after: '15s' } });
  };
  const script: Script = {
    ...(data[0]!.kind === 'ticker' ? { onTicker: enter } : { onTrade: enter }),
    onFill: ({ side, time }) => {
      if (side === 'sell') times.push((time - T0) / 1000);
    },
  };
  const { filled } = await run([strategy('a', script)], { data, kind: 'netting' });
  expect([filled[0], times]).toEqual(['buy 1 at 100', [15]]);
});

test('the limit of an age holds from its time on', async () => {
  let placed = false;
  const onTicker = () => {
    if (placed) return undefined;
    placed = true;
    const steps = [
      { after: '0m', profit: 0.1 },
      { after: '15s', profit: 0.01 },
    ];
    return place({ ...BUY, exits: { steps } });
  };
  const times: number[] = [];
  const onFill: Script['onFill'] = ({ side, time }) => {
    if (side === 'sell') times.push((time - T0) / 1000);
  };
  await run([strategy('a', { onTicker, onFill })], {
    data: [
      tickers([
        [0, 100],
        [10, 102],
        [60, 103],
      ]),
    ],
  });
  expect(times).toEqual([15]);
});
