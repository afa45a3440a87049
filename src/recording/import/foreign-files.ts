import { TidegateError } from '../../model/errors.ts';
import { firstBytes } from './bytes.ts';

const PANDAS = 'import pandas as pd;';

const EXCEL = `python -c "${PANDAS} pd.read_excel('FILE').to_csv('out.csv', index=False)"`;
const PICKLE = `python -c "${PANDAS} pd.read_pickle('FILE').to_parquet('out.parquet')"`;
const HST = 'the history center of MetaTrader 4 exports CSV';
const NO_TABLE = 'expected CSV, JSON, Parquet, Arrow or NumPy, plain or packed';
const PAGE = 'the address needs a login, or another link is the file: download it again';

/** Files that an import does not read, by their first bytes: their name, and a line that makes one that it reads. */
const FOREIGN: readonly (readonly [begin: string, name: string, advice: string])[] = [
  ['\x89HDF\r\n', 'HDF5', `python -c "${PANDAS} pd.read_hdf('FILE').to_parquet('out.parquet')"`],
  ['SQLite format 3\0', 'a database of SQLite', 'sqlite3 -header -csv FILE "SELECT * FROM <table>" > out.csv'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'an old Excel workbook', EXCEL],
  ['7z\xbc\xaf\x27\x1c', 'a 7z archive', '7z x FILE'],
  ['Rar!\x1a\x07', 'a RAR archive', 'unrar x FILE'],
  ['DBN', 'DBN of Databento', `python -c "import databento as db; db.DBNStore.from_file('FILE').to_csv('out.csv')"`],
  ...['\x80\x04\x95', '\x80\x05\x95', '\x80\x02c', '\x80\x02}', '\x80\x03c'].map((begin) => [begin, 'a pickle of Python', PICKLE] as const),
  ...['\x90\x01\0\0', '\x91\x01\0\0'].map((begin) => [begin, 'HST of MetaTrader 4', HST] as const),
  ...['%PDF', '\x89PNG', 'GIF8', '\xff\xd8\xff'].map((begin) => [begin, 'no table', NO_TABLE] as const),
  ...['<!DOCTYPE html', '<!doctype html', '<html'].map((begin) => [begin, 'a web page, not data', PAGE] as const),
];

const ZIP = 'PK\x03\x04';
/** The place of the name of the first file in an archive, and the names that Excel's workbooks begin with. */
const NAME_AT = 30;
const EXCEL_NAMES = ['[Content_Types].xml', '_rels/', 'xl/', 'docProps/'];

const HEAD_BYTES = 100;

/** @throws TidegateError DATA_INVALID for a file of a known form that an import does not read, with a line that converts it. */
export function requireReadable(path: string): void {
  const head = firstBytes(path, HEAD_BYTES);
  const isExcel = head.startsWith(ZIP) && EXCEL_NAMES.some((name) => head.startsWith(name, NAME_AT));
  const [, name, advice] = isExcel ? [ZIP, 'an Excel workbook', EXCEL] : (FOREIGN.find(([begin]) => head.startsWith(begin)) ?? []);
  if (name === undefined || advice === undefined) return;
  throw new TidegateError('DATA_INVALID', `${path}: this is ${name}, which an import does not read; ${advice.replace('FILE', path)}`);
}
