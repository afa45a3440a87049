import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Parameter } from '../../src/app/strategies/parameters.ts';
import { readCsv } from '../support/cli.ts';

export const EXAMPLES = [
  ...['sma-cross', 'bracket-breakout', 'market-maker', 'trend-follower', 'funding-harvester'],
  ...['grid', 'pair-reversion', 'rebalancer', 'volatility-breakout', 'queue-maker', 'model-signals'],
];

/** The figures that must come out the same everywhere, to the last digit; ratios with roots in them are left out. */
const EXACT = [
  ...['name', 'from', 'to', 'marketEvents', 'intents', 'denied', 'orders', 'fills', 'closedTrades', 'startEquity', 'finalEquity'],
  ...['totalFees', 'totalFunding', 'liquidations', 'finalBalances', 'finalPositions', 'maxDrawdown', 'pathDependentFills', 'deniedByCode', 'warnings'],
  ...['eventLogSha256', 'dataSha256', 'interrupted', 'error'],
];
const FILLS_SHOWN = 3;

export interface Golden {
  readonly summary: Readonly<Record<string, unknown>>;
  readonly firstFills: readonly Readonly<Record<string, string>>[];
  readonly lastFills: readonly Readonly<Record<string, string>>[];
}

/** What a golden file keeps of a run. */
export function goldenOf(out: string): Golden {
  const summary = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8')) as Record<string, unknown>;
  // The examples give their orders no names and no groups: what is shown of a fill has no `ref` and no `group`. Its place on a bar's path is in no event.
  const fills = readCsv(join(out, 'fills.csv')).map(({ ref, since: _, leg: __, number: ___, group: ____, ...fill }) =>
    ref === '' ? fill : { ...fill, ref: ref! },
  );
  return {
    summary: Object.fromEntries(EXACT.map((key) => [key, summary[key]])),
    firstFills: fills.slice(0, FILLS_SHOWN),
    lastFills: fills.slice(-FILLS_SHOWN),
  };
}

export function goldenFile(example: string): string {
  return join(import.meta.dirname, `${example}.json`);
}

export function sha256Of(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

const TOTALS = ['fills', 'denied', 'startEquity', 'finalEquity', 'totalFees', 'maxDrawdown'];
const FIGURES = ['marketEvents', 'intents', 'denied', 'orders', 'fills', 'closedTrades', 'startEquity', 'finalEquity', 'totalFees', 'totalFunding', 'maxDrawdown'];

/** What all examples came to, as the table of docs/reference/examples.md. */
export function totalsTable(goldens: readonly Golden[]): string {
  const head = ['example', ...TOTALS.map((figure) => `\`${figure}\``)];
  const rows = goldens.map(({ summary }) => [
    `[${String(summary.name)}](examples/${String(summary.name)}.md)`,
    ...TOTALS.map((figure) => shown(figure, summary[figure])),
  ]);
  return markdown([head, ['---', ...TOTALS.map(() => '---:')], ...rows]);
}

/** One golden as the table of its page in docs/examples; what such an account does not have is left out. */
export function figuresTable({ summary }: Golden): string {
  const rows = FIGURES.filter((figure) => summary[figure] !== undefined).map((figure) => [`\`${figure}\``, shown(figure, summary[figure])]);
  return markdown([['figure', 'value'], ['---', '---:'], ...rows]);
}

/** What can be set in a class, as the table of its page. */
export function parametersTable(parameters: readonly Parameter[]): string {
  const rows = parameters.map((one) => [
    `\`${one.name}\``,
    one.range === '' ? one.type : `${one.type} ${one.range}`,
    one.required ? 'required' : `\`${JSON.stringify(one.default)}\``,
    one.description,
  ]);
  return markdown([['parameter', 'type', 'default', 'meaning'], ['---', '---', '---', '---'], ...rows]);
}

function markdown(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function shown(figure: string, value: unknown): string {
  if (figure === 'maxDrawdown') return `${(Number(value) * 100).toFixed(2)} %`;
  return typeof value === 'number' ? value.toLocaleString('en-US') : `${Number(value).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })} USDT`;
}
