import { RowBuffer } from '../columns/chunks.ts';
import { ClockOffsets } from '../columns/clock-offsets.ts';
import { type ImportOptions, settingsOf } from './import-csv.ts';
import { ImportNotes } from './import-notes.ts';
import { openInputFiles, openRows } from './input-files.ts';
import { DecimalScales, OneSymbol, RowError } from './rows.ts';

/**
 * The symbols of the rows of files, as the files write them, in alphabetical order.
 * @throws TidegateError DATA_INVALID where a file has no column of symbols; DATA_NOT_FOUND.
 */
export async function symbolsIn(options: Omit<ImportOptions, 'dataDir' | 'name'>): Promise<readonly string[]> {
  const found = new AllSymbols();
  let refused: RowError | undefined;
  const refuse = (error: RowError) => {
    refused ??= error;
  };
  for (const file of openInputFiles(options.files, options.kind, { ...settingsOf(options), several: true }, refuse)) {
    if (!file.layout.fields.some(({ unit }) => unit === 'symbol'))
      throw new RowError(file.path, 1, 'symbol', '--split needs a column of symbols; --columns symbol=<header> names it');
    const rows = openRows(
      { ...file, newestFirst: false },
      {
        ...{ scales: new DecimalScales(), symbol: found, clock: new ClockOffsets(), buffer: new RowBuffer(options.kind) },
        ...{ refuse, notes: new ImportNotes() },
      },
    );
    try {
      for (let more = true; more; more = rows.fill()) if (rows.waiting !== undefined) await rows.waiting;
    } finally {
      rows.close();
    }
  }
  if (found.texts.size === 0 && refused !== undefined) throw refused;
  return [...found.texts].sort();
}

/** Collects the symbols of all rows, and lets no row pass. */
class AllSymbols extends OneSymbol {
  readonly texts = new Set<string>();

  constructor() {
    super(undefined);
  }

  override endIn(_bytes: Buffer, at: number): number {
    return at;
  }

  override judge(text: string): 'other' {
    this.texts.add(text);
    return 'other';
  }
}
