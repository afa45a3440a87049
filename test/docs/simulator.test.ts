import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { MarginChanged, PositionLiquidated } from '../../src/model/account-events.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { place } from '../../src/strategy/intents.ts';
import { perpetual, run, series } from '../builders.ts';
import { ROOT } from '../support/cli.ts';

/** The section on liquidation, its lines joined. */
const SECTION = readFileSync(join(ROOT, 'docs/reference/simulator.md'), 'utf8')
  .split('\n## ')
  .find((section) => section.startsWith('Liquidation'))!
  .replaceAll('\n', ' ');

const FIFTY = new Decimal(50);

/** The example's isolated long of 1 coin from 100,000 at leverage 50, over these prices; it sells so much at the third of them. */
async function longOf(liquidationFee: string, prices: readonly number[], sold = '') {
  const traded = perpetual({
    stepSize: '0.01',
    contract: { tiers: [{ upTo: '50000', maintenance: '0.005' }, { maintenance: '0.01' }], liquidationFee },
  });
  let tickers = 0;
  const order = { symbol: traded.symbol, type: 'market', positionSide: 'long' } as const;
  const { events, state } = await run({
    sources: [
      {
        instrument: traded,
        kind: 'ticker',
        open: () =>
          series(
            'ticker',
            [100_000, ...prices].map((price, index) => [index, price]),
          ),
      },
    ],
    kind: 'futures',
    margin: { mode: 'isolated', longLeverage: FIFTY, shortLeverage: FIFTY },
    balances: { USDT: '10000' },
    script: {
      onTicker: () => {
        tickers++;
        if (tickers === 1) return place({ ...order, side: 'buy', quantity: 1 });
        return tickers === 3 && sold !== '' ? place({ ...order, side: 'sell', quantity: sold }) : undefined;
      },
    },
  });
  return {
    margins: events.flatMap((event) => (event.kind === 'marginChanged' ? [(event as MarginChanged).margin.toFixed()] : [])),
    liquidations: events
      .filter((event): event is PositionLiquidated => event.kind === 'positionLiquidated')
      .map(({ type, fill }) => [type, fill.quantity, fill.price, fill.fee.toFixed()]),
    price: state.margin.liquidationPrice(traded, 'long')?.toFixed(2),
    cash: state.portfolio.balance('USDT').total.toFixed(),
  };
}

const says = (...texts: readonly string[]) => {
  for (const text of texts) expect(SECTION).toContain(text);
};

test('after a partial liquidation the freed margin stays with an isolated position', async () => {
  const { margins, liquidations, price } = await longOf('0.001', [100_000, 98_700]);
  expect(liquidations).toEqual([['offsetLiquidation', 0.5, 98_700, '49.35']]);
  // 2000 - 0.5 x 1300 - 49.35; the new price: 1300.65 + 0.5 (p - 100000) = 0.005 x 0.5 p.
  expect(margins).toEqual(['2000', '1300.65']);
  expect(price).toBe('97888.14');
  says('98,700', '0.50', '650', '49.35', '1,300.65', '97,888.14');
});

test('an order that closes the same part gives its share of the margin back', async () => {
  const { margins, price } = await longOf('0.001', [100_000, 99_000, 99_000], '0.5');
  expect(margins).toEqual(['2000', '1000']);
  // 1000 + 0.5 (p - 100000) = 0.005 x 0.5 p.
  expect(price).toBe('98492.46');
  says('1,000', '98,492.46');
});

test('the fee of a partial liquidation is capped by the margin and the profit of the whole position', async () => {
  const { margins, liquidations, cash } = await longOf('0.03', [100_000, 98_700]);
  // 3 % of 49350 is 1480.5; 2000 - 1300 = 700 is left. The rest of the position has nothing left to stand on, and pays no fee.
  expect(liquidations).toEqual([
    ['offsetLiquidation', 0.5, 98_700, '700'],
    ['burstLiquidation', 0.5, 98_700, '0'],
  ]);
  expect(margins).toEqual(['2000', '650', '0']);
  expect(cash).toBe('8000');
  says('1,480.50', '700', '350');
});
