import type { ComparedOrder } from '../../statistics/comparison/compared-run.ts';
import type { Comparison, DifferencePart } from '../../statistics/comparison/comparison.ts';
import { amountOf } from './trade-lines.ts';

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
