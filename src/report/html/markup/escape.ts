const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text for an element or a quoted attribute. Everything that a user may have written goes through here. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** JSON for a `<script type="application/json">`: no `<`, so that no text in it can end the element. */
export function embedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/** Formatted figures with typographic minuses. */
export function figure(text: string): string {
  return escapeHtml(text.replace(/(?<![^\s])-(?=\d)/g, '\u2212'));
}
