import type { FillReason } from '../trades/trade.ts';
import { type Check, duration, percent } from './check.ts';

const PATH_SHARE = 0.1;
const PATH_MOST = 0.5;
/** A minute without a price is long for a market that trades every second. */
const STALE_MS = 60_000;
const STALE_MOST = 0.1;
const NARROW_MOST = 0.1;
const FEWEST_FILLS = 20;
/** By chance, a fill at an open is at the bar's extreme in about one bar of six. */
const EXTREME_SHARE = 0.3;
const MAKER_SHARE = 0.9;
/** Reasons of fills that no close has decided: a price inside the bar, or the end of the data. */
const UNDECIDED: ReadonlySet<FillReason> = new Set(['stop', 'trailing', 'liquidation', 'deleveraging', 'endOfRun']);

/** Whether a venue would have given these fills. */
export const FILL_CHECKS = [
  {
    id: 'pathFills',
    title: 'Fills depend on the path inside a bar',
    reportedIf: `${percent(PATH_SHARE)} of the fills depend on the order of prices inside a bar (info; a warning unless \`path: worst\`), or ${percent(PATH_MOST)} (a warning; critical unless \`path: worst\`)`,
    why: 'A bar does not show whether stop or target was reached first: the simulator assumes an order. The worst path is pessimistic inside each bar, not for the whole run.',
    advice: 'Use shorter bars, tickers or trades; compare the worst and the best path with `tidegate backtest --path both`.',
    evaluate: ({ record: { fills }, context }) => {
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
    reportedIf: `the distance of a trailing stop is not larger than the range of a bar; critical if the number of such bars is ${percent(NARROW_MOST)} of the closed trades or more`,
    why: 'The order of prices inside the bar then decides where the stop is, and a bar does not show this order: the simulated result of such a bar means nothing, on any path.',
    advice: 'Use bars whose range is far below the trail, or tickers or trades.',
    evaluate: ({ trades: { closed }, context: { narrowTrailBars } }) => {
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
    reportedIf:
      'the price of a bar passed a stop that works only from the next bar on: because of `backtest.fills.exits: nextBar`, or (info) because the fill was reported late or the stop was sent inside the bar',
    why: 'The loss of that bar is missing: a real stop would have closed the position there, at its trigger price or worse.',
    advice: 'Set `backtest.fills.exits: entryBar`; where fills are reported late, use shorter bars, tickers or trades.',
    evaluate: ({ context: { fills, unguardedBars } }) => {
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
    reportedIf: `a fill is priced by data more than ${duration(STALE_MS)} old; critical if ${percent(STALE_MOST)} of all fills are or more`,
    why: 'The market had moved: this price was no longer available.',
    advice: 'Look for gaps in the data, use finer data, or shorten the delay between price and arrival.',
    evaluate: ({ record: { fills } }) => {
      let [stale, oldest] = [0, 0];
      for (const { time, pricedTime } of fills) {
        if (!(time - pricedTime > STALE_MS)) continue;
        stale++;
        oldest = Math.max(oldest, time - pricedTime);
      }
      if (stale === 0) return undefined;
      const share = stale / fills.length;
      return {
        severity: share < STALE_MOST ? 'warning' : 'critical',
        figures: { stale: String(stale), fills: String(fills.length), oldest: duration(oldest) },
      };
    },
  },
  {
    id: 'extremeFills',
    title: 'Fills at the best prices of their bars',
    reportedIf: `${percent(EXTREME_SHARE)} or more of at least ${FEWEST_FILLS} fills with a known bar bought at its low or sold at its high`,
    why: 'Few trades happen at an extreme, and many orders wait for them: such fills are luck, or look-ahead.',
    advice: 'Ask for more than a touch (`backtest.fills.limit: strictCross`), and search for prices that the strategy could not yet have.',
    evaluate: ({ context: { bars } }) => {
      const { judged, atBest } = bars;
      if (judged < FEWEST_FILLS) return undefined;
      const share = atBest / judged;
      if (share < EXTREME_SHARE) return undefined;
      return { severity: 'warning', figures: { atExtremes: String(atBest), fills: String(judged), share: percent(share) } };
    },
  },
  {
    id: 'makerFills',
    title: 'Nearly all fills are maker fills',
    reportedIf: `${percent(MAKER_SHARE)} or more of at least ${FEWEST_FILLS} fills are of resting orders: info; a warning if a touch of the price fills them`,
    why: 'A resting order waits in a queue that recordings do not show, and fills most often when the price then moves against it.',
    advice: 'Test with `backtest.fills.limit: { penetrateTicks: n }`: the edge must survive later fills.',
    evaluate: ({ record: { fills }, context }) => {
      const makers = countOf(fills, ({ liquidity }) => liquidity === 'maker');
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
    reportedIf:
      'there are taker fills on bars with `backtest.fills.market: close`; stops, liquidations and the close at the end of the run do not count',
    why: 'The close is known only after it: no order can arrive in time.',
    advice: 'Use `nextOpen`, or decide before the close on finer data.',
    evaluate: ({ record: { fills }, context }) => {
      const { marketAtClose } = context.fills;
      const takers = countOf(fills, ({ liquidity, symbol, reason }) => {
        return liquidity === 'taker' && marketAtClose.has(symbol) && !UNDECIDED.has(reason);
      });
      if (takers === 0) return undefined;
      return { severity: 'warning', figures: { takers: String(takers), fills: String(fills.length) } };
    },
  },
] as const satisfies readonly Check[];

function countOf<Item>(items: Iterable<Item>, counts: (item: Item) => boolean): number {
  let count = 0;
  for (const item of items) if (counts(item)) count++;
  return count;
}
