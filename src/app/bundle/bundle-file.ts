import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { TidegateError } from '../../model/errors.ts';
import { isRecordingName } from '../../recording/columns/series-meta.ts';
import { unpackLimit } from '../../recording/import/unpack.ts';
import { BREAKDOWNS } from '../../statistics/breakdown.ts';
import { CODE_VERSION } from '../backtest/results/code-file.ts';
import { ASKED_PATHS } from '../backtest/worker-protocol.ts';
import { onOneLine } from '../base/printable.ts';
import { MODEL_SETTINGS } from '../config/reading/object-tree.ts';
import { slug } from '../config/schema/fields.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits');
/** A path inside the folder of unpacked sources. */
const ownName = z
  .string()
  .refine((name) => /^[^\\\0:]{1,1000}$/.test(name) && name.split('/').every((part) => /^(?!\.\.?$).{1,200}$/s.test(part)), {
    message: 'expected a path below the sources, without . and .., of no more than 1000 characters, 200 in a part',
  });
/** A name of a folder in the data directory: it cannot lead out of it. */
const recordingName = z.string().refine(isRecordingName, { message: 'expected the name of a recording' });
/** The version of a program, as it is printed. */
const version = z.string().regex(/^[\w.+-]{1,64}$/, 'expected the version of a program');
/** The most source files in a bundle: far more than any strategy has. */
const MOST_SOURCES = 1_000;

/** The content of code.json in a run's folder. */
export const CodeSchema = z.strictObject({
  version: z.literal(CODE_VERSION),
  tidegate: z.strictObject({ version, sha256 }),
  node: version,
  options: z.strictObject({
    path: z.enum(ASKED_PATHS).optional(),
    delay: z.union([z.number(), z.literal('bar')]).optional(),
    breakdowns: z.array(z.enum(BREAKDOWNS)),
    events: z.boolean(),
  }),
  strategies: z.array(z.strictObject({ id: z.string(), file: ownName, sourceHash: sha256 })),
  models: z.array(z.strictObject({ setting: z.enum(MODEL_SETTINGS), file: ownName, sourceHash: sha256 })).optional(),
  sources: z.record(ownName, z.string()).refine((sources) => Object.keys(sources).length <= MOST_SOURCES, {
    message: `expected at most ${MOST_SOURCES} files`,
  }),
  data: z.array(z.strictObject({ recording: z.string(), series: z.string(), symbol: z.string(), sha256 })),
  signals: z.array(z.strictObject({ name: slug(40), recording: recordingName, sha256 })).optional(),
  terms: z.strictObject({ datedTicks: z.array(z.string()), warnings: z.array(z.string()) }),
  latency: z.strictObject({ sha256 }).optional(),
});

/** The content of a bundle. */
const ContentSchema = z.strictObject({
  /** The effective config, with the strategies of `code.sources`. */
  config: z.string(),
  code: CodeSchema,
  /** summary.json without the fields that depend on the time and place of the run. */
  summary: z.record(z.string(), z.unknown()),
  /** The texts of the tables. */
  files: z.record(z.string(), z.string()),
  /** The hashes of files that are too large for a bundle. */
  hashes: z.record(z.string(), sha256),
});
export type BundleContent = z.infer<typeof ContentSchema>;

const FORMAT = 'tidegate-bundle';
/** An upper limit for the bytes of JSON before the content. */
const HEAD_BYTES = 256;
/** Increased when older bundles can no longer be read. */
const VERSION = 1;
/** The offset of the operating system in a gzip file, and its value for "unknown" (RFC 1952). */
const SYSTEM_AT = 9;
const NO_SYSTEM = 255;

/** The most bytes of JSON in a bundle: the tables of some two million fills. */
const LARGEST = 1 << 28;
/** The limits of the number of values and of their nesting: each table is one text. */
const MOST_VALUES = 1_000_000;
const DEEPEST = 64;

/**
 * Writes a bundle: gzipped JSON, the same bytes for the same run.
 * @throws TidegateError OUT_NOT_EMPTY if the file exists, DATA_INVALID if the run is too large for a bundle.
 */
export function writeBundle(path: string, content: BundleContent): string {
  const body = JSON.stringify(content);
  const bytesOfJson = Buffer.byteLength(body) + HEAD_BYTES;
  const tooLargeFor = (limit: number) =>
    new TidegateError('DATA_INVALID', `${path}: the run is too large for a bundle; expected tables of at most ${mebibytes(limit)} in all`);
  if (bytesOfJson > LARGEST) throw tooLargeFor(LARGEST);
  const sha256 = textSha256(body);
  const bytes = gzipSync(`{"format":"${FORMAT}","version":${VERSION},"sha256":"${sha256}","content":${body}}\n`, { level: 9 });
  if (bytesOfJson > limitOf(bytes.length)) throw tooLargeFor(limitOf(bytes.length));
  bytes[SYSTEM_AT] = NO_SYSTEM;
  try {
    writeFileSync(path, bytes, { flag: 'wx' });
  } catch (cause) {
    const there = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    const text = there ? 'already exists; expected the name of a new file' : `cannot be written: ${(cause as Error).message}`;
    throw new TidegateError('OUT_NOT_EMPTY', `--out ${path}: ${text}`, { cause });
  }
  return sha256;
}

