import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readCsv } from '../../support/cli.ts';
import { CONFIG, workspace } from './workspace.ts';

const PRICES = [100, 100, 100, 97, 94, 90, 80, 70, 61];
const CSV = `time,open,high,low,close,volume\n${PRICES.map((close, hour) => {
  const open = PRICES[hour - 1] ?? close;
  return `${Date.UTC(2025, 0, 1) + hour * 3_600_000},${open},${Math.max(open, close)},${Math.min(open, close)},${close},1000`;
}).join('\n')}\n`;

/** Buys 1 with a stop loss at 95 on its first bar, and rests a sell on its second. */
const STRATEGY = `import { type Bar, type Intents, place, Strategy, z } from 'tidegate';

const Params = z.object({ price: z.number(), quantity: z.string(), stop: z.boolean().default(false) });

export class Guarded extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1h' };
  #bars = 0;

  onBar({ symbol }: Bar): Intents {
    const { price, quantity, stop } = this.params;
    this.#bars++;
    if (this.#bars === 1) return place({ symbol, side: 'buy', type: 'market', quantity: '1', exits: { stopLoss: 95 } });
    if (this.#bars !== 2) return undefined;
    if (stop) return place({ symbol, side: 'sell', type: 'stop', stopPrice: price, quantity });
    return place({ symbol, side: 'sell', type: 'limit', price, quantity });
  }
}
`;

async function run(kind: 'spot' | 'netting', params: string, more: Readonly<Record<string, string>> = {}, set: readonly string[] = []) {
  const strategies = CONFIG.indexOf('strategies:');
  expect(strategies).toBeGreaterThan(0);
  const work = workspace({
    'bars.csv': CSV,
    's.ts': STRATEGY,
    'c.yaml': CONFIG.replace(/dataDir: .*/, 'dataDir: data')
      .replace('kind: spot', `kind: ${kind}`)
      .replace('[sample], to: 2025-01-02', '[hours]'),
    ...more,
  });
  const series = ['--symbol', 'BTC-USDT', '--kind', 'bar', '--interval', '1h', '--name', 'hours', '--data-dir', 'data'];
  await work.run(['data', 'import', 'bars.csv', ...series]);
  const sets = [`strategies.0.params=${params}`, ...set].flatMap((one) => ['--set', one]);
  const { stdout } = await work.run(['backtest', 'c.yaml', '--json', '--quiet', '--out', 'out', ...sets]);
  const folder = join(work.folder, 'out');
  return {
    summary: JSON.parse(stdout),
    fills: readCsv(join(folder, 'fills.csv')).map(({ side, quantity, price, tag }) => `${side} ${quantity} at ${price} ${tag}`),
    denied: readFileSync(join(folder, 'denied.csv'), 'utf8').trim().split('\n').slice(1),
  };
}

describe('a stop loss triggers while any other order is open', () => {
  const STOPPED = ['buy 1 at 100 ', 'sell 1 at 95 stopLoss'];
  test.each([
    ['netting', '{ price: 110, quantity: "1" }'],
    ['netting', '{ price: 110, quantity: "0.1" }'],
    ['netting', '{ price: 50, quantity: "1", stop: true }'],
    ['spot', '{ price: 110, quantity: "0.9" }'],
    ['spot', '{ price: 110, quantity: "0.1" }'],
  ] as const)('%s, %s', async (kind, params) => {
    const { fills, denied, summary } = await run(kind, params, {}, [
      'instruments.BTC-USDT.takerFee="0"',
      'instruments.BTC-USDT.makerFee="0"',
    ]);
    expect([fills, denied]).toEqual([STOPPED, []]);
    expect(summary.findings.filter(({ id }: { id: string }) => id === 'unsentExits')).toEqual([]);
  });
});

/** Buys 1 at the open of the second bar with the exits of its parameters. */
const RELATIVE = `import { type Bar, type Intents, place, Strategy, z } from 'tidegate';

const Params = z.object({ exits: z.any() });

export class Relative extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1h' };
  #bars = 0;

  onBar({ symbol }: Bar): Intents {
    if (++this.#bars > 1) return undefined;
    return place({ symbol, side: 'buy', type: 'market', quantity: '1', exits: this.params.exits });
  }
}
`;

test.each([
  ['stopLoss: { percent: 4 }', 'sell 1 at 96 stopLoss'],
  ['stopLoss: { distance: 12 }', 'sell 1 at 88 stopLoss'],
  ['trail: { percent: 5 }', 'sell 1 at 95 trailingStop'],
  ['trail: { distance: 7 }', 'sell 1 at 93 trailingStop'],
])('exits are resolved at the price of the fill: %s', async (exits, closed) => {
  const { fills } = await run('netting', `{ exits: { ${exits} } }`, { 's.ts': RELATIVE });
  expect(fills).toEqual(['buy 1 at 100 ', closed]);
});

test('a stop that a limit keeps back is a warning and a critical finding', async () => {
  // One order an hour: the entry and the resting sell use up what the stop would need.
  const { summary } = await run('netting', '{ price: 110, quantity: "1" }', {}, ['risk.account.orderRate={ orders: 2, perMs: 86400000 }']);
  expect(summary.warnings).toEqual(expect.arrayContaining([expect.stringMatching(/^a stop or a close that protects could not be sent/)]));
  expect(summary.findings.find(({ id }: { id: string }) => id === 'unsentExits')).toMatchObject({
    severity: 'critical',
    figures: { first: 'orderRateAboveLimit' },
  });
});
