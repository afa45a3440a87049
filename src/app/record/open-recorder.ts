import { FileLock } from '../../journal/journal-lock.ts';
import { TidegateError } from '../../model/errors.ts';
import { parseInterval } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { openLogFolder } from '../../recording/log/log-record.ts';
import { Recorder, type RecorderStatus } from '../../recording/log/recorder.ts';
import type { MarketPoll } from '../../venues/rest/polling/market-poller.ts';
import type { RecordConfig } from '../config/schema/live-schema.ts';

export interface RecorderParts {
  readonly dataDir: string;
  readonly record: RecordConfig;
  readonly symbols: readonly string[];
  /** See `RecorderOptions`. */
  readonly silentMs: number;
  readonly clock: Clock;
  readonly log: Log;
  /** See `RecorderOptions`. */
  readonly acknowledged?: ((time: number) => void) | undefined;
}

/** A recorder that owns its recording. */
export interface OpenRecorder {
  readonly status: RecorderStatus;
  /** Records the polls of a `MarketPoller`, only for its own symbols. It never throws. */
  poll(poll: MarketPoll): void;
  /** Ends the log, converts it to parts, and releases the recording. */
  close(): Promise<void>;
}

/**
 * Locks the recording, keeps the logs of an earlier process, and begins to record.
 * @throws TidegateError RECORDING_IN_USE if another process records it, DATA_INVALID if it cannot be written.
 */
export async function openRecorder({ dataDir, record, symbols, silentMs, clock, log, acknowledged }: RecorderParts): Promise<OpenRecorder> {
  const folder = openLogFolder(dataDir, record.name);
  const lock = hold(folder.lock, record.name);
  try {
    const recorder = await Recorder.open({
      folder,
      symbols,
      rotateMs: parseInterval(record.rotate)!,
      syncMs: record.syncMs,
      silentMs,
      keepPolls: record.keepPolls,
      clock,
      log,
      acknowledged,
    });
    const own = new Set(symbols);
    return {
      get status() {
        return recorder.status;
      },
      poll({ time, prices, missing }) {
        recorder.poll({
          time,
          prices: prices
            .filter(({ instrument }) => own.has(instrument.symbol))
            .map(({ instrument: { symbol }, last, mark, stamp }) => ({ symbol, last, mark, stamp })),
          missing: missing
            .filter(({ instrument }) => own.has(instrument.symbol))
            .map(({ instrument: { symbol }, reason }) => ({ symbol, reason })),
        });
      },
      async close() {
        await recorder.stop();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error instanceof TidegateError ? error : cannotWrite(folder.path, error);
  }
}

function hold(path: string, name: string): FileLock {
  let lock: FileLock | undefined;
  try {
    lock = FileLock.take(path);
  } catch (error) {
    throw cannotWrite(path, error);
  }
  if (lock !== undefined) return lock;
  const text = `recording "${name}" is being recorded by another process: stop that process, or set another record.name (${path} is locked until it ends)`;
  throw new TidegateError('RECORDING_IN_USE', text, { retryable: true });
}

function cannotWrite(path: string, cause: unknown): TidegateError {
  return new TidegateError('DATA_INVALID', `${path}: cannot write there (${(cause as Error).message})`, { cause });
}
