import { z } from 'zod';
import { BAR_PATHS } from '../../../matching/settings.ts';
import { amount, fraction, positiveDecimal, whole } from './fields.ts';

const QueueSchema = z.strictObject({
  queue: z
    .enum(['riskAverse', 'power', 'log'])
    .describe('Which orders go when a level shrinks without trades: those behind, or both by `power` or `log`'),
  exponent: amount(0).default(3).describe('Of `power`: n of f(x) = x^n'),
  ahead: positiveDecimal
    .optional()
    .describe('Base assumed ahead where the data tells no quantity; default: only trades through the limit fill'),
});

const SlippageSchema = z.union([
  z.strictObject({ spread: amount(0).describe('Share of the spread: of the quotes, else of twice `halfSpreadTicks`') }),
  z.strictObject({
    volumeShare: z
      .strictObject({
        impact: amount(0).default(0.1).describe("Of the price, times the square of the share of the bar's volume"),
        limit: fraction.default('0.025').describe("Largest share of a bar's volume that own orders may take"),
      })
      .describe("By the share of the bar's volume that own orders take"),
  }),
  z.strictObject({
    squareRoot: z
      .strictObject({
        coefficient: amount(0).default(1).describe('Times volatility x square root of quantity / volume'),
        days: whole(1).default(1).describe('Days over which volatility and volume are measured, up to the present'),
      })
      .describe('By the share of what the market trades, and by how much it moves'),
  }),
]);

export const FillsSchema = z.strictObject({
  market: z
    .enum(['nextOpen', 'close'])
    .default('nextOpen')
    .describe('On bars: market orders fill at the next open, or at the close that decided them'),
  limit: z
    .union([
      z.enum(['touch', 'strictCross']),
      z.strictObject({ penetrateTicks: whole(1).describe('Ticks by which the market must trade through the limit') }),
      QueueSchema,
    ])
    .default('strictCross')
    .describe(
      'When a resting limit order fills: price touched, price crossed, crossed by `{ penetrateTicks: n }`, or by its place in the `{ queue }`',
    ),
  restingBy: z
    .enum(['both', 'trades'])
    .default('both')
    .describe('What fills resting orders and moves queues where a book (quotes, depth) and trades are known: both, or trades alone'),
  impact: z
    .enum(['kept', 'none'])
    .default('kept')
    .describe('What own orders take of a book stays taken until it changes there, or the next order finds it again'),
  gapFill: z
    .enum(['limit', 'better'])
    .default('limit')
    .describe('Where the market opens through a limit: fill at the limit, or at the better open'),
  path: z
    .enum(BAR_PATHS)
    .default('worst')
    .describe('Assumed path inside a bar: worst or best for the open position and its stops, bar by bar; fixed; or nearer extreme first'),
  exits: z
    .enum(['entryBar', 'nextBar'])
    .default('entryBar')
    .describe('First bar in which stops and take profits of a new position work: that of the entry, for the rest of its path, or the next'),
  liquidity: z
    .enum(['recorded', 'unlimited'])
    .default('recorded')
    .describe('`recorded`: quote and trade sizes limit what fills; `unlimited`: any size fills'),
  barVolumeShare: fraction.optional().describe("Largest share of a bar's volume that own orders may take; default: no limit"),
  tickerQuantity: positiveDecimal.optional().describe('Most that own orders may take at one ticker, in base; default: no limit'),
  halfSpreadTicks: amount(0).default(0).describe('Half the spread: takers pay the last ticker or trade price plus this, in ticks'),
  slippageBps: amount(0).default(0).describe('Slippage against orders that take, in basis points'),
  slippage: SlippageSchema.optional().describe(
    "On top of it, by the spread, by the share of a bar's volume, or by the square root of the share of the market",
  ),
});
