import { TidegateError } from '../../model/errors.ts';
import type { SeriesMeta } from '../columns/series-meta.ts';
import { readSeries, type StoredSeries } from '../columns/series-reader.ts';
import { fileSha256 } from '../files.ts';
import { DepthCheck } from './depth-check.ts';
import { type CheckedRows, type Finding, Tally } from './findings.ts';
import { FundingTimesCheck, TimeCheck } from './time-checks.ts';
import { OutlierCheck, StepCheck, ValueCheck } from './value-checks.ts';

/** The result of `checkSeries` for one series. */
interface Findings {
  readonly rows: number;
  /** Epoch ms of the earliest and latest row read (bars: open times). */
  readonly firstTime: number;
  readonly lastTime: number;
  /** The longest time in ms between two consecutive rows. */
  readonly longestPauseMs: number;
  /** Errors first. */
  readonly findings: readonly Finding[];
}

/** The fields of a finding about the whole file. */
const OF_THE_FILE = { severity: 'error', count: 1, time: undefined } as const;

/**
 * Reads a whole series and checks it: range against the meta, the file's SHA-256, all of `SeriesCheck`, and its clock. Damage becomes a
 * finding; nothing is thrown.
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
    findings: errorsFirst(findings),
  };
}

/** Findings with the errors before the warnings. */
function errorsFirst(findings: readonly Finding[]): Finding[] {
  return [...findings.filter(({ severity }) => severity === 'error'), ...findings.filter(({ severity }) => severity === 'warning')];
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

/** The checks of a series while it is stored: as `checkSeries`, without reading it again. `findings` must be called once, after the last row. */
export function watchSeries(meta: SeriesMeta): { readonly update: (rows: CheckedRows) => void; readonly findings: () => Finding[] } {
  const check = new SeriesCheck(meta);
  return { update: (rows) => check.update(rows), findings: () => errorsFirst([...check.findings(), ...clockFindings(meta)]) };
}

/** One check of every row. */
interface Check {
  /** @param rowsBefore rows of the series before these. */
  update(rows: CheckedRows, rowsBefore: number): void;
  /** Called once, after the last row. */
  findings(): Finding[];
}

/** All checks that need only the rows of a series, in one pass: bounded memory (except for funding, and the levels of a book). */
export class SeriesCheck {
  readonly time: TimeCheck;
  readonly #checks: readonly Check[];

  constructor(meta: SeriesMeta) {
    this.time = new TimeCheck(meta);
    this.#checks = [
      this.time,
      ...(meta.kind === 'funding' ? [new FundingTimesCheck()] : []),
      new ValueCheck(meta),
      ...(meta.kind === 'depth' ? [new DepthCheck(meta)] : []),
      ...(meta.kind === 'funding' || meta.kind === 'depth' ? [] : [new OutlierCheck(meta)]),
      ...(meta.kind === 'funding' || meta.kind === 'mark' ? [] : [new StepCheck(meta)]),
    ];
  }

  /** Takes the next rows. */
  update(rows: CheckedRows): void {
    const before = this.time.rows;
    for (const check of this.#checks) check.update(rows, before);
  }

  /** Must be called once, after the last row. */
  findings(): Finding[] {
    return this.#checks.flatMap((check) => check.findings());
  }
}

/** A change of the offset in ms that neither the network nor rounding to milliseconds explains. */
const MOST_DRIFT_MS = 100;

/**
 * Compares the clock of the receive times with that of the exchange (warnings): rows received before they were sent, and an offset that
 * differs by more than 100 ms between the first and the last tenth of the rows.
 */
export function clockFindings({ clock }: SeriesMeta): Finding[] {
  if (clock === undefined) return [];
  const { rows, early, least, median, greatest, first, last } = clock;
  const found: Finding[] = [];
  const of = { severity: 'warning', time: undefined } as const;
  if (early > 0) {
    const what = 'rows received before the exchange sent them: one of the two clocks is wrong';
    const range = `${seconds(least)} to ${seconds(greatest)}, ${seconds(median)} in the middle`;
    found.push({
      ...of,
      code: 'receivedEarly',
      count: early,
      what,
      text: `${what} (${early} of ${rows}): receive less exchange time is ${range}`,
    });
  }
  if (Math.abs(last - first) > MOST_DRIFT_MS) {
    const what = 'receive times drift from those of the exchange';
    const measured = `receive less exchange time is ${seconds(first)} in the first tenth of the rows, ${seconds(last)} in the last`;
    found.push({ ...of, code: 'clockDrift', count: 1, what, text: `${what}: ${measured}` });
  }
  return found;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`;
}
