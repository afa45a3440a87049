import { Decimal, ZERO } from '../../model/decimal.ts';
import { type Period, periodOf } from '../returns/daily-returns.ts';
import type { RunRecord } from '../run-record.ts';
import { netProfitOf } from '../trades/trade.ts';
import { type Answer, type Check, gainOf, money, percent, severityOfShare } from './check.ts';

/** Of fewer trades one always makes much of the profit. */
const FEWEST_TRADES = 5;
/** Half of everything is no longer one of many. */
const TRADE_SHARE = 0.5;
const SYMBOL_SHARE = 0.8;
/** Of fewer months (days) one always makes much of the gain. */
const FEWEST_MONTHS = 3;
const MONTH_SHARE = 0.6;
const FEWEST_DAYS = 20;
const DAY_SHARE = 0.5;

/** Whether one of many made the profit. */
export const CONCENTRATION_CHECKS = [
  {
    id: 'oneTradeProfit',
    title: 'One trade makes the profit',
    speaks: `of at least ${FEWEST_TRADES} closed trades with a net profit, the best one made ${percent(TRADE_SHARE)} of it; critical where the others lost`,
    why: 'What happened once need not happen again: the other trades are the better sample.',
    advice: 'Judge the result without that trade, and look what made it.',
    ask: ({ record, trades: { closed } }) => {
      const profit = netProfitOf(closed);
      if (closed.length < FEWEST_TRADES || profit.lte(0)) return undefined;
      const best = closed.reduce((most, trade) => Decimal.max(most, trade.netProfit), ZERO);
      return concentrated(best, profit, TRADE_SHARE, record.currency, { trades: String(closed.length) });
    },
  },
  {
    id: 'oneSymbolProfit',
    title: 'One symbol makes the profit',
    speaks: `of several symbols with a net profit in closed trades, one made ${percent(SYMBOL_SHARE)} of it; critical where the others lost together`,
    why: 'Several symbols are traded so that none decides; here one does.',
    advice: 'Run that symbol alone, and the others without it: the second is what the rules are worth elsewhere.',
    ask: ({ record, trades: { closed } }) => {
      const symbols = [...new Set(closed.map(({ symbol }) => symbol))];
      const profit = netProfitOf(closed);
      if (symbols.length < 2 || profit.lte(0)) return undefined;
      const profits = symbols.map((symbol) => ({ symbol, own: netProfitOf(closed.filter((trade) => trade.symbol === symbol)) }));
      const best = profits.reduce((most, one) => (one.own.gt(most.own) ? one : most));
      return concentrated(best.own, profit, SYMBOL_SHARE, record.currency, { symbol: best.symbol });
    },
  },
  {
    id: 'oneMonthProfit',
    title: 'One month makes the profit',
    speaks: `over at least ${FEWEST_MONTHS} months with a gain, one made ${percent(MONTH_SHARE)} of it`,
    why: 'One kind of market carried the run, and nobody knows when it comes back.',
    advice: 'Look what the market did in that month, and run the strategy over other such months.',
    ask: ({ record }) => onePeriod(record, 'month', FEWEST_MONTHS, MONTH_SHARE),
  },
  {
    id: 'oneDayProfit',
    title: 'One day makes the profit',
    speaks: `over at least ${FEWEST_DAYS} days with a gain, one made ${percent(DAY_SHARE)} of it`,
    why: 'A single day is an event, not a rule; a flaw of the data on that day would be enough.',
    advice: 'Look at the prices and fills of that day first.',
    ask: ({ record }) => onePeriod(record, 'day', FEWEST_DAYS, DAY_SHARE),
  },
] as const satisfies readonly Check[];

function onePeriod(record: RunRecord, period: Period, fewest: number, limit: number): Answer | undefined {
  const gains = gainsBy(record, period);
  const gain = gainOf(record);
  if (gains.size < fewest || gain.lte(0)) return undefined;
  const [key, best] = [...gains].reduce((most, one) => (one[1].gt(most[1]) ? one : most));
  const answer = concentrated(best, gain, limit, record.currency, { [period]: key });
  // Equity swings: the best of many days is often more than what is left of all.
  return answer && { ...answer, severity: 'warning' };
}

/** What the equity gained in each, open positions included. */
function gainsBy({ startEquity, dayEquity }: RunRecord, period: Period): Map<string, Decimal> {
  const gains = new Map<string, Decimal>();
  let before = startEquity;
  for (const { time, equity } of dayEquity) {
    // A day's time is its end, the first moment of the next one.
    const key = periodOf(time - 1, period);
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
): Answer | undefined {
  const share = best.div(all).toNumber();
  if (share < limit) return undefined;
  return {
    severity: severityOfShare(share),
    figures: { ...which, best: money(best, currency), all: money(all, currency), share: percent(share) },
  };
}
