import { TidegateError } from '../model/errors.ts';
import { FundingTimesCheck } from './check-funding-times.ts';
import { type Finding, Tally } from './check-tally.ts';
import { TimeCheck } from './check-time.ts';
import { ValueCheck } from './check-values.ts';
import { fileSha256 } from './file-sha256.ts';
import { readSeries } from './parts-reader.ts';
import type { StoredSeries } from './stored-series.ts';

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
 */
export function checkSeries(series: StoredSeries): Findings {
  const { meta } = series;
  const time = new TimeCheck(meta);
  const values = new ValueCheck(meta);
  const fundings = meta.kind === 'funding' ? new FundingTimesCheck() : undefined;
  const damage: Finding[] = [];
  try {
    const reader = readSeries(series);
    while (reader.next()) {
      time.update(reader);
      fundings?.update(reader);
      values.update(reader, time.rows - reader.length);
    }
  } catch (error) {
    if (!(error instanceof TidegateError)) throw error;
    damage.push({ code: 'corrupt', severity: 'error', count: 1, text: error.message });
  }
  if (damage.length === 0) damage.push(...wholeFiles(series, time));
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

function wholeFiles({ meta, parts }: StoredSeries, time: TimeCheck): Finding[] {
  const found: Finding[] = [];
  const others = parts.filter((part) => fileSha256(part.path) !== part.meta.sha256);
  if (others.length > 0) {
    const text = `the SHA-256 of the file is not that of its meta: ${others.map(({ path }) => path).join(', ')}`;
    found.push({ code: 'sha256Mismatch', severity: 'error', count: others.length, text });
  }
  const range = new Tally('rangeMismatch', 'error', 'time of the meta is not that of the file');
  if (time.start !== meta.firstTime) range.add(1, time.start);
  if (time.end !== meta.lastTime) range.add(time.rows, time.end);
  return [...found, ...range.findings()];
}
