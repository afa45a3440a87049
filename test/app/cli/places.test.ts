import { expect, test } from '@jest/globals';
import { CONFIG, workspace } from './workspace.ts';

test.each<[what: string, from: string, to: string, code: string, place: string, text: string]>([
  ['a strategy file', './s.ts', './t.ts', 'STRATEGY_NOT_FOUND', '7:22', 'strategies[0].file: '],
  ['an export', './s.ts', './s.ts, export: Twofills', 'STRATEGY_LOAD_FAILED', '7:38', 'strategies[0].export: '],
  ['a recording', '[sample]', '[sampel]', 'DATA_NOT_FOUND', '8:20', 'backtest.data[0]: no recording "sampel"'],
  ['a tick that is too coarse', '"0.01"', '"1"', 'DATA_INVALID', '5:25', 'instruments.BTC-USDT.tickSize: prices of sample/BTC-USDT/bar/1m'],
  [
    'a period after the data',
    'to: 2025-01-02',
    'from: 2031-01-01',
    'DATA_NOT_FOUND',
    '8:35',
    'backtest.from: no bars of BTC-USDT between backtest.from and the end of the recording: the recording has 2025-01-01T00:00:00Z to 2025-01-28T23:59:00Z',
  ],
  [
    'a period before the data',
    'to: 2025-01-02',
    'to: 2021-01-02',
    'DATA_NOT_FOUND',
    '8:33',
    'backtest.to: no bars of BTC-USDT before backtest.to',
  ],
])('the error about %s names its line and column', async (_, from, to, code, place, text) => {
  const work = workspace({ 'c.yaml': CONFIG.replace(from, to) });
  const exit = { STRATEGY_NOT_FOUND: 2, STRATEGY_LOAD_FAILED: 4 }[code] ?? 3;
  const { stderr } = await work.run(['config', 'check', 'c.yaml'], { code: exit });
  expect(stderr).toContain(`error ${code}: c.yaml:${place}: ${text}`);
  expect(stderr.trimEnd().split('\n').at(-1)!.trim()).toBe('^');
});
