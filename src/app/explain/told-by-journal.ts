import type { HeldSnapshot } from '../../engine/held/held-snapshot.ts';
import { revive } from '../../journal/codec.ts';
import { eventText, intentText } from '../../journal/event-line.ts';
import type { JournalRow } from '../../journal/journal-reader.ts';
import type { JournalValues } from '../../journal/journal-record.ts';
import type { RecordedJournal } from '../../journal/recorded-journal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { eventWords } from '../event-words.ts';
import type { ToldLine, ToldRun } from './told-line.ts';

/** What a bot's journal tells, of whatever version: its instruments are as the journal counts them. */
export function toldByJournal(journal: RecordedJournal): ToldRun {
  const instruments = new Map(journal.instruments().map((instrument) => [instrument.symbol, instrument]));
  return {
    source: journal.path,
    unit: 'record',
    lines: () => linesOf(journal, instruments),
    close: () => journal.close(),
  };
}

function* linesOf(journal: RecordedJournal, instruments: ReadonlyMap<string, Instrument>): Generator<ToldLine> {
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
