import { dailyReturns } from '../returns/daily-returns.ts';
import { probabilisticSharpe } from '../returns/moments.ts';
import { LEVERAGED } from '../run-record.ts';
import { type Check, duration, gainOf, moment, money, percent, tradedBy, worstOfStrategies } from './check.ts';

/** An hour without prices is a move that nobody could answer. */
const LONG_GAP_MS = 3_600_000;
/** Fewer days a year than these: a market that closes. */
const ALWAYS_OPEN_DAYS = 365;

/** What went into the run. */
export const SETUP_CHECKS = [
  {
    id: 'gapsInTrades',
    title: 'Prices are missing while something is held',
    speaks: `bars are missing, or no price comes for five minutes, while an instrument is held; a warning from ${duration(LONG_GAP_MS)} on, unless \`report.annualDays\` says that the market closes`,
    why: 'Stops, marks and drawdown are blind in a gap, and the first price after it may be far away.',
    advice: 'Complete the data; where the market closes, look at what positions lose overnight.',
    ask: ({ record: { annualDays }, context: { gaps } }) => {
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
    title: 'Parameters stand at the edge of their range',
    speaks: "a number among a strategy's parameters equals the least or the most that its schema allows, and is not the default",
    why: 'The best value may lie beyond the edge, where nobody has looked; next to it there are neighbours on one side alone.',
    advice: 'Widen the range in the schema, and see that neighbouring values do as well.',
    ask: ({ context: { strategies } }) => {
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

/** What a second run tells, in which orders and answers come later. */
export const DELAY_CHECKS = [
  {
    id: 'delayDestroys',
    title: 'A short delay destroys the result',
    speaks: `run again with orders and answers delayed by one bar (or by \`--delay\`), less than ${percent(KEPT)} of a gain is left; critical where none is. Asked by \`tidegate diagnose\` alone`,
    why: 'An edge that lasts no longer than its bar is one that the simulator sees and a trader does not reach.',
    advice: 'Look for prices that the strategy could not yet know; trade on what lasts longer.',
    ask: ({ record, context: { delayed } }) => {
      const gain = gainOf(record);
      if (delayed === undefined || gain.lte(0)) return undefined;
      const left = delayed.finalEquity.minus(record.startEquity);
      if (left.gte(gain.times(KEPT))) return undefined;
      const figures = { delay: duration(delayed.delayMs), gain: money(gain, record.currency), delayed: money(left, record.currency) };
      return { severity: left.gt(0) ? 'warning' : 'critical', figures };
    },
  },
] as const satisfies readonly Check[];

/** A few are what limits are for. */
const MANY_DENIALS = 20;
const DENIED_SHARE = 0.2;
const DENIED_MOST = 0.5;
const MANY_REJECTIONS = 10;
const REJECTED_SHARE = 0.05;

/** What the strategies asked for and did not get. */
export const REFUSAL_CHECKS = [
  {
    id: 'unsentExits',
    title: 'A stop or a protective close could not be sent',
    speaks: 'a stop, an exit or a close by a limit was denied or rejected while its position was open, tried again or not',
    why: 'The position stood unguarded while the price went on: a live account would have lost as much, or more.',
    advice: 'See denied.csv for the reasons; leave room in the limits for orders that close.',
    ask: ({ context: { unsentExits } }) => {
      const { count, final, first } = unsentExits;
      if (count === 0) return undefined;
      return { severity: 'critical', figures: { unsent: String(count), forGood: String(final), first } };
    },
  },
  {
    id: 'manyDenials',
    title: 'Limits denied much of what was asked for',
    speaks: `at least ${MANY_DENIALS} denials, more than ${percent(DENIED_SHARE)} of all intents about orders; critical above ${percent(DENIED_MOST)}, and where no order at all went out`,
    why: 'The result is that of the limits rather than of the strategy.',
    advice: 'See denied.csv for the reasons; let the strategy know its limits, or widen them.',
    ask: ({ context: { denied, intents, orders } }) => {
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
    speaks: `at least ${MANY_REJECTIONS} rejections, more than ${percent(REJECTED_SHARE)} of all orders; critical where every order was rejected`,
    why: 'Live, each takes time and request weight, and a strategy that counts on an order has none.',
    advice: 'See denied.csv for the reasons: too little balance, post-only orders that would take, sizes off the limits.',
    ask: ({ context: { rejected, orders } }) => {
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

/** What a liquid coin moves on a lively day, and in a lively hour. */
const DAY_MOVE = 0.05;
const HOUR_MOVE = 0.02;
const HIGH_USE = 0.9;

/** How far a futures account was from the end. */
export const MARGIN_CHECKS = [
  {
    id: 'liquidationNear',
    title: 'Liquidation was near',
    speaks: `the price came within ${percent(DAY_MOVE)} of liquidating a position, critical within ${percent(HOUR_MOVE)}; or positions were liquidated (critical). Looked at once per \`report.equityEvery\` and after fills`,
    why: 'An ordinary day moves a coin by 5 %, a lively hour by 2 %: on another path the account is gone.',
    advice: 'Use less leverage, or `risk.account.minLiquidationDistance`.',
    ask: ({ record: { futures }, context: { liquidationDistance } }) => {
      const liquidations = futures?.liquidations.length ?? 0;
      if (liquidations > 0) return { severity: 'critical', figures: { liquidations: String(liquidations) } };
      if (liquidationDistance === undefined || liquidationDistance >= DAY_MOVE) return undefined;
      return { severity: liquidationDistance < HOUR_MOVE ? 'critical' : 'warning', figures: { nearest: percent(liquidationDistance) } };
    },
  },
  {
    id: 'marginUsedUp',
    title: 'Nearly all margin was in use',
    speaks: `${percent(HIGH_USE)} of the collateral was bound as margin while leverage was ${LEVERAGED} or more`,
    why: 'The next order is denied, and a loss cannot be met: the strategy is at the end of what it may do.',
    advice: 'Use less of the leverage that is set, or set a lower one.',
    ask: ({ record: { futures } }) => {
      if (futures === undefined || futures.leveragedUse.marginUse < HIGH_USE) return undefined;
      const { marginUse, leverage } = futures.leveragedUse;
      return { severity: 'warning', figures: { marginUse: percent(marginUse), leverage: leverage.toFixed(2) } };
    },
  },
] as const satisfies readonly Check[];

/** The usual level of confidence. */
const CONFIDENCE = 0.95;
/** So many fills in one half and none in the other are no chance. */
const ACTIVE_HALF = 5;
const LATE_SHARE = 0.3;
const IDLE_EXPOSURE = 0.05;
const FEWEST_SAMPLES = 10;

/** How much of the run is a sample of the strategy. */
export const SAMPLE_CHECKS = [
  {
    id: 'uncertainSharpe',
    title: 'Too short for its Sharpe ratio',
    speaks: `a Sharpe ratio above 0 is above 0 in truth with less than ${percent(CONFIDENCE)} probability (probabilistic Sharpe ratio)`,
    why: 'Few, skewed or fat-tailed returns make a high ratio by luck; 95 % is the usual bar.',
    advice: 'Read the ratio as unknown; run over more days.',
    ask: ({ record, statistics: { sharpe } }) => {
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
    speaks: `a strategy has at least ${ACTIVE_HALF} fills in the first half of the run, and none in the second but those of the close at the end`,
    why: 'A latch, a rejected order that is waited for, or a state that never resets; the figures are those of half the run.',
    advice: 'Look at the last orders and at the denials after them; log what the strategy waits for.',
    ask: ({ record }) => {
      const { from, to, notes } = record;
      const middle = (from + to) / 2;
      return worstOfStrategies(tradedBy(record), (id) => {
        const fills = record.fills.filter((fill) => fill.strategyId === id && notes.get(fill)?.reason !== 'endOfRun');
        if (fills.length < ACTIVE_HALF || fills.some(({ time }) => time > middle)) return undefined;
        return {
          severity: 'warning',
          figures: { fills: String(fills.length), lastFill: moment(fills.at(-1)!.time), middle: moment(middle) },
        };
      });
    },
  },
  {
    id: 'lateStart',
    title: 'The warm-up swallows the sample',
    speaks: `the first fill of a strategy that traded comes after ${percent(LATE_SHARE)} of the run`,
    why: 'Before it nothing was tested, but the days count in every annual figure.',
    advice: 'Give the strategy history from before the start (`needs.history`), or start later.',
    ask: ({ record }) => {
      const { from, to } = record;
      return worstOfStrategies(tradedBy(record), (id) => {
        const { time } = record.fills.find(({ strategyId }) => strategyId === id)!;
        const share = (time - from) / (to - from);
        if (!(share > LATE_SHARE)) return undefined;
        return { severity: 'warning', figures: { firstFill: moment(time), passed: percent(share) } };
      });
    },
  },
  {
    id: 'idleCapital',
    title: 'The capital lies idle',
    speaks: `over at least ${FEWEST_SAMPLES} points of the equity curve, what was held is worth less than ${percent(IDLE_EXPOSURE)} of equity on average, and so are the entries of closed trades by the time that each was open`,
    why: 'Returns, drawdown and Sharpe ratio are measured on money that was never at work: both risk and reward look small.',
    advice: 'Give the account less, or the positions more; compare the profit with what was held.',
    ask: ({ record: { equity, fills, timeInMarketMs, from, to, startEquity }, trades: { closed } }) => {
      if (fills.length === 0 || equity.length < FEWEST_SAMPLES) return undefined;
      const shares = equity.map((point) => (point.equity.gt(0) ? point.exposure / point.equity.toNumber() : 0));
      const average = shares.reduce((sum, share) => sum + share, 0) / shares.length;
      // Trades that are over between two points are in none of them.
      const held = closed.reduce((sum, { entryValue, holdingMs }) => sum + entryValue.toNumber() * holdingMs, 0);
      const byTrades = held / (startEquity.toNumber() * (to - from));
      if (Math.max(average, byTrades) >= IDLE_EXPOSURE) return undefined;
      return { severity: 'info', figures: { averageExposure: percent(average), timeInMarket: percent(timeInMarketMs / (to - from)) } };
    },
  },
] as const satisfies readonly Check[];
