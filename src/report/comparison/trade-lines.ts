import { type Decimal, ZERO } from '../../model/decimal.ts';
import { CAUSES } from '../../statistics/comparison/cause.ts';
import type { ComparedOrder } from '../../statistics/comparison/compared-run.ts';
import type { ComparedTrade } from '../../statistics/comparison/comparison.ts';
import { formatNumber } from '../format.ts';

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
