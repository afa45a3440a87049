/** From what a reader may want to know up to what makes the result worth nothing. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a check has to say of a run: plain JSON. */
export interface Finding {
  /** Of the check, as docs/diagnosis.md lists it. */
  readonly id: string;
  readonly severity: Severity;
  readonly title: string;
  /** What it was judged by, as text by name. */
  readonly figures: Readonly<Record<string, string>>;
  readonly advice: string;
}

/** Whether a finding weighs as much as that, or more. */
export function isAtLeast({ severity }: Finding, other: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(other);
}
