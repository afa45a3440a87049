import { type Decimal, ZERO } from '../model/decimal.ts';
import type { ComparedFigure } from '../statistics/comparison/compared-figures.ts';
import type { ComparedOrder } from '../statistics/comparison/compared-run.ts';
import {
  CAUSES,
  type ComparedTrade,
  type Comparison,
  type DifferencePart,
  type DifferentPeriods,
  type RoundTrip,
} from '../statistics/comparison/comparison.ts';
import { SETUP_KINDS, type SetupKind } from '../statistics/comparison/run-setup.ts';
import { formatCount, formatNumber, formatTime, formatValue } from './format.ts';
import { TerminalTable } from './terminal-table.ts';

/** The output of `tidegate compare`: the totals, and then the setup and the trades that make them. */
export function renderComparison(names: { readonly a: string; readonly b: string }, comparison: Comparison, look: ComparisonLook): string {
  const { color = false, unicode = true, all = false } = look;
  const columns = Math.max(40, Math.min(look.columns ?? 100, 100));
  const table = new TerminalTable(columns, { color, unicode });
  const most = all ? Number.POSITIVE_INFINITY : SHOWN;
  const { trades } = comparison;
  const same = trades.filter(({ parts }) => parts.length === 0).length;
  const blocks = [
    ...periodBlock(comparison, table),
    ...totalBlocks(names, comparison, table),
    setupBlock(comparison, table, most),
    ...tripBlock(comparison, table, most),
    ...othersBlock(comparison, table, most),
    `${formatCount(same)} of ${formatCount(trades.length)} trades are the same in both.`,
  ];
  const { roundTrips, others, setup } = comparison;
  const isCut = Math.max(roundTrips.length, others.length, setup.differences.length) > most;
  if (isCut) blocks.push('Use --all to print every row; comparison.html and comparison.json have them too.');
  return `${blocks.join('\n\n')}\n`;
}

/** Different periods are the first thing to know: they alone make other figures. */
function periodBlock({ periods }: Comparison, table: TerminalTable): string[] {
  if (periods === undefined) return [];
  const rows = [periods.a, periods.b].map(({ from, to }, index) => ['AB'[index]!, formatTime(from), formatTime(to)]);
  return [`${table.section('Different periods', ['run', 'from', 'to'], rows, ['left', 'left', 'left'])}\n${periodsText(periods)}`];
}

/** The meaning of different periods for the figures. */
export function periodsText({ shared }: DifferentPeriods): string {
  const part = shared === 0 ? 'Nothing' : formatValue('share', shared);
  return `${part} of the longer period is in both, so the figures are not comparable.`;
}

function totalBlocks(names: { readonly a: string; readonly b: string }, comparison: Comparison, table: TerminalTable): string[] {
  const { currency, finalEquityA, finalEquityB, difference, figures } = comparison;
  const finals = [
    [`A  ${names.a}`, finalEquityA.toFixed()],
    [`B  ${names.b}`, finalEquityB.toFixed()],
    ['B less A', exact(difference)],
  ];
  const causes = comparison.causes.map(({ cause, count, amount }) => [CAUSES[cause], formatCount(count), exact(amount)]);
  const main = figures.filter((figure) => figure.main && figure.key !== 'finalEquity');
  return [
    table.section(`Final equity, ${currency}`, ['run', 'equity'], finals),
    table.section('The difference by cause', ['cause', 'parts', currency], [...causes, ['sum', '', exact(difference)]]),
    table.section(
      'Figures of both runs',
      ['figure', 'A', 'B'],
      main.map((figure) => [figure.label, ...figureTexts(figure)]),
    ),
  ];
}

