import type { SeriesMeta } from '../columns/series-meta.ts';
import { DepthCheck } from './check-depth.ts';
import { FundingTimesCheck } from './check-funding-times.ts';
import { OutlierCheck } from './check-outliers.ts';
import { StepCheck } from './check-steps.ts';
import type { Finding } from './check-tally.ts';
import { TimeCheck } from './check-time.ts';
import { ValueCheck } from './check-values.ts';
import type { CheckedRows } from './checked-rows.ts';

/** One question asked of every row. */
interface Check {
  /** @param rowsBefore rows of the series before these. */
  update(rows: CheckedRows, rowsBefore: number): void;
  /** Called once, after the last row. */
  findings(): Finding[];
}

/** All that is judged by the rows of a series alone, as they are read: bounded memory (but for funding, and the levels of a book), no second pass. */
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

  /** To be called once, after the last row. */
  findings(): Finding[] {
    return this.#checks.flatMap((check) => check.findings());
  }
}
