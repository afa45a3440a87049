import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { loadConfig } from '../../../../src/app/config/load-config.ts';
import { planBacktest } from '../../../../src/app/planning/plan-backtest.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { CONFIG, STRATEGY } from '../../cli/workspace.ts';

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
