import { z } from 'zod';
import { amount, recordingName, trueOrFalse, whole } from './fields.ts';
import { secret } from './secret.ts';

const PollSchema = z.strictObject({
  tickerMs: whole(1).default(1000).describe('Time between two looks at the tickers, in ms'),
});

export const PaperSchema = z.strictObject({
  prices: z
    .strictObject({
      recording: recordingName.describe('Recording that gives the prices, by name'),
      speed: amount(0.001, 'a number above 0').default(1).describe('How many times faster than real time it plays'),
    })
    .describe('Where the local exchange takes its prices from'),
  poll: PollSchema.prefault({}).describe('How often the exchange is asked'),
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

export const LiveSchema = z.strictObject({
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
  poll: PollSchema.prefault({}).describe('How often the exchange is asked'),
});
