import { z } from 'zod';
import { DAYS } from '../../../risk/limits.ts';
import { dayTime, fraction, interval, nonNegativeDecimal, positiveDecimal, symbol, trueOrFalse, whole, zoneName } from './fields.ts';

const onBreach = z
  .enum(['cancel', 'flatten'], { error: 'expected cancel or flatten' })
  .default('cancel')
  .describe('`cancel`: what could still open something is canceled, positions stay; `flatten`: they are closed at market, too');

const share = fraction.describe('The fall at which trading latches, as a fraction');

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
        .describe('`midnight`: taken back when the UTC day ends; default: by `tidegate reset` alone'),
    }),
  ],
  { error: 'expected a fraction above 0 and at most 1, such as "0.05", or { limit, onBreach, resetAt }' },
);

const MaxLossPerTrade = z.union(
  [
    positiveDecimal,
    z
      .strictObject({
        amount: positiveDecimal.optional().describe('In the account currency'),
        share: fraction.optional().describe('As a fraction of equity; of both, the smaller counts'),
        onBreach: z
          .enum(['deny', 'close'], { error: 'expected deny or close' })
          .default('deny')
          .describe('`deny`: orders whose own stop plans a larger loss; `close`: an open trade that has lost more is closed, too'),
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
    .describe('Days on which the window begins'),
  from: dayTime.default('00:00').describe('First minute inside'),
  to: dayTime.default('24:00').describe('First minute after it; not later than `from`: on the next day'),
  zone: zoneName.default('UTC').describe('Time zone of days and hours, by its IANA name'),
});

/** Limits that the account and each strategy may have; a strategy's are measured on its own positions, orders and equity. */
const limits = {
  maxDrawdown: MaxDrawdown.optional().describe(
    'Fall of equity from its peak at which trading latches, as a fraction, or with what to do then',
  ),
  dailyLoss: DailyLoss.optional().describe(
    'Fall of equity since the UTC day began at which trading latches, open positions counted, as a fraction, or with what to do then',
  ),
  maxLossPerTrade: MaxLossPerTrade.optional().describe('What one trade may lose, in the account currency, or as a share of equity'),
  cooldown: z
    .strictObject({
      losses: whole(1).describe('Losing trades in a row'),
      for: interval.describe('How long nothing new is opened'),
    })
    .optional()
    .describe('A pause after losing trades'),
  errorBudget: z
    .strictObject({
      errors: whole(1).describe('Errors within the window that latch'),
      perMs: whole(1).describe('Length of the window, in ms'),
      for: interval.optional().describe('How long nothing new is opened; default: until `tidegate reset`'),
    })
    .optional()
    .describe('Errors of the venue (orders refused or of unknown outcome; stale or halted data) in a sliding window'),
  concentration: z
    .strictObject({
      symbol: positiveDecimal.optional().describe('Of one symbol'),
      asset: positiveDecimal.optional().describe('Of all symbols with one base asset together'),
    })
    .optional()
    .describe('Largest value of positions and open orders together, as a share of equity'),
  tradingWindows: z
    .array(TradingWindow, { error: 'expected a list of windows' })
    .min(1, { error: 'expected at least one window' })
    .optional()
    .describe('When positions may be opened; outside all of these only what reduces passes'),
  maxDataAge: interval.optional().describe('Age of the newest price of an instrument from which only what reduces passes'),
  reducing: trueOrFalse.optional().describe('Whether only what reduces passes'),
  selfTrade: z
    .enum(['allow', 'deny'], { error: 'expected allow or deny' })
    .optional()
    .describe('`deny`: an order that would meet one of our own in the same instrument is denied; default: it passes'),
  maxExposure: positiveDecimal.optional().describe('Gross exposure of positions and open orders together, in the account currency'),
  maxLeverage: positiveDecimal.optional().describe('Value of positions and open orders together, over equity'),
  maxMarginUse: fraction
    .optional()
    .describe('Margin of positions and open orders together, as a fraction of equity; futures accounts alone'),
  minLiquidationDistance: fraction
    .optional()
    .describe(
      'Smallest distance from the mark to the liquidation price that an opening order may leave, as a fraction of the mark; futures accounts alone',
    ),
  maxOpenOrders: whole(1).optional().describe('Orders open at one time'),
  orderRate: z
    .strictObject({
      orders: whole(1).describe('Orders allowed within the window'),
      perMs: whole(1).describe('Length of the window, in ms'),
    })
    .optional()
    .describe('Most orders in a sliding window'),
};

const OrderLimits = z.strictObject({
  priceCollar: fraction
    .optional()
    .describe('How far a limit may lie beyond the last price, on the side that would pay more, as a fraction of it'),
  maxQuantity: positiveDecimal.optional().describe('Largest quantity of one order, in base'),
  maxNotional: positiveDecimal.optional().describe('Largest amount of one order, in quote'),
});
const Positions = z.record(symbol, nonNegativeDecimal).default({});

const AccountLimits = z.strictObject({
  capital: positiveDecimal
    .optional()
    .describe(
      'What the bot may trade with, in the account currency: `maxDrawdown` and `dailyLoss` of the account are measured on this and what the strategies gain; default: on the equity of the whole account',
    ),
  ...limits,
});

const StrategyLimits = z.strictObject({
  capital: positiveDecimal
    .optional()
    .describe(
      'What the strategy begins with, in the account currency: its equity is this and what it gains; default: the first equity of the account',
    ),
  ...limits,
  orders: OrderLimits.prefault({}).describe('Limits on every single order of the strategy'),
  positions: Positions.describe("The strategy's own largest absolute position by symbol, open orders included, in base"),
});

export const RiskSchema = z.strictObject({
  account: AccountLimits.prefault({}).describe('Limits on the account as a whole'),
  strategies: z
    .record(z.string(), StrategyLimits)
    .default({})
    .describe('Limits on one strategy by its id, on its own positions, orders and equity'),
  orders: OrderLimits.prefault({}).describe('Limits on every single order'),
  positions: Positions.describe('Largest absolute position by symbol, open orders included, in base'),
});
