import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { TidegateError } from '../../model/errors.ts';
import type { Log } from '../../ports/log.ts';
import { keepSeries } from '../catalogue/keep-series.ts';
import { RowBuffer } from '../columns/chunks.ts';
import { ClockOffsets } from '../columns/clock-offsets.ts';
import { parseExactDecimal } from '../columns/decimals.ts';
import type { SeriesMeta } from '../columns/series-meta.ts';
import { type SeriesTarget, SeriesWriter } from '../columns/series-writer.ts';
import { syncFolder } from '../files.ts';
import { addCoverage, type Coverage, logContents, type PartRows } from './log-contents.ts';
import { type LogFolder, logPath, openLogs, readLogLines } from './log-record.ts';

/** Turns closed logs into parts of series, one after the other, the oldest first. */
export class LogKeeper {
  /** Logs that have become parts. */
  kept = 0;
  /** The error that prevents storing logs at present. */
  trouble: string | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(
    private readonly folder: LogFolder,
    private readonly keepPolls: boolean,
    private readonly log: Log,
  ) {}

  /**
   * Stores the closed logs after those already in progress. A log that cannot be stored remains for the next call, and so do those after
   * it. Never throws.
   */
  keep(isOpen: (log: string) => boolean): Promise<void> {
    this.#working = this.#working.then(() => this.#keepAll(isOpen));
    return this.#working;
  }

  async #keepAll(isOpen: (log: string) => boolean): Promise<void> {
    let at = '';
    try {
      for (const log of openLogs(this.folder).filter((one) => !isOpen(one))) {
        at = log;
        const coverage = await keepLog(this.folder, log, this.keepPolls);
        this.kept++;
        if (coverage === undefined) continue;
        const { polls, rows, gaps, tornBytes, damaged, end } = coverage;
        this.log.info('kept', { log, polls, rows, gaps: gaps.length, end });
        if (tornBytes > 0) this.log.warn('a record that was being written is cut off', { log, tornBytes });
        if (damaged > 0)
          this.log.warn('a log has damaged parts: its readable records are kept in the series, and the log as .log.damaged', {
            log,
            damaged,
          });
      }
      this.trouble = undefined;
    } catch (error) {
      this.trouble = `log ${at} could not be added to its series: ${(error as Error).message}`;
      this.log.warn('a log could not be added to its series: it is kept, and the next rotation or start tries again', {
        log: at,
        error: (error as Error).message,
      });
    }
  }
}

/**
 * Turns a closed log into parts of its series, and removes it when they are durable. Repeating it after an interruption at any point gives
 * the same result. A damaged log is kept as `.log.damaged`.
 * @param keepPolls keeps a packed copy of its complete records: series do not contain the exchange's times, nor polls without a change.
 * @returns `undefined` where it had no record.
 * @throws the error that prevented it; the log still exists then.
 */
export async function keepLog(folder: LogFolder, log: string, keepPolls: boolean): Promise<Coverage | undefined> {
  const path = logPath(folder, log);
  const bytes = readFileSync(path);
  const reading = readLogLines(bytes);
  const contents = logContents(log, reading);
  for (const part of contents?.parts ?? []) await keepPart(folder, log, part);
  if (contents !== undefined) addCoverage(folder, contents.coverage);
  // A record that a kill cut off has no line feed.
  const isDamaged = (contents?.coverage.damaged ?? 0) > 0 || bytes.includes('\n', reading.wholeBytes);
  if (isDamaged) renameSync(path, `${path}.damaged`);
  else {
    if (keepPolls && contents !== undefined) await pack(bytes.subarray(0, reading.wholeBytes), `${path}.gz`);
    rmSync(path);
  }
  syncFolder(folder.path);
  return contents?.coverage;
}

const packed = promisify(gzip);

async function pack(bytes: Buffer, path: string): Promise<void> {
  writeFileSync(`${path}.new`, await packed(bytes), { flush: true });
  renameSync(`${path}.new`, path);
}

/** The recording of the series. */
interface PartTarget {
  readonly dataDir: string;
  readonly name: string;
}

/**
 * Makes the rows durable as a separate file of their series, replacing the file of an earlier try.
 * @param log the source of the rows: the file's name, without its ending.
 * @throws TidegateError DATA_INVALID where prices do not fit, or nothing can be written.
 */
async function keepPart({ dataDir, name }: PartTarget, log: string, part: PartRows): Promise<void> {
  await keepSeries({ dataDir, name, part: log }, (staging) => [writePart(staging, log, part)]);
}

/** A stamp with a larger offset in ms is not that of a live price, or has another unit. */
const OLDEST_MS = 60_000;
const MOST_EARLY_MS = 86_400_000;

/**
 * Writes rows of a log as columns: the same rows always give the same bytes.
 * @param log the source of the rows, by its start.
 * @throws TidegateError DATA_INVALID where prices do not fit, or nothing can be written.
 */
export function writePart(target: Omit<SeriesTarget, 'symbol' | 'kind'>, log: string, { symbol, kind, rows }: PartRows): SeriesMeta {
  const exact = rows.map(({ price }) => parseExactDecimal(price)!);
  const decimals = Math.max(...exact.map((one) => one.decimals));
  const writer = new SeriesWriter({ ...target, symbol, kind });
  const buffer = new RowBuffer(kind);
  const clock = new ClockOffsets();
  rows.forEach(({ time, exchangeTime }, index) => {
    const offset = time - exchangeTime;
    if (offset <= OLDEST_MS && offset >= -MOST_EARLY_MS) clock.add(Math.round(offset * 1_000));
    const { digits, decimals: own } = exact[index]!;
    const units = Number(digits * 10n ** BigInt(decimals - own));
    if (!Number.isSafeInteger(units))
      throw new TidegateError('DATA_INVALID', `${symbol} ${kind}: prices of ${decimals} decimals do not fit`);
    buffer.time[buffer.rows] = time * 1_000;
    buffer.columns[0]![buffer.rows++] = units;
    if (buffer.rows === buffer.capacity) writer.write(buffer);
  });
  writer.write(buffer);
  return writer.finish({ priceDecimals: decimals, quantityDecimals: 0, source: [`${log}.log`], clock: clock.offset });
}
