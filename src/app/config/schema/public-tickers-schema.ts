import { z } from 'zod';
import { whole } from './fields.ts';

const URL_ERROR = 'expected an http or https URL';
const url = z.url({ protocol: /^https?$/, error: URL_ERROR });

/** Where a local exchange finds the public tickers of another one. */
export const PublicTickersSchema = z.strictObject({
  spotBaseUrl: url.optional().describe('Base URL of its spot API'),
  contractBaseUrl: url.optional().describe('Base URL of its futures API'),
  everyMs: whole(1).default(1_000).describe('From the end of one round of questions to the start of the next, in ms'),
});

export type PublicTickersConfig = z.output<typeof PublicTickersSchema>;
