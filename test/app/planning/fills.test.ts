import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../../src/app/config/load-config.ts';
import { FillsSchema } from '../../../src/app/config/schema/fills-schema.ts';
import { planBacktest, requireFillData, requireSlippageData } from '../../../src/app/planning/plan-backtest.ts';
import type { PriceEventKind } from '../../../src/model/market-events.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { CONFIG, STRATEGY } from '../cli/workspace.ts';

const LOG = { debug() {}, info() {}, warn() {} };

test.each([
  ['', undefined],
  [', fills: { barVolumeShare: 0.10 }', 0.1],
])('the share of a volume, text in the config%s, is the number %d in the plan', async (fills, share) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 's.ts'), STRATEGY);
  writeFileSync(join(folder, 'c.yaml'), CONFIG.replace('to: 2025-01-02', `to: 2025-01-02${fills}`));
  const { plan } = await planBacktest(loadConfig(join(folder, 'c.yaml')), LOG);
  expect(plan.fills).toEqual({
    market: 'nextOpen',
    limit: 'strictCross',
    gapFill: 'limit',
    path: 'worst',
    liquidity: 'recorded',
    barVolumeShare: share,
    halfSpreadTicks: 0,
    restingBy: 'both',
    impact: 'kept',
    slippageBps: 0,
  });
});

const refused = (fills: object, ...kinds: PriceEventKind[]) => {
  try {
    requireFillData(FillsSchema.parse(fills), kinds);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('rules for fills require the data that they use', () => {
  test.each(['riskAverse', 'power', 'log'])('a queue (%s) needs depth, quotes or trades', (queue) => {
    expect(refused({ limit: { queue } }, 'bar')).toBe(
      'backtest.fills.limit: a queue needs depth, quotes or trades, but the run uses bars (backtest.use)',
    );
    expect(refused({ limit: { queue } }, 'ticker')).toMatch('the run uses tickers');
    for (const kind of ['depth', 'quote', 'trade'] as const) expect(refused({ limit: { queue } }, kind)).toBeUndefined();
  });

  test('`restingBy: trades` requires trades', () => {
    expect(refused({ restingBy: 'trades' }, 'depth', 'quote')).toBe(
      'backtest.fills.restingBy: "trades" needs trades, but the run uses depth and quotes (backtest.use)',
    );
    expect(refused({ restingBy: 'trades' }, 'depth', 'trade')).toBeUndefined();
  });
});

const fills = (slippage: object, halfSpreadTicks = 0) => FillsSchema.parse({ slippage, halfSpreadTicks });
const spread = fills({ spread: 0.5 });
const share = fills({ volumeShare: {} });
const root = fills({ squareRoot: {} });

test('defaults of the models are those of the literature: a tenth of the price at the whole volume, a fortieth of it at most', () => {
  expect(share.slippage).toEqual({ volumeShare: { impact: 0.1, limit: '0.025' } });
  expect(root.slippage).toEqual({ squareRoot: { coefficient: 1, days: 1 } });
});

test.each([
  ['a spread of quotes', spread, ['quote', 'trade']],
  ['a spread that is set', fills({ spread: 0.5 }, 2), ['bar']],
  ['a share of the volume of bars', share, ['bar']],
  ['volumes of bars', root, ['bar']],
  ['volumes of trades', root, ['quote', 'trade']],
  ['no model', FillsSchema.parse({}), ['depth']],
] as const)('takes %s', (_what, settings, kinds) => {
  expect(() => requireSlippageData(settings, kinds)).not.toThrow();
});

test.each([
  ['a spread on tickers', spread, ['ticker'], 'fills.slippage.spread: needs quotes, which have a spread, or `halfSpreadTicks` above 0'],
  ['a spread on bars', spread, ['bar'], 'the run uses bar data'],
  [
    'a volume on tickers',
    share,
    ['ticker'],
    'fills.slippage.volumeShare: needs the volume of bars, but the run uses ticker data (backtest.use)',
  ],
  ['a share of single trades', share, ['trade'], 'the run uses trade data'],
  ['volumes of tickers', root, ['ticker'], 'fills.slippage.squareRoot: needs bars or trades, which have volumes'],
  ['volumes of quotes', root, ['quote'], 'the run uses quote data'],
  [
    'any model on a recorded book',
    root,
    ['depth', 'trade'],
    'remove it: the run uses depth, so market orders fill at the levels of the recorded book',
  ],
] as const)('refuses %s, with the reason', (_what, settings, kinds, reason) => {
  expect(() => requireSlippageData(settings, kinds)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(reason) }),
  );
});
