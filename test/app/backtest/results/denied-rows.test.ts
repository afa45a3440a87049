import { expect, test } from '@jest/globals';
import { Denials, type DeniedRow } from '../../../../src/app/backtest/recorders/denials.ts';

const refused = (time: number, orders: string, over: Partial<DeniedRow> = {}): DeniedRow => ({
  time,
  by: 'risk',
  strategyId: 's',
  symbol: 'BTC-USDT',
  side: 'buy',
  clientOrderId: '',
  tag: '',
  ref: '',
  reason: { code: 'orderRateAboveLimit', orders, limit: '1', windowMs: '9' },
  ...over,
});

test('refusals of one strategy, symbol, side and code are one row with the first and last time and the newest numbers', () => {
  const sold = refused(2, '9', { side: 'sell' });
  const other = refused(3, '', { reason: { code: 'reducing', reason: 'by config' } });
  const denials = new Denials();
  const all = [refused(1, '3'), sold, other, refused(4, '5'), refused(6, '4')];
  const whose = { strategy: 's', symbol: 'BTC-USDT' };
  for (const row of all) denials.add(row);
  expect(denials.rows()).toEqual([
    { code: 'orderRateAboveLimit', count: 3, example: 'orders=4 limit=1 windowMs=9', ...whose, side: 'buy', firstTime: 1, lastTime: 6 },
    { code: 'orderRateAboveLimit', count: 1, example: 'orders=9 limit=1 windowMs=9', ...whose, side: 'sell', firstTime: 2, lastTime: 2 },
    { code: 'reducing', count: 1, example: 'reason=by config', ...whose, side: 'buy', firstTime: 3, lastTime: 3 },
  ]);
  expect(denials.byCode()).toEqual({ orderRateAboveLimit: 4, reducing: 1 });
});

test('denials of pauses, trading windows and slots are counted as wanted, and are not the most frequent ones of limits', () => {
  const denials = new Denials();
  const locked = { code: 'symbolLocked', symbol: 'BTC-USDT', by: 'lock', until: '' } as const;
  const paused = { code: 'coolingDown', losses: '3', until: '' } as const;
  const full = { code: 'openPositionsAboveLimit', openPositions: '4', limit: '3' } as const;
  const closed = { code: 'outsideTradingWindow', time: 'Mon 09:00', zone: 'UTC' } as const;
  for (const reason of [locked, locked, paused, full, closed]) denials.add(refused(1, '', { reason }));
  expect([denials.byRisk, denials.wanted, denials.mostFrequentOfLimits()]).toEqual([5, 5, undefined]);
  denials.add(refused(2, '3'));
  expect([denials.byRisk, denials.wanted, denials.mostFrequentOfLimits()]).toMatchObject([6, 5, { code: 'orderRateAboveLimit' }]);
});

test('refusals of the risk module and of the venue are one row, and count apart', () => {
  const denials = new Denials();
  const venue = { code: 'reducing', reason: 'of the venue' } as DeniedRow['reason'];
  for (const row of [refused(1, '3'), refused(2, '', { by: 'venue', reason: venue }), refused(3, '4'), refused(4, '', { reason: venue })])
    denials.add(row);
  expect([denials.count, denials.byRisk]).toEqual([4, 3]);
  expect(denials.mostFrequentOfLimits()).toMatchObject({ code: 'orderRateAboveLimit', orders: '4' });
  expect(denials.rows().map(({ code, count, firstTime, lastTime }) => [code, count, firstTime, lastTime])).toEqual([
    ['orderRateAboveLimit', 2, 1, 3],
    ['reducing', 2, 2, 4],
  ]);
});
