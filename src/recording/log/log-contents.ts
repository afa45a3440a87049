import { type Gap, GapFinder } from './gaps.ts';
import type { LogReading } from './log-line.ts';
import type { LogEnding, LoggedPoll } from './log-record.ts';
import type { PartRow, PartRows } from './part-rows.ts';

/** What a log covers: a line of `coverage.jsonl`. Times are epoch ms. */
export interface Coverage {
  /** Name of the log: its start. */
  readonly log: string;
  /** First and last poll; of a log without one the last of the log before, or its own start. */
  readonly from: number;
  readonly to: number;
  readonly polls: number;
  /** Rows that came of it, over all series. */
  readonly rows: number;
  readonly end: LogEnding;
  /** Bytes of a record that was cut off. */
  readonly tornBytes: number;
  /** Stretches of bytes that are no records though records follow. */
  readonly damaged: number;
  readonly gaps: readonly Gap[];
}

export interface LogContents {
  readonly coverage: Coverage;
  readonly parts: readonly PartRows[];
}

/** Sorts the records of a log by series; `undefined` where there is none. */
export function logContents(log: string, { records, tornBytes }: LogReading): LogContents | undefined {
  const timed = records.filter((record) => record.kind !== 'damaged');
  const [first] = timed;
  if (first === undefined) return undefined;
  const polls = timed.filter((record) => record.kind === 'poll');
  const last = timed.at(-1)!;
  const before = first.kind === 'start' ? (first.after?.time ?? first.time) : first.time;
  const parts = partsOf(polls);
  const coverage: Coverage = {
    log,
    from: polls[0]?.time ?? before,
    to: polls.at(-1)?.time ?? before,
    polls: polls.length,
    rows: parts.reduce((sum, { rows }) => sum + rows.length, 0),
    end: last.kind === 'end' ? last.end : 'cut',
    tornBytes,
    damaged: records.length - timed.length,
    gaps: new GapFinder(records).gaps,
  };
  return { coverage, parts };
}

function partsOf(polls: readonly LoggedPoll[]): PartRows[] {
  const series = new Map<string, { readonly symbol: string; readonly kind: PartRows['kind']; readonly rows: PartRow[] }>();
  const add = (symbol: string, kind: PartRows['kind'], row: PartRow) => {
    const key = `${symbol} ${kind}`;
    const part = series.get(key) ?? { symbol, kind, rows: [] };
    series.set(key, part);
    if (part.rows.at(-1)?.price !== row.price) part.rows.push(row);
  };
  for (const { time, prices = [] } of polls) {
    for (const [symbol, last, exchangeTime, mark] of prices) {
      add(symbol, 'ticker', { time, price: last, exchangeTime });
      if (mark !== undefined) add(symbol, 'mark', { time, price: mark, exchangeTime });
    }
  }
  return [...series.values()];
}
