import { unpack } from '../packed.ts';
import type { BarColumns, PageData } from '../page-data.ts';

/** The data of this page. */
export const data = unpack(JSON.parse(document.getElementById('data')?.textContent ?? '')) as PageData;

/** The element with this id, where the page has it. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind | undefined {
  return (document.getElementById(id) as Kind | null) ?? undefined;
}

/** A new element with a class and text; the text is never parsed as HTML. */
export function make<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, className = '', text = ''): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

/** Position of a time on a candle chart, counted in candles: within its own candle, whose middle is a whole number. */
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

/** `1,234.50` for 1234.5 and 2 places. What rounds to zero has no sign. */
export function number(value: number, places: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places, signDisplay: 'negative' });
}

/** A quantity with all its decimals. */
export function amount(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 10 });
}

/** A part of a legend's line: `b` emphasises a figure; another class colours a mark. */
export type LegendPart = readonly [text: string, kind?: string];

/** Replaces the legend's lines. Texts are never parsed as HTML. */
export function setLegend(element: HTMLElement, lines: readonly (readonly LegendPart[])[]): void {
  element.replaceChildren(
    ...lines.map((parts) => {
      const line = make('div');
      line.append(...parts.map(([text, kind]) => make(kind === 'b' ? 'b' : 'span', kind === 'b' ? '' : kind, `${text} `)));
      return line;
    }),
  );
}