function tripBlock({ roundTrips, currency }: Comparison, table: TerminalTable, most: number): string[] {
  const shown = largestOf(roundTrips, most);
  if (shown.length === 0) return [];
  const rows = shown.map((trip) => [
    formatTime(trip.from),
    tripText(trip),
    causesOf(trip.trades.flatMap(({ parts }) => parts)),
    exact(trip.amount),
    ordersText(trip.trades.map(({ a }) => a)),
    ordersText(trip.trades.map(({ b }) => b)),
  ]);
  const title =
    shown.length < roundTrips.length
      ? `The ${shown.length} largest of ${formatCount(roundTrips.length)} round trips that differ`
      : 'Round trips that differ';
  return [table.section(title, ['time', 'trade', 'cause', currency, 'A', 'B'], rows, ['left', 'left', 'left', 'right', 'left', 'left'])];
}

function othersBlock({ others, currency }: Comparison, table: TerminalTable, most: number): string[] {
  const shown = largestOf(others, most);
  if (shown.length === 0) return [];
  const rows = shown.map(({ cause, note, amount }) => [CAUSES[cause], note, exact(amount)]);
  const title =
    shown.length < others.length
      ? `The ${shown.length} largest of ${formatCount(others.length)} differences without a trade`
      : 'Differences without a trade';
  return [table.section(title, ['cause', 'what', currency], rows, ['left', 'left', 'right'])];
}

/** The items with the largest amounts, in their order. */
function largestOf<Item extends { readonly amount: Decimal }>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items;
  const largest = new Set([...items].sort((one, other) => other.amount.abs().cmp(one.amount.abs())).slice(0, most));
  return items.filter((item) => largest.has(item));
}

/** Differences of the setups come before the trades, as they cause most of them. */
function setupBlock({ setup: { differences, unknown }, periods }: Comparison, table: TerminalTable, most: number): string {
  const kinds = (Object.keys(SETUP_KINDS) as SetupKind[]).filter((kind) => !unknown.includes(kind));
  // The recordings are the same; the runs read other parts of them.
  const same = kinds.filter((kind) => differences.every((one) => one.kind !== kind) && (kind !== 'data' || periods === undefined));
  const lines = [
    ...(same.length === 0 ? [] : [`The same in both: ${same.map((kind) => SETUP_NAMES[kind]).join(', ')}.`]),
    ...(unknown.length === 0 ? [] : [`Unknown for at least one run: ${unknown.map((kind) => SETUP_NAMES[kind]).join(', ')}.`]),
  ];
  if (differences.length === 0) return lines.join('\n');
  const shown = differences.slice(0, most);
  const rows = shown.map(({ kind, name, a, b }) => [SETUP_KINDS[kind], name, setupText(a), setupText(b)]);
  const title =
    shown.length < differences.length
      ? `The first ${shown.length} of ${differences.length} differences of their setup`
      : 'Different setup of the two runs';
  return [table.section(title, ['kind', 'name', 'A', 'B'], rows, ['left', 'left', 'left', 'left']), ...lines].join('\n');
}

const SETUP_NAMES: Readonly<Record<SetupKind, string>> = { parameters: 'parameters', config: 'config', code: 'code', data: 'data' };

/** A text of a config, unchanged; `not set` where there is none. */
export function setupText(text: string | undefined): string {
  return text === undefined ? 'not set' : text === '' ? '""' : text;
}

/** The figure of A, and of B. */
export function figureTexts({ unit, a, b }: ComparedFigure): [string, string] {
  return [formatValue(unit, a), formatValue(unit, b)];
}

/** Title of a round trip: its symbol, and its side, or the number of its orders. */
export function tripText({ symbol, trades }: RoundTrip): string {
  return trades.length === 1 ? `${symbol} ${trades[0]!.side}` : `${symbol}, ${trades.length} orders`;
}

/** Summary of orders: the total bought and the total sold. */
export function ordersText(orders: readonly (ComparedOrder | undefined)[]): string {
  const there = orders.filter((order) => order !== undefined);
  if (there.length <= 1) return filledText(there[0]);
  const bySide = (['buy', 'sell'] as const).flatMap((side) => {
    const fills = there.flatMap((order) => (order.side === side ? order.fills : []));
    return fills.length === 0 ? [] : [`${side} ${averageText(fills)}`];
  });
  return bySide.length === 0 ? `${there.length} unfilled` : bySide.join(', ');
}

