import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { BotJournal } from '../../../journal/bot-journal.ts';
import { TidegateError } from '../../../model/errors.ts';
import { isSymbol } from '../../../model/instrument.ts';
import type { SignalReceived, SignalValue } from '../../../model/signal.ts';
import { intervalText, isoTime } from '../../../model/time.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { VenueMemory } from '../../../ports/journal.ts';
import type { Log } from '../../../ports/log.ts';
import { TimeParser } from '../../../recording/import/times/time-parser.ts';
import { isSignalColumn } from '../../../recording/signals/signal-rows.ts';
import type { SignalSource } from '../../planning/run-plans.ts';

/** Key of the journal's memory with the place up to which a file has been delivered, followed by the name of the signals. */
const MEMORY = 'signals/';
/** The most bytes that one look at a file reads: a bot that was away catches up in several. */
const MOST_BYTES = 1 << 20;
/** The end of what was read is remembered, so that a file with other content is noticed. */
const MARK_BYTES = 64;
/** A row is late if it is delivered this long after it was available, in ms. */
const LATE_MS = 60_000;
/** A row that must wait longer than this, in ms, has probably a wrong time: all later rows wait with it. */
export const EARLY_MS = 3_600_000;
const LINE_FEED = 10;

/** The place in a file. */
interface Place {
  /** Bytes that were read: complete lines. */
  readonly offset: number;
  /** Lines among them. */
  readonly lines: number;
  /** The last bytes before the offset, in hex. */
  readonly mark: string;
}

interface SignalFilesParts {
  readonly sources: readonly SignalSource[];
  /** Time between two looks at the files, in ms of the clock. */
  readonly everyMs: number;
  readonly clock: Clock;
  readonly memory: Pick<VenueMemory, 'remember' | 'recall'>;
  readonly log: Log;
  /** False while the bot stops: nothing is read any more. */
  readonly active: () => boolean;
  /** A file cannot be read: the bot ends with this error. */
  readonly failed: (error: unknown) => void;
  /** Delivers signals in a turn of the engine, with the journal's memory of them. Called outside turns. */
  readonly deliver: (signals: readonly SignalReceived[]) => void;
}

/**
 * The signals of a bot: files of JSON lines that grow. The place in each file is stored in the journal together with the signals, so a
 * restart continues after the last one that was delivered.
 *
 * - A first start begins at the end of the file. A file that does not exist yet is read from its beginning.
 * - A line counts when its line end is written. A row is delivered when its time plus the delay has come; the lines after it wait.
 * - A line that is no signal, or whose time is too far ahead, is logged with its place and left out.
 */
export class SignalFiles {
  readonly #files: GrowingFile[];

  constructor(private readonly parts: SignalFilesParts) {
    this.#files = parts.sources.map((source) => new GrowingFile(source, parts));
  }

  /** Looks now, and then regularly. */
  start(): void {
    if (this.#files.length === 0) return;
    const { clock, everyMs, active, deliver, failed } = this.parts;
    const look = () => {
      if (!active()) return;
      try {
        for (const file of this.#files) deliver(file.read());
      } catch (error) {
        failed(error);
        return;
      }
      clock.schedule(clock.now() + everyMs, look);
    };
    look();
  }
}

class GrowingFile {
  #place: Place | undefined;
  readonly #key: string;
  /** The line that waits for its time, so that it is logged once. */
  #waiting = -1;

  constructor(
    private readonly source: SignalSource,
    private readonly parts: Pick<SignalFilesParts, 'clock' | 'memory' | 'log'>,
  ) {
    this.#key = `${MEMORY}${source.name}`;
    this.#place = parts.memory.recall(this.#key) as Place | undefined;
  }

  /** The signals that are due; remembers their place. @throws TidegateError DATA_INVALID for a file that cannot be read. */
  read(): SignalReceived[] {
    const { file } = this.source;
    try {
      return this.#read();
    } catch (cause) {
      if (cause instanceof TidegateError) throw cause;
      throw new TidegateError('DATA_INVALID', `${file}: the file of signals cannot be read: ${(cause as Error).message}`, { cause });
    }
  }

  #read(): SignalReceived[] {
    const { file, name } = this.source;
    const descriptor = opened(file);
    if (descriptor === undefined) {
      this.#place ??= this.#remember({ offset: 0, lines: 0, mark: '' });
      return [];
    }
    try {
      const { size } = fstatSync(descriptor);
      const known = this.#place;
      if (known === undefined) {
        this.#begin(descriptor, size);
        return [];
      }
      let place = known;
      if (size < place.offset || markAt(descriptor, place.offset) !== place.mark) {
        this.parts.log.warn('the file of signals has other content than before: it is read from its beginning', { signals: name, file });
        place = { offset: 0, lines: 0, mark: '' };
      }
      return size === place.offset ? [] : this.#take(descriptor, place, size);
    } finally {
      closeSync(descriptor);
    }
  }

  /** The first start: earlier rows are not news. */
  #begin(descriptor: number, size: number): void {
    const { name, file } = this.source;
    const all = Buffer.alloc(Math.min(size, MOST_BYTES));
    const read = readSync(descriptor, all, 0, all.length, size - all.length);
    const offset = size - read + all.lastIndexOf(LINE_FEED, read - 1) + 1;
    this.#remember({ offset: read === 0 ? 0 : offset, lines: 0, mark: markAt(descriptor, offset) });
    this.parts.log.info('signals begin at the end of the file', { signals: name, file, bytes: offset });
  }

