import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { HeldSnapshot } from '../../engine/held/held-memory.ts';
import { revive } from '../../journal/codec.ts';
import { eventText, intentText } from '../../journal/event-log.ts';
import { type JournalRow, journalAt, type RecordedJournal } from '../../journal/journal-reader.ts';
import type { JournalValues } from '../../journal/journal-record.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { CAUSES_FILE, type Cause } from '../backtest/results/event-files.ts';
import { eventWords } from '../base/text.ts';

/** The records of a run, from a bot's journal or from the `events.jsonl` of a backtest. */
export interface RunRecords {
  /** The path, for messages. */
  readonly source: string;
  /** The unit that `id` counts. */
  readonly unit: 'record' | 'line';
  lines(): Iterable<RunLine>;
  close(): void;
}

/** One record of a run: an intent, an event, a request or a reply. */
export interface RunLine {
  /** Number of the record, or of the line. */
  readonly id: number;
  /** Epoch ms. */
  readonly time: number;
  /** `intent`, `request`, `reply`, or the kind of an event. */
  readonly kind: string;
  /** Its other fields, as in `events.jsonl`: amounts, prices and quantities as text. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** For an intent: the event that the strategy received right before it, if that is known. */
  readonly cause?: { readonly id: number; readonly time: number; readonly words: string } | undefined;
  /** Client ids of orders that belong together from here on: an entry and its exits. */
  readonly links?: readonly { readonly entry: string; readonly legs: readonly string[] }[] | undefined;
}

/** Opens the records of a bot or of a backtest's folder. @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED, DATA_NOT_FOUND */
export function recordsAt(path: string): RunRecords {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder && existsSync(join(path, 'summary.json'))) return recordsOfBacktest(path);
  return recordsOfJournal(journalAt(path));
}

/** The records of a bot's journal of any version. Its instruments are those of the journal, not of the config. */
function recordsOfJournal(journal: RecordedJournal): RunRecords {
  const instruments = new Map(journal.instruments().map((instrument) => [instrument.symbol, instrument]));
  return {
    source: journal.path,
    unit: 'record',
    lines: () => linesOfJournal(journal, instruments),
    close: () => journal.close(),
  };
}

function* linesOfJournal(journal: RecordedJournal, instruments: ReadonlyMap<string, Instrument>): Generator<RunLine> {
  /** The last market or account event, which caused the intent. */
  let last: JournalRow | undefined;
  const causeOf = (row: JournalRow | undefined): RunLine['cause'] => {
    if (row === undefined) return undefined;
    const value = revive(row.body, instruments) as JournalValues['market'] | JournalValues['event'];
    return { id: row.id, time: row.time, words: eventWords('event' in value ? value.event : value) };
  };
  for (const row of journal.rows()) {
    const { id, time, kind, body } = row;
    if (kind === 'run') last = undefined;
    if (kind === 'market' || kind === 'event') last = row;
    if (kind === 'market') continue;
    if (kind === 'intent') {
      const { sequence, strategyId, intent } = revive(body, instruments) as JournalValues['intent'];
      yield { ...eventLine(id, time, intentText(strategyId, intent), sequence), cause: causeOf(last) };
    } else if (kind === 'event') {
      const { sequence, event } = revive(body, instruments) as JournalValues['event'];
      yield eventLine(id, time, eventText(event), sequence);
    } else if (kind === 'request' || kind === 'reply') {
      yield { id, time, kind, fields: revive(body, instruments) as JournalValues['request'] & Record<string, unknown> };
    } else if (kind === 'held') {
      const { links } = revive(body, instruments) as HeldSnapshot;
      yield { id, time, kind, fields: {}, links: links.map(({ entryId, legs }) => ({ entry: entryId, legs })) };
    }
  }
}

function eventLine(id: number, time: number, text: string, sequence: number): RunLine {
  const { kind, ...fields } = JSON.parse(`{"kind":${text}`) as Record<string, unknown> & { readonly kind: string };
  return { id, time, kind, fields: { sequence, ...fields } };
}

const PIECE_BYTES = 1 << 20;

/** The records of a backtest's folder. @throws TidegateError DATA_NOT_FOUND if it ran without `--events`. */
function recordsOfBacktest(folder: string): RunRecords {
  const source = join(folder, 'events.jsonl');
  if (!existsSync(source)) {
    throw new TidegateError('DATA_NOT_FOUND', `${folder} has no events.jsonl: run the backtest again with --events`);
  }
  const causes = join(folder, CAUSES_FILE);
  return { source, unit: 'line', lines: () => linesOfBacktest(source, existsSync(causes) ? causesOf(causes) : undefined), close: () => {} };
}

/** @param causes the causes of the intents, in their order; earlier versions have none. */
function* linesOfBacktest(source: string, causes: Iterator<Cause | undefined> | undefined): Generator<RunLine> {
  let id = 0;
  for (const text of textLines(source)) {
    id++;
    try {
      const { time, kind, ...fields } = JSON.parse(text) as Record<string, unknown> & { readonly time: number; readonly kind: string };
      const known = kind === 'intent' ? causes?.next().value : undefined;
      const cause = known ?? { time, words: `market data ${fields.sequence}` };
      yield { id, time, kind, fields, ...(kind === 'intent' && { cause: { id, ...cause } }) };
    } catch (cause) {
      throw new TidegateError('DATA_CORRUPT', `${source}:${id}: expected a line of JSON from \`--events\``, { cause });
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
