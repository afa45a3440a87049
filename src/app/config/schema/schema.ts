import { z } from 'zod';
import { LIMITS } from '../../../local-exchange/http/request-limits.ts';
import { PRICE_EVENT_KINDS } from '../../../model/market-events.ts';
import { AccountSchema, InstrumentsSchema } from './account-schema.ts';
import {
  amount,
  asset,
  dataDir,
  fraction,
  fundingRate,
  instant,
  interval,
  nonNegativeDecimal,
  recordingName,
  slug,
  symbol,
  text,
  trueOrFalse,
  whole,
} from './fields.ts';
import { FillsSchema } from './fills-schema.ts';
import { LiveSchema, PaperSchema, RecordSchema } from './live-schema.ts';
import { RiskSchema } from './risk-schema.ts';

const constantFunding = z.strictObject({
  rate: fundingRate.describe('Rate of every payment: positive is paid by longs'),
  every: interval.describe('Distance of two payments, which fall on its multiples since 1970: `8h` is 00:00, 08:00 and 16:00 UTC'),
});

/** How futures are simulated beyond their fills. */
const FuturesSchema = z.strictObject({
  funding: z
    .union([z.enum(['recorded', 'none']), constantFunding])
    .optional()
    .describe('Funding: recorded, none, or constant `{ rate, every }`; default: recorded where it is recorded, else none'),
  marks: z
    .enum(['recorded', 'last'])
    .optional()
    .describe('Mark prices: recorded, or the last price; default: recorded where they are recorded'),
  markMaxAge: interval.default('1m').describe('Age at which a recorded mark gives way to the last price'),
  liquidation: trueOrFalse.default(true).describe('Whether positions that lack margin are liquidated'),
  insuranceFund: z
    .record(asset, nonNegativeDecimal)
    .default({})
    .describe('What the insurance fund holds at the start, by asset; it pays what liquidations leave below zero'),
});

const DistributionSchema = z
  .strictObject({
    uniform: z
      .array(amount(0), { error: 'expected [least, most], in ms' })
      .length(2, { error: 'expected two numbers: [least, most]' })
      .refine(([least, most]) => least! <= most!, { error: 'expected the least first: [least, most]' })
      .optional()
      .describe('[least, most]: any time between, each as likely, in ms'),
    normal: z
      .strictObject({
        mean: amount(0).describe('Mean of the bell, in ms'),
        deviation: amount(0).describe('Its standard deviation, in ms'),
      })
      .optional()
      .describe('A bell; what falls below 0 is 0'),
    lognormal: z
      .strictObject({
        median: amount(0).describe('Half of the times are below this, in ms'),
        sigma: amount(0).describe('Standard deviation of the logarithm: 84 % of the times are below the median x e^sigma'),
      })
      .optional()
      .describe('What times on a network mostly look like: many near the median, few very long'),
    exponential: z
      .strictObject({
        least: amount(0).default(0).describe('No time is below this, in ms'),
        mean: amount(0).describe('Mean of all times, the least included, in ms'),
      })
      .refine(({ least, mean }) => least <= mean, { error: 'expected a mean of at least `least`' })
      .optional()
      .describe('A least time, and waiting in a queue on top of it'),
  })
  .refine((map) => Object.keys(map).length === 1, { error: 'expected one of uniform, normal, lognormal and exponential' });

/** Ms, or a distribution that they are drawn from. */
const delay = z.union([amount(0), DistributionSchema], {
  error: 'expected ms of at least 0, or one of { uniform }, { normal }, { lognormal }, { exponential }',
});

const OverloadSchema = z.strictObject({
  probability: amount(0).max(1, { error: 'expected a share between 0 and 1' }).optional().describe('Share of all orders that are refused'),
  ordersPerSecond: whole(1)
    .optional()
    .describe('Most orders of ours that are taken within any 1000 ms, by their arrival; those beyond are refused'),
});

const ALIKE = 'ms, or a distribution as of `feedMs`';

