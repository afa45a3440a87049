import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { HeldSnapshot } from '../../engine/held/held-memory.ts';
import { revive } from '../../journal/codec.ts';
import { eventText, intentText } from '../../journal/event-log.ts';
import type { JournalRow, RecordedJournal } from '../../journal/journal-reader.ts';
import type { JournalValues } from '../../journal/journal-record.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { CAUSES_FILE, type Cause } from '../backtest/results/event-files.ts';
import { eventWords } from '../base/text.ts';
import type { Lives, OrderLife, ToldLine, ToldRun } from './lives.ts';

/** Why intents were not carried out, one way of them. */
interface NotCarriedOut {
  /** `risk`: denied; `exchange`: rejected; `ended`: canceled or expired with nothing filled; `unknown`: no end was told. */
  readonly by: 'risk' | 'exchange' | 'ended' | 'unknown';
  readonly code: string;
  readonly strategy: string;
  readonly symbol: string;
  count: number;
  /** Epoch ms. */
  readonly first: number;
  last: number;
  /** Number of the newest: an intent's, where one asked; else that of what was told. */
  newest: number;
  /** Its figures. */
  numbers: Readonly<Record<string, unknown>>;
}

export interface DeniedSummary {
  /** That asked for an order. */
  readonly intents: number;
  readonly ways: readonly NotCarriedOut[];
}

/** The most frequent first. */
export function notCarriedOut(lives: Lives): DeniedSummary {
  const ways = new Map<string, NotCarriedOut>();
  const add = (
    by: NotCarriedOut['by'],
    line: ToldLine,
    code: string,
    numbers: object,
    of: { strategy: string; symbol: string },
    id: number,
  ) => {
    const key = `${by}/${code}/${of.strategy}/${of.symbol}`;
    const known = ways.get(key);
    const { strategy, symbol } = of;
    if (known === undefined) {
      ways.set(key, { by, code, strategy, symbol, count: 1, first: line.time, last: line.time, newest: id, numbers: { ...numbers } });
    } else Object.assign(known, { count: known.count + 1, last: line.time, newest: id, numbers: { ...numbers } });
  };
  const denied = (line: ToldLine, id: number) => {
    const { code, ...numbers } = line.fields.reason as Record<string, unknown>;
    const { strategy, symbol } = line.fields as { strategy: string; symbol: string };
    add('risk', line, String(code), numbers, { strategy, symbol }, id);
  };
  for (const { denial, line } of lives.intents) if (denial !== undefined) denied(denial, line.id);
  for (const line of lives.ownDenials) denied(line, line.id);
  for (const order of lives.orders.values()) {
    const end = unfilledEnd(order);
    if (end === undefined) continue;
    add(end.by, end.line, end.code, end.numbers, order, order.intent?.line.id ?? end.line.id);
  }
  const asked = lives.intents.filter(({ intent }) => intent.kind === 'place' || intent.kind === 'protect');
  return { intents: asked.length, ways: [...ways.values()].sort((a, b) => b.count - a.count) };
}

/** How an order ended of which nothing was filled; `undefined` of one that was, or that still works. */
function unfilledEnd({ lines, fillIds }: OrderLife) {
  if (fillIds.size > 0) return undefined;
  for (const line of lines.toReversed()) {
    const { kind, fields } = line;
    if (kind === 'orderRejected' || kind === 'orderDenied') {
      const { code, ...numbers } = fields.reason as Record<string, unknown>;
      return { by: kind === 'orderRejected' ? 'exchange' : 'risk', line, code: String(code), numbers } as const;
    }
    if (kind === 'orderCanceled' || kind === 'orderExpired')
      return { by: 'ended', line, code: `${kind === 'orderCanceled' ? 'canceled' : 'expired'}: ${fields.reason}`, numbers: {} } as const;
    if (kind === 'orderUnknown') return { by: 'unknown', line, code: 'no answer was heard', numbers: {} } as const;
    if (kind === 'orderAccepted' || kind === 'orderTriggered') return undefined;
  }
  return undefined;
}

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

/** What a bot's journal tells, of whatever version: its instruments are as the journal counts them. */
export function toldByJournal(journal: RecordedJournal): ToldRun {
  const instruments = new Map(journal.instruments().map((instrument) => [instrument.symbol, instrument]));
  return {
    source: journal.path,
    unit: 'record',
    lines: () => linesOfInToldByJournal(journal, instruments),
    close: () => journal.close(),
  };
}

function* linesOfInToldByJournal(journal: RecordedJournal, instruments: ReadonlyMap<string, Instrument>): Generator<ToldLine> {
  /** What was told last: it made the strategy ask. */
  let last: JournalRow | undefined;
  const causeOf = (row: JournalRow | undefined): ToldLine['cause'] => {
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
      yield { ...parsed(id, time, intentText(strategyId, intent), sequence), cause: causeOf(last) };
    } else if (kind === 'event') {
      const { sequence, event } = revive(body, instruments) as JournalValues['event'];
      yield parsed(id, time, eventText(event), sequence);
    } else if (kind === 'request' || kind === 'reply') {
      yield { id, time, kind, fields: revive(body, instruments) as JournalValues['request'] & Record<string, unknown> };
    } else if (kind === 'held') {
      const { links } = revive(body, instruments) as HeldSnapshot;
      yield { id, time, kind, fields: {}, links: links.map(({ entryId, legs }) => ({ entry: entryId, legs })) };
    }
  }
}

function parsed(id: number, time: number, text: string, sequence: number): ToldLine {
  const { kind, ...fields } = JSON.parse(`{"kind":${text}`) as Record<string, unknown> & { readonly kind: string };
  return { id, time, kind, fields: { sequence, ...fields } };
}
