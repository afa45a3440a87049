import { expect, test } from '@jest/globals';
import { readBacktest } from '../../../src/app/compare/read-backtest.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import type { Bar } from '../../../src/model/market-events.ts';
import { compareRuns } from '../../../src/statistics/comparison/compare-runs.ts';
import type { ComparedRun } from '../../../src/statistics/comparison/compared-run.ts';
import { place } from '../../../src/strategy/intents.ts';
import { at, instrument, minuteBars, type PlanOptions, plan, type Scripted, series } from '../../builders.ts';
import { writtenRun } from './written-run.ts';

// Five symbols, each bought at the close of the second minute and sold at that of the fifth. All fees are 0.001. A market
// order fills at the next open, so A buys at the open at 120 s and sells at that at 300 s.
const BUY = at(120);
const SELL = at(300);
const QUANTITIES = { 'GAP-USDT': 2, 'LATE-USDT': 3, 'FEE-USDT': 5, 'PART-USDT': 10, 'REF-USDT': 1 } as const;
type Symbol = keyof typeof QUANTITIES;

/** Opens of eight minutes. Only LATE's open at 180 s differs from that at 120 s: latency costs the others nothing. */
const OPENS: Readonly<Record<Symbol, readonly number[]>> = {
  'GAP-USDT': [100, 100, 100, 100, 100, 107, 107, 107],
  'LATE-USDT': [100, 100, 100, 103, 103, 110, 110, 110],
  'FEE-USDT': [200, 200, 200, 200, 200, 210, 210, 210],
  'PART-USDT': [50, 50, 50, 50, 50, 60, 60, 60],
  'REF-USDT': [1000, 1000, 1000, 1000, 1000, 990, 990, 990],
};

interface Planted {
  readonly gap?: boolean;
  readonly latency?: boolean;
  readonly fee?: boolean;
  readonly partial?: boolean;
  readonly refusal?: boolean;
}

function planted({ gap, latency, fee, partial, refusal }: Planted) {
  const instruments = (Object.keys(QUANTITIES) as Symbol[]).map((symbol, index) =>
    instrument({ symbol, makerFee: '0.001', takerFee: fee && symbol === 'FEE-USDT' ? '0.0015' : '0.001' }, index),
  );
  const options: PlanOptions = {
    instruments,
    sources: instruments.map((one) => {
      const symbol = one.symbol as Symbol;
      const rows = minuteBars(
        ...OPENS[symbol].map((price, minute) => [price, price, price, price, partial && symbol === 'PART-USDT' && minute < 5 ? 8 : 1000]),
      );
      // The bar that closes at 120 s, and with it the decision to buy.
      const known = gap && symbol === 'GAP-USDT' ? rows.filter(([seconds]) => seconds !== 60) : rows;
      return { instrument: one, kind: 'bar', open: () => series('bar', known) };
    }),
    fills: { barVolumeShare: 0.5 },
    latency: latency ? { entryMs: 30_000 } : {},
    limits: { maxPosition: new Map(refusal ? [['REF-USDT', new Decimal(0)]] : []) },
    script: { onBar },
  };
  return plan(options);
}

function onBar(self: Scripted, { symbol, time }: Bar) {
  const order = { symbol, type: 'market', timeInForce: 'IOC' } as const;
  if (time === BUY) return place({ ...order, side: 'buy', quantity: QUANTITIES[symbol as Symbol], tag: 'in' });
  const { quantity } = self.held(symbol);
  return time === SELL && quantity > 0 ? place({ ...order, side: 'sell', quantity, tag: 'out' }) : undefined;
}

const runs = new Map<string, Promise<ComparedRun>>();
function runOf(change: Planted): Promise<ComparedRun> {
  const key = JSON.stringify(change);
  const made = runs.get(key) ?? writtenRun(planted(change)).then(readBacktest);
  runs.set(key, made);
  return made;
}

async function causesOf(change: Planted) {
  const comparison = compareRuns(await runOf({}), await runOf(change), { windowMs: 60_000, toleranceMs: 0 });
  const sum = comparison.causes.reduce((total, { amount }) => total.plus(amount), new Decimal(0));
  expect(sum.toFixed()).toBe(comparison.difference.toFixed());
  return Object.fromEntries(comparison.causes.map(({ cause, amount }) => [cause, amount.toFixed()]));
}

const PLANTED: readonly (readonly [what: string, change: Planted, cause: string, amount: string])[] = [
  // A makes 2 x (107 - 100) - 0.001 x 2 x (100 + 107) = 14 - 0.414 with what B never buys.
  ['a data gap', { gap: true }, 'missingData', '-13.586'],
  // B pays 103 instead of 100 for 3, and 0.001 of the 9 more.
  ['latency', { latency: true }, 'latency', '-9.009'],
  // 0.0005 more of 5 x 200 and of 5 x 210.
  ['a fee', { fee: true }, 'fee', '-1.025'],
  // Half of the bar's 8 is 4: 6 fewer, which gain 10 each and cost 0.001 x 6 x (50 + 60).
  ['a partial fill', { partial: true }, 'partialFill', '-59.34'],
  // What A bought at 1000 and sold at 990, B did not: it keeps 10 and the fees of 1 and 0.99.
  ['a refusal', { refusal: true }, 'refused', '11.99'],
];

test.each(PLANTED)('a single planted difference, %s, is found as the whole difference', async (_, change, cause, amount) => {
  expect(await causesOf(change)).toEqual({ [cause]: amount });
});

test('five planted differences together are told apart exactly', async () => {
  const all = Object.assign({}, ...PLANTED.map(([, change]) => change)) as Planted;
  expect(await causesOf(all)).toEqual(Object.fromEntries(PLANTED.map(([, , cause, amount]) => [cause, amount])));
});

test('two runs of one plan do not differ', async () => {
  const comparison = compareRuns(await runOf({}), await runOf({}), { windowMs: 0, toleranceMs: 0 });
  expect([comparison.difference.toFixed(), comparison.causes, comparison.others]).toEqual(['0', [], []]);
  expect(comparison.trades).toHaveLength(10);
});
