/** Only the first characters of longer names are compared, because the comparison takes quadratic time. */
const LONGEST = 60;

/** The known name that is most similar to a misspelt one, or undefined if none is similar. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[-_ ]/g, '');
  const short = name.slice(0, LONGEST);
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(plain(short), plain(candidate));
    if (distance < least && distance <= Math.max(1, Math.floor(Math.max(candidate.length, short.length) / 3))) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

/** The optimal string alignment distance: it counts insertions, deletions, replacements and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) value = Math.min(value, rows[i - 2]![j - 2]! + 1);
      row.push(value);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

/** ` (did you mean "x"?)`; without a similar name the list of known names if they are few, else an empty text. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  if (near !== undefined) return ` (did you mean "${near}"?)`;
  return known.length > 0 && known.length <= 15 ? ` (known: ${known.join(', ')})` : '';
}
