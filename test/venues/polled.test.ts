import { expect, test } from '@jest/globals';
import { pollSettings } from '../../src/app/planning/plan-backtest.ts';
import { cancel, place, setTimer } from '../../src/strategy/intents.ts';
import type { ReplayMonitor } from '../../src/venues/simulated/replay.ts';
import { instrument, perpetual, type Row, run, type Script, secondsOf, series } from '../builders.ts';

const BTC = instrument();
const TICKERS: readonly Row[] = [
  [0.2, 100],
  [1.5, 101],
  [1.8, 102],
  [3.1, 102],
  [3.4, 98],
  [4, 97],
  [5.2, 99],
];

/** What a strategy saw on these tickers at polls every second: time and words. */
async function seen(script: (note: (text: string) => void) => Script, rows = TICKERS, fills = {}, monitor?: ReplayMonitor) {
  const lines: string[] = [];
  let now = () => 0;
  const note = (text: string) => lines.push(`${secondsOf(now())} ${text}`);
  const made = script(note);
  await run({
    kind: 'spot',
    profile: 'exchange',
    sources: [{ instrument: BTC, kind: 'ticker', open: () => series('ticker', rows) }],
    instruments: [BTC],
    fills: { limit: 'touch', ...fills },
    balances: { USDT: '1000', BTC: '5' },
    polled: pollSettings(1_000),
    monitor,
    script: {
      ...made,
      onStart: (self) => {
        now = () => self.time;
        note('starts');
        return made.onStart?.(self);
      },
    },
  });
  return lines;
}

test('the last ticker is seen at each poll, where it has changed, at the time of the poll', async () => {
  const lines = await seen((note) => ({ onTicker: (_, { last, time }) => void note(`${last} @${secondsOf(time)}`) }));
  expect(lines).toEqual(['1 starts', '1 100 @1', '2 102 @2', '4 97 @4', '6 99 @6']);
});

test('a resting order that fills between polls is reported at the next, with its own time', async () => {
  const lines = await seen((note) => ({
    onTicker: (_, { last }) =>
      last === 100 ? place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: 98, quantity: 1 }) : undefined,
    onOrder: (_, { kind }) => void note(kind),
    onFill: (_, { price, time }) => void note(`${price} @${secondsOf(time)}`),
  }));
  expect(lines.filter((line) => !line.includes('orderSubmitted'))).toEqual(['1 starts', '1 orderAccepted', '4 orderFilled', '4 98 @3.4']);
});

test('an order that ends at once is known to have at the poll that sent it; a timer between polls acts then', async () => {
  const lines = await seen((note) => ({
    onStart: (self) => setTimer({ name: 'beside', at: self.time + 1_600 }),
    onTimer: () => place({ symbol: 'BTC-USDT', side: 'sell', type: 'market', quantity: 2 }),
    onFill: (_, { price, time }) => void note(`${price} @${secondsOf(time)}`),
  }));
  // The price at 2.6 s is that of 1.8 s.
  expect(lines).toEqual(['1 starts', '2.6 102 @2.6']);
});

test('a ticker lets orders take no more than `tickerQuantity`, and the rest meets the next', async () => {
  const lines = await seen(
    (note) => ({
      onTicker: (self, { last }) =>
        last === 100 && self.held().quantity === 0 ? place({ symbol: 'BTC-USDT', side: 'sell', type: 'market', quantity: 5 }) : undefined,
      onFill: (_, { price, quantity }) => void note(`${quantity} at ${price}`),
    }),
    TICKERS,
    { tickerQuantity: '2' },
  );
  // Market orders are looked up after 0.25 s, 0.5 s, ...; prices come at 1.5 s and 1.8 s.
  expect(lines).toEqual(['1 starts', '1 2 at 100', '1.75 2 at 101', '2 1 at 102']);
});

test('a cancel is known to have worked in the poll that sent it', async () => {
  const lines = await seen((note) => ({
    onTicker: (_, { last }) =>
      last === 100
        ? place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: 90, quantity: 1 })
        : last === 102
          ? cancel({ symbol: 'BTC-USDT' })
          : undefined,
    onOrder: (_, event) => void (event.kind === 'orderCanceled' ? note(`${event.kind} ${event.reason}`) : undefined),
  }));
  expect(lines).toEqual(['1 starts', '2 orderCanceled requested']);
});

