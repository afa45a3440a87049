import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/app/config/load-config.ts';
import { riskLimits } from '../../src/app/planning/risk-limits.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { blocksOf } from './markdown.ts';

test('the limits of docs/reference/risk.md are a valid config', () => {
  const [block] = blocksOf('docs/reference/risk.md').filter(({ language }) => language === 'yaml');
  const path = join(temporaryFolder('risk'), 'c.yaml');
  const rest = `name: c
account: { kind: spot, balances: { USDT: "1" } }
instruments: { BTC-USDT: { tickSize: "0.01", stepSize: "0.01" } }
strategies: [{ id: sma, file: ./s.ts, symbols: [BTC-USDT] }]
backtest: { data: [sample] }
`;
  writeFileSync(path, rest + block!.text);
  const limits = riskLimits(loadConfig(path, { env: {} }).config.risk);
  expect(limits).toMatchObject({
    maxDrawdown: { share: 0.2, onBreach: 'flatten' },
    dailyLoss: { share: 0.05, onBreach: 'cancel', resetAt: 'midnight' },
    maxOpenPositions: 5,
    cooldown: { losses: 3, forMs: 4 * 3_600_000 },
    symbolCooldown: { after: 'close', forMs: 30 * 60_000 },
    stopLossGuard: { stops: 4, withinMs: 24 * 3_600_000, forMs: 12 * 3_600_000, scope: 'symbol' },
    tradingWindows: [{ fromMinute: 540, toMinute: 1050, zone: 'Europe/Berlin' }],
    maxDataAgeMs: 60_000,
  });
  expect(limits.strategies?.get('sma')).toMatchObject({ maxDrawdown: { share: 0.1, onBreach: 'cancel' } });
});
