import type { ExactDecimal } from '../../columns/decimals.ts';
import type { SeriesKind } from '../../columns/series-meta.ts';
import type { Units } from '../csv/csv-aliases.ts';
import type { TimeFormat } from '../times/time-format.ts';

/** The first rows of a file whose format is looked for. */
export interface Sample {
  /** The file, and the one in it where it is an archive. */
  readonly path: string;
  readonly kind: SeriesKind;
  /** Undefined where the file has no header. */
  readonly headers: readonly string[] | undefined;
  readonly rows: readonly (readonly string[])[];
  /** Tidegate's symbol of the series. */
  readonly symbol: string;
  /** The user's factors for numbers. */
  readonly factors: { readonly price?: ExactDecimal | undefined; readonly quantity?: ExactDecimal | undefined };
}

/** The settings that a format gives for reading one file; others are found as in any other file. */
export interface FormatReading {
  /** Headers of the columns, by Tidegate's names. */
  readonly names?: Readonly<Record<string, string>>;
  readonly zone?: string;
  readonly order?: 'day' | 'month';
  readonly dateFormat?: TimeFormat;
  readonly factors?: Sample['factors'];
  /** Units of quantities, by Tidegate's names. */
  readonly units?: Units;
  /** The meaning of a bar's stamp. */
  readonly stamp?: 'open' | 'close';
  /** A blank price is that of the row before. */
  readonly carriesPrices?: boolean;
  /** Facts that the file does not contain, for the user. */
  readonly note?: string;
}

/** One form of the files of a format. */
export interface FormatForm {
  readonly kinds: readonly SeriesKind[];
  /** Headers that the file has, as `normalised`; left out where it has none. */
  readonly headers?: readonly string[];
  /** The columns of a file without a header, and whether its first row looks like one of them. */
  readonly columns?: { readonly looks: (row: readonly string[]) => boolean; readonly names: readonly string[] };
  /** Whether a file that has these columns is of this form. */
  readonly fits?: (sample: Sample) => boolean;
  /** @returns how it is read, or why it cannot be. */
  readonly reading?: (sample: Sample) => FormatReading | string;
}

/** The files of one source. */
export interface Format {
  readonly name: string;
  readonly forms: readonly FormatForm[];
}
