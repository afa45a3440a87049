import { basename } from 'node:path';
import { TidegateError } from '../model/errors.ts';

/** DATA_INVALID that says where: `bars.csv: row 7: column "close": ...`; rows are lines of the file, counted from 1. */
export function invalidCsv(path: string, row: number, column: string | undefined, problem: string): TidegateError {
  const where = column === undefined ? '' : ` column "${column}":`;
  return new TidegateError('DATA_INVALID', `${basename(path)}: row ${row}:${where} ${problem} (${path})`);
}

/** Foreign text as it may stand in a message: on one line and at most 40 characters. */
export function quoted(text: string): string {
  const plain = [...text].map((letter) => (letter < ' ' || letter === '\u007f' ? '?' : letter)).join('');
  return `"${plain.length > 40 ? `${plain.slice(0, 40)}...` : plain}"`;
}
