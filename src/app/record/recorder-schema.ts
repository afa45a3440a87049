import { z } from 'zod';
import { localDataDir, slug, symbol, text } from '../config/schema/fields.ts';
import { LiveSchema, PaperSchema } from '../config/schema/live-schema.ts';
import { RecordSchema } from '../config/schema/record-schema.ts';

const ignored = z.unknown().optional();

/** What `tidegate record` reads of a config: a bot's own will do, and so will one without what only bots need. */
export const RecorderSchema = z
  .strictObject({
    name: slug(40),
    extends: text('the path of a config file').optional(),
    dataDir: localDataDir,
    instruments: z.record(symbol, z.unknown()).default({}),
    paper: PaperSchema.optional(),
    live: LiveSchema.optional(),
    record: RecordSchema,
    account: ignored,
    strategies: ignored,
    risk: ignored,
    backtest: ignored,
    report: ignored,
  })
  .refine(({ record, instruments }) => record.symbols !== undefined || Object.keys(instruments).length > 0, {
    error: 'missing: what is to be recorded: give symbols, or instruments',
    path: ['record'],
  });

export type RecorderConfig = z.output<typeof RecorderSchema>;
