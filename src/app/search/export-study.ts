import { existsSync, renameSync, rmSync } from 'node:fs';
import { TidegateError } from '../../model/errors.ts';
import { type TableColumn, tableToParquet } from '../../recording/table-parquet.ts';
import type { Study } from '../../search/study.ts';
import { STATISTIC_DEFINITIONS } from '../../statistics/statistics.ts';
import { CsvFile } from '../base/csv.ts';
import { plainText } from './search-progress.ts';
import { soughtOf, worthyTrials } from './study-text.ts';

/**
 * Writes the trials of a study as a table: a header and one row a trial, in the order of their numbers. Nothing in it depends on the time,
 * the place or the number of workers.
 * @param out must not exist.
 * @returns the number of rows.
 * @throws TidegateError OUT_NOT_EMPTY
 */
export async function exportStudy(study: Study, out: string, format: 'csv' | 'parquet'): Promise<number> {
  if (existsSync(out)) throw new TidegateError('OUT_NOT_EMPTY', `--out ${out}: exists already`);
  const sought = soughtOf(study);
  const names = Object.keys(study.terms.paths as object);
  const statistics = STATISTIC_DEFINITIONS.map(
    ({ key, unit }): TableColumn => ({ name: key, type: unit === 'money' ? 'decimal' : 'double' }),
  );
  const columns: readonly TableColumn[] = [
    { name: 'trial', type: 'integer' },
    { name: 'outcome', type: 'text' },
    { name: 'reason', type: 'text' },
    ...names.map((name): TableColumn => ({ name: `param.${name}`, type: 'text' })),
    { name: 'objective', type: 'double' },
    { name: 'missed', type: 'text' },
    ...statistics,
    { name: 'eventLogSha256', type: 'text' },
  ];
  const csv = `${out}.part`;
  let rows = 0;
  const file = new CsvFile(
    csv,
    columns.map(({ name }) => name),
  );
  for (const trial of worthyTrials(study, sought)) {
    rows++;
    const { number, outcome, reason, params, value, missed, hash } = trial;
    const figures = STATISTIC_DEFINITIONS.map(({ key }) => trial.statistics[key] ?? undefined);
    file.add([number, outcome, reason, ...names.map((name) => plainText(params[name] ?? '')), value, missed.join('; '), ...figures, hash]);
  }
  file.close();
  if (format === 'csv') renameSync(csv, out);
  else await tableToParquet(csv, columns, out).finally(() => rmSync(csv, { force: true }));
  return rows;
}