/** Reads a bundle. @throws TidegateError DATA_NOT_FOUND, DATA_CORRUPT if it was damaged or changed, DATA_INVALID for another file. */
export function readBundle(path: string): { readonly content: BundleContent; readonly sha256: string } {
  const file = parseBundle(path, bytesOf(path));
  if (file.format !== FORMAT)
    throw new TidegateError('DATA_INVALID', `${path}: this file is not a bundle; expected a file from \`tidegate bundle\``);
  if (file.version !== VERSION) {
    throw new TidegateError(
      'DATA_INVALID',
      `${path}: the bundle has version ${shown(file.version)}, but this Tidegate reads version ${VERSION}`,
    );
  }
  const sha256 = textSha256(JSON.stringify(file.content) ?? '');
  if (sha256 !== file.sha256) {
    throw new TidegateError(
      'DATA_CORRUPT',
      `${path}: the content does not match its hash ${shown(file.sha256)}: the file was changed or damaged`,
    );
  }
  const parsed = ContentSchema.safeParse(file.content);
  if (parsed.success) return { content: parsed.data, sha256 };
  const texts = parsed.error.issues.slice(0, MOST_ISSUES).map((issue) => onOneLine(`${issue.path.join('.')}: ${issue.message}`));
  throw new TidegateError('DATA_INVALID', `${path}: ${texts.join('\n  ')}`);
}

/** The largest number of wrong fields that a message shows. */
const MOST_ISSUES = 10;

/** The text of a value that may be anything. */
function shown(value: unknown): string {
  return onOneLine(JSON.stringify(value) ?? 'nothing').slice(0, 100);
}

function bytesOf(path: string): Buffer {
  try {
    const found = statSync(path);
    if (!found.isFile()) throw new Error('no file');
    if (found.size > LARGEST) throw tooLarge(path, found.size);
    return readFileSync(path);
  } catch (cause) {
    if (cause instanceof TidegateError) throw cause;
    throw new TidegateError('DATA_NOT_FOUND', `${path}: cannot be read (${(cause as Error).message}); expected a bundle`, { cause });
  }
}

function tooLarge(path: string, packedBytes: number): TidegateError {
  const limit = mebibytes(limitOf(packedBytes));
  return new TidegateError('DATA_INVALID', `${path}: unpacks to more than ${limit}, the limit for a bundle of its size`);
}

function limitOf(packedBytes: number): number {
  return Math.min(LARGEST, unpackLimit(packedBytes));
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)} MiB`;
}

function parseBundle(path: string, bytes: Buffer): Record<'format' | 'version' | 'sha256' | 'content', unknown> {
  try {
    const json = gunzipSync(bytes, { maxOutputLength: limitOf(bytes.length) });
    checkShape(path, json);
    const value: unknown = JSON.parse(json.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<'format' | 'version' | 'sha256' | 'content', unknown>;
  } catch (cause) {
    if (cause instanceof TidegateError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(path, bytes.length);
    throw new TidegateError('DATA_CORRUPT', `${path}: cannot be read completely (${(cause as Error).message}); expected a bundle`, {
      cause,
    });
  }
  throw new TidegateError('DATA_INVALID', `${path}: this file is not a bundle; expected a file from \`tidegate bundle\``);
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENS: readonly number[] = [0x5b, 0x7b];
const CLOSES: readonly number[] = [0x5d, 0x7d];

/** Counts the values of a JSON text before it is parsed, as values take much more memory than their text. @throws TidegateError DATA_INVALID */
function checkShape(path: string, json: Buffer): void {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!;
    if (byte === QUOTE) {
      at = endOfString(json, at + 1);
      continue;
    }
    if (byte === COMMA) values++;
    else if (OPENS.includes(byte)) {
      values++;
      depth++;
    } else if (CLOSES.includes(byte)) depth--;
    else continue;
    if (values > MOST_VALUES || depth > DEEPEST) {
      const most = `${MOST_VALUES.toLocaleString('en-US')} values, ${DEEPEST} deep`;
      throw new TidegateError('DATA_INVALID', `${path}: has too many values for a bundle; expected at most ${most}`);
    }
  }
}

/** The offset of the quote that ends a string; the end of the text if there is none. */
function endOfString(json: Buffer, from: number): number {
  for (let at = json.indexOf(QUOTE, from); at >= 0; at = json.indexOf(QUOTE, at + 1)) {
    let before = at - 1;
    while (before >= from && json[before] === BACKSLASH) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return json.length;
}

function textSha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
