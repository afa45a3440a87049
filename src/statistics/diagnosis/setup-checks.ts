import { fillFoldOf } from '../fill-fold.ts';
import { dailyReturns } from '../returns/daily-returns.ts';
import { probabilisticSharpe } from '../returns/moments.ts';
import { LEVERAGED } from '../run-record.ts';
import { tradeFoldOf } from '../trades/trade-fold.ts';
import { type Check, duration, gainOf, moment, money, percent, tradedBy, worstOfStrategies } from './check.ts';

/** In an hour without prices, no strategy can react to a move. */
const LONG_GAP_MS = 3_600_000;
/** Fewer days a year mean that the market closes. */
const ALWAYS_OPEN_DAYS = 365;

/** Checks of the run's data and settings. */
export const SETUP_CHECKS = [
  {
    id: 'gapsInTrades',
    title: 'Prices are missing while a position is open',
    reportedIf: `bars are missing, or there is no price for five minutes, while a position is open; a warning from ${duration(LONG_GAP_MS)} on, unless \`report.annualDays\` says that the market closes`,
    why: 'Stops, marks and drawdown do not work in a gap, and the first price after it may be far away.',
    advice: 'Complete the data; if the market closes, check the overnight losses of positions.',
    evaluate: ({ record: { annualDays }, context: { gaps } }) => {
      const [first, ...others] = gaps;
      if (first === undefined) return undefined;
      const longest = others.reduce((most, one) => (one.longestMs > most.longestMs ? one : most), first);
      const count = gaps.reduce((sum, one) => sum + one.count, 0);
      const { symbol, longestMs, longestFrom } = longest;
      return {
        severity: longestMs >= LONG_GAP_MS && annualDays >= ALWAYS_OPEN_DAYS ? 'warning' : 'info',
        figures: { gaps: String(count), symbol, longest: duration(longestMs), from: moment(longestFrom) },
      };
    },
  },
  {
    id: 'edgeParameters',
    title: 'Parameters are at the edge of their range',
    reportedIf: "a number among a strategy's parameters equals the smallest or the largest value of its schema, and is not the default",
    why: 'The best value may be beyond the edge, which was not tested.',
    advice: 'Widen the range in the schema, and check that neighbouring values give similar results.',
    evaluate: ({ context: { strategies } }) => {
      const edges = strategies.flatMap(({ id, parameters }) =>
        parameters
          .filter(({ value, minimum, maximum, default: usual }) => value !== usual && (value === minimum || value === maximum))
          .map(({ name, value }): [string, string] => [`${id}.${name}`, String(value)]),
      );
      return edges.length === 0 ? undefined : { severity: 'info', figures: Object.fromEntries(edges) };
    },
  },
] as const satisfies readonly Check[];

const KEPT = 0.5;

/** The result of a second run, in which orders and replies arrive later. */
export const DELAY_CHECKS = [
  {
    id: 'delayDestroys',
    title: 'A short delay destroys the result',
    reportedIf: `with orders and replies delayed by one bar (or by \`--delay\`), less than ${percent(KEPT)} of a gain remains; critical if none remains. Only \`tidegate diagnose\` checks this`,
    why: 'An edge that disappears within one bar exists only in the simulator.',
    advice: 'Search for prices that the strategy could not yet have; trade on signals that last longer.',
    evaluate: ({ record, context: { delayed } }) => {
      const gain = gainOf(record);
      if (delayed === undefined || gain.lte(0)) return undefined;
      const left = delayed.finalEquity.minus(record.startEquity);
      if (left.gte(gain.times(KEPT))) return undefined;
      const figures = { delay: duration(delayed.delayMs), gain: money(gain, record.currency), delayed: money(left, record.currency) };
      return { severity: left.gt(0) ? 'warning' : 'critical', figures };
    },
  },
] as const satisfies readonly Check[];

/** A few denials are the normal work of limits. */
const MANY_DENIALS = 20;
const DENIED_SHARE = 0.2;
const DENIED_MOST = 0.5;
const MANY_REJECTIONS = 10;
const REJECTED_SHARE = 0.05;

