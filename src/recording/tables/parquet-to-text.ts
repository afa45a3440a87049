import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { quoted, withDuck } from '../parquet/duck.ts';

/**
 * Writes the rows of a Parquet file as CSV, in bounded memory: decimals with all their digits, times in ISO 8601 and UTC.
 * @returns the file written.
 * @throws TidegateError DATA_INVALID naming the file and what is wrong with it.
 */
export async function parquetToText(file: string, out: string): Promise<string> {
  mkdirSync(dirname(out), { recursive: true });
  try {
    await withDuck(async (duck) => {
      await duck.run("SET TimeZone = 'UTC'");
      const columns = (await duck.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet(${quoted(file)})`)).getRowObjectsJson();
      const chosen = columns.map(({ column_name, column_type }) => {
        const name = `"${String(column_name).replaceAll('"', '""')}"`;
        return column_type === 'TIMESTAMP WITH TIME ZONE' ? `timezone('UTC', ${name}) AS ${name}` : name;
      });
      await duck.run(`COPY (SELECT ${chosen.join(', ')} FROM read_parquet(${quoted(file)})) TO ${quoted(out)} (FORMAT csv, HEADER)`);
    });
  } catch (cause) {
    const reason = (cause as Error).message.split('\n')[0];
    throw new TidegateError('DATA_INVALID', `${file}: cannot be read as Parquet: ${reason}`, { cause });
  }
  return out;
}
