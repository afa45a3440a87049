import { expect, test } from '@jest/globals';
import { Subject } from 'rxjs';
import { ChartRecorder } from '../../../../src/app/backtest/recorders/chart-recorder.ts';
import { Decimal } from '../../../../src/model/decimal.ts';
import { Bar, Funding, Mark, type MarketEvent, Ticker, Trade } from '../../../../src/model/market-events.ts';
import { MarketState } from '../../../../src/state/market-state.ts';
import { perpetual } from '../../../builders.ts';
import { fill, liquidated, recorded } from '../../../statistics/builders.ts';

const PERP = perpetual();
/** Asked for the price after a change of the order book alone. */
const STATE = { market: () => new MarketState(PERP) };

function chartOf(events: readonly MarketEvent[]) {
  const recorder = new ChartRecorder([PERP]);
  const market$ = new Subject<MarketEvent>();
  recorder.observe({ watch: (see) => market$.subscribe(see), account$: new Subject() }, STATE);
  for (const event of events) market$.next(event);
  return recorder.charts(recorded([]));
}

test('marks and funding rates are no prices of the chart', () => {
  const charts = chartOf([new Mark(PERP, 0, 1, 50, 0), new Funding(PERP, 0, 2, new Decimal('0.0001')), new Ticker(PERP, 1_000, 3, 100)]);
  expect(charts).toMatchObject([{ bars: [{ time: 1_000, open: 100, high: 100, low: 100, close: 100 }] }]);
  expect(chartOf([new Mark(PERP, 0, 1, 50, 0)])).toEqual([]);
});

test('bars longer than the recorded ones are not drawn', () => {
  const bar = (minutes: number, close: number) => new Bar(PERP, 600_000, 1, minutes * 60_000, 90, 110, 80, close, 1);
  expect(chartOf([bar(1, 100), bar(5, 95)])).toMatchObject([{ intervalMs: 60_000, madeFrom: 1, bars: [{ close: 100 }] }]);
});

test('volumes are those of bars and of trades; tickers have none', () => {
  expect(chartOf([new Bar(PERP, 60_000, 1, 60_000, 90, 110, 80, 100, 7)])).toMatchObject([{ bars: [{ volume: 7 }] }]);
  expect(chartOf([new Trade(PERP, 0, 1, 100, 2, 'buy'), new Trade(PERP, 10, 2, 101, 3, 'sell')])).toMatchObject([
    { bars: [{ volume: PERP.step.toNumber(5) }] },
  ]);
  expect(chartOf([new Ticker(PERP, 0, 1, 100)])[0]!.bars[0]!.volume).toBeUndefined();
});

test('fills of futures have their side, and a mark for liquidations', () => {
  const recorder = new ChartRecorder([PERP]);
  const market$ = new Subject<MarketEvent>();
  recorder.observe({ watch: (see) => market$.subscribe(see), account$: new Subject() }, STATE);
  market$.next(new Ticker(PERP, 0, 1, 100));
  const parts = { instrument: PERP, quantity: '1', price: '100', positionSide: 'long' } as const;
  const [chart] = recorder.charts(recorded([fill({ ...parts, side: 'buy' }), liquidated({ ...parts, side: 'sell' })]));
  expect([...chart!.fills]).toMatchObject([
    { side: 'buy', positionSide: 'long', liquidation: false },
    { side: 'sell', positionSide: 'long', liquidation: true },
  ]);
});
