import { z } from 'zod';
import { LIMITS } from '../../../local-exchange/http/request-limits.ts';
import { isZone } from '../../../model/day-zone.ts';
import { PRICE_EVENT_KINDS } from '../../../model/market-events.ts';
import { TRADE_RULES } from '../../../statistics/trades/trade.ts';
import { TABLE_FORMATS, TABLE_NUMBERS, TABLE_TIMES } from '../../base/table-formats.ts';
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
  ownModel,
  recordingName,
  slug,
  symbol,
  text,
  trueOrFalse,
  whole,
} from './fields.ts';
import { FillsSchema } from './fills-schema.ts';
import { LiveSchema, PaperSchema, ProveSchema, RecordSchema } from './live-schema.ts';
import { RiskSchema } from './risk-schema.ts';
import { SearchSchema } from './search-schema.ts';

const constantFunding = z.strictObject({
  rate: fundingRate.describe('Rate of each payment; longs pay a positive rate'),
  every: interval.describe('Interval of the payments, at its multiples since 1970: `8h` is 00:00, 08:00 and 16:00 UTC'),
});

/** The settings of simulated futures except their fills. */
const FuturesSchema = z.strictObject({
  funding: z
    .union([z.enum(['recorded', 'none']), constantFunding])
    .optional()
    .describe(
      'Funding: the recorded rates, none, or a constant `{ rate, every }`; default: `recorded` if the data has funding, else `none`',
    ),
  marks: z
    .enum(['recorded', 'last'])
    .optional()
    .describe('Mark prices: the recorded ones, or the last price; default: `recorded` if the data has marks'),
  markMaxAge: interval.default('1m').describe('Age of a recorded mark price from which the last price replaces it'),
  liquidation: trueOrFalse.default(true).describe('Whether positions with too little margin are liquidated'),
  insuranceFund: z
    .record(asset, nonNegativeDecimal)
    .default({})
    .describe('Opening balance of the insurance fund by asset; it pays negative balances after liquidations'),
});

const DistributionSchema = z
  .strictObject({
    uniform: z
      .array(amount(0), { error: 'expected [least, most], in ms' })
      .length(2, { error: 'expected two numbers: [least, most]' })
      .refine(([least, most]) => least! <= most!, { error: 'expected the least first: [least, most]' })
      .optional()
      .describe('`[least, most]`, in ms: all times between are equally likely'),
    normal: z
      .strictObject({
        mean: amount(0).describe('Mean, in ms'),
        deviation: amount(0).describe('Standard deviation, in ms'),
      })
      .optional()
      .describe('Normal distribution; values below 0 become 0'),
    lognormal: z
      .strictObject({
        median: amount(0).describe('Median, in ms: half of the times are below it'),
        sigma: amount(0).describe('Standard deviation of the logarithm: 84 % of the times are below the median x e^sigma'),
      })
      .optional()
      .describe('Lognormal distribution, typical of networks: most times near the median, few very long'),
    exponential: z
      .strictObject({
        least: amount(0).default(0).describe('Smallest time, in ms'),
        mean: amount(0).describe('Mean of all times, `least` included, in ms'),
      })
      .refine(({ least, mean }) => least <= mean, { error: 'expected a mean of at least `least`' })
      .optional()
      .describe('Exponential distribution: a smallest time plus waiting in a queue'),
  })
  .refine((map) => Object.keys(map).length === 1, { error: 'expected one of uniform, normal, lognormal and exponential' });

/** A delay in ms, or a distribution from which delays are drawn. */
const delay = z.union([amount(0), DistributionSchema], {
  error: 'expected ms of at least 0, or one of { uniform }, { normal }, { lognormal }, { exponential }',
});

const OverloadSchema = z.strictObject({
  probability: amount(0)
    .max(1, { error: 'expected a share between 0 and 1' })
    .optional()
    .describe('Share of all orders that the exchange rejects'),
  ordersPerSecond: whole(1)
    .optional()
    .describe('Largest number of your orders that the exchange accepts within any 1000 ms, by arrival; further ones are rejected'),
});

