import { z } from 'zod';
import { parseInterval } from '../../../model/time.ts';
import { SECRET_REFERENCE } from '../reading/secrets.ts';
import { amount, nonNegativeDecimal, PublicTickersSchema, recordingName, symbol, text, trueOrFalse, whole } from './fields.ts';

const SECRET_ERROR = `expected a reference to a secret, $\{NAME} or { file: path }, and not the secret itself`;

/** The place of a secret. A config has only this reference, so that no text of a config can leak the secret. */
type SecretReference = { readonly env: string } | { readonly file: string };

/** The schema of a secret's reference: the text `${NAME}`, or `{ file: path }`. */
const secret = z
  .union(
    [
      z.string().regex(SECRET_REFERENCE, { error: SECRET_ERROR }),
      z.strictObject({ file: z.string().min(1).describe('File that holds it') }),
    ],
    { error: SECRET_ERROR },
  )
  .transform((input): SecretReference => (typeof input === 'string' ? { env: input.slice(2, -1) } : input));

const reference = (what: string) => `${what}: \`$\{NAME}\` or \`{ file: path }\``;

const PollSchema = z.strictObject({
  tickerMs: whole(1).default(1000).describe('Interval between polls of the tickers, in ms'),
  accountMs: whole(1).default(1000).describe('Interval between polls of fills and balances, in ms'),
  lookupMs: whole(1).default(30_000).describe('Interval between queries of a resting order without other news of it, in ms'),
  idleMs: whole(1)
    .default(5_000)
    .describe('Interval between polls of fills, balances and the futures account while the bot has nothing open there, in ms'),
  staleMs: whole(1)
    .default(10_000)
    .describe('Age at which prices or account data are stale, in ms: no opening orders until they are fresh'),
});

const WatchdogSchema = z.strictObject({
  afterMs: whole(2_000)
    .default(30_000)
    .describe(
      'Time without a heartbeat after which the watchdog cancels the orders and latches the bot, in ms; must be longer than a restart of the bot takes',
    ),
  flatten: trueOrFalse.default(false).describe("Whether the watchdog then also closes the strategies' positions with market orders"),
});

/** The variable that holds the token for posted signals, if the config names no other. */
export const POST_TOKEN_VARIABLE = 'TIDEGATE_SIGNALS_TOKEN';
const PORT_ERROR = 'expected a port: a whole number from 0 to 65535';

const PostSchema = z.strictObject({
  port: z
    .int({ error: PORT_ERROR })
    .min(0, { error: PORT_ERROR })
    .max(65_535, { error: PORT_ERROR })
    .default(8_790)
    .describe('Port of 127.0.0.1 at which the bot receives signals; 0: a free port, which the log and `tidegate status` show'),
  token: secret
    .optional()
    .describe(`${reference('Token that a request must have, 16 characters or more')}; default: the variable \`${POST_TOKEN_VARIABLE}\``),
});

