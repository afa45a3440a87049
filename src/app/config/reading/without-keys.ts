import { parseDocument } from 'yaml';

/** A config's text without the keys of the exchange, nor where they are: for whoever only wants to know what was run. */
export function withoutKeys(text: string): string {
  const document = parseDocument(text);
  if (document.hasIn(['live', 'keys'])) document.deleteIn(['live', 'keys']);
  return document.toString({ lineWidth: 0 });
}
