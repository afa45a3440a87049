import { expect, test } from '@jest/globals';
import type { RunRecorder } from '../../../../src/app/backtest/recorders/run-recorder.ts';
import { deniedByCode, deniedRows } from '../../../../src/app/backtest/results/out-folder.ts';

type Refusal = RunRecorder['denied'][number];
const refused = (time: number, orders: string, over: Partial<Refusal> = {}): Refusal => ({
  time,
  by: 'risk',
  strategyId: 's',
  symbol: 'BTC-USDT',
  side: 'buy',
  clientOrderId: '',
  tag: '',
  reason: { code: 'orderRateAboveLimit', orders, limit: '1', windowMs: '9' },
  ...over,
});

test('refusals of one strategy, symbol, side and code are one row with the first and last time and the newest numbers', () => {
  const sold = refused(2, '9', { side: 'sell' });
  const other = refused(3, '', { reason: { code: 'reducing', reason: 'by config' } });
  const all = [refused(1, '3'), sold, other, refused(4, '5'), refused(6, '4')];
  const whose = { strategy: 's', symbol: 'BTC-USDT' };
  expect(deniedRows(all)).toEqual([
    { code: 'orderRateAboveLimit', count: 3, example: 'orders=4 limit=1 windowMs=9', ...whose, side: 'buy', firstTime: 1, lastTime: 6 },
    { code: 'orderRateAboveLimit', count: 1, example: 'orders=9 limit=1 windowMs=9', ...whose, side: 'sell', firstTime: 2, lastTime: 2 },
    { code: 'reducing', count: 1, example: 'reason=by config', ...whose, side: 'buy', firstTime: 3, lastTime: 3 },
  ]);
  expect(deniedByCode(all)).toEqual({ orderRateAboveLimit: 4, reducing: 1 });
});
