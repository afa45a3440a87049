import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { readCsv, runCli, SHARED, sharedTest } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The eight files of the reference, and how a user would state each: data, class, parameters, settings. */
const RUNS = [
  ['btcusdt_usdm_1h_2023-26_smalong_10_20_c0', 'sma-long', '1h', {}],
  ['btcusdt_usdm_1m_2025-05_bracket_20_50_c0010_nextbar', 'bracket', '1m', { exits: 'nextBar' }],
  ['btcusdt_usdm_1m_2025-05_bracket_20_50_c0010_samebar', 'bracket', '1m', { exits: 'entryBar' }],
  ['btcusdt_usdm_1m_2025-05_smareverse_20_50_c0010', 'sma-reverse', '1m', {}],
  ['goog_bracket_10_20_c0010_nextbar', 'bracket', '1d', { exits: 'nextBar' }],
  ['goog_limitdip_c0010', 'limit-dip', '1d', {}],
  ['goog_smalong_10_20_c0010', 'sma-long', '1d', {}],
  ['goog_stopbreakout_c0010', 'stop-breakout', '1d', {}],
] as const;

const INTERVAL_MS = { '1m': 60_000, '1h': 3_600_000, '1d': 86_400_000 } as const;

interface Reference {
  readonly data: string;
  readonly bars: number;
  readonly fee: string;
  readonly start_cash: string;
  readonly params: Readonly<Record<string, string>>;
  readonly final_cash: string;
  readonly final_position: string;
  readonly final_equity_at_last_close: string;
  readonly total_fees: string;
  readonly max_drawdown_on_bar_closes: string;
  readonly closed_trades: number;
  readonly fill_columns: readonly string[];
  readonly fill_list: readonly (readonly [
    bar: number,
    side: string,
    quantity: string,
    price: string,
    fee: string,
    kind: string,
    time: string,
  ])[];
}

const plain = (decimal: string) => new Decimal(decimal).toFixed();

sharedTest.each(RUNS)(
  '%s: the same fills, cash, fees and equity as the reference, as decimals',
  async (name, strategy, interval, fills) => {
    const reference = JSON.parse(gunzipSync(readFileSync(join(SHARED, 'reference/bars', `${name}.json.gz`))).toString()) as Reference;
    const folder = temporaryFolder();
    const symbol = reference.data.includes('GOOG') ? 'GOOG-USD' : 'BTC-USDT-PERP';
    const quote = symbol.split('-')[1]!;
    const { size, same_bar: _, ...numbers } = reference.params;
    const config = {
      name: 'reference',
      dataDir: 'data',
      account: { kind: 'netting', balances: { [quote]: reference.start_cash } },
      instruments: { [symbol]: { tickSize: '0.0001', stepSize: '1', makerFee: reference.fee, takerFee: reference.fee } },
      strategies: [
        {
          id: 's',
          file: join(import.meta.dirname, 'strategies', `${strategy}.ts`),
          symbols: [symbol],
          params: { size: size!, ...Object.fromEntries(Object.entries(numbers).map(([key, value]) => [key, Number(value)])) },
        },
      ],
      backtest: { data: ['reference'], profile: 'full', fills: { limit: 'touch', gapFill: 'better', path: 'worst', ...fills } },
    };
    const csv = join(SHARED, 'data', reference.data);
    await runCli(folder, ['data', 'import', csv, '--symbol', symbol, '--kind', 'bar', '--interval', interval, '--name', 'reference']);
    const { stdout } = await runCli(folder, ['backtest', 'c.yaml', '--json', '--quiet', '--out', 'out'], {
      files: { 'c.yaml': JSON.stringify(config) },
      env: { BAR_INTERVAL: interval },
    });
    const summary = JSON.parse(stdout);

    const fillsRead = readCsv(join(folder, 'out/fills.csv'));
    const got = fillsRead.map((fill) => [fill.side, fill.quantity, plain(fill.price!), plain(fill.fee!)]);
    expect(got).toEqual(reference.fill_list.map(([, side, quantity, price, fee]) => [side, quantity, plain(price), plain(fee)]));
    reference.fill_list.forEach(([, , , , , kind, open], index) => {
      const sinceOpen = Number(fillsRead[index]!.time) - Date.parse(open);
      // Fills at the open bear the bar's open time, later ones its close time.
      expect(kind === 'market' ? [0] : [0, INTERVAL_MS[interval]]).toContain(sinceOpen);
    });
    expect(summary.marketEvents).toBe(reference.bars);
    expect(summary.finalBalances[quote]).toBe(plain(reference.final_cash));
    expect(summary.finalPositions[symbol] ?? '0').toBe(reference.final_position);
    expect(summary.finalEquity).toBe(plain(reference.final_equity_at_last_close));
    expect(summary.totalFees).toBe(plain(reference.total_fees));
    expect(summary.closedTrades).toBe(reference.closed_trades);
    expect(summary.maxDrawdown).toBeCloseTo(Number(reference.max_drawdown_on_bar_closes), 12);
  },
);

test('the table of runs names every file of the reference', () => {
  expect(RUNS).toHaveLength(8);
});