const ALIKE = 'ms, or a distribution as for `feedMs`';

const LatencySchema = z.strictObject({
  feedMs: delay
    .default(0)
    .describe("From the exchange's time of an event until the strategy receives it: ms, or a distribution from which each delay is drawn"),
  entryMs: delay.default(0).describe(`From the decision until the venue has the order: ${ALIKE}`),
  responseMs: delay.default(0).describe(`From an event of the venue (accepted, filled, canceled) until the strategy receives it: ${ALIKE}`),
  cancelMs: delay.default(0).describe(`From the decision until the venue has the cancel: ${ALIKE}`),
  seed: whole(0).default(1).describe('Seed of all random delays: the same seed gives the same delays'),
  recorded: text('the path of a file')
    .optional()
    .describe(
      'File of recorded delays, which replace the others: CSV (plain, gzip or zip) with `time,entryMs,responseMs[,cancelMs][,feedMs]`, or the journal of a bot; relative to the config file',
    ),
  model: ownModel('delayMs').omit({ seed: true }).optional().describe('Model of your own, which replaces the other delays'),
  overload: OverloadSchema.optional().describe('Orders that the exchange rejects on arrival because it is too busy; cancels always pass'),
});

const none = '0 means no limit';

/** The limits of requests in a backtest. */
const LimitsSchema = z
  .union([
    z.enum(['none', 'exchange']),
    z.strictObject({
      ipWeight: amount(0).default(LIMITS.ipWeight).describe(`Weight of requests within \`windowMs\`, per IP; ${none}`),
      uidWeight: amount(0).default(LIMITS.uidWeight).describe(`Weight of requests within \`windowMs\`, per account; ${none}`),
      windowMs: whole(1).default(LIMITS.windowMs).describe('Window over which weights are summed, in ms'),
      actionsPerSecond: whole(0).default(LIMITS.actionsPerSecond).describe(`Placing and canceling requests in any second; ${none}`),
      ordersPerMinute: whole(0).default(LIMITS.ordersPerMinute).describe(`Futures orders in any minute; ${none}`),
      orderDelayMs: whole(0).default(LIMITS.orderDelayMs).describe(`Smallest time between two futures orders, in ms; ${none}`),
    }),
  ])
  .default('none')
  .describe("Rate limits that requests wait for: none, the exchange's, or your own");

const priceKind = z.enum(PRICE_EVENT_KINDS);

const recordings = z.array(recordingName, { error: 'expected a list of recordings' }).min(1, { error: 'expected at least one recording' });

