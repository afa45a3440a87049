import { TidegateError } from '../../../model/errors.ts';
import { normalised } from '../csv/csv-aliases.ts';
import { RowError } from '../rows.ts';
import { Zone } from '../times/zone.ts';
import { EXCHANGE_FORMATS } from './exchange-formats.ts';
import type { Format, FormatForm, FormatReading, Sample } from './format.ts';
import { PLATFORM_FORMATS } from './platform-formats.ts';
import { VENDOR_FORMATS } from './vendor-formats.ts';

const FORMATS: readonly Format[] = [...EXCHANGE_FORMATS, ...VENDOR_FORMATS, ...PLATFORM_FORMATS];

/** The names of all formats. */
export const FORMAT_NAMES: readonly string[] = FORMATS.map(({ name }) => name);

/** The format that a file has. */
export interface FoundFormat extends Omit<FormatReading, 'zone'> {
  readonly name: string;
  readonly zone?: Zone;
  /** The columns of a file without a header. */
  readonly headers?: readonly string[];
}

/**
 * Finds the format of a file by its headers, or by the look of its rows.
 * @param wanted the name of the format that it must have.
 * @throws TidegateError USAGE for an unknown name; DATA_INVALID where the file is of another format, or of a form that cannot be read.
 */
export function findFormat(sample: Sample, wanted: string | undefined): FoundFormat | undefined {
  const formats = wanted === undefined ? FORMATS : FORMATS.filter(({ name }) => name === wanted);
  if (formats.length === 0) throw new TidegateError('USAGE', `--format "${wanted}"; expected one of ${FORMAT_NAMES.join(', ')}`);
  for (const { name, forms } of formats) {
    for (const form of forms) {
      if (!isOfForm(form, sample)) continue;
      const reading = form.reading?.(sample) ?? {};
      if (typeof reading === 'string') throw new RowError(sample.path, 1, undefined, `${name}: ${reading}`);
      const { zone: place, ...rest } = reading;
      const zone = place === undefined ? undefined : new Zone(place);
      const headers = sample.headers === undefined ? form.columns?.names : undefined;
      return { ...rest, name, ...(zone && { zone }), ...(headers && { headers }) };
    }
  }
  if (wanted === undefined) return undefined;
  const kinds = [...new Set(formats.flatMap(({ forms }) => forms.flatMap((form) => form.kinds)))];
  const found = sample.headers === undefined ? `${sample.rows[0]!.length} columns without a header` : sample.headers.join(', ');
  const problem = `no file of ${wanted} with a ${sample.kind} in each row; ${wanted} has ${kinds.join(', ')}; this file has ${found}; without --format its columns are found by their names`;
  throw new RowError(sample.path, 1, undefined, problem);
}

function isOfForm({ kinds, headers, columns, fits }: FormatForm, sample: Sample): boolean {
  if (!kinds.includes(sample.kind)) return false;
  if (sample.headers === undefined) {
    if (columns === undefined || !columns.looks(sample.rows[0]!)) return false;
  } else if (headers === undefined || !hasAll(sample.headers, headers)) return false;
  return fits === undefined || fits(sample);
}

function hasAll(headers: readonly string[], wanted: readonly string[]): boolean {
  const plain = headers.map(normalised);
  return wanted.every((name) => plain.includes(name));
}
