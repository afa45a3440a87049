import { isoTime } from '../../../model/time-text.ts';
import type { Finding } from '../../../recording/checks/check-tally.ts';
import { clockFindings } from '../../../recording/checks/clock-findings.ts';
import { SeriesCheck } from '../../../recording/checks/series-check.ts';
import { seriesTitle } from '../../../recording/columns/series-meta.ts';
import type { SeriesSource } from '../../../venues/simulated/row-stream.ts';
import { JudgedRows } from './judged-rows.ts';
import type { RecordedSeries } from './recorded-data.ts';

/** Judges the data of a run while the run reads it, each series the first time it is opened. */
export class DataJudge {
  readonly #checks = new Map<RecordedSeries, SeriesCheck>();

  /** @param to epoch ms: what is not before it is not judged, as what is before `from`. */
  constructor(private readonly to: number) {}

  /** The source, its rows judged as they are read. */
  watch(series: RecordedSeries, source: SeriesSource, from: number): SeriesSource {
    if (this.#checks.has(series)) return source;
    const check = new SeriesCheck(series.meta);
    this.#checks.set(series, check);
    return { ...source, rows: new JudgedRows(source.rows, check, from, this.to) };
  }

  /** What was found in the rows read, and of the clock that stamped the series, a line a series; to be called once, after the run. */
  warnings(): string[] {
    return [...this.#checks].flatMap(([series, check]) => {
      const found = [...check.findings(), ...clockFindings(series.meta)];
      return found.length === 0 ? [] : [warningOf(series, found)];
    });
  }
}

function warningOf({ recording, meta }: RecordedSeries, found: readonly Finding[]): string {
  const faults = found.map(({ what, text, count, time }) =>
    time === undefined ? text : `${what} (${count}, ${count > 1 ? 'the first ' : ''}at ${isoTime(time)})`,
  );
  return `${seriesTitle(meta)}: the data has ${faults.join('; ')}: see "tidegate data check ${recording}"`;
}
