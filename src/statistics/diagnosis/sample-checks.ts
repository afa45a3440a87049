import { dailyReturns } from '../returns/daily-returns.ts';
import { probabilisticSharpe } from '../returns/probabilistic-sharpe.ts';
import type { Check } from './check.ts';
import { moment, percent } from './figure-text.ts';

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
    speaks: `at least ${ACTIVE_HALF} fills in the first half of the run, none in the second`,
    why: 'A latch, a rejected order that is waited for, or a state that never resets; the figures are those of half the run.',
    advice: 'Look at the last orders and at the denials after them; log what the strategy waits for.',
    ask: ({ record: { from, to, fills } }) => {
      const middle = (from + to) / 2;
      if (fills.length < ACTIVE_HALF || fills.some(({ time }) => time > middle)) return undefined;
      return {
        severity: 'warning',
        figures: { fills: String(fills.length), lastFill: moment(fills.at(-1)!.time), middle: moment(middle) },
      };
    },
  },
  {
    id: 'lateStart',
    title: 'The warm-up swallows the sample',
    speaks: `the first fill comes after ${percent(LATE_SHARE)} of the run`,
    why: 'Before it nothing was tested, but the days count in every annual figure.',
    advice: 'Give the strategy history from before the start (`needs.history`), or start later.',
    ask: ({ record: { from, to, fills } }) => {
      const [first] = fills;
      const share = first === undefined ? 0 : (first.time - from) / (to - from);
      if (!(share > LATE_SHARE)) return undefined;
      return { severity: 'warning', figures: { firstFill: moment(first!.time), passed: percent(share) } };
    },
  },
  {
    id: 'idleCapital',
    title: 'The capital lies idle',
    speaks: `over at least ${FEWEST_SAMPLES} points of the equity curve, what was held is worth less than ${percent(IDLE_EXPOSURE)} of equity on average`,
    why: 'Returns, drawdown and Sharpe ratio are measured on money that was never at work: both risk and reward look small.',
    advice: 'Give the account less, or the positions more; compare the profit with what was held.',
    ask: ({ record: { equity, fills, timeInMarketMs, from, to } }) => {
      if (fills.length === 0 || equity.length < FEWEST_SAMPLES) return undefined;
      const shares = equity.map((point) => (point.equity.gt(0) ? point.exposure / point.equity.toNumber() : 0));
      const average = shares.reduce((sum, share) => sum + share, 0) / shares.length;
      if (average >= IDLE_EXPOSURE) return undefined;
      return { severity: 'info', figures: { averageExposure: percent(average), timeInMarket: percent(timeInMarketMs / (to - from)) } };
    },
  },
] as const satisfies readonly Check[];
