import { z } from 'zod';
import { PRICE_EVENT_KINDS } from '../../../model/market-events.ts';
import { instant } from '../instant.ts';
import { amount, fraction, recordingName, whole } from './fields.ts';
import { FillsSchema } from './fills-schema.ts';
import { FuturesSchema } from './futures-schema.ts';
import { LatencySchema } from './latency-schema.ts';
import { LimitsSchema } from './limits-schema.ts';

const priceKind = z.enum(PRICE_EVENT_KINDS);

export const BacktestSchema = z.strictObject({
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
