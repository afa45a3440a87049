const SEPARATORS = [',', ';', '\t'] as const;
export type Separator = (typeof SEPARATORS)[number];

/** The separator that a header line uses most outside quotes; a comma when it uses none. */
export function detectSeparator(line: string): Separator {
  const bare = line.replace(/"[^"]*"/g, '');
  const counts = SEPARATORS.map((separator) => bare.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!;
}

/** The fields of one line without line end: trimmed, unquoted, `""` inside quotes being one quote. */
export function splitLine(line: string, separator: Separator): string[] {
  const fields: string[] = [];
  let at = 0;
  while (at <= line.length) {
    const quote = /^\s*"((?:[^"]|"")*)"\s*/.exec(line.slice(at));
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

/** Fields as one line of CSV with commas, without line end; line ends inside a field become blanks. */
export function csvLine(fields: readonly string[]): string {
  return fields.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""').replace(/[\r\n]+/g, ' ')}"` : text)).join(',');
}
