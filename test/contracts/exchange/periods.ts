import type { Refused } from './contract.ts';

/** The rule that a period does not end before it starts. */
export function periodRule(start: string, end: string): Refused {
  return {
    title: 'with a period that ends before it starts',
    change: { [start]: 1_700_000_000_002, [end]: 1_700_000_000_001 },
    said: `${start} must not be after ${end}`,
    code: '40707',
  };
}

/** The rule that a page holds at least one record. */
export function emptyPageRule(name: string): Refused {
  return { title: `with ${name} 0`, change: { [name]: 0 }, said: `${name} must be a whole number of at least 1`, code: '40020' };
}
