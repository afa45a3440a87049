import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { TidegateError } from '../../model/errors.ts';
import { syncFolder } from '../files.ts';
import type { Damage, LogEnding, LogFolder, LoggedPoll, LogReading, LogRecord } from './log-record.ts';

/** A time in which the prices of some symbols are unknown. */
export interface Gap {
  readonly symbols: readonly string[];
  /** Epoch ms of the last reply before it, or of the beginning. */
  readonly from: number;
  /** Epoch ms of the next reply, or of the log's end. */
  readonly to: number;
  readonly reason: string;
  /** Polls in it without a reply; zero while nothing polled. */
  readonly polls: number;
}

/** The period of a log, and its gaps: a line of `coverage.jsonl`. Times are epoch ms. */
export interface Coverage {
  /** Name of the log: its start. */
  readonly log: string;
  /** First and last poll; for a log without polls, the last of the previous log, or its own start. */
  readonly from: number;
  readonly to: number;
  readonly polls: number;
  /** Rows made from it, over all series. */
  readonly rows: number;
  readonly end: LogEnding;
  /** Bytes of an incomplete last record. */
  readonly tornBytes: number;
  /** Number of damaged ranges: bytes that are not records, before further records. */
  readonly damaged: number;
  readonly gaps: readonly Gap[];
}

/** One row of a series that a recorder fills. */
interface PartRow {
  /** Time of receipt, epoch ms. */
  readonly time: number;
  /** Decimal text above 0, as the exchange sent it. */
  readonly price: string;
  /** The exchange's own time of the price, epoch ms. */
  readonly exchangeTime: number;
}

/** The rows of one log that belong to one series. */
export interface PartRows {
  readonly symbol: string;
  readonly kind: 'ticker' | 'mark';
  /** In order of time. */
  readonly rows: readonly PartRow[];
}

interface LogContents {
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

/**
 * The coverage of each log that has become parts, the oldest first.
 * @throws TidegateError DATA_CORRUPT naming file and line.
 */
export function readCoverage({ coverage: path }: LogFolder): Coverage[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line, index) => {
    try {
      return JSON.parse(line) as Coverage;
    } catch (cause) {
      throw new TidegateError(
        'DATA_CORRUPT',
        `${path}: line ${index + 1} is not JSON; move the file away, and the recorder begins a new one`,
        { cause },
      );
    }
  });
}

/** Adds a log's coverage, and replaces an older line of the same log. The file is complete at every moment. */
export function addCoverage(folder: LogFolder, added: Coverage): void {
  const others = readCoverage(folder).filter(({ log }) => log !== added.log);
  const text = [...others, added].map((one) => `${JSON.stringify(one)}\n`).join('');
  const temporary = `${folder.coverage}.new`;
  writeFileSync(temporary, text, { flush: true });
  renameSync(temporary, folder.coverage);
  syncFolder(folder.path);
}

const NOT_RECORDING: Readonly<Record<Exclude<LogEnding, 'rotated'>, string>> = {
  stopped: 'the recorder was stopped',
  cut: 'the recorder was cut off: killed, or without power',
};

interface Outage {
  readonly reason: string;
  polls: number;
}

/** Finds the gaps of one log, record by record. A gap that continues after its log's end continues in the next log. */
export class GapFinder {
  readonly #silentMs: number;
  readonly #answered = new Map<string, number>();
  readonly #out = new Map<string, Outage>();
  readonly #found: (Omit<Gap, 'symbols'> & { readonly symbols: string[] })[] = [];
  #lastTime: number;

  constructor(records: readonly (LogRecord | Damage)[]) {
    const start = records.find((record) => record.kind === 'start');
    const { after, silentMs = Number.POSITIVE_INFINITY, symbols = [] } = start ?? {};
    this.#silentMs = silentMs;
    this.#lastTime = after?.time ?? start?.time ?? Number.NEGATIVE_INFINITY;
    for (const symbol of symbols) this.#answered.set(symbol, this.#lastTime);
    if (after !== undefined && after.end !== 'rotated') this.#allOut(NOT_RECORDING[after.end], 0);
    for (const record of records) this.#take(record);
    for (const symbol of this.#out.keys()) this.#end(symbol, this.#lastTime);
  }

  /** In the order of their ends. */
  get gaps(): readonly Gap[] {
    return this.#found;
  }

  #take(record: LogRecord | Damage): void {
    if (record.kind === 'damaged') this.#allOut('a damaged record', 0);
    if (record.kind === 'lost') this.#allOut(record.reason, record.polls);
    if (record.kind !== 'poll') return;
    const { time, missing = [] } = record;
    if (time - this.#lastTime > this.#silentMs) this.#allOut('nothing polled', 0);
    const silent = new Map(missing);
    for (const symbol of this.#answered.keys()) {
      const reason = silent.get(symbol);
      if (reason !== undefined) this.#miss(symbol, reason, 1);
      else {
        this.#end(symbol, time);
        this.#answered.set(symbol, time);
      }
    }
    this.#lastTime = time;
  }

  #allOut(reason: string, polls: number): void {
    for (const symbol of this.#answered.keys()) this.#miss(symbol, reason, polls);
  }

  /** A gap keeps its first reason. */
  #miss(symbol: string, reason: string, polls: number): void {
    const outage = this.#out.get(symbol);
    if (outage === undefined) this.#out.set(symbol, { reason, polls });
    else outage.polls += polls;
  }

  #end(symbol: string, to: number): void {
    const outage = this.#out.get(symbol);
    if (outage === undefined) return;
    this.#out.delete(symbol);
    const from = this.#answered.get(symbol)!;
    if (from === to) return;
    const { reason, polls } = outage;
    const same = this.#found.find((gap) => gap.to === to && gap.from === from && gap.reason === reason && gap.polls === polls);
    if (same === undefined) this.#found.push({ symbols: [symbol], from, to, reason, polls });
    else same.symbols.push(symbol);
  }
}