  #take(descriptor: number, place: Place, size: number): SignalReceived[] {
    const bytes = Buffer.alloc(Math.min(size - place.offset, MOST_BYTES));
    const read = readSync(descriptor, bytes, 0, bytes.length, place.offset);
    const signals: SignalReceived[] = [];
    let at = 0;
    let { lines } = place;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0 && end < read; end = bytes.indexOf(LINE_FEED, at)) {
      const found = this.#line(bytes.toString('utf8', at, end), lines + 1, place.offset + at);
      if (found === 'waits') break;
      if (found !== undefined) signals.push(found);
      at = end + 1;
      lines++;
    }
    if (at === 0 && read === MOST_BYTES)
      throw new TidegateError('DATA_INVALID', `${this.source.file}: a line is longer than 1 MiB; expected one JSON object on each line`);
    if (at === 0) return [];
    const offset = place.offset + at;
    this.#remember({ offset, lines, mark: markAt(descriptor, offset) });
    return signals;
  }

  /** The signal on a line; nothing if it is no signal; `waits` if its time has not come. */
  #line(text: string, line: number, offset: number): SignalReceived | 'waits' | undefined {
    const { log, clock } = this.parts;
    const { name, file, delayMs } = this.source;
    const where = { signals: name, file, byte: offset, ...(line > 0 && { line }) };
    if (text.trim() === '') return undefined;
    const parsed = parseSignal(text);
    const now = clock.now();
    const problem = typeof parsed === 'string' ? parsed : tooFarAhead(parsed, this.source, now);
    if (typeof parsed === 'string' || problem !== undefined) {
      log.warn(`this line is no signal and is left out: ${problem}`, { ...where, text: text.slice(0, 200) });
      return undefined;
    }
    const due = parsed.sourceTime + delayMs;
    if (due > now) {
      if (this.#waiting !== offset) {
        const level = due - now > EARLY_MS ? 'warn' : 'info';
        log[level]('a signal waits for its time, and the lines after it with it', { ...where, due: isoTime(due) });
      }
      this.#waiting = offset;
      return 'waits';
    }
    if (now - due > LATE_MS) log.warn('a signal is late', { ...where, time: isoTime(parsed.sourceTime), lateMs: Math.round(now - due) });
    return { kind: 'signalReceived', time: now, name, ...parsed };
  }

  #remember(place: Place): Place {
    this.#place = place;
    this.parts.memory.remember(this.#key, place);
    return place;
  }
}

/** The rows of a file that wait: the first one whose time has not come, and all after it. */
export interface WaitingRows {
  /** The name of the signals. */
  readonly name: string;
  readonly rows: number;
  /** Epoch ms of the bot's clock at which the first of them is delivered. */
  readonly until: number;
}

/**
 * The rows that wait in each file, of those in the next MiB of it. Rows that are due, and that the next look will deliver, do not wait.
 * @returns nothing for a file without such a row, or whose beginning is not known yet.
 */
export function waitingRows(sources: readonly SignalSource[], memory: Pick<VenueMemory, 'recall'>, now: number): WaitingRows[] {
  return sources.flatMap((source) => {
    const place = memory.recall(`${MEMORY}${source.name}`) as Place | undefined;
    const rows = place === undefined ? [] : rowsFrom(source.file, place.offset);
    const sound = rows.filter((row) => tooFarAhead(row, source, now) === undefined);
    const first = sound.findIndex(({ sourceTime }) => sourceTime + source.delayMs > now);
    if (first < 0) return [];
    return [{ name: source.name, rows: sound.length - first, until: sound[first]!.sourceTime + source.delayMs }];
  });
}

