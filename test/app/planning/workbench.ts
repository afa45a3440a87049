import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { loadConfig } from '../../../src/app/config/load-config.ts';
import { type PlannedRun, planBacktest } from '../../../src/app/planning/plan-backtest.ts';
import type { SeriesKind } from '../../../src/recording/columns/series-meta.ts';
import { HEADERS, Workshop } from '../../recording/builders.ts';

/** 2025-01-01T00:00:00Z. */
export const T0 = 1_735_689_600_000;
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

const LOG = { debug() {}, info() {}, warn() {} };
const VALUES: Readonly<Record<SeriesKind, string>> = {
  bar: '100,100,100,100,1',
  depth: 'buy,100,1',
  quote: '100,101,1,1',
  trade: '100,1,buy',
  ticker: '100',
  mark: '100.12345',
  funding: '0.0001',
};

/** One recorded series: rows of any values at these times. */
export interface Recorded {
  readonly symbol: string;
  readonly kind: SeriesKind;
  readonly times: readonly number[];
}

/** Hourly times over so many days from `from` on. */
export function hours(days: number, from = T0): number[] {
  return Array.from({ length: days * 24 }, (_, hour) => from + hour * HOUR);
}

/** A futures account that trades one perpetual on bars, by a strategy with these members. */
export const PERP = 'BTC-USDT-PERP';
export const BASE = {
  name: 'plan',
  account: { kind: 'futures', balances: { USDT: '1000' } } as object,
  instruments: { [PERP]: { tickSize: '0.1', stepSize: '0.001' } } as object,
  symbols: [PERP] as string[],
  references: [] as string[],
  backtest: {} as object,
  risk: {} as object,
};

/** Plans a run of a config over recordings made for it. Its symbols have no fees, so the warning of that is left out. */
export async function planned(...parts: Parameters<typeof written>): Promise<PlannedRun> {
  const run = await planBacktest(loadConfig(await written(...parts)), LOG);
  return { ...run, warnings: run.warnings.filter((text) => !text.includes('makerFee and takerFee are 0')) };
}

/** Writes a config, its strategy and recordings made for it. @returns the path of the config. */
export async function written(
  recorded: readonly Recorded[],
  settings: Partial<typeof BASE> = {},
  members = "static needs = { bars: '1h' }; onBar() {}",
): Promise<string> {
  const work = new Workshop();
  for (const { symbol, kind, times } of recorded) {
    const rows = times.map((time) => `${time},${VALUES[kind]}`);
    await work.keep([HEADERS[kind], ...rows, ''].join('\n'), { symbol, kind, ...(kind === 'bar' ? { intervalMs: HOUR } : {}) });
  }
  const { symbols, references, ...rest } = { ...BASE, ...settings };
  writeFileSync(join(work.folder, 's.js'), `import { Strategy } from 'tidegate';\nexport class Planned extends Strategy { ${members} }\n`);
  const config = {
    ...rest,
    dataDir: work.dataDir,
    strategies: [{ id: 's', file: './s.js', symbols, ...(references.length > 0 && { references }) }],
    backtest: { data: ['r'], ...rest.backtest },
  };
  writeFileSync(join(work.folder, 'c.yaml'), stringify(config));
  return join(work.folder, 'c.yaml');
}

/** The planned sources as text, in their order. */
export function fed({ plan }: PlannedRun): string[] {
  return plan.sources.map(({ instrument, kind }) => `${instrument.symbol} ${kind}`);
}
