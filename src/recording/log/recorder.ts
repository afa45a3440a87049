import { readFileSync } from 'node:fs';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { LatestPrices, type Polled } from './latest-prices.ts';
import { type Coverage, logContents, readCoverage } from './log-contents.ts';
import { LogKeeper } from './log-keeper.ts';
import {
  type LogEnding,
  type LogFolder,
  type LoggedPoll,
  type LogRecord,
  logPath,
  nextStart,
  openLogs,
  readLogLines,
} from './log-record.ts';
import { LogWriter } from './log-writer.ts';

/** The largest size of a log, in bytes: it is read as a whole when it becomes parts. */
const MOST_BYTES = 64 * 2 ** 20;
const DISK_FULL = ['ENOSPC', 'EDQUOT'];

/** Times in ms. */
export interface RecorderOptions {
  readonly folder: LogFolder;
  readonly symbols: readonly string[];
  /** A log ends when the clock passes a multiple of this. */
  readonly rotateMs: number;
  /** How long a poll may wait until it is durable; 0: not at all. */
  readonly syncMs: number;
  /** A longer time between two polls is a gap. */
  readonly silentMs: number;
  /** See `keepLog`. */
  readonly keepPolls: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after a poll has been written to disk. @param time its time in the record, epoch ms. */
  readonly acknowledged?: ((time: number) => void) | undefined;
}

/** The figures of a recorder, for status and logs. */
export interface RecorderStatus {
  /** Polls of this process that were written. */
  readonly polls: number;
  /** Polls in which some symbol had no reply. */
  readonly incomplete: number;
  /** Polls that could not be written. */
  readonly lost: number;
  /** Epoch ms of the newest poll that is on disk. */
  readonly durableTime: number | undefined;
  /** Bytes in the current log. */
  readonly logBytes: number;
  /** Logs that have become parts of series. */
  readonly kept: number;
  /** The error that prevents writing or storing at present. */
  readonly trouble: string | undefined;
}

