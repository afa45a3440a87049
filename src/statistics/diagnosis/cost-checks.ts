import { Decimal, ZERO } from '../../model/decimal.ts';
import { worthOf } from '../run-record.ts';
import { isLiquidation, sumOf } from '../trades/trade.ts';
import { type Check, gainOf, money, percent, severityOfShare } from './check.ts';

const HIGH_FEES = 0.5;
/** What a small market order in a liquid market loses to spread and movement, in basis points. */
const USUAL_SLIPPAGE_BPS = 5;
const THIN_EDGE = 0.5;
const FUNDING_SHARE = 0.5;

/** What trading costs, and what pays for it. */
export const COST_CHECKS = [
  {
    id: 'feesAboveGross',
    title: 'Fees eat the profit',
    speaks: `closed trades with a gross profit, and fees of ${percent(HIGH_FEES)} of it; critical from 100 %`,
    why: 'The rules find something, but trade too often for it; a little more cost turns the result.',
    advice: 'Trade less often or for larger moves; look at maker orders.',
    ask: ({ record: { currency }, trades: { closed } }) => {
      const gross = closed.reduce((sum, trade) => sum.plus(trade.grossProfit), ZERO);
      if (gross.lte(0)) return undefined;
      const fees = sumOf(closed, 'fees');
      const share = fees.div(gross).toNumber();
      if (share < HIGH_FEES) return undefined;
      return {
        severity: severityOfShare(share),
        figures: { gross: money(gross, currency), fees: money(fees, currency), share: percent(share) },
      };
    },
  },
  {
    id: 'noFees',
    title: 'Trades cost no fees',
    speaks: 'of a symbol there are fills, and not one of them paid (or was paid) a fee; liquidations are left out, as their fee is another',
    why: 'Hardly any account trades for nothing; results before costs are results of something else.',
    advice: 'Set `makerFee` and `takerFee` of the instruments to those of your account.',
    ask: ({ record }) => {
      const fills = record.fills.filter((fill) => !isLiquidation(fill));
      const paid = new Set(fills.filter(({ fee }) => !fee.isZero()).map(({ symbol }) => symbol));
      const free = fills.filter(({ symbol }) => !paid.has(symbol));
      if (free.length === 0) return undefined;
      const symbols = [...new Set(free.map(({ symbol }) => symbol))].join(', ');
      return { severity: 'warning', figures: { fills: String(free.length), ...(paid.size === 0 ? {} : { symbols }) } };
    },
  },
  {
    id: 'noSlippage',
    title: 'Takers pay no slippage',
    speaks: `orders took (liquidations apart), on prices without a recorded spread, with no slippage and no half spread set; a warning where ${USUAL_SLIPPAGE_BPS} basis points of what they moved are ${percent(THIN_EDGE)} of the gain, critical where they are all of it`,
    why: 'A real market order pays the spread and moves the price: some basis points in a liquid market, more elsewhere.',
    advice: 'Set `backtest.fills.slippageBps` (on tickers and trades also `halfSpreadTicks`), and double it once.',
    ask: ({ record, context }) => {
      const { freeTaking } = context.fills;
      const takers = record.fills.filter((fill) => fill.liquidity === 'taker' && freeTaking.has(fill.symbol) && !isLiquidation(fill));
      if (takers.length === 0) return undefined;
      const moved = takers.reduce((sum, fill) => sum.plus(worthOf(fill.notional, record.rates.get(fill))), ZERO);
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
    speaks: `of a gain, ${percent(FUNDING_SHARE)} is funding received`,
    why: 'The prices that were traded at brought less than what other traders paid to hold: rates turn.',
    advice: 'Judge it as a carry trade: test a period in which the rate was low or turned.',
    ask: ({ record, statistics }) => {
      const funding = new Decimal(statistics.funding ?? 0);
      const gain = gainOf(record);
      if (gain.lte(0) || funding.lt(gain.times(FUNDING_SHARE))) return undefined;
      const { currency } = record;
      const figures = { gain: money(gain, currency), funding: money(funding, currency), share: percent(funding.div(gain).toNumber()) };
      return { severity: 'warning', figures };
    },
  },
] as const satisfies readonly Check[];
