import { describe, expect, test } from '@jest/globals';
import { FillsSchema } from '../../../../src/app/config/schema/fills-schema.ts';
import { requireFillData } from '../../../../src/app/planning/plan-backtest.ts';
import type { PriceEventKind } from '../../../../src/model/market-events.ts';

const refused = (fills: object, ...kinds: PriceEventKind[]) => {
  try {
    requireFillData(FillsSchema.parse(fills), kinds);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('rules of filling ask for the data that serves them', () => {
  test.each(['riskAverse', 'power', 'log'])('a queue (%s) needs depth, quotes or trades', (queue) => {
    expect(refused({ limit: { queue } }, 'bar')).toBe(
      'backtest.fills.limit: a queue needs depth, quotes or trades, but the run is fed by bars (backtest.use)',
    );
    expect(refused({ limit: { queue } }, 'ticker')).toMatch('fed by tickers');
    for (const kind of ['depth', 'quote', 'trade'] as const) expect(refused({ limit: { queue } }, kind)).toBeUndefined();
  });

  test('trades alone fill resting orders only where there are trades', () => {
    expect(refused({ restingBy: 'trades' }, 'depth', 'quote')).toBe(
      'backtest.fills.restingBy: "trades" needs trades, but the run is fed by depth and quotes (backtest.use)',
    );
    expect(refused({ restingBy: 'trades' }, 'depth', 'trade')).toBeUndefined();
  });
});