/** The sound rows of the complete lines from this place on, up to a limit. A file that cannot be read has none: the next look says why. */
function rowsFrom(file: string, offset: number): SignalRow[] {
  try {
    const descriptor = opened(file);
    if (descriptor === undefined) return [];
    try {
      const bytes = Buffer.alloc(Math.max(0, Math.min(fstatSync(descriptor).size - offset, MOST_BYTES)));
      const read = readSync(descriptor, bytes, 0, bytes.length, offset);
      const lines = bytes.toString('utf8', 0, bytes.lastIndexOf(LINE_FEED, read - 1) + 1).split('\n');
      return lines.map(parseSignal).filter((row) => typeof row !== 'string');
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return [];
  }
}

/** Why a row cannot be a signal at this time of the bot's clock: all rows after it would wait for it. */
export function tooFarAhead({ sourceTime }: SignalRow, { name, maxAheadMs }: SignalSource, now: number): string | undefined {
  if (sourceTime - now <= maxAheadMs) return undefined;
  const limit = `signals.${name}.maxAhead allows ${intervalText(maxAheadMs)}`;
  return `"time" is ${isoTime(sourceTime)}, too far ahead of ${isoTime(Math.floor(now))}, the clock of the bot: ${limit}`;
}

interface BeginParts extends Pick<SignalFilesParts, 'clock' | 'log'> {
  readonly journal: Pick<BotJournal, 'remember' | 'recall' | 'outside'>;
}

/**
 * Stores in the journal where signals begin, unless it has a place in their file. This is durable at once: every row that is written
 * from now on is delivered, even if the process ends before its first look at the file.
 * @throws TidegateError DATA_INVALID for a file that cannot be read; JOURNAL_FAILED.
 */
export function beginSignals(sources: readonly SignalSource[], { journal, clock, log }: BeginParts): void {
  const fresh = sources.filter(({ name }) => journal.recall(`${MEMORY}${name}`) === undefined);
  if (fresh.length === 0) return;
  // Without a place, a look only begins.
  journal.outside(() => {
    for (const source of fresh) new GrowingFile(source, { clock, memory: journal, log }).read();
  });
}

/** `undefined` for a file that does not exist. */
function opened(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function markAt(descriptor: number, offset: number): string {
  const bytes = Buffer.alloc(Math.min(offset, MARK_BYTES));
  readSync(descriptor, bytes, 0, bytes.length, offset - bytes.length);
  return bytes.toString('hex');
}

/** A row of signals, before it is delivered. */
export type SignalRow = Pick<SignalReceived, 'sourceTime' | 'symbol' | 'values'>;

/** A signal from the text of one JSON object. @returns the problem as text if it is none. */
export function parseSignal(text: string): SignalRow | string {
  try {
    return signalOf(JSON.parse(text));
  } catch (error) {
    return `expected one JSON object: ${(error as Error).message}`;
  }
}

/** A signal from an object: `time`, perhaps `symbol`, and values by column. @returns the problem as text if it is none. */
export function signalOf(object: unknown): SignalRow | string {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return 'expected one JSON object';
  const { time, symbol, ...rest } = object as Record<string, unknown>;
  const parser = new TimeParser();
  if ((typeof time !== 'number' && typeof time !== 'string') || !parser.parse(String(time)))
    return `"time": ${JSON.stringify(time) ?? 'missing'}; expected epoch s, ms, us or ns, or ISO 8601 such as 2025-01-31T23:59:59Z`;
  if (symbol !== undefined && symbol !== null && !(typeof symbol === 'string' && isSymbol(symbol)))
    return `"symbol": ${JSON.stringify(symbol)}; expected a symbol such as BTC-USDT, or none`;
  const values: Record<string, SignalValue> = {};
  for (const [name, value] of Object.entries(rest)) {
    if (!isSignalColumn(name)) return `"${name}" cannot name a column`;
    if (typeof value === 'boolean') values[name] = String(value);
    else if (value === null || typeof value === 'string' || Number.isFinite(value)) values[name] = value as SignalValue;
    else return `"${name}": expected a ${typeof value === 'number' ? 'finite ' : ''}number, a text or null`;
  }
  // As in an import: rounded up, so that no signal is early.
  return { sourceTime: (parser.us + (parser.nanos > 0 ? 1 : 0)) / 1_000, ...(typeof symbol === 'string' && { symbol }), values };
}
