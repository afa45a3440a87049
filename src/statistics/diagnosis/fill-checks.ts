import type { FillReason } from '../trades/trade.ts';
import { type Check, duration, percent } from './check.ts';

const PATH_SHARE = 0.1;
const PATH_MOST = 0.5;
/** A minute without a price is long for what is traded by the second. */
const STALE_MS = 60_000;
const STALE_MOST = 0.1;
const NARROW_MOST = 0.1;
const FEWEST_FILLS = 20;
/** By chance a fill at an open is at the bar's extreme in one bar of six or so. */
const EXTREME_SHARE = 0.3;
const MAKER_SHARE = 0.9;
/** What makes fills that no close has decided: a price inside the bar, or the end of the data. */
const UNDECIDED: ReadonlySet<FillReason> = new Set(['stop', 'trailing', 'liquidation', 'endOfRun']);

/** Whether fills are such as a venue would have given. */
export const FILL_CHECKS = [
  {
    id: 'pathFills',
    title: 'Fills hang on the path inside a bar',
    speaks: `${percent(PATH_SHARE)} of the fills depend on the order in which a bar saw its prices (info; a warning unless \`path: worst\`), or ${percent(PATH_MOST)} (a warning; critical unless \`path: worst\`)`,
    why: 'A bar does not tell whether stop or target came first: the simulator assumes it. The worst path is on the safe side of each bar, not of all that follows from it.',
    advice: 'Use shorter bars, tickers or trades; see between which figures the result lies with `tidegate backtest --path both`.',
    ask: ({ record: { fills }, context }) => {
      const share = fills.length === 0 ? 0 : context.pathFills / fills.length;
      if (share < PATH_SHARE) return undefined;
      const [some, most] = context.fills.worstPath ? (['info', 'warning'] as const) : (['warning', 'critical'] as const);
      return {
        severity: share < PATH_MOST ? some : most,
        figures: { fills: String(fills.length), onPath: String(context.pathFills), share: percent(share) },
      };
    },
  },
  {
    id: 'narrowTrails',
    title: 'Stops trail by less than a bar moves',
    speaks: `in a bar a stop trailed by no more than the range of the bar; critical where there are as many such bars as ${percent(NARROW_MOST)} of the closed trades`,
    why: 'Where the stop came to is then decided by the order of the prices inside the bar, which the bar does not tell: what the simulator makes of such a bar means nothing, on any path.',
    advice: 'Use bars whose range is far below the trail, or tickers or trades.',
    ask: ({ trades: { closed }, context: { narrowTrailBars } }) => {
      if (narrowTrailBars === 0) return undefined;
      return {
        severity: narrowTrailBars >= NARROW_MOST * closed.length ? 'critical' : 'warning',
        figures: { bars: String(narrowTrailBars), closedTrades: String(closed.length) },
      };
    },
  },
  {
    id: 'unguardedBars',
    title: 'Stops did not work in the bar of the entry',
    speaks:
      'in a bar the price passed a stop that works from the next bar on: under `backtest.fills.exits: nextBar`, or (info) where the fill was reported late or the stop was sent inside the bar',
    why: 'The loss of that bar is left out: a real stop would have closed the position there, at its trigger or worse.',
    advice: 'Set `backtest.fills.exits: entryBar`; where fills are reported late, use shorter bars, tickers or trades.',
    ask: ({ context: { fills, unguardedBars } }) => {
      if (unguardedBars === 0) return undefined;
      const { exitsNextBar } = fills;
      return {
        severity: exitsNextBar ? 'warning' : 'info',
        figures: { bars: String(unguardedBars), exits: exitsNextBar ? 'nextBar' : 'entryBar' },
      };
    },
  },
  {
    id: 'staleFills',
    title: 'Fills at old prices',
    speaks: `a fill is priced by data more than ${duration(STALE_MS)} old; critical where ${percent(STALE_MOST)} of all fills are`,
    why: 'The market had moved on: such a price was not to be had.',
    advice: 'Look for gaps in the data, use finer data, or shorten the delay between price and arrival.',
    ask: ({ record: { fills } }) => {
      const ages = fills.map(({ time, pricedTime }) => time - pricedTime).filter((age) => age > STALE_MS);
      if (ages.length === 0) return undefined;
      const share = ages.length / fills.length;
      const oldest = ages.reduce((most, age) => Math.max(most, age), 0);
      return {
        severity: share < STALE_MOST ? 'warning' : 'critical',
        figures: { stale: String(ages.length), fills: String(fills.length), oldest: duration(oldest) },
      };
    },
  },
  {
    id: 'extremeFills',
    title: 'Fills at the best prices of their bars',
    speaks: `of at least ${FEWEST_FILLS} fills whose bar is known, ${percent(EXTREME_SHARE)} bought at its low or sold at its high`,
    why: 'Only a few trades happen at an extreme, and many wait for them: such fills are luck, or foresight.',
    advice: 'Ask for more than a touch (`backtest.fills.limit: strictCross`), and look for prices that the strategy could not yet know.',
    ask: ({ context: { bars } }) => {
      const judged = [...bars].filter(([, { lowTicks, highTicks }]) => highTicks > lowTicks);
      if (judged.length < FEWEST_FILLS) return undefined;
      const best = judged.filter(([fill, bar]) =>
        fill.side === 'buy' ? fill.priceTicks <= bar.lowTicks : fill.priceTicks >= bar.highTicks,
      );
      const share = best.length / judged.length;
      if (share < EXTREME_SHARE) return undefined;
      return { severity: 'warning', figures: { atExtremes: String(best.length), fills: String(judged.length), share: percent(share) } };
    },
  },
  {
    id: 'makerFills',
    title: 'Nearly all fills are maker fills',
    speaks: `of at least ${FEWEST_FILLS} fills, ${percent(MAKER_SHARE)} are of resting orders: info, a warning where a touch of the price fills them`,
    why: 'A resting order stands in a queue that recordings do not show, and is filled first when the price goes on against it.',
    advice: 'Test with `backtest.fills.limit: { penetrateTicks: n }`: the edge must outlive fills that come late.',
    ask: ({ record: { fills }, context }) => {
      const makers = fills.filter(({ liquidity }) => liquidity === 'maker').length;
      if (fills.length < FEWEST_FILLS || makers / fills.length < MAKER_SHARE) return undefined;
      return {
        severity: context.fills.fillsOnTouch ? 'warning' : 'info',
        figures: { maker: String(makers), fills: String(fills.length), share: percent(makers / fills.length) },
      };
    },
  },
  {
    id: 'closeFills',
    title: 'Orders fill at the close that decided them',
    speaks:
      'on bars with `backtest.fills.market: close`, orders took; stops, liquidations and the close at the end of the run are left out, as no close decided them',
    why: 'The close is known only when it is over: no order can be there in time.',
    advice: 'Use `nextOpen`, or decide some time before the close on finer data.',
    ask: ({ record: { fills, notes }, context }) => {
      const { marketAtClose } = context.fills;
      const takers = fills.filter((fill) => {
        return fill.liquidity === 'taker' && marketAtClose.has(fill.symbol) && !UNDECIDED.has(notes.get(fill)?.reason ?? 'signal');
      }).length;
      if (takers === 0) return undefined;
      return { severity: 'warning', figures: { takers: String(takers), fills: String(fills.length) } };
    },
  },
] as const satisfies readonly Check[];
