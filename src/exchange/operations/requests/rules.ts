/** A rule between parameters; `code` is the error with which a server refuses its breach. */
interface Rule {
  readonly error: string;
  readonly path: string[];
  readonly params: { readonly code: string };
}

/** The rule that one of two ids is there. */
export function oneOf(first: string, second: string): Rule {
  return { error: `or ${second} is required`, path: [first], params: { code: '40913' } };
}

/** The rule that a period does not end before it starts. */
export function period(start: string, end: string): Rule {
  return { error: `must not be after ${end}`, path: [start], params: { code: '40707' } };
}

/** True unless both are given and the start is later. */
export function inOrder(start: number | undefined, end: number | undefined): boolean {
  return start === undefined || end === undefined || start <= end;
}
