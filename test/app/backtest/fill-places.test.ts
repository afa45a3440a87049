import { expect, test } from '@jest/globals';
import { figuresOf } from '../../../src/app/backtest/results/figures.ts';
import { type SimulatedRun, simulateRun } from '../../../src/app/backtest/simulate-run.ts';
import type { Fill } from '../../../src/model/fill.ts';
import { place } from '../../../src/strategy/intents.ts';
import { at, instrument, minuteBars, plan, secondsOf, series } from '../../builders.ts';
import { CollectedTables } from '../../support/collected-tables.ts';

const BTC = instrument();

/** Keeps where on the path each fill happened, as the table of fills has it. */
class PlaceTables extends CollectedTables {
  readonly places: string[] = [];

  override fill(fill: Fill, made = fill): void {
    super.fill(fill);
    const since = made.since ?? made.time;
    this.places.push(`${made.fillId} ${fill.side} @${fill.priceTicks} ${secondsOf(since)}-${secondsOf(fill.time)} ${made.leg}`);
  }
}

/** One long bar from 100 over 105 and 95 to 100, with a sale at 104 and a purchase at 96 inside it, between two market orders. */
async function ranBar(tables: PlaceTables): Promise<SimulatedRun> {
  const bars = minuteBars([100, 100, 100, 100], [100, 105, 95, 100], [101, 101, 101, 101]);
  const order = { symbol: 'BTC-USDT', quantity: 1 };
  return await simulateRun(
    plan({
      instruments: [BTC],
      sources: [{ instrument: BTC, kind: 'bar', open: () => series('bar', bars) }],
      fills: { path: 'ohlc' },
      script: {
        onBar: (_, { time }) => {
          if (time === at(120)) return place({ ...order, side: 'sell', type: 'market' });
          if (time !== at(60)) return undefined;
          return [
            place({ ...order, side: 'buy', type: 'market' }),
            place({ ...order, side: 'sell', type: 'limit', price: 104 }),
            place({ ...order, side: 'buy', type: 'limit', price: 96 }),
          ];
        },
      },
    }),
    { tables: [tables] },
  );
}

test('fills inside a bar have the time range of the bar, their part of the path, and a number that orders them', async () => {
  const tables = new PlaceTables();
  await ranBar(tables);
  expect(tables.places).toEqual([
    'f1 buy @100 60-60 open',
    'f2 sell @104 60-120 toHigh',
    'f3 buy @96 60-120 toLow',
    'f4 sell @101 120-120 open',
  ]);
});

test('a trade that entered inside a bar and left at the next open lasts the bar at most, not 0 ms', async () => {
  const run = await ranBar(new PlaceTables());
  const { trades, statistics } = figuresOf(run, { annualDays: 365 });
  expect([...trades.closed].map(({ entryTime, exitTime, holdingMs }) => [secondsOf(entryTime), secondsOf(exitTime), holdingMs])).toEqual([
    [60, 120, 60_000],
    [120, 120, 60_000],
  ]);
  expect(statistics.minHoldingMs).toBe(60_000);
});
