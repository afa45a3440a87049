import { basename } from 'node:path';
import { TidegateError } from '../../../model/errors.ts';

/** DATA_INVALID at a place of an input file. */
export class RowError extends TidegateError {
  /** @param row line of the file, from 1. @param problem what is wrong and what was expected. */
  constructor(
    readonly path: string,
    readonly row: number,
    readonly column: string | undefined,
    readonly problem: string,
    cause?: unknown,
  ) {
    const name = basename(path);
    const where = `${name}: row ${row}:${column === undefined ? '' : ` column "${column}":`}`;
    super('DATA_INVALID', `${where} ${problem}${name === path ? '' : ` (${path})`}`, { cause });
  }
}

/** Foreign text as it may stand in a message: on one line and at most 40 characters. */
export function quoted(text: string): string {
  const plain = [...text].map((letter) => (letter < ' ' || letter === '\u007f' ? '?' : letter)).join('');
  return `"${plain.length > 40 ? `${plain.slice(0, 40)}...` : plain}"`;
}

/** Takes a row that cannot be imported: throws its error, or puts the row aside. @param text the row as the file has it. */
export type RefuseRow = (error: RowError, text: () => string) => void;
