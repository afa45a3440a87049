import type { PageData } from '../page/page-data.ts';

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
