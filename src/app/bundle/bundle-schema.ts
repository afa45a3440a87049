import { z } from 'zod';
import { BREAKDOWNS } from '../../statistics/breakdown-keys.ts';
import { ASKED_PATHS } from '../backtest/asked-path.ts';
import { CODE_VERSION } from '../backtest/files/code-file.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits');
/** Below the folder that sources are unpacked to, and nowhere else. */
const ownName = z
  .string()
  .refine((name) => /^[^\\\0:]+$/.test(name) && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..'), {
    message: 'expected a path below the sources, without . and ..',
  });

/** What code.json of a run's folder holds. */
export const CodeSchema = z.strictObject({
  version: z.literal(CODE_VERSION),
  tidegate: z.strictObject({ version: z.string(), sha256 }),
  node: z.string(),
  options: z.strictObject({
    path: z.enum(ASKED_PATHS).optional(),
    delay: z.union([z.number(), z.literal('bar')]).optional(),
    breakdowns: z.array(z.enum(BREAKDOWNS)),
    events: z.boolean(),
  }),
  strategies: z.array(z.strictObject({ id: z.string(), file: ownName, sourceHash: sha256 })),
  sources: z.record(ownName, z.string()),
  data: z.array(z.strictObject({ recording: z.string(), series: z.string(), symbol: z.string(), sha256 })),
  terms: z.strictObject({ datedTicks: z.array(z.string()), warnings: z.array(z.string()) }),
  latency: z.strictObject({ sha256 }).optional(),
});

/** What a bundle holds. */
export const ContentSchema = z.strictObject({
  /** The config as it took effect, its strategies those of `code.sources`. */
  config: z.string(),
  code: CodeSchema,
  /** summary.json but for what hangs on the time and place of the run. */
  summary: z.record(z.string(), z.unknown()),
  /** The tables, as they were written. */
  files: z.record(z.string(), z.string()),
  /** Of files that are too large to be carried along. */
  hashes: z.record(z.string(), sha256),
});
export type BundleContent = z.infer<typeof ContentSchema>;
