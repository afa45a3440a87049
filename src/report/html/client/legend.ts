import { make } from './page.ts';

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