/** Settings of the terminal. */
interface ComparisonLook {
  readonly columns?: number;
  readonly color?: boolean;
  readonly unicode?: boolean;
  /** Every row of every detail. */
  readonly all?: boolean;
}

/** A terminal shows this many rows of each detail, those with the largest amounts. */
const SHOWN = 20;

/** A comparison as plain JSON: money and quantities as exact decimal text, times as epoch ms. */
export function comparisonJson(names: { readonly a: string; readonly b: string }, comparison: Comparison): Record<string, unknown> {
  const { currency, finalEquityA, finalEquityB, difference, causes, trades, others, setup, figures, roundTrips, periods } = comparison;
  return {
    periods: periods ?? null,
    setup: { differences: setup.differences.map(({ kind, name, a = null, b = null }) => ({ kind, name, a, b })), unknown: setup.unknown },
    figures: Object.fromEntries(figures.map(({ key, a, b }) => [key, { a, b }])),
    a: { run: names.a, finalEquity: finalEquityA.toFixed() },
    b: { run: names.b, finalEquity: finalEquityB.toFixed() },
    currency,
    difference: difference.toFixed(),
    causes: Object.fromEntries(causes.map(({ cause, amount }) => [cause, amount.toFixed()])),
    trades: trades.map(({ a, b, time, strategyId, symbol, side, parts }) => ({
      time,
      strategy: strategyId,
      symbol,
      side,
      amount: amountOf({ parts }).toFixed(),
      parts: parts.map(partJson),
      a: orderJson(a),
      b: orderJson(b),
    })),
    roundTrips: roundTrips.map(({ from, to, strategyId, symbol, amount, trades: of }) => {
      return { from, to, strategy: strategyId, symbol, trades: of.length, amount: amount.toFixed() };
    }),
    others: others.map((other) => ({ time: other.time ?? null, ...partJson(other) })),
  };
}

function partJson({ cause, amount, note }: DifferencePart) {
  return { cause, amount: amount.toFixed(), note };
}

function orderJson(order: ComparedOrder | undefined) {
  if (order === undefined) return null;
  const { clientOrderId, time, type, quantity, price, status, reason, tag } = order;
  const fills = order.fills.map((fill) => ({
    time: fill.time,
    quantity: fill.quantity.toFixed(),
    notional: fill.notional.toFixed(),
    fee: fill.fee.toFixed(),
    feeAsset: fill.feeAsset,
  }));
  return { clientOrderId, time, type, quantity: quantity?.toFixed() ?? null, price, status, reason, tag, fills };
}

/** A trade's part of the difference. */
export function amountOf({ parts }: Pick<ComparedTrade, 'parts'>): Decimal {
  return parts.reduce((sum, { amount }) => sum.plus(amount), ZERO);
}

/** The causes of a trade's difference, each once; `the same` where both runs traded the same. */
export function causesText({ parts }: ComparedTrade): string {
  return causesOf(parts);
}

export function causesOf(parts: readonly DifferencePart[]): string {
  const names = [...new Set(parts.map(({ cause }) => CAUSES[cause]))];
  return names.length === 0 ? 'the same' : names.join(', ');
}

/** Result of an order: `0.5 at 101`, or its status without a fill. */
export function filledText(order: ComparedOrder | undefined): string {
  if (order === undefined) return 'none';
  if (order.fills.length === 0) return order.reason === '' ? order.status : `${order.status}: ${order.reason}`;
  return averageText(order.fills);
}

function averageText(fills: ComparedOrder['fills']): string {
  const quantity = fills.reduce((sum, fill) => sum.plus(fill.quantity), ZERO);
  const notional = fills.reduce((sum, fill) => sum.plus(fill.notional), ZERO);
  return `${formatNumber(quantity)} at ${formatNumber(notional.div(quantity))}`;
}

/** An exact amount with its sign, for columns with a total. */
export function exact(amount: Decimal): string {
  return amount.isPositive() && !amount.isZero() ? `+${amount.toFixed()}` : amount.toFixed();
}
