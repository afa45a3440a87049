/** A note: what follows, up to the next run, was done by no engine, and is nothing that one could do again. */
export const OUTSIDE = { outside: true } as const;

export function isOutside(note: unknown): boolean {
  return typeof note === 'object' && note !== null && 'outside' in note && note.outside === true;
}
