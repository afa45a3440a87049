import { z } from 'zod';
import { BAR_PATHS } from '../../../matching/settings.ts';
import { amount, fraction, ownModel, positiveDecimal, whole } from './fields.ts';

const QueueSchema = z.strictObject({
  queue: z
    .enum(['riskAverse', 'power', 'log'])
    .describe(
      'Which orders are assumed canceled when a level shrinks without trades: `riskAverse` only those behind yours; `power` and `log` both ahead and behind',
    ),
  exponent: amount(0).default(3).describe('For `power`: n in f(x) = x^n'),
  ahead: positiveDecimal
    .optional()
    .describe('Base quantity assumed ahead of your order if the data has no quantity; default: then only trades through the limit fill it'),
});

const SlippageSchema = z.union([
  z.strictObject({
    spread: amount(0).describe('Slippage as a share of the spread: the spread of the quotes, or 2 x `halfSpreadTicks` without quotes'),
  }),
  z.strictObject({
    volumeShare: z
      .strictObject({
        impact: amount(0).default(0.1).describe('Slippage as a share of the price = impact x (own quantity / volume of the bar)^2'),
        limit: fraction.default('0.025').describe("Largest share of a bar's volume that your orders may fill"),
      })
      .describe("Slippage by the share of the bar's volume that your orders take"),
  }),
  z.strictObject({
    squareRoot: z
      .strictObject({
        coefficient: amount(0).default(1).describe('Slippage = coefficient x volatility x square root of (quantity / volume)'),
        days: whole(1).default(1).describe('Number of past days over which volatility and volume are measured'),
      })
      .describe('Slippage by the square root of your share of the market volume, and by volatility'),
  }),
  ownModel('slippageTicks'),
]);

export const FillsSchema = z.strictObject({
  market: z
    .enum(['nextOpen', 'close'])
    .default('nextOpen')
    .describe('With bars: market orders fill at the open of the next bar, or at the close of the bar on which they were decided'),
  limit: z
    .union([
      z.enum(['touch', 'strictCross']),
      z.strictObject({ penetrateTicks: whole(1).describe('Number of ticks by which the market must trade through the limit') }),
      QueueSchema,
      ownModel('penetrationTicks'),
    ])
    .default('strictCross')
    .describe(
      'When a resting limit order fills: the price touches it, crosses it, crosses it by `{ penetrateTicks: n }`, its `{ queue }` position is reached, or by a model of your own, `{ file }`',
    ),
  restingBy: z
    .enum(['both', 'trades'])
    .default('both')
    .describe('If the data has a book (quotes, depth) and trades: both fill resting orders and move queues, or only trades do'),
  impact: z
    .enum(['kept', 'none'])
    .default('kept')
    .describe(
      '`kept`: quantity that your orders take from a book level stays gone until the level changes; `none`: the next order can take it again',
    ),
  gapFill: z
    .enum(['limit', 'better'])
    .default('limit')
    .describe('If the market opens beyond a limit: fill at the limit price, or at the better open price'),
  path: z
    .union([z.enum(BAR_PATHS), ownModel('highFirst')])
    .default('worst')
    .describe(
      'Assumed price path inside a bar: `worst` or `best` for the open position and its stops, bar by bar; `ohlc` or `olhc`: fixed; `nearest`: the nearer extreme first; or a model of your own, `{ file }`',
    ),
  exits: z
    .enum(['entryBar', 'nextBar'])
    .default('entryBar')
    .describe('First bar in which stops and take profits of a new position work: the rest of the entry bar, or the next bar'),
  liquidity: z
    .enum(['recorded', 'unlimited'])
    .default('recorded')
    .describe('`recorded`: recorded quote and trade quantities limit fills; `unlimited`: any quantity fills'),
  barVolumeShare: fraction.optional().describe("Largest share of a bar's volume that your orders may fill; default: no limit"),
  tickerQuantity: positiveDecimal
    .optional()
    .describe('Largest quantity that your orders may fill at one ticker, in base; default: no limit'),
  halfSpreadTicks: amount(0)
    .default(0)
    .describe('Half the spread, in ticks: takers trade at the last ticker or trade price plus (buy) or minus (sell) this'),
  slippageBps: amount(0).default(0).describe('Slippage of taker fills, in basis points'),
  slippage: SlippageSchema.optional().describe(
    'Slippage model, added to `slippageBps`: one of `{ spread }`, `{ volumeShare }`, `{ squareRoot }`, or a model of your own, `{ file }`',
  ),
  fee: ownModel('fee')
    .optional()
    .describe('Model of your own for the fees of all fills but liquidations; default: `makerFee` and `takerFee` of the instruments'),
});