/** The settings that paper and live share: how a running bot manages its orders. */
const BotSchema = z.strictObject({
  poll: PollSchema.prefault({}).describe('Polling intervals'),
  dir: text('the path of a folder')
    .default('../runs')
    .describe('Folder in which each bot has its own folder (journal, log, socket), relative to the config file'),
  warmup: z
    .enum(['require', 'cold'])
    .default('require')
    .describe('`require`: bars from before the start must fill the indicators; `cold`: the indicators start empty'),
  start: z
    .enum(['all', 'each'])
    .default('all')
    .describe(
      '`all`: `warmup` applies to the history of every symbol; `each`: a strategy receives a symbol from the moment at which the history of this symbol is complete; at least one must be complete at the start',
    ),
  candles: trueOrFalse
    .default(false)
    .describe(
      'Whether the exchange serves candles, which its API document does not have: they fill the history that recordings lack, and the months and weeks from Monday that are open at the start',
    ),
  onStop: z
    .enum(['cancel', 'keep'])
    .default('cancel')
    .describe('Open orders, including stops and other exits, when the bot stops: canceled or kept'),
  graceMs: whole(1).default(15_000).describe('Longest time that stopping the bot may take, in ms'),
  visibilityLagMs: whole(0).default(5_000).describe('How late orders and fills may appear in the lists of the exchange, in ms'),
  maxSendDelayMs: whole(1).default(5_000).describe('How long an opening order may wait for the rate limits before it is withdrawn, in ms'),
  maxQueuedOrders: whole(1)
    .default(200)
    .describe('Largest number of orders that wait to be sent: further ones are denied, except reducing orders'),
  unknownLimitMs: whole(1).default(180_000).describe('How long the outcome of an order may be unknown before its symbol is halted, in ms'),
  fillGapMs: whole(1)
    .default(30_000)
    .describe('How long an order may report a filled quantity that the list of fills lacks before its symbol is halted, in ms'),
  foreign: z
    .enum(['ignore', 'block', 'adopt'])
    .default('block')
    .describe(
      'Foreign orders, which this bot did not place: `ignore` only reports them, `block` trades nothing while they are open, `adopt` gives them to the first strategy that trades the symbol',
    ),
  lostExit: z
    .enum(['restore', 'reduce', 'warn'])
    .default('restore')
    .describe(
      'A stop or another exit of a position that somebody cancels at the exchange: `restore` places it again once, and the second time halts the symbol; `reduce` lets the strategy open nothing until `tidegate reset`; `warn` only reports it',
    ),
  leverage: z
    .enum(['compare', 'set'])
    .default('compare')
    .describe(
      'Futures: leverages at the exchange that are not those of `account.margin`: `compare` refuses the start, `set` sets them at the start. A change while the bot runs halts the symbol',
    ),
  post: PostSchema.prefault({}).describe('Where the bot receives signals over HTTP, if an entry of `signals` has `post: true`'),
  watchdog: WatchdogSchema.prefault({}).describe('Settings of `tidegate watchdog`'),
  unexplained: z
    .enum(['accept', 'halt'])
    .default('accept')
    .describe('A change of a balance that no record explains: accept it, or halt trading'),
});

export const PaperSchema = BotSchema.extend({
  prices: z
    .strictObject({
      recording: recordingName.optional().describe('Name of the recording that supplies the prices'),
      use: z
        .enum(['ticker', 'bar'])
        .default('ticker')
        .describe(
          'Recorded prices that are replayed: tickers, or bars of the shortest recorded interval, each as four prices over its length',
        ),
      speed: amount(0.001, 'a number above 0')
        .default(1)
        .describe('Replay speed of the recording: 1 is real time, 60 is a minute per second'),
      loop: trueOrFalse.default(false).describe('Whether the recording starts again at its end'),
      exchange: PublicTickersSchema.optional().describe('Instead of a recording: the present public tickers of the real exchange'),
    })
    .refine(({ recording, exchange }) => (recording === undefined) !== (exchange === undefined), {
      error: 'expected one of recording and exchange',
    })
    .refine(({ exchange, use, speed, loop }) => exchange === undefined || (use === 'ticker' && speed === 1 && !loop), {
      error: 'use, speed and loop are of a recording: the prices of an exchange come as they are',
    })
    .describe('Source of the prices of the local exchange: one of `recording` and `exchange`'),
});

const URL_ERROR = 'expected an http or https URL';
const baseUrl = z.url({ protocol: /^https?$/, error: URL_ERROR });

/** The limits of the exchange for one process; none of them is in its document. */
const BudgetSchema = z.strictObject({
  ipWeight: whole(1).default(500).describe('Weight that this IP address may use in a window, over all operations'),
  uidWeight: whole(1).default(500).describe('Weight that the account may use in a window'),
  windowMs: whole(1).default(10_000).describe('Length of the window, in ms'),
  actionsPerSecond: whole(1).default(10).describe('Largest number of placing and canceling requests in a second'),
  pauseMs: whole(0).default(10_000).describe('Pause of all requests after a 429 reply without `Retry-After`, in ms'),
});

