import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCsv } from '../support/cli.ts';

export const EXAMPLES = ['sma-cross', 'bracket-breakout', 'market-maker', 'trend-follower', 'funding-harvester'] as const;

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
  const fills = readCsv(join(out, 'fills.csv'));
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

const FIGURES = ['marketEvents', 'intents', 'denied', 'orders', 'fills', 'closedTrades', 'startEquity', 'finalEquity', 'totalFees', 'totalFunding', 'maxDrawdown'];

/** The goldens as the table of docs/examples.md. */
export function figuresTable(goldens: readonly Golden[]): string {
  const rows = FIGURES.map((figure) => [`\`${figure}\``, ...goldens.map(({ summary }) => shown(figure, summary[figure]))]);
  const table = [['', ...goldens.map(({ summary }) => String(summary.name))], ['---', ...goldens.map(() => '---:')], ...rows];
  return table.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function shown(figure: string, value: unknown): string {
  if (figure === 'maxDrawdown') return `${(Number(value) * 100).toFixed(2)} %`;
  return typeof value === 'number' ? value.toLocaleString('en-US') : `${Number(value).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })} USDT`;
}