const BacktestSchema = z.strictObject({
  data: recordings
    .default([])
    .describe('Names of the recordings to replay; several may have parts of one series. A bot reads its history there'),
  from: instant
    .optional()
    .describe(
      'Start: ISO date or date-time (UTC) or epoch ms; default: the first event from which the strategies have all history that they need',
    ),
  to: instant.optional().describe('End (exclusive): ISO date or date-time (UTC) or epoch ms; default: after the last event'),
  use: z
    .union([priceKind, z.array(priceKind).min(1, { error: 'expected at least one kind of data' })])
    .optional()
    .describe('Kinds of recorded prices that matching and strategies receive; default: the kinds that the strategies need'),
  observation: z
    .enum(['events', 'polled'])
    .default('events')
    .describe(
      '`events`: the strategy receives each event at its time; `polled` (only tickers): it receives the same as a bot that polls the exchange',
    ),
  pollMs: whole(1).default(1000).describe('With `observation: polled`: interval between polls of prices and account, in ms'),
  profile: z
    .enum(['exchange', 'full'])
    .default('exchange')
    .describe('Order types: `exchange` only those of the real exchange, `full` all of the simulator; always `full` for a netting account'),
  warmup: z
    .enum(['require', 'cold'])
    .default('require')
    .describe('`require`: data before `from` must fill the indicators; `cold`: the indicators start empty'),
  start: z
    .enum(['all', 'each'])
    .default('all')
    .describe(
      '`all`: the strategies begin when the history of every symbol is complete; `each`: a strategy receives a symbol from the moment at which the history of this symbol is complete',
    ),
  marketBuyCollar: fraction
    .default('0.05')
    .describe(
      'All modes, if the venue takes market buys by quote amount: how far above the last price Tidegate sets the limit, as a fraction',
    ),
  barGraceMs: amount(0)
    .default(2000)
    .describe('All modes: how long a bar built from tickers waits for its last ticker, and how late its first ticker may be, in ms'),
  fills: FillsSchema.prefault({}).describe('Rules by which simulated orders fill'),
  latency: LatencySchema.prefault({}).describe('Simulated delays, and rejections of a busy exchange'),
  limits: LimitsSchema,
  futures: FuturesSchema.optional().describe('Funding, marks and liquidation of a futures account'),
  atEnd: z.enum(['mark', 'close']).default('mark').describe('Open positions at the end of the run: valued at the last price, or closed'),
});

const StrategySchema = z.strictObject({
  id: slug(16).describe('Unique name of this strategy in orders, fills and reports'),
  file: text('the path of a .ts, .js, .mjs or .cjs file').describe('TypeScript or JavaScript file, relative to the config file'),
  export: text('the name of an exported class').optional().describe('Name of the class to run, if the file exports several'),
  symbols: z
    .array(symbol, { error: 'expected a list of symbols' })
    .min(1, { error: 'expected at least one symbol' })
    .describe('Symbols that the strategy trades'),
  references: z
    .array(symbol, { error: 'expected a list of symbols' })
    .min(1, { error: 'expected at least one symbol' })
    .optional()
    .describe('Symbols whose prices the strategy receives and which it does not trade; of any kind, whatever the kind of the account'),
  params: z
    .record(z.string(), z.unknown(), { error: 'expected a map of parameters' })
    .default({})
    .describe('Parameters of the strategy, checked against the schema in its class'),
});

const StrategiesSchema = z
  .array(StrategySchema, { error: 'expected a list of strategies' })
  .min(1, { error: 'expected at least one strategy' });

const SignalSchema = z.strictObject({
  recording: recordingName
    .optional()
    .describe('Backtests: the recording whose signals these are (`tidegate data import --kind signal`); default: the name of the entry'),
  file: text('the path of a file')
    .optional()
    .describe('Paper and live: the file to which the model appends its signals, one JSON object a line; relative to the config file'),
  post: trueOrFalse
    .optional()
    .describe(
      'Paper and live: whether programs may also send the signals by HTTP to 127.0.0.1 (`paper.post`, `live.post`); the bot appends them to `file`, which by default is in the folder of the bot',
    ),
  availableAfter: interval
    .optional()
    .describe(
      'How long after the time of its row a strategy receives a signal, such as the time that the model takes; if the times are opens of bars, plus the length of the bar; default: at once',
    ),
  maxAhead: interval
    .default('1d')
    .describe(
      'Paper and live: how far the time of a row may be ahead of the clock of the bot; a posted row further ahead is refused, and one in the file is left out',
    ),
});

