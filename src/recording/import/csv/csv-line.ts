import { isDecimalText } from '../../../model/decimal.ts';

// If several are equally frequent, the commas belong to the numbers.
const SEPARATORS = [';', '\t', '|', ','] as const;
export type Separator = (typeof SEPARATORS)[number];

/** The separator that lines use most outside quotes; a comma when they use none. */
export function detectSeparator(lines: readonly string[]): Separator {
  const bare = lines.map((line) => line.replace(/"[^"]*"/g, ''));
  const counts = SEPARATORS.map((separator) => bare.reduce((sum, line) => sum + line.split(separator).length - 1, 0));
  const most = Math.max(...counts);
  return most === 0 ? ',' : SEPARATORS[counts.indexOf(most)]!;
}

/** n for a number or a date, b for true/false, h for anything else: header text. */
export function lookOf(field: string): 'n' | 'b' | 'h' {
  if (isDecimalText(field) || /^\d{4}[-./]\d\d[-./]\d\d/.test(field) || /^\d{1,3}([,.' ]\d{3})*([.,]\d+)?$/.test(field)) return 'n';
  if (/^\d{1,2}[-./ ](\d{1,2}|[A-Za-z]{3})[-./ ]\d{2,4}\b/.test(field) || /^\d{1,2}:\d\d/.test(field) || /^\d{8} \d{6,9}$/.test(field))
    return 'n';
  return /^(true|false)$/i.test(field) ? 'b' : 'h';
}

/** Where the rows of a file begin. */
export interface TableStart {
  readonly separator: Separator;
  /** The line of the header, or of the first row where there is none; from 0. */
  readonly first: number;
  /** Lines before it that are neither, blank ones not counted. */
  readonly remarks: number;
}

const REMARK = /^\s*(#|\/\/|%|sep=)/i;
const LOOKED_AT = 40;

/** Finds the table below the remarks of a file: its title, address or comments, which have fewer fields than the rows. */
export function tableStart(lines: readonly string[]): TableStart | undefined {
  const shown = lines.map((line, index) => ({ line, index })).filter(({ line }) => line.trim() !== '');
  const plain = shown.filter(({ line, index }) => !REMARK.test(line) || isHeaderLike(line, lines[index + 1])).slice(0, LOOKED_AT);
  if (plain.length === 0) return undefined;
  const separator = detectSeparator(plain.map(({ line }) => line));
  const widths = plain.map(({ line }) => splitLine(line, separator).length);
  const usual = mostFrequent(widths);
  const at = plain.findIndex(({ line }, place) => !isTitle(splitLine(line, separator), widths[place]!, usual));
  const first = plain[Math.max(at, 0)]!.index;
  return { separator, first, remarks: shown.filter(({ index }) => index < first).length };
}

/** A header whose first name begins with such a sign. */
function isHeaderLike(line: string, next: string | undefined): boolean {
  const separator = detectSeparator([line]);
  const fields = splitLine(line, separator);
  const below = splitLine(next ?? '', separator);
  return fields.length > 2 && below.length === fields.length && below.filter(isText).length * 2 < below.length;
}

/** One or two fields of text above rows of many. */
function isTitle(fields: readonly string[], width: number, usual: number): boolean {
  return (usual >= 2 && width === 1 && fields.every(isText)) || (usual >= 5 && width <= 2 && fields.every(isText));
}

const isText = (field: string) => lookOf(field) === 'h';

function mostFrequent(numbers: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]![0];
}

/** The first word of a sentence; shorter ones may be a row that was cut. */
const WORD = /^\s*["']?(?!nan|null|none|inf)\p{L}{3}/iu;

/** A line that is no row but text: a remark above, between or below the rows. */
export function isRemark(line: string, separator: Separator): boolean {
  return REMARK.test(line) || (WORD.test(line) && splitLine(line, separator).length === 1);
}

/** The fields of one line without line end: trimmed and unquoted; `""` inside quotes is one quote. */
export function splitLine(line: string, separator: Separator): string[] {
  const fields: string[] = [];
  let at = 0;
  while (at <= line.length) {
    // A tab may be the separator.
    const quote = /^ *"((?:[^"]|"")*)" */.exec(line.slice(at));
    const quoteEnd = quote ? at + quote[0].length : -1;
    if (quote && (quoteEnd === line.length || line[quoteEnd] === separator)) {
      fields.push(quote[1]!.replaceAll('""', '"'));
      at = quoteEnd + 1;
      continue;
    }
    const next = line.indexOf(separator, at);
    const end = next < 0 ? line.length : next;
    fields.push(line.slice(at, end).trim());
    at = end + 1;
  }
  return fields;
}

/**
 * True if the last field of a line begins with a quote that the line does not end: the row goes on in the next line. With a quote before
 * it, that line is a line of its own here.
 */
export function endsInQuotes(line: string, separator: Separator): boolean {
  if (!line.includes('"')) return false;
  for (let at = 0; ; at++) {
    const rest = line.slice(at);
    if (/^ *"(?:[^"]|"")*$/.test(rest)) return true;
    const quote = /^ *"(?:[^"]|"")*"/.exec(rest);
    at = line.indexOf(separator, at + (quote?.[0].length ?? 0));
    if (at < 0) return false;
  }
}

/** Fields as one line of CSV with commas, without line end; line ends inside a field become blanks. */
export function csvLine(fields: readonly string[]): string {
  return fields.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""').replace(/[\r\n]+/g, ' ')}"` : text)).join(',');
}
