import type { FillSettings } from '../../src/matching/settings.ts';
import { penetrationTicks } from '../../src/matching/settings.ts';
import type { Side, TimeInForce } from '../../src/model/order.ts';

export interface ReferenceBar {
  readonly openTime: number;
  readonly closeTime: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

export interface ReferenceOrder {
  /** Sent at the close of this bar, by its place in the list. */
  readonly sentAt: number;
  /** Canceled at the close of this bar; `undefined` is never. */
  readonly canceledAt: number | undefined;
  readonly side: Side;
  /** `undefined` is a market order. */
  readonly limit: number | undefined;
  readonly force: TimeInForce;
  readonly postOnly: boolean;
}

export type ReferenceEnd =
  | { readonly end: 'filled'; readonly time: number; readonly price: number; readonly liquidity: 'maker' | 'taker' }
  | { readonly end: 'expired' | 'canceled' | 'rejected' };

/**
 * What becomes of one order over bars, told order by order and bar by bar: the rules of docs/reference/simulator.md
 * in the plainest words. It knows no queues, no paths and no budgets: without those each order stands alone.
 */
export function referenceEnd(bars: readonly ReferenceBar[], order: ReferenceOrder, settings: FillSettings): ReferenceEnd {
  const { side, limit, force, postOnly, sentAt, canceledAt } = order;
  const rule = penetrationTicks(settings.limit);
  const sign = side === 'buy' ? 1 : -1;
  const reaches = (price: number) => limit === undefined || sign * (limit - price) >= rule;
  const takes = (price: number) => limit === undefined || sign * (limit - price) >= Math.min(1, rule);
  const immediate = limit === undefined || force !== 'GTC';

  if (settings.market === 'close' && immediate) {
    const { close, closeTime } = bars[sentAt]!;
    return takes(close) ? { end: 'filled', time: closeTime, price: close, liquidity: 'taker' } : { end: 'expired' };
  }
  for (let index = sentAt + 1; index < bars.length; index++) {
    if (canceledAt !== undefined && canceledAt >= sentAt && canceledAt < index) return { end: 'canceled' };
    const { open, high, low, openTime, closeTime } = bars[index]!;
    const arrives = index === sentAt + 1;
    if (arrives && takes(open)) return postOnly ? { end: 'rejected' } : { end: 'filled', time: openTime, price: open, liquidity: 'taker' };
    if (arrives && immediate) return { end: 'expired' };
    if (!arrives && reaches(open))
      return { end: 'filled', time: openTime, price: settings.gapFill === 'better' ? open : limit!, liquidity: 'maker' };
    if (reaches(side === 'buy' ? low : high)) return { end: 'filled', time: closeTime, price: limit!, liquidity: 'maker' };
  }
  // A cancel at the last close still comes before the run ends.
  return canceledAt !== undefined && canceledAt >= sentAt && canceledAt < bars.length ? { end: 'canceled' } : { end: 'expired' };
}
