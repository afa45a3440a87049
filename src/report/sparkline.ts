const BLOCKS = [...'▁▂▃▄▅▆▇█'];
const ASCII = [...'_.,-~=+#'];

/**
 * A curve in one line of at most `columns` characters, from its lowest value to its highest; each stands for a
 * stretch of the curve, by the last value there. Empty for fewer than two values.
 * @param unicode whether the terminal shows block characters; else the line is plain ASCII.
 */
export function sparkline(values: readonly number[], columns: number, unicode: boolean): string {
  if (values.length < 2) return '';
  const levels = unicode ? BLOCKS : ASCII;
  const width = Math.min(columns, values.length);
  const shown = Array.from({ length: width }, (_, index) => values[Math.ceil(((index + 1) * values.length) / width) - 1]!);
  const lowest = Math.min(...shown);
  const span = Math.max(...shown) - lowest;
  const level = (value: number) => (span === 0 ? 0 : Math.min(levels.length - 1, Math.floor(((value - lowest) / span) * levels.length)));
  return shown.map((value) => levels[level(value)]!).join('');
}
