import { z } from 'zod';
import { parseInterval } from '../../../model/time.ts';
import { secret } from '../reading/secrets.ts';
import { amount, PublicTickersSchema, recordingName, symbol, text, trueOrFalse, whole } from './fields.ts';

const PollSchema = z.strictObject({
  tickerMs: whole(1).default(1000).describe('Time between two looks at the tickers, in ms'),
  accountMs: whole(1).default(1000).describe('Time between two looks at fills and balances, in ms'),
  lookupMs: whole(1).default(30_000).describe('Time between two looks at a resting order that nothing points to, in ms'),
  idleMs: whole(1)
    .default(5_000)
    .describe('Time between two looks at fills, balances and the futures account while the bot knows of nothing open there, in ms'),
  staleMs: whole(1)
    .default(10_000)
    .describe('Age at which data or account count as stale: nothing new is opened until they are fresh, in ms'),
});

const WatchdogSchema = z.strictObject({
  afterMs: whole(2_000)
    .default(30_000)
    .describe(
      'How long the bot may be without a heartbeat, before its orders are canceled and it is latched; longer than its restart takes, in ms',
    ),
  flatten: trueOrFalse.default(false).describe("Whether the strategies' positions are closed at market then, too"),
});

/** What paper and live have in common: how a running bot looks after its orders. */
const BotSchema = z.strictObject({
  poll: PollSchema.prefault({}).describe('How often the exchange is asked'),
  dir: text('the path of a folder')
    .default('../runs')
    .describe("Folder of the bots' own folders (journal, log, socket), relative to the config file"),
  warmup: z
    .enum(['require', 'cold'])
    .default('require')
    .describe('Whether bars from before the start must fill the indicators, or they start empty'),
  candles: trueOrFalse
    .default(false)
    .describe('Whether the exchange serves candles, which lie beyond its document: they fill what recordings lack before the start'),
  onStop: z
    .enum(['cancel', 'keep'])
    .default('cancel')
    .describe('What becomes of open orders, stops and other exits among them, when the bot stops'),
  graceMs: whole(1).default(15_000).describe('How long a stop may take, in ms'),
  visibilityLagMs: whole(0).default(5_000).describe('How late orders and fills may show up in what the exchange lists, in ms'),
  maxSendDelayMs: whole(1)
    .default(5_000)
    .describe("How long an order that opens something may wait for the exchange's limits before it is withdrawn, in ms"),
  maxQueuedOrders: whole(1)
    .default(200)
    .describe('Most orders that may wait to be sent: further ones are denied, but for those that reduce'),
  unknownLimitMs: whole(1).default(180_000).describe('How long an order may stay unknown before its instrument is halted, in ms'),
  fillGapMs: whole(1)
    .default(30_000)
    .describe('How long an order may report fills that no record shows before its instrument is halted, in ms'),
  foreign: z
    .enum(['ignore', 'block', 'adopt'])
    .default('block')
    .describe(
      'Orders on the account that the bot did not place: reported alone, or nothing is traded beside them, or they become orders of the first strategy that trades the symbol',
    ),
  watchdog: WatchdogSchema.prefault({}).describe('What `tidegate watchdog` does when the bot falls silent'),
  unexplained: z.enum(['accept', 'halt']).default('accept').describe('A balance that no record explains: taken as it is, or trading halts'),
});

export const PaperSchema = BotSchema.extend({
  prices: z
    .strictObject({
      recording: recordingName.optional().describe('Recording that gives the prices, by name'),
      speed: amount(0.001, 'a number above 0').default(1).describe('How many times faster than real time it plays'),
      loop: trueOrFalse.default(false).describe('Whether it begins again at its end'),
      exchange: PublicTickersSchema.optional().describe('Instead of a recording: the public tickers of the real exchange, as they are now'),
    })
    .refine(({ recording, exchange }) => (recording === undefined) !== (exchange === undefined), {
      error: 'expected one of recording and exchange',
    })
    .refine(({ exchange, speed, loop }) => exchange === undefined || (speed === 1 && !loop), {
      error: 'speed and loop are of a recording: the prices of an exchange come as they are',
    })
    .describe('Where the local exchange takes its prices from'),
});