const LatencySchema = z.strictObject({
  feedMs: delay
    .default(0)
    .describe("From the exchange's time of a datum until the strategy hears of it: ms, or a distribution that each is drawn from"),
  entryMs: delay.default(0).describe(`From the decision until the venue has the order: ${ALIKE}`),
  responseMs: delay.default(0).describe(`From the venue's act until the strategy hears of it: ${ALIKE}`),
  cancelMs: delay.default(0).describe(`From the decision until the venue has the cancel: ${ALIKE}`),
  seed: whole(0).default(1).describe('Of all that is drawn: the same seed draws the same times'),
  recorded: text('the path of a file')
    .optional()
    .describe(
      'Recorded times instead: a CSV file (plain, gzip or zip) of `time,entryMs,responseMs[,cancelMs][,feedMs]`, or the journal of a bot; relative to the config file',
    ),
  overload: OverloadSchema.optional().describe('Orders that the exchange refuses on arrival because it is too busy; cancels pass'),
});

const none = 'no limit where it is 0';

/** The limits of requests in a backtest. */
const LimitsSchema = z
  .union([
    z.enum(['none', 'exchange']),
    z.strictObject({
      ipWeight: amount(0).default(LIMITS.ipWeight).describe(`Weight of requests within \`windowMs\`, per IP; ${none}`),
      uidWeight: amount(0).default(LIMITS.uidWeight).describe(`Weight of requests within \`windowMs\`, per account; ${none}`),
      windowMs: whole(1).default(LIMITS.windowMs).describe('Window that weights count in, in ms'),
      actionsPerSecond: whole(0).default(LIMITS.actionsPerSecond).describe(`Requests that place or cancel, in any second; ${none}`),
      ordersPerMinute: whole(0).default(LIMITS.ordersPerMinute).describe(`Futures orders in any minute; ${none}`),
      orderDelayMs: whole(0).default(LIMITS.orderDelayMs).describe(`Least time between two futures orders, in ms; ${none}`),
    }),
  ])
  .default('none')
  .describe("Limits that requests wait for: none, the exchange's, or others in their stead");

const priceKind = z.enum(PRICE_EVENT_KINDS);

const BacktestSchema = z.strictObject({
  data: z
    .array(recordingName, { error: 'expected a list of recordings' })
    .min(1, { error: 'expected at least one recording' })
    .describe('Recordings to replay, by name'),
  from: instant
    .optional()
    .describe(
      'Start, as ISO date or date-time (UTC) or epoch ms; default: the first event, or where the history that strategies need is complete',
    ),
  to: instant.optional().describe('End, as ISO date or date-time (UTC) or epoch ms; default: the last event'),
  use: z
    .union([priceKind, z.array(priceKind).min(1, { error: 'expected at least one kind of data' })])
    .optional()
    .describe('Recorded kinds of price that feed matching and strategies; default: what the strategies need'),
  observation: z
    .enum(['events', 'polled'])
    .default('events')
    .describe('The strategy sees every event as it happens, or (`polled`, on tickers) what a bot that polls the exchange would see'),
  pollMs: whole(1).default(1000).describe('With `observation: polled`: time between two looks at prices and account, in ms'),
  profile: z
    .enum(['exchange', 'full'])
    .default('exchange')
    .describe('Order types of the real exchange, or all that the simulator has; always `full` for a netting account'),
  warmup: z
    .enum(['require', 'cold'])
    .default('require')
    .describe('Whether data before `from` must fill the indicators, or they start empty'),
  marketBuyCollar: fraction
    .default('0.05')
    .describe('In every mode, where the venue buys by quote amount: limit above the last price, as a fraction of it'),
  triggerTimeoutMs: whole(1)
    .default(5000)
    .describe(
      'In every mode: how long a plain futures order, which the exchange takes only as a trigger at the last price, may wait before it is sent anew, in ms',
    ),
  barGraceMs: amount(0)
    .default(2000)
    .describe('In every mode: how long a bar built from tickers waits for its closing tick, and how late its first may come, in ms'),
  fills: FillsSchema.prefault({}).describe('Rules by which simulated orders fill'),
  latency: LatencySchema.prefault({}).describe('Simulated delays, and refusals of a busy exchange'),
  limits: LimitsSchema,
  futures: FuturesSchema.optional().describe('Funding, marks and liquidation of a futures account'),
  atEnd: z.enum(['mark', 'close']).default('mark').describe('Open positions at the end: valued at the last price, or closed'),
});

