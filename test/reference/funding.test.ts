import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { readCsv, runCli, SHARED, sharedTest } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Reference {
  readonly data: Readonly<Record<'bars' | 'funding' | 'mark', string>>;
  readonly exit: string;
  readonly funding_payments: number;
  readonly funding_total_long: string;
  readonly flows: readonly (readonly [timestampMs: number, rate: string, markOpen: string, cashFlowLong: string])[];
}

const SYMBOL = 'BTC-USDT-PERP';
const HOUR_MS = 3_600_000;
const plain = (decimal: string) => new Decimal(decimal).toFixed();

sharedTest.each(['long', 'short'] as const)('a %s pays or receives every funding of the reference, as decimals', async (side) => {
  const reference = JSON.parse(readFileSync(join(SHARED, 'reference/funding-BTCUSDT-2025-05.json'), 'utf8')) as Reference;
  const folder = temporaryFolder();
  for (const [kind, file] of [
    ['bar', reference.data.bars],
    ['funding', reference.data.funding],
    ['mark', reference.data.mark],
  ] as const) {
    await runCli(folder, ['data', 'import', join(SHARED, 'data', file), '--symbol', SYMBOL, '--kind', kind, '--name', 'may']);
  }
  const config = {
    name: 'reference',
    dataDir: 'data',
    account: { kind: 'futures', balances: { USDT: '1000000' }, margin: { leverage: '1' } },
    instruments: { [SYMBOL]: { tickSize: '0.1', stepSize: '0.001' } },
    strategies: [{ id: 's', file: join(import.meta.dirname, 'strategies/hold-one.ts'), symbols: [SYMBOL], params: { side } }],
    backtest: { data: ['may'] },
  };
  const files = { 'c.yaml': JSON.stringify(config) };
  const { stdout } = await runCli(folder, ['backtest', 'c.yaml', '--json', '--quiet', '--out', 'out'], { files });
  const summary = JSON.parse(stdout);

  // The order is decided by the first bar, so it fills at the second open: before the first funding, as in the reference.
  const sign = side === 'long' ? 1 : -1;
  const paid = readCsv(join(folder, 'out/funding.csv'));
  const hourOf = (time: number) => Math.floor(time / HOUR_MS) * HOUR_MS;
  expect(paid.map((row) => [hourOf(Number(row.time)), plain(row.rate!), plain(row.markPrice!), plain(row.amount!)])).toEqual(
    reference.flows.map(([time, rate, mark, flow]) => [hourOf(time), plain(rate), plain(mark), new Decimal(flow).times(sign).toFixed()]),
  );
  expect(paid).toHaveLength(reference.funding_payments);
  const total = new Decimal(reference.funding_total_long).times(sign);
  expect(summary.totalFunding).toBe(total.toFixed());

  // No trading fee: what else moved is the price, from the fill to the last close.
  const [fill] = readCsv(join(folder, 'out/fills.csv'));
  const gained = new Decimal(reference.exit).minus(fill!.price!).times(sign);
  expect(summary.finalEquity).toBe(new Decimal(1_000_000).plus(gained).plus(total).toFixed());
  expect(summary.finalBalances.USDT).toBe(new Decimal(1_000_000).plus(total).toFixed());
});
