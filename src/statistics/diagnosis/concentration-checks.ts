import { DayZone } from '../../model/day-zone.ts';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import { type Period, periodOf } from '../returns/daily-returns.ts';
import type { RunRecord } from '../run-record.ts';
import { tradeFoldOf } from '../trades/trade-fold.ts';
import { type Check, type CheckResult, gainOf, money, percent, severityOfShare } from './check.ts';

/** With fewer trades, one always makes a large part of the profit. */
const FEWEST_TRADES = 5;
/** A trade that makes half of the whole profit dominates the result. */
const TRADE_SHARE = 0.5;
const SYMBOL_SHARE = 0.8;
/** With fewer months (days), one always makes a large part of the gain. */
const FEWEST_MONTHS = 3;
const MONTH_SHARE = 0.6;
const FEWEST_DAYS = 20;
const DAY_SHARE = 0.5;

/** Whether a single trade, month or day made the profit. */
export const CONCENTRATION_CHECKS = [
  {
    id: 'oneTradeProfit',
    title: 'One trade makes the profit',
    reportedIf: `the best of at least ${FEWEST_TRADES} closed trades made ${percent(TRADE_SHARE)} of their net profit or more; critical if the others lost`,
    why: 'A single event may not repeat: the other trades are the better sample.',
    advice: 'Judge the result without that trade, and find its cause.',
    evaluate: ({ record, trades: { closed } }) => {
      const { netProfit: profit, mostProfit } = tradeFoldOf(closed, record.dayZone).groups.all;
      if (closed.length < FEWEST_TRADES || profit.lte(0)) return undefined;
      return concentrated(mostProfit, profit, TRADE_SHARE, record.currency, { trades: String(closed.length) });
    },
  },
  {
    id: 'oneSymbolProfit',
    title: 'One symbol makes the profit',
    reportedIf: `one of several symbols made ${percent(SYMBOL_SHARE)} of the net profit of closed trades or more; critical if the others lost together`,
    why: 'Several symbols should spread the result; here one symbol makes it.',
    advice: 'Run that symbol alone, and the others without it: the second run shows the value of the rules elsewhere.',
    evaluate: ({ record, trades: { closed } }) => {
      const fold = tradeFoldOf(closed, record.dayZone);
      const profit = fold.groups.all.netProfit;
      if (profit.lte(0)) return undefined;
      const profits = [...fold.by('symbol')].map(([symbol, { won, lost }]) => ({ symbol, own: won.total.plus(lost.total) }));
      if (profits.length < 2) return undefined;
      const best = profits.reduce((most, one) => (one.own.gt(most.own) ? one : most));
      return concentrated(best.own, profit, SYMBOL_SHARE, record.currency, { symbol: best.symbol });
    },
  },
  {
    id: 'oneMonthProfit',
    title: 'One month makes the profit',
    reportedIf: `the run has at least ${FEWEST_MONTHS} months and a gain, and one month made ${percent(MONTH_SHARE)} of it or more`,
    why: 'One kind of market made the result, and it may not return soon.',
    advice: 'Check the market in that month, and run the strategy over other such months.',
    evaluate: ({ record }) => onePeriod(record, 'month', FEWEST_MONTHS, MONTH_SHARE),
  },
  {
    id: 'oneDayProfit',
    title: 'One day makes the profit',
    reportedIf: `the run has at least ${FEWEST_DAYS} days and a gain, and one day made ${percent(DAY_SHARE)} of it or more`,
    why: 'A single day is an event, not a rule; a flaw of the data on that day would be enough.',
    advice: 'Look at the prices and fills of that day first.',
    evaluate: ({ record }) => onePeriod(record, 'day', FEWEST_DAYS, DAY_SHARE),
  },
] as const satisfies readonly Check[];

function onePeriod(record: RunRecord, period: Period, fewest: number, limit: number): CheckResult | undefined {
  const gains = gainsBy(record, period);
  const gain = gainOf(record);
  if (gains.size < fewest || gain.lte(0)) return undefined;
  const [key, best] = [...gains].reduce((most, one) => (one[1].gt(most[1]) ? one : most));
  const answer = concentrated(best, gain, limit, record.currency, { [period]: key });
  // Equity moves both ways: the gain of the best day is often more than the total gain.
  return answer && { ...answer, severity: 'warning' };
}

/** The equity gain of each period, open positions included. */
function gainsBy({ startEquity, dayEquity, dayZone }: RunRecord, period: Period): Map<string, Decimal> {
  const zone = new DayZone(dayZone);
  const gains = new Map<string, Decimal>();
  let before = startEquity;
  for (const { time, equity } of dayEquity) {
    // A day's time is its end, the first moment of the next one.
    const key = periodOf(time - 1, period, zone);
    gains.set(key, (gains.get(key) ?? ZERO).plus(equity).minus(before));
    before = equity;
  }
  return gains;
}

function concentrated(
  best: Decimal,
  all: Decimal,
  limit: number,
  currency: string,
  which: Readonly<Record<string, string>>,
): CheckResult | undefined {
  const share = best.div(all).toNumber();
  if (share < limit) return undefined;
  return {
    severity: severityOfShare(share),
    figures: { ...which, best: money(best, currency), all: money(all, currency), share: percent(share) },
  };
}
