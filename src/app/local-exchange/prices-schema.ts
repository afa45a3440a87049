import { z } from 'zod';
import { PRICE_EVENT_KINDS } from '../../model/market-events.ts';
import { amount, positiveDecimal, recordingName, symbol, trueOrFalse, whole } from '../config/schema/fields.ts';
import { PublicTickersSchema } from '../config/schema/public-tickers-schema.ts';

/** At most one of `recording`, `synthetic` and `exchange`; with none, prices come through the control door. */
export const PricesSchema = z
  .strictObject({
    recording: recordingName.optional().describe('Recording that is played from its start, by name'),
    use: z.enum(PRICE_EVENT_KINDS).optional().describe('Recorded kind; default: tickers, else trades, quotes or bars'),
    speed: amount(0.001, 'a number above 0').default(1).describe('How many times faster than recorded it plays'),
    loop: trueOrFalse.default(false).describe('Begin again at the end'),
    synthetic: z
      .strictObject({ seed: whole(0).default(1), start: z.record(symbol, positiveDecimal).describe('First price by symbol') })
      .optional()
      .describe('Made-up trades without end'),
    exchange: PublicTickersSchema.optional().describe("Another exchange's public tickers, asked every so many ms"),
  })
  .refine((prices) => [prices.recording, prices.synthetic, prices.exchange].filter((one) => one !== undefined).length <= 1, {
    error: 'expected at most one of recording, synthetic and exchange',
  });
