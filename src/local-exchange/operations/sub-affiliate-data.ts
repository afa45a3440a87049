import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import { MONEY_PLACES } from '../../model/margin.ts';
import { isoTime } from '../../model/time-text.ts';
import type { Call } from '../http/call.ts';
import type { FillEntry } from '../trading/order-entry.ts';
import { pageOf } from './page.ts';
import { requireAffiliate } from './require-affiliate.ts';

interface DaySums {
  volume: Decimal;
  fee: Decimal;
}

/**
 * Operation 17: per sub-affiliate and day (UTC), newest day first, what it and those it invited have traded. A record
 * names no coin, so everything is in one: USDT, other quotes as they stood in it at each fill (what had no price in it is
 * not counted), and fees taken in base at the price of their fill. @throws Refusal 40014.
 */
export function subAffiliateData(request: RequestOf<'subAffiliateData'>, call: Call): PayloadOf<'subAffiliateData'> {
  requireAffiliate(call);
  const { accounts, behaviour } = call.exchange;
  const { subUid, startTime = 0, endTime = Number.POSITIVE_INFINITY, productType, pageNum = 1, pageSize = 100 } = request;
  const kind = productType === 'SPOT' ? 'spot' : 'futures';
  const subs = accounts
    .invitedBy(call.account.uid)
    .filter(({ subAffiliate, uid }) => subAffiliate && (subUid === undefined || uid === subUid));
  const records = subs.flatMap((sub) => {
    const fills = [sub, ...accounts.invitedBy(sub.uid)].flatMap(({ orders }) => orders.fills);
    const counted = fills.filter(({ fill: { instrument, time } }) => instrument.kind === kind && time >= startTime && time <= endTime);
    return [...byDay(counted)].map(([date, { volume, fee }]) => ({
      subAffiliateUid: sub.uid,
      productType,
      date,
      tradingVolume: volume.toFixed(),
      netTradingFee: fee.toFixed(),
      paidCommission: Decimal.max(ZERO, fee).times(behaviour.commissionRate).toFixed(),
    }));
  });
  records.sort((a, b) => b.date.localeCompare(a.date) || a.subAffiliateUid.localeCompare(b.subAffiliateUid));
  return {
    records: pageOf(records, pageNum - 1, pageSize),
    total: records.length,
    size: pageSize,
    current: pageNum,
    pages: Math.ceil(records.length / pageSize),
  };
}

function byDay(fills: readonly FillEntry[]): Map<string, DaySums> {
  const days = new Map<string, DaySums>();
  for (const { fill, quoteWorth } of fills) {
    if (quoteWorth === undefined) continue;
    const { time, notional, fee, feeAsset, instrument, priceTicks } = fill;
    const date = isoTime(time).slice(0, 10);
    const sums = days.get(date) ?? { volume: ZERO, fee: ZERO };
    const worth = (inQuote: Decimal) => inQuote.times(quoteWorth).toDecimalPlaces(MONEY_PLACES);
    const feeInQuote = feeAsset === instrument.quote ? fee : fee.times(instrument.tick.toDecimal(priceTicks));
    days.set(date, { volume: sums.volume.plus(worth(notional)), fee: sums.fee.plus(worth(feeInQuote)) });
  }
  return days;
}
