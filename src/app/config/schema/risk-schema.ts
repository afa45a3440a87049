import { z } from 'zod';
import { DAYS } from '../../../risk/limits.ts';
import { dayTime, fraction, interval, nonNegativeDecimal, positiveDecimal, symbol, trueOrFalse, whole, zoneName } from './fields.ts';

const onBreach = z
  .enum(['cancel', 'flatten'], { error: 'expected cancel or flatten' })
  .default('cancel')
  .describe('`cancel`: opening orders are canceled, positions stay open; `flatten`: positions are also closed with market orders');

const share = fraction.describe('Loss at which trading latches, as a fraction');

const MaxDrawdown = z.union([fraction, z.strictObject({ limit: share, onBreach })], {
  error: 'expected a fraction above 0 and at most 1, such as "0.2", or { limit, onBreach }',
});

const DailyLoss = z.union(
  [
    fraction,
    z.strictObject({
      limit: share,
      onBreach,
      resetAt: z
        .enum(['midnight'], { error: 'expected midnight, or no such key' })
        .optional()
        .describe('`midnight`: the latch is lifted when the UTC day ends; default: only `tidegate reset` lifts it'),
    }),
  ],
  { error: 'expected a fraction above 0 and at most 1, such as "0.05", or { limit, onBreach, resetAt }' },
);

const MaxLossPerTrade = z.union(
  [
    positiveDecimal,
    z
      .strictObject({
        amount: positiveDecimal.optional().describe('Largest loss, in the account currency'),
        share: fraction.optional().describe('Largest loss, as a fraction of equity; if both are set, the smaller one applies'),
        onBreach: z
          .enum(['deny', 'close'], { error: 'expected deny or close' })
          .default('deny')
          .describe(
            '`deny`: orders whose own stop would allow a larger loss are denied; `close`: an open trade that has lost more is also closed',
          ),
      })
      .refine((limit) => limit.amount !== undefined || limit.share !== undefined, { error: 'expected an amount, a share or both' }),
  ],
  { error: 'expected a positive decimal, such as "500", or { amount, share, onBreach }' },
);

const TradingWindow = z.strictObject({
  days: z
    .array(z.enum(DAYS, { error: `expected a day: ${DAYS.join(', ')}` }), { error: 'expected a list of days' })
    .min(1, { error: 'expected at least one day' })
    .default([...DAYS])
    .describe('Days on which the window starts'),
  from: dayTime.default('00:00').describe('First minute inside the window'),
  to: dayTime.default('24:00').describe('First minute after the window; if it is not later than `from`, on the next day'),
  zone: zoneName.default('UTC').describe('IANA time zone of `days`, `from` and `to`'),
});

