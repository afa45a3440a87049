import type { BarColumns, PageData } from '../page-data.ts';

/** What this page was made with. */
export const data = JSON.parse(document.getElementById('data')?.textContent ?? '') as PageData;

/** The element with this id, where the page has it. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind | undefined {
  return (document.getElementById(id) as Kind | null) ?? undefined;
}

/** A new element with a class and text; the text is never read as HTML. */
export function make<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, className = '', text = ''): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

/** Where a time stands on a candle chart, counted in candles: within its own candle, whose middle is a whole number. */
export function placeOf({ t }: BarColumns, intervalSeconds: number, time: number): number {
  const bar = lastAtOrBefore(t, time);
  return bar + Math.min(1, Math.max(0, (time - t[bar]!) / intervalSeconds)) - 0.5;
}

/** The index of the last time at or before the given one; 0 when all are later. */
export function lastAtOrBefore(times: readonly number[], time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (times[middle]! <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** UTC, with seconds only where there are seconds. */
export function clock(seconds: number): string {
  const text = new Date(seconds * 1000).toISOString().replace('T', ' ');
  return text.replace(/(:00)?\.000Z$/, '').replace('Z', '');
}

/** `1,234.50` of 1234.5 and 2 places. */
export function number(value: number, places: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places });
}

/** A quantity, all of its decimals. */
export function amount(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 10 });
}

/** What a mark on the time axis says, by the weight that the library gives it: 0 a year, 1 a month, 2 a day, 3 minutes, 4 seconds. */
export function tickLabel(seconds: number, weight: number): string {
  const date = new Date(seconds * 1000);
  const month = date.toLocaleString('en-GB', { month: 'short', timeZone: 'UTC' });
  if (weight === 0) return String(date.getUTCFullYear());
  if (weight === 1) return month;
  if (weight === 2) return `${date.getUTCDate()} ${month}`;
  return date.toISOString().slice(11, weight === 3 ? 16 : 19);
}

/** A piece of a legend's line: a figure (`b`) stands out; another class colours a mark. */
export type LegendPart = readonly [text: string, kind?: string];

/** Replaces the legend's lines. Texts are never read as HTML. */
export function setLegend(element: HTMLElement, lines: readonly (readonly LegendPart[])[]): void {
  element.replaceChildren(
    ...lines.map((parts) => {
      const line = make('div');
      line.append(...parts.map(([text, kind]) => make(kind === 'b' ? 'b' : 'span', kind === 'b' ? '' : kind, `${text} `)));
      return line;
    }),
  );
}
