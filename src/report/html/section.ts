import { escapeHtml } from './escape.ts';

/** A titled section. `body` is HTML; `aside` is HTML beside the title, `note` plain text there. */
export function section(title: string, body: string, { note = '', aside = '', long = false } = {}): string {
  const beside = aside || (note && `<p class="note">${escapeHtml(note)}</p>`);
  return `<section${long ? ' class="long"' : ''}><div class="section-head"><h2>${escapeHtml(title)}</h2>${beside}</div>${body}</section>`;
}
