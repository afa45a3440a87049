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
  poll: PollSchema.prefault({}).describe('How often the exchange is asked'),
});
