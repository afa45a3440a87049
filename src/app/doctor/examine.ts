import { TidegateError } from '../../model/errors.ts';
import { type Check, failed, type Outcome, skipped } from './check.ts';
import { CHECKS } from './checks.ts';
import type { DoctorMode } from './doctor-mode.ts';
import type { Machine } from './machine.ts';
import { Patient } from './patient.ts';

/** A check, and what came of it. */
export interface Finding extends Outcome {
  readonly id: string;
  readonly title: string;
}

export interface Examination {
  readonly path: string;
  readonly mode: DoctorMode;
  /** `--set` arguments. */
  readonly set: readonly string[];
  /** Ids of checks: these alone, with what they need. All where it is left out. */
  readonly only?: readonly string[] | undefined;
  readonly machine: Machine;
}

/**
 * Makes the checks of a mode, one after another; one that another needs, and that did not come out well, leaves that one out.
 * @throws TidegateError USAGE for a check that there is none of.
 */
export async function examine({ path, mode, set, only, machine }: Examination): Promise<Finding[]> {
  const wanted = only === undefined ? undefined : withNeeds(only);
  const patient = new Patient(path, mode, set, machine);
  const findings: Finding[] = [];
  try {
    for (const check of CHECKS.filter(({ id }) => wanted?.has(id) !== false))
      findings.push({ id: check.id, title: check.title, ...(await outcomeOf(check, patient, findings)) });
  } finally {
    await patient.client?.close();
  }
  return findings;
}

async function outcomeOf({ modes, needs = [], mend, run }: Check, patient: Patient, before: readonly Finding[]): Promise<Outcome> {
  const { mode } = patient;
  if (modes !== undefined && !modes.includes(mode)) return skipped(`means nothing for ${mode}`);
  const lacking = before.find(({ id, status, found }) => needs.includes(id) && (status === 'failed' || found.startsWith('without ')));
  if (lacking !== undefined) return skipped(`without "${lacking.id}" it cannot be told`);
  try {
    return await run(patient);
  } catch (error) {
    return failed((error as Error).message, mend);
  }
}

function withNeeds(ids: readonly string[]): Set<string> {
  const all = new Set<string>();
  const add = (id: string) => {
    const check = CHECKS.find((one) => one.id === id);
    if (check === undefined) throw new TidegateError('USAGE', `no check "${id}", only ${CHECKS.map((one) => one.id).join(', ')}`);
    all.add(id);
    for (const need of check.needs ?? []) add(need);
  };
  for (const id of ids) add(id);
  return all;
}
