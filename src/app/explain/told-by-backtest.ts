import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { TidegateError } from '../../model/errors.ts';
import { CAUSES_FILE } from '../backtest/files/event-files.ts';
import type { Cause } from '../backtest/recorders/cause-log.ts';
import type { ToldLine, ToldRun } from './told-line.ts';

const PIECE_BYTES = 1 << 20;

/** What the folder of a backtest tells. @throws TidegateError DATA_NOT_FOUND where it was run without `--events`. */
export function toldByBacktest(folder: string): ToldRun {
  const source = join(folder, 'events.jsonl');
  if (!existsSync(source)) {
    throw new TidegateError('DATA_NOT_FOUND', `${folder} has no events.jsonl: run the backtest again with --events, which writes it`);
  }
  const causes = join(folder, CAUSES_FILE);
  return { source, unit: 'line', lines: () => linesOf(source, existsSync(causes) ? causesOf(causes) : undefined), close: () => {} };
}

/** @param causes of the intents, in their order; earlier versions wrote none. */
function* linesOf(source: string, causes: Iterator<Cause | undefined> | undefined): Generator<ToldLine> {
  let id = 0;
  for (const text of textLines(source)) {
    id++;
    try {
      const { time, kind, ...fields } = JSON.parse(text) as Record<string, unknown> & { readonly time: number; readonly kind: string };
      const known = kind === 'intent' ? causes?.next().value : undefined;
      const cause = known ?? { time, words: `market data ${fields.sequence}` };
      yield { id, time, kind, fields, ...(kind === 'intent' && { cause: { id, ...cause } }) };
    } catch (cause) {
      throw new TidegateError('DATA_CORRUPT', `${source}:${id}: expected a line of JSON as \`--events\` writes it`, { cause });
    }
  }
}

function* causesOf(path: string): Generator<Cause | undefined> {
  for (const text of textLines(path)) yield (JSON.parse(text) as Cause | null) ?? undefined;
}

function* textLines(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    const decoder = new StringDecoder('utf8');
    let left = '';
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
      const lines = (left + decoder.write(buffer.subarray(0, read))).split('\n');
      left = lines.pop()!;
      yield* lines;
    }
    if (left !== '') yield left;
  } finally {
    closeSync(file);
  }
}
