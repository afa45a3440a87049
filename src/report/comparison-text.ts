import { type Decimal, ZERO } from '../model/decimal.ts';
import type { ComparedFigure } from '../statistics/comparison/compared-figures.ts';
import type { ComparedOrder } from '../statistics/comparison/compared-run.ts';
import { CAUSES, type ComparedTrade, type Comparison, type DifferencePart, type RoundTrip } from '../statistics/comparison/comparison.ts';
import { SETUP_KINDS, type SetupKind } from '../statistics/comparison/run-setup.ts';
import { formatCount, formatNumber, formatTime, formatValue } from './format.ts';
import { TerminalTable } from './terminal-table.ts';

/** What `tidegate compare` prints: the difference by cause, and the trades that make it. */
export function renderComparison(names: { readonly a: string; readonly b: string }, comparison: Comparison, look: ComparisonLook): string {
  const { color = false, unicode = true } = look;
  const columns = Math.max(40, Math.min(look.columns ?? 100, 100));
  const table = new TerminalTable(columns, { color, unicode });
  const { currency, finalEquityA, finalEquityB, difference, trades, others, figures } = comparison;
  const blocks = [
    setupBlock(comparison, table),
    table.section(
      `Final equity, ${currency}`,
      ['run', 'equity'],
      [
        [`A  ${names.a}`, finalEquityA.toFixed()],
        [`B  ${names.b}`, finalEquityB.toFixed()],
        ['B less A', exact(difference)],
      ],
    ),
    table.section(
      'Side by side',
      ['figure', 'A', 'B'],
      figures.filter(({ main, key }) => main && key !== 'finalEquity').map((figure) => [figure.label, ...figureTexts(figure)]),
    ),
    table.section(
      'The difference by cause',
      ['cause', 'parts', currency],
      [
        ...comparison.causes.map(({ cause, count, amount }) => [CAUSES[cause], formatCount(count), exact(amount)]),
        ['sum', '', exact(difference)],
      ],
    ),
  ];
  const differing = comparison.roundTrips;
  const same = trades.filter(({ parts }) => parts.length === 0).length;
  const largest = [...differing].sort((one, other) => other.amount.abs().cmp(one.amount.abs())).slice(0, SHOWN);
  const shown = differing.filter((trip) => largest.includes(trip));
  if (shown.length > 0) {
    const rows = shown.map((trip) => [
      formatTime(trip.from),
      tripText(trip),
      causesOf(trip.trades.flatMap(({ parts }) => parts)),
      exact(trip.amount),
      ordersText(trip.trades.map(({ a }) => a)),
      ordersText(trip.trades.map(({ b }) => b)),
    ]);
    const title =
      shown.length < differing.length
        ? `The ${shown.length} largest of ${differing.length} round trips that differ`
        : 'Round trips that differ';
    blocks.push(
      table.section(title, ['time', 'trade', 'cause', currency, 'A', 'B'], rows, ['left', 'left', 'left', 'right', 'left', 'left']),
    );
  }
  if (others.length > 0) {
    const rows = others.map(({ cause, note, amount }) => [CAUSES[cause], note, exact(amount)]);
    blocks.push(table.section('Beside trades', ['cause', 'what', currency], rows, ['left', 'left', 'right']));
  }
  blocks.push(`${formatCount(same)} of ${formatCount(trades.length)} trades are the same in both.`);
  return `${blocks.join('\n\n')}\n`;
}

/** What differs in how the two were made comes first: it is the cause of most that follows. */
function setupBlock({ setup: { differences, unknown } }: Comparison, table: TerminalTable): string {
  const kinds = (Object.keys(SETUP_KINDS) as SetupKind[]).filter((kind) => !unknown.includes(kind));
  const same = kinds.filter((kind) => differences.every((one) => one.kind !== kind));
  const lines = [
    ...(same.length === 0 ? [] : [`The same in both: ${same.map((kind) => SETUP_NAMES[kind]).join(', ')}.`]),
    ...(unknown.length === 0 ? [] : [`Not known of both: ${unknown.map((kind) => SETUP_NAMES[kind]).join(', ')}.`]),
  ];
  if (differences.length === 0) return lines.join('\n');
  const shown = differences.slice(0, SHOWN);
  const rows = shown.map(({ kind, name, a, b }) => [SETUP_KINDS[kind], name, setupText(a), setupText(b)]);
  const title =
    shown.length < differences.length
      ? `The first ${shown.length} of ${differences.length} differences in how they were made`
      : 'What differs in how they were made';
  return [table.section(title, ['kind', 'name', 'A', 'B'], rows, ['left', 'left', 'left', 'left']), ...lines].join('\n');
}

const SETUP_NAMES: Readonly<Record<SetupKind, string>> = { parameters: 'parameters', config: 'config', code: 'code', data: 'data' };

/** A text of a config as it stands; `not set` where there is none. */
export function setupText(text: string | undefined): string {
  return text === undefined ? 'not set' : text === '' ? '""' : text;
}

/** A figure of A, and of B. */
export function figureTexts({ unit, a, b }: ComparedFigure): [string, string] {
  return [formatValue(unit, a), formatValue(unit, b)];
}

/** What a round trip was: its symbol, and its side, or how many orders it took. */
export function tripText({ symbol, trades }: RoundTrip): string {
  return trades.length === 1 ? `${symbol} ${trades[0]!.side}` : `${symbol}, ${trades.length} orders`;
}

/** What orders came to: all that was bought, and all that was sold. */
export function ordersText(orders: readonly (ComparedOrder | undefined)[]): string {
  const there = orders.filter((order) => order !== undefined);
  if (there.length <= 1) return filledText(there[0]);
  const bySide = (['buy', 'sell'] as const).flatMap((side) => {
    const fills = there.flatMap((order) => (order.side === side ? order.fills : []));
    return fills.length === 0 ? [] : [`${side} ${averageText(fills)}`];
  });
  return bySide.length === 0 ? `${there.length} unfilled` : bySide.join(', ');
}

/** How the terminal shows it. */
interface ComparisonLook {
  readonly columns?: number;
  readonly color?: boolean;
  readonly unicode?: boolean;
}

/** A terminal shows so many of the round trips that differ: those that weigh the most. */
const SHOWN = 20;

/** A comparison as plain JSON: money and quantities as exact decimal text, times as epoch ms. */
export function comparisonJson(names: { readonly a: string; readonly b: string }, comparison: Comparison): Record<string, unknown> {
  const { currency, finalEquityA, finalEquityB, difference, causes, trades, others, setup, figures, roundTrips } = comparison;
  return {
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

/** What a trade adds to the difference. */
export function amountOf({ parts }: Pick<ComparedTrade, 'parts'>): Decimal {
  return parts.reduce((sum, { amount }) => sum.plus(amount), ZERO);
}

/** The causes of a trade, each once; `the same` where both runs did the same. */
export function causesText({ parts }: ComparedTrade): string {
  return causesOf(parts);
}

export function causesOf(parts: readonly DifferencePart[]): string {
  const names = [...new Set(parts.map(({ cause }) => CAUSES[cause]))];
  return names.length === 0 ? 'the same' : names.join(', ');
}

/** What an order came to: `0.5 at 101`, its status where it filled nothing. */
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

/** An exact amount with its sign, for columns that are to add up. */
export function exact(amount: Decimal): string {
  return amount.isPositive() && !amount.isZero() ? `+${amount.toFixed()}` : amount.toFixed();
}
