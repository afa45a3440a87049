import { type Decimal, ZERO } from '../model/decimal.ts';
import type { ComparedOrder } from '../statistics/comparison/compared-run.ts';
import { CAUSES, type ComparedTrade, type Comparison, type DifferencePart } from '../statistics/comparison/comparison.ts';
import { formatCount, formatNumber, formatTime } from './format.ts';
import { TerminalTable } from './terminal-table.ts';

/** What `tidegate compare` prints: the difference by cause, and the trades that make it. */
export function renderComparison(names: { readonly a: string; readonly b: string }, comparison: Comparison, look: ComparisonLook): string {
  const { color = false, unicode = true } = look;
  const columns = Math.max(40, Math.min(look.columns ?? 100, 100));
  const table = new TerminalTable(columns, { color, unicode });
  const { currency, finalEquityA, finalEquityB, difference, trades, others } = comparison;
  const blocks = [
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
      'The difference by cause',
      ['cause', 'parts', currency],
      [
        ...comparison.causes.map(({ cause, count, amount }) => [CAUSES[cause], formatCount(count), exact(amount)]),
        ['sum', '', exact(difference)],
      ],
    ),
  ];
  const differing = trades.filter(({ parts }) => parts.length > 0);
  const same = trades.length - differing.length;
  const largest = [...differing].sort((one, other) => amountOf(other).abs().cmp(amountOf(one).abs())).slice(0, SHOWN);
  const shown = differing.filter((trade) => largest.includes(trade));
  if (shown.length > 0) {
    const rows = shown.map((trade) => [
      ...[
        formatTime(trade.time),
        `${trade.symbol} ${trade.side}`,
        causesText(trade),
        exact(amountOf(trade)),
        filledText(trade.a),
        filledText(trade.b),
      ],
    ]);
    const title =
      shown.length < differing.length ? `The ${shown.length} largest of ${differing.length} trades that differ` : 'Trades that differ';
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

/** How the terminal shows it. */
interface ComparisonLook {
  readonly columns?: number;
  readonly color?: boolean;
  readonly unicode?: boolean;
}

/** A terminal shows so many of the trades that differ: those that weigh the most. */
const SHOWN = 20;

/** A comparison as plain JSON: money and quantities as exact decimal text, times as epoch ms. */
export function comparisonJson(names: { readonly a: string; readonly b: string }, comparison: Comparison): Record<string, unknown> {
  const { currency, finalEquityA, finalEquityB, difference, causes, trades, others } = comparison;
  return {
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
  const names = [...new Set(parts.map(({ cause }) => CAUSES[cause]))];
  return names.length === 0 ? 'the same' : names.join(', ');
}

/** What an order came to: `0.5 at 101`, its status where it filled nothing. */
export function filledText(order: ComparedOrder | undefined): string {
  if (order === undefined) return 'none';
  if (order.fills.length === 0) return order.reason === '' ? order.status : `${order.status}: ${order.reason}`;
  const quantity = order.fills.reduce((sum, fill) => sum.plus(fill.quantity), ZERO);
  const notional = order.fills.reduce((sum, fill) => sum.plus(fill.notional), ZERO);
  return `${formatNumber(quantity)} at ${formatNumber(notional.div(quantity))}`;
}

/** An exact amount with its sign, for columns that are to add up. */
export function exact(amount: Decimal): string {
  return amount.isPositive() && !amount.isZero() ? `+${amount.toFixed()}` : amount.toFixed();
}
