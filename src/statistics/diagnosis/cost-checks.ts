import { Decimal, exactSum } from '../../model/decimal.ts';
import { fillFoldOf } from '../fill-fold.ts';
import { tradeFoldOf } from '../trades/trade-fold.ts';
import { type Check, gainOf, money, percent, severityOfShare } from './check.ts';

const HIGH_FEES = 0.5;
/** The usual loss of a small market order to spread and movement in a liquid market, in basis points. */
const USUAL_SLIPPAGE_BPS = 5;
const THIN_EDGE = 0.5;
const FUNDING_SHARE = 0.5;

/** The costs of trading, and the gains that pay for them. */
export const COST_CHECKS = [
  {
    id: 'feesAboveGross',
    title: 'Fees eat the profit',
    reportedIf: `fees are ${percent(HIGH_FEES)} of the profit before costs of closed trades or more; critical from 100 %. Without such a profit: critical if fees are ${percent(HIGH_FEES)} of the loss or more`,
    why: 'The rules trade too often for their edge; slightly higher costs make a loss of a small profit.',
    advice: 'Trade less often or for larger moves; look at maker orders.',
    evaluate: ({ record: { currency, dayZone }, trades: { closed } }) => {
      const { netProfit, fees, funding } = tradeFoldOf(closed, dayZone).groups.all;
      const gross = netProfit.plus(fees).minus(funding);
      if (fees.lte(0)) return undefined;
      // Where there is none, the loss is the loss before costs and the fees.
      const whole = gross.lte(0) ? fees.minus(gross) : gross;
      const share = fees.div(whole).toNumber();
      if (share < HIGH_FEES) return undefined;
      if (gross.lte(0)) {
        const figures = { gross: money(gross, currency), fees: money(fees, currency), shareOfLoss: percent(share) };
        return { severity: 'critical', figures };
      }
      return {
        severity: severityOfShare(share),
        figures: { gross: money(gross, currency), fees: money(fees, currency), share: percent(share) },
      };
    },
  },
  {
    id: 'noFees',
    title: 'Trades cost no fees',
    reportedIf: 'a symbol has fills, and none of them paid or received a fee; liquidations do not count, as they have a fee of their own',
    why: 'Hardly any account trades without fees; results without costs are not results of the strategy.',
    advice: 'Set `makerFee` and `takerFee` of the instruments to those of your account.',
    evaluate: ({ record }) => {
      const counts = new Map<string, number>();
      const paid = new Set<string>();
      for (const fill of record.fills) {
        if (fill.liquidated) continue;
        const { symbol } = fill;
        counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
        if (!paid.has(symbol) && !fill.fee.isZero()) paid.add(symbol);
      }
      const free = [...counts].filter(([symbol]) => !paid.has(symbol));
      if (free.length === 0) return undefined;
      const symbols = free.map(([symbol]) => symbol).join(', ');
      const fills = free.reduce((sum, [, count]) => sum + count, 0);
      return { severity: 'warning', figures: { fills: String(fills), ...(paid.size === 0 ? {} : { symbols }) } };
    },
  },
  {
    id: 'noSlippage',
    title: 'Takers pay no slippage',
    reportedIf: `there are taker fills (except liquidations) on prices without a recorded spread, with slippage below 0.1 basis points and no half spread set. A warning if ${USUAL_SLIPPAGE_BPS} basis points of their value are ${percent(THIN_EDGE)} of the gain, critical if they are all of it`,
    why: 'A real market order pays the spread and moves the price: some basis points in a liquid market, more elsewhere.',
    advice: 'Set `backtest.fills.slippageBps` (on tickers and trades also `halfSpreadTicks`), and double it once.',
    evaluate: ({ record, context }) => {
      const { freeTaking } = context.fills;
      const taken = [...fillFoldOf(record).takers].filter(([symbol]) => freeTaking.has(symbol));
      if (taken.length === 0) return undefined;
      const moved = exactSum(taken, ([, { volume }]) => volume);
      const cost = moved.times(new Decimal(USUAL_SLIPPAGE_BPS).div(10_000));
      const gain = gainOf(record);
      const thin = gain.gt(0) && cost.gte(gain.times(THIN_EDGE));
      return {
        severity: thin ? severityOfShare(cost.div(gain).toNumber()) : 'info',
        figures: {
          taken: money(moved, record.currency),
          cost: `${money(cost, record.currency)} at ${USUAL_SLIPPAGE_BPS} bps`,
          gain: money(gain, record.currency),
        },
      };
    },
  },
  {
    id: 'fundingCarries',
    title: 'Funding carries the result',
    reportedIf: `${percent(FUNDING_SHARE)} of a gain or more is funding received`,
    why: 'Price changes earned less than funding, and funding rates can change sign.',
    advice: 'Judge it as a carry trade: test a period in which the rate was low or turned.',
    evaluate: ({ record, statistics }) => {
      const funding = new Decimal(statistics.funding ?? 0);
      const gain = gainOf(record);
      if (gain.lte(0) || funding.lt(gain.times(FUNDING_SHARE))) return undefined;
      const { currency } = record;
      const figures = { gain: money(gain, currency), funding: money(funding, currency), share: percent(funding.div(gain).toNumber()) };
      return { severity: 'warning', figures };
    },
  },
] as const satisfies readonly Check[];
