import { TidegateError } from '../../model/errors.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { readConfig } from '../config/load-config.ts';
import {
  answers,
  botFolderCheck,
  journal,
  latches,
  lossLimit,
  processManager,
  refusable,
  requests,
  running,
  watchdog,
} from './bot-checks.ts';
import { type Check, type DoctorMode, failed, type Machine, type Outcome, Patient, skipped, thisMachine } from './check.ts';
import { configCheck, disk, history, nodeVersion, plausible, recordings, strategies } from './config-checks.ts';
import {
  account,
  clockOffset,
  contracts,
  enabled,
  futuresReachable,
  keyAccepted,
  keys,
  limits,
  pairs,
  permissions,
  spotReachable,
  standing,
} from './exchange-checks.ts';

export interface DoctorOptions {
  readonly set?: readonly string[];
  readonly mode?: DoctorMode;
  readonly only?: readonly string[];
  readonly json?: boolean;
}

/** Checks a config and its environment, and prints problems and how to fix them. @returns the exit code. */
export async function runDoctor(path: string, options: DoctorOptions, print: (line: string) => void): Promise<number> {
  const { set = [], only, json } = options;
  const mode = options.mode ?? widestMode(path, set);
  const findings = await examine({ path, mode, set, only, machine: thisMachine() });
  if (json === true) print(JSON.stringify({ mode, ...countsOf(findings), checks: findings }));
  else {
    // Checks of other modes are only in the JSON.
    const shown = findings.filter(({ id }) => concerns(id, mode));
    for (const finding of shown) print(textOf(finding));
    const { failed, warnings, ok, skipped } = countsOf(shown);
    print(`\n${mode}: ${failed} failed, ${warnings} warnings, ${ok} ok, ${skipped} skipped`);
  }
  return countsOf(findings).failed > 0 ? EXIT_CODES.findings : EXIT_CODES.ok;
}

const MARKS: Readonly<Record<Finding['status'], string>> = { ok: 'ok', warning: 'WARNING', failed: 'FAILED', skipped: 'skipped' };
const WIDTH = Math.max(...Object.values(MARKS).map(({ length }) => length));

function textOf({ status, title, found, mend }: Finding): string {
  const indent = ' '.repeat(WIDTH + 2);
  const lines = [`${MARKS[status].padEnd(WIDTH)}  ${title}`, ...found.split('\n').map((line) => `${indent}${line}`)];
  return [...lines, ...(mend === undefined ? [] : [`${indent}fix: ${mend}`])].join('\n');
}

function concerns(id: string, mode: DoctorMode): boolean {
  return CHECKS.find((check) => check.id === id)?.modes?.includes(mode) !== false;
}

function countsOf(findings: readonly Finding[]) {
  const count = (status: Finding['status']) => findings.filter((one) => one.status === status).length;
  return { failed: count('failed'), warnings: count('warning'), ok: count('ok'), skipped: count('skipped') };
}

/** The mode with the most checks that the config has a section for. If it cannot be read, the check of the config reports it. */
function widestMode(path: string, set: readonly string[]): DoctorMode {
  try {
    const { value } = readConfig(path, { withoutBacktest: true, set });
    return value.live !== undefined ? 'live' : value.paper !== undefined ? 'paper' : 'backtest';
  } catch {
    return 'backtest';
  }
}

/** A check with its result. */
export interface Finding extends Outcome {
  readonly id: string;
  readonly title: string;
}

interface Examination {
  readonly path: string;
  readonly mode: DoctorMode;
  /** `--set` arguments. */
  readonly set: readonly string[];
  /** Ids of the checks to run, which also run the checks that they need; default: all. */
  readonly only?: readonly string[] | undefined;
  readonly machine: Machine;
}

/**
 * Runs the checks of a mode one after another. A check is skipped if one that it needs has failed or was skipped for this reason.
 * @throws TidegateError USAGE for the id of a check that does not exist.
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
  if (modes !== undefined && !modes.includes(mode)) return skipped(`does not apply to ${mode}`);
  const lacking = before.find(({ id, status, found }) => needs.includes(id) && (status === 'failed' || found.startsWith('without ')));
  if (lacking !== undefined) return skipped(`without "${lacking.id}" this cannot be checked`);
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
    if (check === undefined)
      throw new TidegateError('USAGE', `there is no check "${id}"; expected one of ${CHECKS.map((one) => one.id).join(', ')}`);
    all.add(id);
    for (const need of check.needs ?? []) add(need);
  };
  for (const id of ids) add(id);
  return all;
}

/** All checks in their order: those that others need come first. */
export const CHECKS: readonly Check[] = [
  nodeVersion,
  configCheck,
  plausible,
  strategies,
  recordings,
  history,
  disk,
  botFolderCheck,
  journal,
  refusable,
  lossLimit,
  running,
  requests,
  answers,
  latches,
  processManager,
  limits,
  enabled,
  keys,
  spotReachable,
  futuresReachable,
  clockOffset,
  keyAccepted,
  account,
  permissions,
  pairs,
  contracts,
  standing,
  watchdog,
];