/** Orders that strategies requested and did not get. */
export const REFUSAL_CHECKS = [
  {
    id: 'unsentExits',
    title: 'A stop or a protective close could not be sent',
    reportedIf: 'a stop, an exit or a close by a limit was denied or rejected while its position was open, even if it was tried again',
    why: 'The position was unguarded while the price went on: a live account would have lost as much, or more.',
    advice: 'See denied.csv for the reasons; leave room in the limits for orders that close.',
    evaluate: ({ context: { unsentExits } }) => {
      const { count, final, first } = unsentExits;
      if (count === 0) return undefined;
      return { severity: 'critical', figures: { unsent: String(count), forGood: String(final), first } };
    },
  },
  {
    id: 'manyDenials',
    title: 'Limits denied many intents',
    reportedIf: `at least ${MANY_DENIALS} denials, more than ${percent(DENIED_SHARE)} of all order intents; critical above ${percent(DENIED_MOST)}, or if no order was sent at all; denials by pauses, locks, trading windows and \`maxOpenPositions\` do not count, and neither do their intents`,
    why: 'The limits, not the strategy, made the result.',
    advice: 'See denied.csv for the reasons; respect the limits in the strategy, or widen them.',
    evaluate: ({ context }) => {
      const { deniedByPauses, orders } = context;
      const denied = context.denied - deniedByPauses;
      const intents = context.intents - deniedByPauses;
      const share = denied / intents;
      const all = denied > 0 && orders === 0;
      if (!all && (denied < MANY_DENIALS || !(share > DENIED_SHARE))) return undefined;
      return {
        severity: all || share > DENIED_MOST ? 'critical' : 'warning',
        figures: { denied: String(denied), intents: String(intents), share: percent(Math.min(share, 1)) },
      };
    },
  },
  {
    id: 'manyRejections',
    title: 'The venue rejected orders',
    reportedIf: `at least ${MANY_REJECTIONS} rejections, more than ${percent(REJECTED_SHARE)} of all orders; critical if every order was rejected`,
    why: 'On a live account each one costs time and request weight, and the strategy misses the order.',
    advice: 'See denied.csv for the reasons: too little balance, post-only orders that would take, quantities outside the limits.',
    evaluate: ({ context: { rejected, orders } }) => {
      const share = rejected / orders;
      const all = rejected > 0 && rejected >= orders;
      if (!all && (rejected < MANY_REJECTIONS || !(share > REJECTED_SHARE))) return undefined;
      return {
        severity: all ? 'critical' : 'warning',
        figures: { rejected: String(rejected), orders: String(orders), share: percent(share) },
      };
    },
  },
] as const satisfies readonly Check[];

/** The move of a liquid coin on a volatile day, and in a volatile hour. */
const DAY_MOVE = 0.05;
const HOUR_MOVE = 0.02;
const HIGH_USE = 0.9;

/** The distance of a futures account from liquidation. */
export const MARGIN_CHECKS = [
  {
    id: 'liquidationNear',
    title: 'Liquidation was near',
    reportedIf: `the price came within ${percent(DAY_MOVE)} of liquidating a position, critical within ${percent(HOUR_MOVE)}; or positions were liquidated (critical). Measured once per \`report.equityEvery\` and after fills`,
    why: 'An ordinary day moves a coin by 5 %, a lively hour by 2 %: on another path the account is lost.',
    advice: 'Use less leverage, or `risk.account.minLiquidationDistance`.',
    evaluate: ({ record: { futures }, context: { liquidationDistance } }) => {
      const liquidations = futures?.liquidations.length ?? 0;
      if (liquidations > 0) return { severity: 'critical', figures: { liquidations: String(liquidations) } };
      if (liquidationDistance === undefined || liquidationDistance >= DAY_MOVE) return undefined;
      return { severity: liquidationDistance < HOUR_MOVE ? 'critical' : 'warning', figures: { nearest: percent(liquidationDistance) } };
    },
  },
  {
    id: 'marginUsedUp',
    title: 'Nearly all margin was in use',
    reportedIf: `${percent(HIGH_USE)} of the collateral or more was used as margin while leverage was ${LEVERAGED} or more`,
    why: 'The next order is denied, and there is no reserve for a loss.',
    advice: 'Use less of the leverage that is set, or set a lower one.',
    evaluate: ({ record: { futures } }) => {
      if (futures === undefined || futures.leveragedUse.marginUse < HIGH_USE) return undefined;
      const { marginUse, leverage } = futures.leveragedUse;
      return { severity: 'warning', figures: { marginUse: percent(marginUse), leverage: leverage.toFixed(2) } };
    },
  },
] as const satisfies readonly Check[];

