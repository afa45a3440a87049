import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { isoTime } from '../../model/time.ts';
import { storedFiles, storedText, withStorageDuck } from '../../recording/duckdb.ts';
import { isRemote, placeIn } from '../../recording/remote-storage.ts';
import { complaints, configInvalid } from './reading/problems.ts';
import { readTree } from './reading/read-tree.ts';
import { alternatives, toValue } from './reading/schema-walk.ts';
import { keyPositionOf, makeSource, positionOf } from './reading/tree.ts';
import { ContractSchema, InstrumentSchema } from './schema/account-schema.ts';
import { feeRate, instant, symbol } from './schema/fields.ts';

/** The terms of one instrument, valid from a time until its next terms. */
const TermsSchema = InstrumentSchema.extend({
  symbol,
  from: instant,
  makerFee: feeRate.optional(),
  takerFee: feeRate.optional(),
  contract: ContractSchema.omit({ margin: true }).optional(),
});

/** The content of a recording's `instruments.json` or `instruments.yaml`. */
const TermsListSchema = z.array(TermsSchema, { error: 'expected a list of terms' });

const NAMES = ['instruments.json', 'instruments.yaml', 'instruments.yml'];

/** The terms of an instrument from a time on, with only the settings that were written. */
export interface DatedTerms {
  readonly symbol: string;
  /** Epoch ms. */
  readonly from: number;
  /** Settings as in a config's `instruments`, decimals as text. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface TermsFile {
  /** The path as messages show it. */
  readonly path: string;
  /** By symbol, then time. */
  readonly terms: readonly DatedTerms[];
}

/** The path of a recording's terms; the default path if there is no file yet. */
export function termsPath(folder: string): string {
  return NAMES.map((name) => join(folder, name)).find((path) => existsSync(path)) ?? join(folder, NAMES[0]!);
}

/**
 * Reads the terms in a recording's folder; none if there is no file.
 * @throws TidegateError CONFIG_INVALID with everything wrong at its file, line and column; DATA_UNREACHABLE for a URL.
 */
export async function readTerms(folder: string): Promise<TermsFile> {
  const { shown, text } = isRemote(folder) ? await storedTerms(folder) : localTerms(folder);
  if (text === undefined) return { path: shown, terms: [] };
  const source = makeSource(shown, folder, text);
  const { root, problems } = readTree(text, source);
  if (problems.length > 0) throw configInvalid(problems);
  if (root === undefined) return { path: shown, terms: [] };
  const value = toValue(root, alternatives(TermsListSchema));
  const result = TermsListSchema.safeParse(value);
  if (!result.success) {
    const wrong = complaints(result.error.issues, TermsListSchema, value);
    throw configInvalid(
      wrong.map(({ path: at, message, aboutKey }) => ({ at: (aboutKey ? keyPositionOf : positionOf)(root, at), path: at, message })),
    );
  }
  const terms = (value as Record<string, unknown>[]).map((entry, index): DatedTerms => {
    const { symbol, from } = result.data[index]!;
    const { symbol: _, from: __, ...settings } = entry;
    const twin = result.data.findIndex((other) => other.symbol === symbol && other.from === from);
    if (twin < index)
      throw configInvalid([
        {
          at: positionOf(root, [index, 'from']),
          path: [index],
          message: `there are two terms of ${symbol} from the same time: remove one`,
        },
      ]);
    return { symbol, from, settings };
  });
  return { path: shown, terms: sorted(terms) };
}

interface TermsText {
  /** The path as messages show it. */
  readonly shown: string;
  /** Undefined if there is no file. */
  readonly text: string | undefined;
}

function localTerms(folder: string): TermsText {
  const path = termsPath(folder);
  return { shown: relative(process.cwd(), path) || path, text: existsSync(path) ? readFileSync(path, 'utf8') : undefined };
}

function storedTerms(folder: string): Promise<TermsText> {
  return withStorageDuck(folder, async (duck) => {
    const files = await storedFiles(duck, folder, 'instruments.*');
    const url = NAMES.map((name) => placeIn(folder, name)).find((path) => files.includes(path));
    return { shown: url ?? placeIn(folder, NAMES[0]!), text: url === undefined ? undefined : await storedText(duck, url) };
  });
}

/** Writes the terms of a recording as JSON, whole or not at all. */
export function writeTerms(path: string, terms: readonly DatedTerms[]): void {
  const entries = sorted(terms).map(({ symbol, from, settings }) => ({ symbol, from: isoTime(from), ...settings }));
  const temporary = `${path}.writing-${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(entries, undefined, 2)}\n`, { flush: true });
  renameSync(temporary, path);
}

function sorted(terms: readonly DatedTerms[]): DatedTerms[] {
  return [...terms].sort((a, b) => (a.symbol === b.symbol ? a.from - b.from : a.symbol < b.symbol ? -1 : 1));
}
