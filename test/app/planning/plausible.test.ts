import { expect, test } from '@jest/globals';
import { loadConfig } from '../../../src/app/config/load-config.ts';
import { implausible } from '../../../src/app/planning/plausible.ts';
import type { SeriesMeta } from '../../../src/recording/columns/series-meta.ts';
import { workspace } from '../cli/workspace.ts';

const TERMS = { tickSize: '0.01', stepSize: '0.00001', makerFee: '0.001', takerFee: '0.001' };
const config = (more: { terms?: object; risk?: object; backtest?: object }) => ({
  name: 'x',
  dataDir: '.',
  account: { kind: 'spot', balances: { USDT: '1000' } },
  instruments: { 'BTC-USDT': { ...TERMS, ...more.terms } },
  strategies: [{ id: 'a', file: 'a.ts', symbols: ['BTC-USDT'] }],
  risk: more.risk ?? {},
  backtest: { data: ['r'], ...more.backtest },
});
const PRICES = [{ symbol: 'BTC-USDT', kind: 'bar', priceStep: '0.01' }] as unknown as SeriesMeta[];
const found = (more: Parameters<typeof config>[0], mode: 'backtest' | 'paper' | 'live' = 'backtest') =>
  implausible(loadConfig(config(more)).config, mode, PRICES);

test.each<[what: string, more: Parameters<typeof config>[0], text: string]>([
  [
    'a fee above 1 %',
    { terms: { takerFee: '0.05' } },
    'instruments.BTC-USDT.takerFee: 0.05 is 5 % of each fill; a fee is a share: 0.001 is 0.1 %',
  ],
  [
    'no fees',
    { terms: { makerFee: '0', takerFee: '0' } },
    'instruments.BTC-USDT: makerFee and takerFee are 0: hardly any account trades without fees',
  ],
  [
    'tick and step swapped',
    { terms: { tickSize: '0.00001', stepSize: '0.01' } },
    'instruments.BTC-USDT: tickSize 0.00001 and stepSize 0.01 may be swapped: the recorded prices are multiples of 0.01',
  ],
  [
    'a drawdown of all',
    { risk: { account: { maxDrawdown: '1' } } },
    'risk.account.maxDrawdown: 1 is 100 %: it latches when the whole account is lost; a limit is a share: 0.01 is 1 %',
  ],
  [
    'a daily loss in the long form',
    { risk: { strategies: { a: { dailyLoss: { limit: '1' } } } } },
    'risk.strategies.a.dailyLoss.limit: 1 is 100 %: it latches when the whole account is lost; a limit is a share: 0.01 is 1 %',
  ],
  [
    'a limit that every trade reaches',
    { risk: { account: { maxDrawdown: '0.0002' } } },
    'risk.account.maxDrawdown: 0.0002 is 0.02 %; a limit is a share: 0.2 is 20 %',
  ],
  [
    'slippage as a share',
    { backtest: { fills: { slippageBps: 0.0005 } } },
    'backtest.fills.slippageBps: 0.0005 basis points are 0.000005 %: 5 is 0.05 %',
  ],
  ['latency in seconds', { backtest: { latency: { entryMs: 0.1 } } }, 'backtest.latency.entryMs: 0.1 is 100 microseconds: the unit is ms'],
])('%s is a finding', (_, more, text) => {
  expect(found(more)).toEqual([text]);
});

test.each<[what: string, more: Parameters<typeof config>[0]]>([
  ['usual settings', { risk: { account: { maxDrawdown: '0.2', maxLossPerTrade: '1' } } }],
  ['a fee of exactly 1 %, and a rebate', { terms: { makerFee: '-0.0001', takerFee: '0.01' } }],
  ['slippage of 0.1 basis points and a delay of 1 ms', { backtest: { fills: { slippageBps: 0.1 }, latency: { entryMs: 1 } } }],
  ['a distribution of delays', { backtest: { latency: { entryMs: { uniform: [0, 0.5] } } } }],
  ['a finer tick than the prices need', { terms: { tickSize: '0.001' } }],
  ['a tick that is the step', { terms: { stepSize: '0.01' } }],
])('%s are no finding', (_, more) => {
  expect(found(more)).toEqual([]);
});

test('a bot has no findings about the costs of a backtest', () => {
  const more = { backtest: { fills: { slippageBps: 0.01 }, latency: { entryMs: 0.1 } }, risk: { account: { maxDrawdown: '1' } } };
  expect([found(more, 'paper').length, found(more, 'live').length]).toEqual([2, 1]);
});

test('config check, the run and doctor show the same finding, and the run goes on', async () => {
  const work = workspace();
  const set = ['--set', 'risk.account.maxDrawdown=1'];
  const text = 'risk.account.maxDrawdown: 1 is 100 %: it latches when the whole account is lost';
  expect((await work.run(['config', 'check', 'c.yaml', ...set])).stdout).toContain(`  warning: ${text}`);
  const { stdout } = await work.run(['backtest', 'c.yaml', '--json', '--out', 'out', ...set]);
  expect(JSON.parse(stdout).warnings).toContainEqual(expect.stringContaining(text));
  const doctor = await work.run(['doctor', 'c.yaml', '--only', 'plausible', '--json', ...set]);
  expect(JSON.parse(doctor.stdout).checks.at(-1)).toMatchObject({
    id: 'plausible',
    status: 'warning',
    found: expect.stringContaining(text),
  });
});
