import { CAUSES } from '../../statistics/comparison/cause.ts';
import type { Comparison } from '../../statistics/comparison/comparison.ts';
import { formatCount, formatTime } from '../format.ts';
import { TerminalTable } from '../terminal-table.ts';
import { amountOf, causesText, exact, filledText } from './trade-lines.ts';

/** How the terminal shows it. */
export interface ComparisonLook {
  readonly columns?: number;
  readonly color?: boolean;
  readonly unicode?: boolean;
}

/** A terminal shows so many of the trades that differ: those that weigh the most. */
const SHOWN = 20;

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