/** The usual level of confidence. */
const CONFIDENCE = 0.95;
/** This many fills in one half and none in the other are no coincidence. */
const ACTIVE_HALF = 5;
const LATE_SHARE = 0.3;
const IDLE_EXPOSURE = 0.05;
const FEWEST_SAMPLES = 10;

/** Whether the run is a sufficient sample of the strategy. */
export const SAMPLE_CHECKS = [
  {
    id: 'uncertainSharpe',
    title: 'Too short for its Sharpe ratio',
    reportedIf: `the Sharpe ratio is above 0, and the probability that the true one is above 0 is less than ${percent(CONFIDENCE)} (probabilistic Sharpe ratio)`,
    why: 'Few, skewed or fat-tailed returns can give a high ratio by luck; 95 % is the usual threshold.',
    advice: 'Read the ratio as unknown; run over more days.',
    evaluate: ({ record, statistics: { sharpe } }) => {
      if (typeof sharpe !== 'number' || sharpe <= 0) return undefined;
      const returns = dailyReturns(record);
      const probability = probabilisticSharpe(returns);
      if (!(probability < CONFIDENCE)) return undefined;
      const figures = { sharpe: sharpe.toFixed(2), days: String(returns.length), probability: percent(probability) };
      return { severity: 'warning', figures };
    },
  },
  {
    id: 'idleSecondHalf',
    title: 'The second half never trades',
    reportedIf: `a strategy has at least ${ACTIVE_HALF} fills in the first half of the run, and none in the second except the close at the end`,
    why: 'The cause may be a latch, a rejected order that the strategy waits for, or a state that never resets; the figures are those of half the run.',
    advice: 'Check the last orders and the denials after them; log the condition that the strategy waits for.',
    evaluate: ({ record }) => {
      const { from, to } = record;
      const middle = (from + to) / 2;
      return worstOfStrategies(tradedBy(record), (id) => {
        let [fills, last] = [0, Number.NaN];
        for (const { strategyId, reason, time } of record.fills) {
          if (strategyId !== id || reason === 'endOfRun') continue;
          if (time > middle) return undefined;
          [fills, last] = [fills + 1, time];
        }
        if (fills < ACTIVE_HALF) return undefined;
        return {
          severity: 'warning',
          figures: { fills: String(fills), lastFill: moment(last), middle: moment(middle) },
        };
      });
    },
  },
  {
    id: 'lateStart',
    title: 'The warm-up swallows the sample',
    reportedIf: `the first fill of a strategy is later than ${percent(LATE_SHARE)} of the run`,
    why: 'Before it nothing was tested, but the days count in every annual figure.',
    advice: 'Give the strategy history from before the start (`needs.history`), or start later.',
    evaluate: ({ record }) => {
      const { from, to } = record;
      return worstOfStrategies(tradedBy(record), (id) => {
        const time = fillFoldOf(record).firstOf.get(id)!;
        const share = (time - from) / (to - from);
        if (!(share > LATE_SHARE)) return undefined;
        return { severity: 'warning', figures: { firstFill: moment(time), passed: percent(share) } };
      });
    },
  },
  {
    id: 'idleCapital',
    title: 'The capital lies idle',
    reportedIf: `over at least ${FEWEST_SAMPLES} points of the equity curve, positions are worth less than ${percent(IDLE_EXPOSURE)} of equity on average. The entries of closed trades, weighted by their holding time, are also worth less`,
    why: 'Returns, drawdown and Sharpe ratio are measured on capital that was not used: risk and return both look small.',
    advice: 'Use less capital or larger positions; compare the profit with the value of the positions.',
    evaluate: ({ record: { equity, fills, timeInMarketMs, from, to, startEquity, dayZone }, trades: { closed } }) => {
      if (fills.length === 0 || equity.length < FEWEST_SAMPLES) return undefined;
      const shares = equity.map((point) => (point.equity.gt(0) ? point.exposure / point.equity.toNumber() : 0));
      const average = shares.reduce((sum, share) => sum + share, 0) / shares.length;
      // Trades that begin and end between two points are in neither.
      const byTrades = tradeFoldOf(closed, dayZone).groups.worthHeld / (startEquity.toNumber() * (to - from));
      if (Math.max(average, byTrades) >= IDLE_EXPOSURE) return undefined;
      return { severity: 'info', figures: { averageExposure: percent(average), timeInMarket: percent(timeInMarketMs / (to - from)) } };
    },
  },
] as const satisfies readonly Check[];
