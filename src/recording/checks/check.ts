import { TidegateError } from '../../model/errors.ts';
import { fileSha256 } from '../columns/file-sha256.ts';
import { readSeries, type StoredSeries } from '../columns/series-reader.ts';
import { type Finding, Tally } from './check-tally.ts';
import { clockFindings, SeriesCheck, type TimeCheck } from './series-check.ts';

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

/** What holds of damage to a file, which has one place: the file. */
const OF_THE_FILE = { severity: 'error', count: 1, time: undefined } as const;

/**
 * Reads a whole series and judges it: range against the meta, the file's SHA-256, all that `SeriesCheck` asks of the rows, and its clock.
 * Damage is a finding, not a throw.
 */
export function checkSeries(series: StoredSeries): Findings {
  const { meta } = series;
  const check = new SeriesCheck(meta);
  const { time } = check;
  const damage: Finding[] = [];
  try {
    const reader = readSeries(series);
    while (reader.next()) check.update(reader);
  } catch (error) {
    if (!(error instanceof TidegateError)) throw error;
    damage.push({ ...OF_THE_FILE, code: 'corrupt', what: 'damage', text: error.message });
  }
  if (damage.length === 0) damage.push(...wholeFiles(series, time));
  const findings = [...damage, ...check.findings(), ...clockFindings(meta)];
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
  for (const { path, meta: own } of parts) {
    if (fileSha256(path) === own.sha256) continue;
    const what = 'the SHA-256 of the file is not that of its meta';
    found.push({ ...OF_THE_FILE, code: 'sha256Mismatch', what, text: `${what}: ${path}` });
  }
  const range = new Tally('rangeMismatch', 'error', 'time of the meta is not that of the file');
  if (time.start !== meta.firstTime) range.add(1, time.start);
  if (time.end !== meta.lastTime) range.add(time.rows, time.end);
  return [...found, ...range.findings()];
}
