import { escapeHtml } from '../markup.ts';

/** A part of the page that its navigation leads to. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** A shorter title for the navigation. */
  readonly short?: string;
  readonly html: string;
}

interface Options {
  /** Plain text beside the title. */
  readonly note?: string;
  /** HTML beside the title, instead of a note. */
  readonly aside?: string;
  readonly short?: string;
  /** May be cut between two sheets of paper. */
  readonly long?: boolean;
}

/** A titled section; `body` is HTML. */
export function section(id: string, title: string, body: string, { note = '', aside = '', short, long = false }: Options = {}): Section {
  const beside = aside || (note && `<p class="note">${escapeHtml(note)}</p>`);
  const head = `<div class="section-head"><h2 id="${id}-title">${escapeHtml(title)}</h2>${beside}</div>`;
  const html = `<section id="${id}" tabindex="-1" aria-labelledby="${id}-title"${long ? ' class="long"' : ''}>${head}${body}</section>`;
  return { id, title, html, ...(short !== undefined && { short }) };
}