const StrategySchema = z.strictObject({
  id: slug(16).describe('Name of this strategy in orders, fills and reports; unique'),
  file: text('the path of a .ts, .js, .mjs or .cjs file').describe('TypeScript or JavaScript file, relative to the config file'),
  export: text('the name of an exported class').optional().describe('Class to run, where the file exports several'),
  symbols: z
    .array(symbol, { error: 'expected a list of symbols' })
    .min(1, { error: 'expected at least one symbol' })
    .describe('Instruments that it trades'),
  params: z
    .record(z.string(), z.unknown(), { error: 'expected a map of parameters' })
    .default({})
    .describe("The strategy's own parameters, checked against its schema"),
});

const StrategiesSchema = z
  .array(StrategySchema, { error: 'expected a list of strategies' })
  .min(1, { error: 'expected at least one strategy' });

const ReportSchema = z.strictObject({
  equityEvery: interval.default('1h').describe('Distance between two points of the equity curve: a number and s, m, h or d'),
  benchmark: text('buyAndHold, none or a symbol')
    .default('buyAndHold')
    .describe(
      'What the run is measured against: `buyAndHold` of all traded symbols in equal parts, one symbol of `instruments`, or `none`',
    ),
  annualDays: whole(1).default(365).describe('Trading days in a year, for annualised figures'),
});

/** One config file: one bot, in every mode. Each key is described; unknown ones are refused. */
export const ConfigSchema = z
  .strictObject({
    name: slug(40).describe('Name of the bot, in output folders and client order ids'),
    extends: text('the path of a config file')
      .optional()
      .describe('Config file that this one is laid over: maps merge, lists are replaced'),
    dataDir: dataDir
      .default('../data')
      .describe('Folder of the recordings, relative to the config file, or `s3://bucket/prefix` to read them from S3-like storage'),
    account: AccountSchema.describe('The account that is traded'),
    instruments: InstrumentsSchema.describe('Instruments by symbol: `BASE-QUOTE`, or `BASE-QUOTE-PERP` for futures'),
    strategies: StrategiesSchema.describe('Strategies to run, at least one'),
    risk: RiskSchema.prefault({}).describe('Limits that every order must pass'),
    backtest: BacktestSchema.describe('Running against recordings'),
    report: ReportSchema.prefault({}).describe('What the report shows'),
    paper: PaperSchema.optional().describe('Running against a local exchange'),
    live: LiveSchema.optional().describe('Running against the exchange'),
    record: RecordSchema.optional().describe('Recording the tickers of the exchange: `tidegate record`, and bots while they run'),
  })
  .meta({ title: 'Tidegate config' });

/** A checked config: defaults filled in, paths absolute, times in epoch ms, decimals as the text that was written. */
export type Config = z.output<typeof ConfigSchema>;

/** The sections of a config that are sound in themselves; rules about the others wait until they are. */
export type SoundSections = Partial<Config>;

/**
 * The JSON Schema that editors check configs with (`configs/tidegate.schema.json`), as text. Keys are required
 * only inside list items: elsewhere a file may leave them to the one it extends, so there `x-required`, which
 * editors pass over, tells docs/config.md what the whole must have.
 */
export function configJsonSchema(): string {
  const schema = z.toJSONSchema(ConfigSchema, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema, path }) => {
      if (jsonSchema.required === undefined || path.includes('items')) return;
      jsonSchema['x-required'] = jsonSchema.required;
      delete jsonSchema.required;
    },
  });
  return `${JSON.stringify(schema, null, 2)}\n`;
}
