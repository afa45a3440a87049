import type { StatisticValue } from '../statistics/statistic.ts';
import {
  formatDuration,
  formatMoney,
  formatNumber,
  formatShare,
  formatStatistic,
  formatTime,
  formatValue,
  NOT_AVAILABLE,
} from './format.ts';
import type { PageReport } from './page-report.ts';

/** The parts of a report from which its first screen is made. */
type Headed = Pick<PageReport, 'statistics' | 'definitions' | 'futures' | 'currency' | 'ruin' | 'end' | 'from' | 'to'>;

/** One figure of the first screen. */
export interface Tile {
  readonly label: string;
  readonly value: string;
  /** A figure to compare it with; empty without one. */
  readonly under: string;
  readonly mood: '' | 'gain' | 'loss' | 'none';
}

interface TileKind {
  readonly key: string;
  /** Whether the sign means good or bad; for a cost or a count it does not. */
  readonly signed?: boolean;
  /** A word and the statistic to which it belongs, or another text. */
  readonly under: readonly [word: string, key: string] | ((report: Headed) => string);
}

const TILES: readonly TileKind[] = [
  { key: 'totalReturn', signed: true, under: (report) => labelled(report, 'market', 'benchmarkReturn') || equitySpan(report) },
  { key: 'cagr', signed: true, under: ['volatility', 'annualVolatility'] },
  { key: 'sharpe', signed: true, under: ['Sortino', 'sortino'] },
  { key: 'maxDrawdown', under: ['longest', 'longestDrawdownMs'] },
  { key: 'trades', under: (report) => `${textOf(report, 'openTrades')} still open` },
  { key: 'winRate', under: ['expectancy', 'expectancy'] },
  { key: 'profitFactor', under: ['turnover', 'turnover'] },
  { key: 'fees', under: ['exposure', 'exposure'] },
];

/** Additional tiles of a futures account. */
const FUTURES_TILES: readonly TileKind[] = [
  {
    key: 'funding',
    signed: true,
    under: (report) => `received ${textOf(report, 'fundingReceived')}, paid ${textOf(report, 'fundingPaid')}`,
  },
  { key: 'longNetProfit', signed: true, under: ['short', 'shortNetProfit'] },
  { key: 'maxLeverage', under: ['margin use up to', 'maxMarginUse'] },
  { key: 'liquidations', under: ['their fees', 'liquidationFees'] },
];

/** Figures that a run always has: they take the tiles of ratios that are not available. */
const SPARE: readonly TileKind[] = [
  { key: 'finalEquity', under: (report) => `from ${formatMoney(report.statistics.startEquity ?? 0)}` },
  { key: 'exposure', under: ['mean', 'averageExposure'] },
  { key: 'turnover', under: () => 'of the mean equity' },
  { key: 'startEquity', under: () => 'at the start' },
];

/** The eight most important figures (twelve for futures). A ratio that is not available gives its tile to a figure that is. */
export function headlineTiles(report: Headed): Tile[] {
  const wanted = report.futures ? [...TILES, ...FUTURES_TILES] : TILES;
  const has = ({ key }: TileKind) => (report.statistics[key] ?? null) !== null;
  const spare = SPARE.filter((kind) => has(kind) && definitionOf(report, kind.key) !== undefined);
  const kinds = wanted.map((kind) => (has(kind) ? undefined : spare.shift()) ?? kind);
  return kinds.map((kind) => tileOf(kind, report, kinds));
}

/** @param all kinds of tiles: a figure that has its own tile is under no other. */
function tileOf(kind: TileKind, report: Headed, all: readonly TileKind[]): Tile {
  const raw = report.statistics[kind.key] ?? null;
  return {
    label: definitionOf(report, kind.key)?.label ?? kind.key,
    value: withError(report, kind.key),
    under: underOf(kind, report, all),
    mood: moodOf(kind, raw),
  };
}

function underOf({ under }: TileKind, report: Headed, all: readonly TileKind[]): string {
  if (typeof under === 'function') return under(report);
  const [word, key] = under;
  return all.some((other) => other.key === key) ? '' : labelled(report, word, key);
}

function labelled(report: Headed, word: string, key: string): string {
  const text = textOf(report, key);
  return text === NOT_AVAILABLE ? '' : `${word} ${text}`;
}

function moodOf({ signed = false }: TileKind, raw: StatisticValue): Tile['mood'] {
  if (raw === null) return 'none';
  if (!signed || Number(raw) === 0) return '';
  return Number(raw) > 0 ? 'gain' : 'loss';
}

function definitionOf({ definitions }: Headed, key: string) {
  return definitions.find((candidate) => candidate.key === key);
}

function textOf(report: Headed, key: string): string {
  return formatValue(definitionOf(report, key)?.unit ?? 'ratio', report.statistics[key] ?? null);
}

function withError(report: Headed, key: string): string {
  const definition = definitionOf(report, key);
  return definition === undefined ? NOT_AVAILABLE : formatStatistic(definition, report.statistics);
}

function equitySpan({ statistics: { startEquity, finalEquity } }: Headed): string {
  return `${formatMoney(startEquity ?? 0)} to ${formatMoney(finalEquity ?? 0)}`;
}

/** Below this share of the run, a latch at its end decided nothing. */
const DECIDING = 0.05;

/** The events that decided the run, the first line of its report: ruin, liquidations, a latch after which nothing traded. Empty for most runs. */
export function decidedBy({ ruin, end, currency, from, to, statistics }: Headed): string[] {
  const lines: string[] = [];
  if (ruin !== undefined) {
    const { time, price, symbol } = ruin;
    lines.push(
      `The run lost everything: equity reached zero at ${formatTime(time)} UTC, at a price of ${formatNumber(price)} for ${symbol}. Ratios of an equity of zero or less (in ${currency}) are ${NOT_AVAILABLE} from then on.`,
    );
  }
  const liquidations = Number(statistics.liquidations ?? 0);
  if (liquidations > 0)
    lines.push(`The venue liquidated positions ${liquidations === 1 ? 'once' : `${liquidations} times`} for lack of margin.`);
  if (end !== undefined && to > from) {
    const dead = (to - end.lastFill) / (to - from);
    if (dead >= DECIDING)
      lines.push(
        `Trading ended with ${end.rule} at ${formatTime(end.time)} UTC: nothing traded in the last ${formatDuration(to - end.lastFill)}, ${formatShare(dead)} of the run. Ratios over the whole run include this time.`,
      );
  }
  return lines;
}