const ReportSchema = z.strictObject({
  equityEvery: interval.default('1h').describe('Interval between two points of the equity curve: a number and s, m, h or d'),
  benchmark: text('buyAndHold, none or a symbol')
    .default('buyAndHold')
    .describe('Benchmark of the run: `buyAndHold` of all traded symbols in equal parts, one symbol of `instruments`, or `none`'),
  annualDays: whole(1)
    .optional()
    .describe('Daily returns in a year, for volatility and ratios; by default recognised from the data: 365, 260 for FX, 252 for stocks'),
  trades: z
    .enum(TRADE_RULES)
    .default('flat')
    .describe(
      'How fills make trades in statistics and tables: `flat` from flat to flat. The others make a trade of each part of an entry that an exit closes: `fifo` of the oldest entry, `lifo` of the newest, `tag` of the entry with the same `ref` or tag',
    ),
  dayZone: text('a time zone such as America/New_York')
    .refine(isZone, { error: 'expected a time zone of the IANA database, such as UTC or America/New_York' })
    .default('UTC')
    .describe('Time zone in which the days of returns, tables and breakdowns end; `dailyLoss` uses UTC days'),
  format: z
    .enum(TABLE_FORMATS)
    .optional()
    .describe('Format of the tables of a run: `csv` alone (the default), or `parquet` for data frames, in addition to the CSV files'),
  numbers: z
    .enum(TABLE_NUMBERS)
    .optional()
    .describe('Money, prices and quantities in Parquet: `decimal`, exact (the default), or `float`, doubles'),
  times: z
    .enum(TABLE_TIMES)
    .optional()
    .describe('Times in CSV: `ms` since 1970 (the default), or `iso`, which adds a column with ISO 8601 for each'),
});

/** One config file: one bot, in every mode. Each key is described; unknown ones are refused. */
export const ConfigSchema = z
  .strictObject({
    name: slug(40).describe('Name of the bot, in output folders and client order ids'),
    extends: text('the path of a config file').optional().describe('Config file that this one changes: maps merge, lists are replaced'),
    dataDir: dataDir
      .default('../data')
      .describe(
        'Folder of the recordings, relative to the config file, or `s3://bucket/prefix` to read them from S3-like storage; without it, the nearest folder `data` with recordings, in the folder of the config or above it',
      ),
    account: AccountSchema.describe('Account that the bot trades'),
    instruments: InstrumentsSchema.describe(
      'Instruments by symbol: `BASE-QUOTE`, or `BASE-QUOTE-PERP` for futures; in a backtest, default: those that the strategies trade or refer to, from the instruments file of the recording',
    ),
    strategies: StrategiesSchema.describe('Strategies to run, at least one'),
    signals: z
      .record(slug(40), SignalSchema, { error: 'expected a map of signals by name' })
      .default({})
      .describe('Your own data that strategies receive in `onSignal`, such as predictions of a model, by name'),
    risk: RiskSchema.prefault({}).describe('Limits of the risk module'),
    backtest: BacktestSchema.prefault({}).describe('Settings of backtests; some apply to all modes'),
    report: ReportSchema.prefault({}).describe('Settings of statistics and report'),
    search: SearchSchema.optional().describe('A search for parameters, by `tidegate search`; other commands ignore it'),
    paper: PaperSchema.optional().describe('Settings of `tidegate paper`'),
    live: LiveSchema.optional().describe('Settings of `tidegate live`'),
    prove: ProveSchema.optional().describe('How `tidegate prove` judges a bot'),
    record: RecordSchema.optional().describe('Recording of tickers, by `tidegate record` and by running bots'),
  })
  .meta({ title: 'Tidegate config' });

/** The schema of a config that is backtested: it has `backtest.data`. Other modes do not need it. */
export const BacktestConfigSchema = ConfigSchema.extend({ backtest: BacktestSchema.extend({ data: recordings }) });

/** A checked config: defaults filled in, paths absolute, times in epoch ms, decimals as the text that was written. */
export type Config = z.output<typeof ConfigSchema>;

/** The sections of a config that pass their own schema; rules between sections are checked on these only. */
export type SoundSections = Partial<Config>;

/**
 * The JSON Schema with which editors check configs (`configs/tidegate.schema.json`), as text. It requires only keys inside list
 * items, because any other key may be in the file that a config extends. `x-required` lists the keys that the whole config must
 * have, for docs/reference/config.md; editors ignore it.
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
