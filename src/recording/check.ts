import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { TidegateError } from '../model/errors.ts';
import { FundingTimesCheck } from './check-funding-times.ts';
import { type Finding, Tally } from './check-tally.ts';
import { TimeCheck } from './check-time.ts';
import { ValueCheck } from './check-values.ts';
import type { SeriesMeta } from './series-meta.ts';
import { SeriesReader } from './series-reader.ts';

/** What `checkSeries` found in one series. */
export interface Findings {
  readonly rows: number;
  /** Epoch ms of the earliest and latest row read (bars: open times). */
  readonly firstTime: number;
  readonly lastTime: number;
  /** The longest time in ms between two rows that follow each other. */
  readonly longestPauseMs: number;
  /** Errors first. */
  readonly findings: readonly Finding[];
}

/**
 * Reads a whole series and judges it: range against the meta, gaps, duplicates, disorder, impossible bars,
 * crossed quotes, prices that are not positive, funding rates out of reason, and the file's SHA-256. Damage is a finding, not a throw.
 * @param path the `.bin` file.
 */
export function checkSeries(path: string, meta: SeriesMeta): Findings {
  const time = new TimeCheck(meta);
  const values = new ValueCheck(meta);
  const fundings = meta.kind === 'funding' ? new FundingTimesCheck() : undefined;
  const damage: Finding[] = [];
  try {
    const reader = new SeriesReader(path, meta);
    while (reader.next()) {
      time.update(reader);
      fundings?.update(reader);
      values.update(reader, time.rows - reader.length);
    }
  } catch (error) {
    if (!(error instanceof TidegateError)) throw error;
    damage.push({ code: 'corrupt', severity: 'error', count: 1, text: error.message });
  }
  if (damage.length === 0) damage.push(...wholeFile(path, meta, time));
  const findings = [...damage, ...time.findings(), ...(fundings?.findings() ?? []), ...values.findings()];
  return {
    rows: time.rows,
    firstTime: time.first,
    lastTime: time.last,
    longestPauseMs: time.longestPauseMs,
    findings: [
      ...findings.filter((finding) => finding.severity === 'error'),
      ...findings.filter((finding) => finding.severity === 'warning'),
    ],
  };
}

function wholeFile(path: string, meta: SeriesMeta, time: TimeCheck): Finding[] {
  const found: Finding[] = [];
  if (fileSha256(path) !== meta.sha256) {
    found.push({ code: 'sha256Mismatch', severity: 'error', count: 1, text: 'the SHA-256 of the file is not that of its meta' });
  }
  const range = new Tally('rangeMismatch', 'error', 'time of the meta is not that of the file');
  if (time.start !== meta.firstTime) range.add(1, time.start);
  if (time.end !== meta.lastTime) range.add(time.rows, time.end);
  return [...found, ...range.findings()];
}

function fileSha256(path: string): string {
  const hash = createHash('sha256');
  const block = Buffer.allocUnsafe(1 << 20);
  const file = openSync(path, 'r');
  try {
    for (let read = readSync(file, block); read > 0; read = readSync(file, block)) hash.update(block.subarray(0, read));
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}