const reference = (what: string) => `${what}: \`$\{NAME}\` or \`{ file: path }\``;
const URL_ERROR = 'expected an http or https URL';
const baseUrl = z.url({ protocol: /^https?$/, error: URL_ERROR });

/** What the exchange allows one process; none of it is in its document. */
const BudgetSchema = z.strictObject({
  ipWeight: whole(1).default(500).describe('Weight that this address may spend in a window, over all operations'),
  uidWeight: whole(1).default(500).describe('Weight that the account may spend in a window'),
  windowMs: whole(1).default(10_000).describe('Length of the window, in ms'),
  actionsPerSecond: whole(1).default(10).describe('Requests in a second that place or cancel'),
  pauseMs: whole(0).default(10_000).describe('How long nothing is sent after a 429 that names no time, in ms'),
});

const TimeoutsSchema = z.strictObject({
  connectMs: whole(1).default(5_000).describe('Until the connection stands, in ms'),
  headersMs: whole(1).default(10_000).describe('Until the reply begins, in ms'),
  bodyMs: whole(1).default(10_000).describe('Until the reply has ended, in ms'),
});

const LOCALE_ERROR = 'expected a language tag such as en-US';

export const LiveSchema = BotSchema.extend({
  enabled: trueOrFalse.default(false).describe('Must be true before orders go to the real exchange'),
  spotBaseUrl: baseUrl.optional().describe('Base URL of the spot API'),
  contractBaseUrl: baseUrl.optional().describe('Base URL of the futures API'),
  keys: z
    .strictObject({
      key: secret.optional().describe(reference('API key')),
      secret: secret.optional().describe(reference('API secret')),
      passphrase: secret.optional().describe(reference('API passphrase')),
    })
    .prefault({})
    .describe('Credentials, never written here: only where to find them'),
  locale: z
    .string({ error: LOCALE_ERROR })
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, { error: LOCALE_ERROR })
    .default('en-US')
    .describe('Language tag that signed requests carry'),
  budget: BudgetSchema.prefault({}).describe('Limits of the exchange that requests keep to'),
  batchLimit: whole(1).default(10).describe('Most orders in one batch'),
  timeouts: TimeoutsSchema.prefault({}).describe('How long a request may take'),
  marketBuyByQuote: trueOrFalse.default(true).describe('Whether a spot market buy of the exchange takes an amount of quote'),
  futuresTicker: trueOrFalse
    .default(true)
    .describe('Whether the exchange serves futures tickers, which lie beyond its document: without them it cannot trade futures'),
});

export type BotConfig = z.output<typeof BotSchema>;
export type PaperConfig = z.output<typeof PaperSchema>;

const ROTATE_ERROR = 'expected an interval of 1s to 1d, such as 15m or 1h';
const rotate = z.string({ error: ROTATE_ERROR }).refine((text) => isRotation(parseInterval(text)), { error: ROTATE_ERROR });
const SYMBOLS_ERROR = 'expected at least one symbol';

export const RecordSchema = z.strictObject({
  name: recordingName.describe('Recording that is written, by name'),
  symbols: z
    .array(symbol, { error: SYMBOLS_ERROR })
    .min(1, { error: SYMBOLS_ERROR })
    .optional()
    .describe('What is recorded, of `instruments` or beyond; without it all of `instruments`. A bot records those of them that it trades'),
  everyMs: whole(1)
    .default(1_000)
    .describe('Time between two looks at the tickers, in ms; a bot records what it looks at (`poll.tickerMs`)'),
  rotate: rotate.default('1h').describe('When the clock passes a multiple of this, what was recorded becomes a part of its series'),
  syncMs: whole(0).default(0).describe('How long a poll may wait to be safe from a loss of power, in ms; 0: not at all'),
  keepPolls: trueOrFalse
    .default(true)
    .describe("Whether the packed logs stay, with the exchange's own times and polls that brought nothing new"),
});

export type RecordConfig = z.output<typeof RecordSchema>;

function isRotation(ms: number | undefined): boolean {
  return ms !== undefined && ms >= 1_000 && ms <= 86_400_000;
}
