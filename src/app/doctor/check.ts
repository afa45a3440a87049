import type { DoctorMode } from './doctor-mode.ts';
import type { Patient } from './patient.ts';

/** What came of one check. */
export interface Outcome {
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** What was found, or why nothing was looked at. */
  readonly found: string;
  /** What to do about it. */
  readonly mend?: string | undefined;
}

/** One thing that is looked at before, or while, a config is run. */
export interface Check {
  readonly id: string;
  /** What is asked, in a few words. */
  readonly title: string;
  /** Where it means anything; all modes unless said otherwise. */
  readonly modes?: readonly DoctorMode[] | undefined;
  /** Ids of checks without which it cannot be made. */
  readonly needs?: readonly string[] | undefined;
  /** What to do where it throws; its error says what is wrong. */
  readonly mend: string;
  run(patient: Patient): Outcome | Promise<Outcome>;
}

export const ok = (found: string): Outcome => ({ status: 'ok', found });
export const skipped = (found: string): Outcome => ({ status: 'skipped', found });
export const warning = (found: string, mend: string): Outcome => ({ status: 'warning', found, mend });
export const failed = (found: string, mend: string): Outcome => ({ status: 'failed', found, mend });
