import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { TidegateError } from '../../model/errors.ts';
import { unpackLimit } from '../../recording/import/unpack.ts';
import { BREAKDOWNS } from '../../statistics/breakdown.ts';
import { CODE_VERSION } from '../backtest/results/code-file.ts';
import { ASKED_PATHS } from '../backtest/worker-protocol.ts';

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
const ContentSchema = z.strictObject({
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

const FORMAT = 'tidegate-bundle';
/** Goes up when an older bundle can no longer be read as it is. */
const VERSION = 1;
/** Where a gzip file names the system that made it, and what stands there for none in particular (RFC 1952). */
const SYSTEM_AT = 9;
const NO_SYSTEM = 255;

/** Writes a bundle: JSON under gzip, the same bytes for the same run. @throws TidegateError OUT_NOT_EMPTY where the file is there. */
export function writeBundle(path: string, content: BundleContent): string {
  const body = JSON.stringify(content);
  const sha256 = textSha256(body);
  const bytes = gzipSync(`{"format":"${FORMAT}","version":${VERSION},"sha256":"${sha256}","content":${body}}\n`, { level: 9 });
  bytes[SYSTEM_AT] = NO_SYSTEM;
  try {
    writeFileSync(path, bytes, { flag: 'wx' });
  } catch (cause) {
    const there = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    const text = there ? 'is there already; expected the name of a new file' : `cannot be written: ${(cause as Error).message}`;
    throw new TidegateError('OUT_NOT_EMPTY', `--out ${path}: ${text}`, { cause });
  }
  return sha256;
}

/** Reads a bundle. @throws TidegateError DATA_NOT_FOUND, DATA_CORRUPT where it was damaged or changed, DATA_INVALID for what is none. */
export function readBundle(path: string): { readonly content: BundleContent; readonly sha256: string } {
  const file = parseBundle(path, bytesOf(path));
  if (file.format !== FORMAT) throw new TidegateError('DATA_INVALID', `${path}: is no bundle; expected a file that tidegate bundle wrote`);
  if (file.version !== VERSION) {
    throw new TidegateError('DATA_INVALID', `${path}: is of version ${String(file.version)}, this Tidegate reads version ${VERSION}`);
  }
  const sha256 = textSha256(JSON.stringify(file.content) ?? '');
  if (sha256 !== file.sha256) {
    throw new TidegateError(
      'DATA_CORRUPT',
      `${path}: its content does not match its hash ${String(file.sha256)}: it was changed or damaged`,
    );
  }
  const parsed = ContentSchema.safeParse(file.content);
  if (!parsed.success) throw new TidegateError('DATA_INVALID', `${path}: ${z.prettifyError(parsed.error)}`);
  return { content: parsed.data, sha256 };
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new TidegateError('DATA_NOT_FOUND', `${path}: cannot be read (${(cause as Error).message}); expected a bundle`, { cause });
  }
}

function parseBundle(path: string, bytes: Buffer): Record<'format' | 'version' | 'sha256' | 'content', unknown> {
  try {
    const value: unknown = JSON.parse(gunzipSync(bytes, { maxOutputLength: unpackLimit(bytes.length) }).toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<'format' | 'version' | 'sha256' | 'content', unknown>;
  } catch (cause) {
    throw new TidegateError('DATA_CORRUPT', `${path}: cannot be read to its end (${(cause as Error).message}); expected a bundle`, {
      cause,
    });
  }
  throw new TidegateError('DATA_INVALID', `${path}: is no bundle; expected a file that tidegate bundle wrote`);
}

function textSha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
