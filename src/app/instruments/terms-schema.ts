import { z } from 'zod';
import { instant } from '../config/instant.ts';
import { InstrumentSchema } from '../config/schema/account-schema.ts';
import { ContractSchema } from '../config/schema/contract-schema.ts';
import { feeRate, symbol } from '../config/schema/fields.ts';

/** Terms of one instrument from a moment on, until its next ones. */
const TermsSchema = InstrumentSchema.extend({
  symbol,
  from: instant,
  makerFee: feeRate.optional(),
  takerFee: feeRate.optional(),
  contract: ContractSchema.omit({ margin: true }).optional(),
});

/** What stands in a recording's `instruments.json` or `instruments.yaml`. */
export const TermsListSchema = z.array(TermsSchema, { error: 'expected a list of terms' });