/** Limits that the account and each strategy may have; a strategy's are measured on its own positions, orders and equity. */
const limits = {
  maxDrawdown: MaxDrawdown.optional().describe('Drawdown of equity at which trading latches, as a fraction, or `{ limit, onBreach }`'),
  dailyLoss: DailyLoss.optional().describe(
    'Loss of equity since the start of the UTC day at which trading latches, open positions included, as a fraction, or `{ limit, onBreach, resetAt }`',
  ),
  maxLossPerTrade: MaxLossPerTrade.optional().describe(
    'Largest loss of one trade, in the account currency, or `{ amount, share, onBreach }`',
  ),
  cooldown: z
    .strictObject({
      losses: whole(1).describe('Number of losing trades in a row'),
      for: interval.describe('How long opening orders are then denied'),
    })
    .optional()
    .describe('Pause after losing trades'),
  symbolCooldown: z
    .strictObject({
      for: interval.describe('How long orders that could open a position in the symbol are then denied'),
      after: z
        .enum(['close', 'loss'], { error: 'expected close or loss' })
        .default('close')
        .describe('`close`: after each trade; `loss`: after each losing trade'),
    })
    .optional()
    .describe('Pause of a symbol after a trade in it has ended'),
  stopLossGuard: z
    .strictObject({
      stops: whole(1).describe('Number of losing trades that ended with a stop'),
      within: interval.describe('Window in which they are counted'),
      for: interval.describe('How long orders that could open a position are then denied'),
      scope: z
        .enum(['symbol', 'all'], { error: 'expected symbol or all' })
        .default('all')
        .describe('`all`: stops of all symbols are counted together and pause all; `symbol`: each symbol for itself'),
    })
    .optional()
    .describe('Pause after losing stops in a sliding window'),
  errorBudget: z
    .strictObject({
      errors: whole(1).describe('Number of errors within the window at which trading latches'),
      perMs: whole(1).describe('Length of the window, in ms'),
      for: interval.optional().describe('How long opening orders are then denied; default: until `tidegate reset`'),
    })
    .optional()
    .describe('Largest number of venue errors (rejected orders, unknown outcomes, stale or halted data) in a sliding window'),
  concentration: z
    .strictObject({
      symbol: positiveDecimal.optional().describe('Limit for one symbol'),
      asset: positiveDecimal.optional().describe('Limit for all symbols with the same base asset together'),
    })
    .optional()
    .describe('Largest value of positions and open orders together, as a share of equity'),
  tradingWindows: z
    .array(TradingWindow, { error: 'expected a list of windows' })
    .min(1, { error: 'expected at least one window' })
    .optional()
    .describe('Windows in which opening orders pass; outside all of them only reducing orders pass'),
  maxDataAge: interval.optional().describe('Age of the newest price of a symbol from which only reducing orders pass'),
  reducing: trueOrFalse.optional().describe('Whether only reducing orders pass'),
  selfTrade: z
    .enum(['allow', 'deny'], { error: 'expected allow or deny' })
    .optional()
    .describe('`deny`: an order that would trade with an open order of this account is denied; default: it passes'),
  maxExposure: positiveDecimal.optional().describe('Largest gross exposure of positions and open orders together, in the account currency'),
  maxLeverage: positiveDecimal.optional().describe('Largest value of positions and open orders together, divided by equity'),
  maxMarginUse: fraction
    .optional()
    .describe('Largest margin of positions and open orders together, as a fraction of equity; only futures accounts'),
  minLiquidationDistance: fraction
    .optional()
    .describe(
      'Smallest distance between mark price and liquidation price after an opening order, as a fraction of the mark price; only futures accounts',
    ),
  maxOpenOrders: whole(1).optional().describe('Largest number of open orders'),
  maxOpenPositions: whole(1).optional().describe('Largest number of open positions, with those that open orders may open'),
  orderRate: z
    .strictObject({
      orders: whole(1).describe('Largest number of orders within the window'),
      perMs: whole(1).describe('Length of the window, in ms'),
    })
    .optional()
    .describe('Largest number of orders in a sliding window'),
};

const OrderLimits = z.strictObject({
  priceCollar: fraction
    .optional()
    .describe('How far a limit price may be beyond the last price (buy above, sell below), as a fraction of the last price'),
  maxQuantity: positiveDecimal.optional().describe('Largest quantity of one order, in base'),
  maxNotional: positiveDecimal.optional().describe('Largest amount of one order, in quote'),
});
const Positions = z.record(symbol, nonNegativeDecimal).default({});

const AccountLimits = z.strictObject({
  capital: positiveDecimal
    .optional()
    .describe(
      'Capital of the bot, in the account currency: `maxDrawdown` and `dailyLoss` of the account are measured on this plus the profit of the strategies; default: on the equity of the whole account',
    ),
  exitsBelowMinimum: z
    .enum(['join', 'close'], { error: 'expected join or close' })
    .optional()
    .describe(
      'An exit that is below the minimum of an order while its position is not: `join` (default) adds it to another exit of the position, `close` closes the position. A close that would leave a rest below the minimum takes all, if the position has exits',
    ),
  ...limits,
});

const StrategyLimits = z.strictObject({
  capital: positiveDecimal
    .optional()
    .describe(
      'Starting capital of the strategy, in the account currency: its equity is this plus its profit; default: the first equity of the account',
    ),
  ...limits,
  orders: OrderLimits.prefault({}).describe('Limits of each order of the strategy'),
  positions: Positions.describe('Largest absolute position of the strategy by symbol, open orders included, in base'),
});

export const RiskSchema = z.strictObject({
  account: AccountLimits.prefault({}).describe('Limits of the whole account'),
  strategies: z
    .record(z.string(), StrategyLimits)
    .default({})
    .describe('Limits of single strategies by strategy id, measured on their own positions, orders and equity'),
  orders: OrderLimits.prefault({}).describe('Limits of each order'),
  positions: Positions.describe('Largest absolute position by symbol, open orders included, in base'),
});
