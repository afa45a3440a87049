import type { HeldLevels } from './execution-venue.ts';

/** Nothing is held back by an engine: every order is at the venue. */
export const NOTHING_HELD: HeldLevels = {
  opens: () => false,
  any: () => false,
  next: () => undefined,
  follow: () => false,
  trails: () => false,
  hasEntry: () => false,
};