const TimeoutsSchema = z.strictObject({
  connectMs: whole(1).default(5_000).describe('Time limit for connecting, in ms'),
  headersMs: whole(1).default(10_000).describe('Time limit for the start of the reply, in ms'),
  bodyMs: whole(1).default(10_000).describe('Time limit for the end of the reply, in ms'),
});

const LOCALE_ERROR = 'expected a language tag such as en-US';

export const LiveSchema = BotSchema.extend({
  enabled: trueOrFalse.default(false).describe('Must be `true` before Tidegate sends orders to the real exchange'),
  spotBaseUrl: baseUrl.optional().describe('Base URL of the spot API'),
  contractBaseUrl: baseUrl.optional().describe('Base URL of the futures API'),
  keys: z
    .strictObject({
      key: secret.optional().describe(reference('API key')),
      secret: secret.optional().describe(reference('API secret')),
      passphrase: secret.optional().describe(reference('API passphrase')),
    })
    .prefault({})
    .describe('References to the API credentials, which are never written in a config'),
  locale: z
    .string({ error: LOCALE_ERROR })
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, { error: LOCALE_ERROR })
    .default('en-US')
    .describe('Language tag that is sent in signed requests'),
  budget: BudgetSchema.prefault({}).describe('Rate limits that requests obey'),
  batchLimit: whole(1).default(10).describe('Largest number of orders in one batch request'),
  timeouts: TimeoutsSchema.prefault({}).describe('Time limits of a request'),
  marketBuyByQuote: trueOrFalse.default(true).describe('Whether the exchange takes the size of a spot market buy as an amount of quote'),
  futuresTicker: trueOrFalse
    .default(true)
    .describe('Whether the exchange serves futures tickers, which its API document does not have; required to trade futures'),
});

export type BotConfig = z.output<typeof BotSchema>;
export type PaperConfig = z.output<typeof PaperSchema>;

const ROTATE_ERROR = 'expected an interval of 1s to 1d, such as 15m or 1h';
const rotate = z.string({ error: ROTATE_ERROR }).refine((text) => isRotation(parseInterval(text)), { error: ROTATE_ERROR });
const SYMBOLS_ERROR = 'expected at least one symbol';

export const RecordSchema = z.strictObject({
  name: recordingName.describe('Name of the recording to write'),
  symbols: z
    .array(symbol, { error: SYMBOLS_ERROR })
    .min(1, { error: SYMBOLS_ERROR })
    .optional()
    .describe(
      'Symbols to record, also ones that are not in `instruments`; default: all of `instruments`. A bot records the ones of them that it trades',
    ),
  everyMs: whole(1).default(1_000).describe('Interval between polls of the tickers, in ms; a bot records its own polls (`poll.tickerMs`)'),
  rotate: rotate.default('1h').describe('At each multiple of this interval, the open log becomes a part of its series'),
  syncMs: whole(0).default(0).describe('Longest time until a poll is synced to disk (safe from a loss of power), in ms; 0: at once'),
  keepPolls: trueOrFalse
    .default(true)
    .describe("Whether the compressed logs are kept, with the exchange's times and the polls without a change"),
});

export const ProveSchema = z.strictObject({
  tolerance: nonNegativeDecimal
    .default('0.01')
    .describe('Largest sum of unexplained differences from the backtest that counts as none, in the currency of the run'),
  onDifference: z
    .enum(['report', 'reduce'])
    .default('report')
    .describe('If a bot is not proved: only say so, or also keep the running bot from opening orders until a reset'),
});

export type RecordConfig = z.output<typeof RecordSchema>;

function isRotation(ms: number | undefined): boolean {
  return ms !== undefined && ms >= 1_000 && ms <= 86_400_000;
}
