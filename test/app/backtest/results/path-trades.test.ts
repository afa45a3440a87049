import { expect, test } from '@jest/globals';
import { figuresOf, pathTrades } from '../../../../src/app/backtest/results/figures.ts';
import { pathsWarnings, runWarnings } from '../../../../src/app/backtest/results/warnings.ts';
import { simulateRun } from '../../../../src/app/backtest/simulate-run.ts';
import type { PlannedSource } from '../../../../src/app/planning/run-plans.ts';
import type { Instrument } from '../../../../src/model/instrument.ts';
import type { PathFigures } from '../../../../src/report/run-report.ts';
import { place, setTimer } from '../../../../src/strategy/intents.ts';
import { at, instrument, minuteBars, perpetual, plan, Scripted, series } from '../../../builders.ts';

const FLAT = [100, 100, 100, 100];
const bars = (of: Instrument, ...rows: readonly (readonly number[])[]): PlannedSource => {
  return { instrument: of, kind: 'bar', open: () => series('bar', minuteBars(...rows)) };
};

test('the profit is that of the closed trades with a fill on the path: of the others nothing', async () => {
  const SPOT = instrument({ takerFee: '0.01', makerFee: '0' });
  const enter = () => place({ symbol: SPOT.symbol, side: 'buy', type: 'market', quantity: 2, exits: { stopLoss: 95, takeProfit: 105 } });
  const planned = plan({
    // The first trade ends in a bar that reaches both exits, the second in one that reaches its take profit alone.
    sources: [bars(SPOT, FLAT, FLAT, [100, 106, 94, 100], FLAT, [100, 107, 100, 107])],
    script: {
      onStart: () => setTimer({ name: 'enter', at: at(60) }),
      onTimer: enter,
      onFill: (_self, fill) => (fill.price === 95 ? enter() : undefined),
    },
  });
  const run = await simulateRun(planned);
  const figures = figuresOf(run, { annualDays: 365 });
  expect([...figures.trades.closed].map(({ netProfit }) => netProfit.toFixed())).toEqual(['-13.9', '8']);
  // 2 x (95 - 100) less 1 % of 200 and of 190.
  const { count, profit } = pathTrades(figures.trades);
  expect([run.pathFills, count, profit.toFixed()]).toEqual([1, 1, '-13.9']);
  expect(runWarnings(run, figures)).toEqual([
    '1 of 4 fills depend on the assumed path inside a bar: the closed trades with them (1) made -13.90 USDT',
  ]);
});

test('a trade counts as path-dependent even if its entry came long before the bar of its exit', async () => {
  const SPOT = instrument();
  const planned = plan({
    // The low first, and the stop trails to 105 after it; the high first, and it had been met at 105 in the third bar.
    sources: [bars(SPOT, FLAT, FLAT, [100, 110, 96, 108], [108, 108, 104, 104])],
    fills: { path: 'olhc' },
    script: {
      onStart: () => setTimer({ name: 'enter', at: at(60) }),
      onTimer: () => place({ symbol: SPOT.symbol, side: 'buy', type: 'market', quantity: 1, exits: { trailBy: 5 } }),
    },
  });
  const { trades } = figuresOf(await simulateRun(planned), { annualDays: 365 });
  expect([...trades.closed].map(({ pathFills, netProfit }) => [pathFills, netProfit.toFixed()])).toEqual([[1, '5']]);
});

test('a liquidation on the path counts in the trades of all strategies with a share', async () => {
  const PERP = perpetual();
  const holder = (id: string, exits: object) => ({
    id,
    symbols: [PERP.symbol],
    params: {},
    create: (context: ConstructorParameters<typeof Scripted>[0]) =>
      new Scripted(context, {
        onStart: () => setTimer({ name: 'enter', at: at(60) }),
        onTimer: () => place({ symbol: PERP.symbol, side: 'buy', positionSide: 'long', type: 'market', quantity: 40, ...exits }),
      }),
  });
  const planned = plan({
    kind: 'futures',
    balances: { USDT: '1000' },
    // Long of 80 from 100 with 1,000: due before the low, where the path of a long goes first. The high has the take profit.
    sources: [bars(PERP, FLAT, FLAT, [100, 120, 80, 100], FLAT)],
    strategies: [holder('one', { exits: { takeProfit: 110 } }), holder('two', {})],
  });
  const run = await simulateRun(planned);
  const { trades } = figuresOf(run, { annualDays: 365 });
  expect(run.pathFills).toBe(1);
  expect([...trades.closed].map(({ strategyId, liquidated, pathFills }) => [strategyId, liquidated, pathFills])).toEqual([
    ['one', true, 1],
    ['two', true, 1],
  ]);
});

test('a warning follows if the worst path ends above the best, and not otherwise', () => {
  const figures = (finalEquity: string) => ({ finalEquity }) as PathFigures;
  const told = (worst: string, best: string) => pathsWarnings({ worst: figures(worst), best: figures(best) });
  expect(told('10001.5', '9999')).toEqual([expect.stringContaining('the worst path ended with 10001.5, above the best with 9999')]);
  expect([told('9999', '9999'), told('9998', '10000'), pathsWarnings(undefined)]).toEqual([[], [], []]);
});
