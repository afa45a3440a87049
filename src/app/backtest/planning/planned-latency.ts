import { closeSync, openSync, readSync } from 'node:fs';
import { roundTrips } from '../../../journal/round-trips.ts';
import { TidegateError } from '../../../model/errors.ts';
import { isoTime } from '../../../model/time-text.ts';
import type { Latency, RecordedLatency } from '../../../venues/simulated/latency/latency.ts';
import type { Config } from '../../config/schema/schema.ts';
import { DelayRows, delaysOf, readLatencyRows } from './latency-rows.ts';

export interface PlannedLatency {
  readonly latency: Latency;
  readonly warnings: readonly string[];
}

/**
 * The latency of a run over [from, to], its recorded times read.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID, JOURNAL_FAILED, JOURNAL_DAMAGED for a file that does not hold them
 */
export function plannedLatency({ recorded: path, ...settings }: Config['backtest']['latency'], from: number, to: number): PlannedLatency {
  if (path === undefined) return { latency: settings, warnings: [] };
  const recorded = isDatabase(path) ? journalDelays(path) : readLatencyRows(path);
  const { times } = recorded.entry!;
  const [first, last] = [times[0]!, times.at(-1)!];
  const apart = first > to || last < from;
  const warning = `the times of ${path} are of ${isoTime(first)} to ${isoTime(last)}, none of this run: its ${first > to ? 'first' : 'last'} row stands for all`;
  return { latency: { ...settings, recorded }, warnings: apart ? [warning] : [] };
}

/** A journal tells when a request left and how long its answer took: half of that each way. */
function journalDelays(path: string): RecordedLatency {
  const entry = new DelayRows();
  const response = new DelayRows();
  const cancel = new DelayRows();
  for (const { sentAt, tookMs, kind } of roundTrips(path)) {
    if (kind === 'cancel') cancel.add(sentAt, tookMs / 2);
    else {
      entry.add(sentAt, tookMs / 2);
      response.add(sentAt, tookMs / 2);
    }
  }
  if (entry.length === 0) throw new TidegateError('DATA_INVALID', `${path}: no order in this journal was answered; expected at least one`);
  return delaysOf({ entry, response, cancel: cancel.length === 0 ? entry : cancel });
}

/** Told by its first bytes. */
function isDatabase(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    const head = Buffer.alloc(15);
    readSync(file, head, 0, head.length, 0);
    closeSync(file);
    return head.toString('latin1') === 'SQLite format 3';
  } catch (cause) {
    throw new TidegateError('DATA_NOT_FOUND', `${path}: this file cannot be opened; expected recorded times as CSV, or a bot's journal`, {
      cause,
    });
  }
}