/** What a strategy is told of its contract on these tickers, when it buys at the first one with these exits. */
async function reportedOf(exits: { stopLoss: number; takeProfit?: number }, change: Partial<Parameters<typeof run>[0]> = {}) {
  const perp = perpetual({ takerFee: '0.001' });
  const lines: string[] = [];
  const result = await run({
    kind: 'futures',
    profile: 'exchange',
    sources: [{ instrument: perp, kind: 'ticker', open: () => series('ticker', TICKERS) }],
    instruments: [perp],
    balances: { USDT: '1000' },
    polled: pollSettings(1_000),
    script: {
      onTicker: (_, { last, symbol }) => (last === 100 ? place({ symbol, side: 'buy', type: 'market', quantity: 1, exits }) : undefined),
      onFill: (self, { price, side, time }) => void lines.push(`${secondsOf(self.time)} ${side} ${price} @${secondsOf(time)}`),
      onOrder: (self, { kind }) => void (kind === 'orderCanceled' ? lines.push(`${secondsOf(self.time)} ${kind}`) : undefined),
    },
    ...change,
  });
  return { lines, result };
}

test('a fill of a contract is reported at the poll that shows it, with its own time', async () => {
  const { lines } = await reportedOf({ stopLoss: 98 });
  expect(lines).toEqual(['1 buy 100 @1', '4 sell 98 @3.4']);
});

test('of two exits the one that filled is reported at the poll that shows it, and the other ends', async () => {
  const { lines } = await reportedOf({ stopLoss: 98, takeProfit: 150 });
  expect(lines).toEqual(['1 buy 100 @1', '4 sell 98 @3.4', '4 orderCanceled']);
});

test('fills of two orders in one poll are reported each at its own price and fee', async () => {
  const { result } = await reportedOf(
    { stopLoss: 98 },
    {
      script: {
        onTicker: (_, { last, symbol }) =>
          last === 100 ? [101, 102].map((stopPrice) => place({ symbol, side: 'buy', type: 'stop', stopPrice, quantity: 1 })) : undefined,
      },
    },
  );
  // 101 at 1.5 s and 102 at 1.8 s, and a thousandth of each.
  expect(result.fills.map(({ notional, fee }) => `${notional.toFixed()} ${fee.toFixed()}`)).toEqual(['101 0.101', '102 0.102']);
});

test('a close in a market that falls by 5 % in 10 s fills at once, at the price of that moment, and not at the one that the last poll showed', async () => {
  // 1000 at 0.2 s, and one less every 0.2 s: 986 at the poll of 3 s, 984 at 3.4 s.
  const rows = Array.from({ length: 51 }, (_, index): Row => [(index + 1) / 5, 1_000 - index]);
  const perp = perpetual();
  let hasBought = false;
  const { lines, result } = await reportedOf(
    { stopLoss: 900 },
    {
      sources: [{ instrument: perp, kind: 'ticker', open: () => series('ticker', rows) }],
      instruments: [perp],
      balances: { USDT: '10000' },
      script: {
        onTicker: (self, { symbol }) => {
          if (hasBought) return undefined;
          hasBought = true;
          return [place({ symbol, side: 'buy', type: 'market', quantity: 1 }), setTimer({ name: 'out', at: self.time + 2_500 })];
        },
        onTimer: () => place({ symbol: perp.symbol, side: 'sell', type: 'market', quantity: 1 }),
      },
    },
  );
  expect(lines).toEqual([]);
  expect(result.fills.map(({ side, priceTicks, time }) => `${side} ${priceTicks} @${secondsOf(time)}`)).toEqual([
    'buy 996 @1',
    'sell 984 @3.5',
  ]);
  expect(result.events.filter(({ kind }) => kind === 'orderSubmitted')).toHaveLength(2);
});

test.each([
  ['at a price', 'onTicker', ['1 100 @1', '2 102 @2']],
  ['at a timer between polls', 'onTimer', ['1 100 @1', '2 102 @2', '2.6 fires']],
])('a monitor that another thread activates stops the run %s', async (_, hook, expected) => {
  const wanted = new Int32Array(new SharedArrayBuffer(4));
  const lines = await seen(
    (note) => ({
      onStart: (self) => setTimer({ name: 'beside', at: self.time + 1_600 }),
      onTimer: () => {
        note('fires');
        wanted[0] = 1;
      },
      onTicker: (_self, { last, time }) => {
        note(`${last} @${secondsOf(time)}`);
        if (hook === 'onTicker' && last === 102) wanted[0] = 1;
      },
    }),
    TICKERS,
    {},
    { wanted, look: () => false },
  );
  expect(lines).toEqual(['1 starts', ...expected]);
});