/** Writes polls into logs and turns closed logs into parts of series. Disk errors are logged and shown in the status, never thrown. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #prices = new LatestPrices();
  readonly #keeper: LogKeeper;
  readonly #gaps: GapLog;
  #writer: LogWriter | undefined;
  #name = '';
  #startedAt = 0;
  /** The current log has no poll yet. */
  #empty = true;
  /** End of the previous log. */
  #last: { readonly time: number; readonly end: LogEnding } | undefined;
  #time = Number.NEGATIVE_INFINITY;
  #waiting: number[] = [];
  #cancelSync: (() => void) | undefined;
  #acknowledging: Promise<void> = Promise.resolve();
  /** A sync failed, so the contents of the disk are unknown: the next poll begins another log. */
  #unsure = false;
  #trouble: string | undefined;
  #lostInARow = 0;
  readonly #counts = { polls: 0, incomplete: 0, lost: 0 };
  #durableTime: number | undefined;

  private constructor(options: RecorderOptions) {
    this.#options = options;
    this.#keeper = new LogKeeper(options.folder, options.keepPolls, options.log);
    this.#gaps = new GapLog(options.log);
  }

  /**
   * Makes parts of the logs of an earlier process, and begins a new one. The caller holds the recording's lock.
   * @throws the error that prevents writing; a full disk is not one, as space may become free later.
   */
  static async open(options: RecorderOptions): Promise<Recorder> {
    const recorder = new Recorder(options);
    await recorder.#keeper.keep(() => false);
    const newest = newestOf(options.folder);
    if (newest !== undefined) {
      // A rotated log has a successor, unless the process was killed in between.
      recorder.#last = { time: newest.to, end: newest.end === 'rotated' ? 'cut' : newest.end };
      recorder.#time = newest.to;
      recorder.#name = newest.log;
    }
    try {
      recorder.#begin(Math.max(options.clock.now(), recorder.#time));
    } catch (error) {
      if (!DISK_FULL.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      recorder.#inTrouble(error);
    }
    return recorder;
  }

  get status(): RecorderStatus {
    return {
      ...this.#counts,
      durableTime: this.#durableTime,
      logBytes: this.#writer?.bytes ?? 0,
      kept: this.#keeper.kept,
      trouble: this.#trouble ?? this.#keeper.trouble,
    };
  }

  poll(polled: Polled): void {
    // A wall clock may be set back; times in a record always increase.
    const time = Math.max(polled.time, this.#time + 1);
    const record = this.#prices.recordOf(polled, time);
    this.#gaps.note(record);
    try {
      const writer = this.#writerAt(time);
      if (this.#lostInARow > 0) writer.append({ kind: 'lost', time, polls: this.#lostInARow, reason: this.#trouble! });
      this.#lostInARow = 0;
      writer.append(record);
    } catch (error) {
      this.#counts.lost++;
      this.#lostInARow++;
      this.#inTrouble(error);
      return;
    }
    this.#prices.logged(record);
    this.#time = time;
    this.#empty = false;
    this.#counts.polls++;
    if (record.missing !== undefined) this.#counts.incomplete++;
    this.#waiting.push(time);
    this.#syncSoon();
  }

  /** Ends the log and makes parts of it. The next start stores logs that cannot be stored now. */
  async stop(): Promise<void> {
    this.#cancelSync?.();
    await this.#end('stopped');
  }

  #writerAt(time: number): LogWriter {
    const { rotateMs } = this.#options;
    const isDue = Math.floor(time / rotateMs) !== Math.floor(this.#startedAt / rotateMs) || (this.#writer?.bytes ?? 0) > MOST_BYTES;
    if (this.#writer !== undefined && ((isDue && !this.#empty) || this.#unsure)) void this.#end('rotated');
    return this.#writer ?? this.#begin(time);
  }

  #begin(time: number): LogWriter {
    const { folder, symbols, silentMs } = this.#options;
    const name = nextStart(folder, time, this.#name);
    const writer = new LogWriter(logPath(folder, name));
    try {
      writer.append({ kind: 'start', version: 1, time, symbols, silentMs, ...(this.#last === undefined ? {} : { after: this.#last }) });
    } catch (error) {
      writer.discard();
      throw error;
    }
    this.#name = name;
    this.#writer = writer;
    this.#startedAt = time;
    this.#empty = true;
    if (this.#unsure) this.#prices.forget();
    this.#unsure = false;
    return writer;
  }

  async #end(end: 'rotated' | 'stopped'): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    this.#writer = undefined;
    const last: LogRecord = { kind: 'end', time: this.#time, end };
    try {
      if (this.#time > Number.NEGATIVE_INFINITY) writer.append(last);
    } catch (error) {
      this.#inTrouble(error);
    }
    // A log without a poll says nothing about the time since the previous log: that is still a gap.
    if (!this.#empty) this.#last = { time: this.#time, end };
    await this.#acknowledge(() => writer.close());
    await this.#keeper.keep((log) => this.#writer !== undefined && log === this.#name);
  }

  #syncSoon(): void {
    const { syncMs, clock } = this.#options;
    const sync = () => {
      this.#cancelSync = undefined;
      const writer = this.#writer;
      if (writer !== undefined) void this.#acknowledge(() => writer.durable());
    };
    if (syncMs === 0) sync();
    else this.#cancelSync ??= clock.schedule(clock.now() + syncMs, sync);
  }

  /**
   * Polls are acknowledged in order, also across rotations.
   * @param sync makes all written polls durable.
   */
  #acknowledge(sync: () => Promise<void>): Promise<void> {
    const times = this.#waiting.splice(0);
    const synced = sync().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    this.#acknowledging = this.#acknowledging.then(async () => {
      const failure = await synced;
      if (failure === undefined) this.#publishDurable(times);
      else {
        this.#unsure = true;
        this.#inTrouble(failure.error);
      }
    });
    return this.#acknowledging;
  }

  #publishDurable(times: readonly number[]): void {
    if (this.#lostInARow === 0) this.#outOfTrouble();
    if (times.length === 0) return;
    this.#durableTime = times.at(-1);
    for (const time of times) this.#options.acknowledged?.(time);
  }

  #inTrouble(error: unknown): void {
    const { message } = error as Error;
    if (this.#trouble !== message)
      this.#options.log.warn('polls cannot be written to disk: the recorder tries again with each poll', { error: message });
    this.#trouble = message;
  }

  #outOfTrouble(): void {
    if (this.#trouble === undefined) return;
    this.#options.log.warn('polls are written again', { lost: this.#counts.lost });
    this.#trouble = undefined;
  }
}

/** The coverage of the newest log of a recording, whether it has become parts or not. */
function newestOf(folder: LogFolder): Coverage | undefined {
  const left = openLogs(folder).flatMap((log) => logContents(log, readLogLines(readFileSync(logPath(folder, log))))?.coverage ?? []);
  return left.at(-1) ?? readCoverage(folder).at(-1);
}

/** Logs once when polls get no reply for some symbols, and once when they get one again. */
class GapLog {
  /** Epoch ms of the first poll without a reply, by symbol. */
  readonly #since = new Map<string, number>();

  constructor(private readonly log: Log) {}

  note({ time, missing = [] }: LoggedPoll): void {
    if (missing.length === 0 && this.#since.size === 0) return;
    const reasons = new Map(missing);
    const ended = [...this.#since].filter(([symbol]) => !reasons.has(symbol));
    const begun = missing.filter(([symbol]) => !this.#since.has(symbol));
    for (const [symbol] of ended) this.#since.delete(symbol);
    for (const [symbol] of begun) this.#since.set(symbol, time);
    if (ended.length > 0) {
      const since = Math.min(...ended.map(([, at]) => at));
      this.log.info('answered again', { symbols: ended.map(([symbol]) => symbol), ms: time - since });
    }
    if (begun.length > 0) this.log.warn('no reply: a gap begins', { symbols: begun.map(([symbol]) => symbol), reason: begun[0]![1] });
  }
}
