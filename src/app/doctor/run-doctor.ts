import { readConfig } from '../config/load-config.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { CHECKS } from './checks.ts';
import type { DoctorMode } from './doctor-mode.ts';
import { examine, type Finding } from './examine.ts';
import { thisMachine } from './machine.ts';

export interface DoctorOptions {
  readonly set?: readonly string[];
  readonly mode?: DoctorMode;
  readonly only?: readonly string[];
  readonly json?: boolean;
}

const MARKS: Readonly<Record<Finding['status'], string>> = { ok: 'ok', warning: 'WARNING', failed: 'FAILED', skipped: 'skipped' };
const WIDTH = Math.max(...Object.values(MARKS).map(({ length }) => length));

/** Looks a config and its surroundings over, and prints what is wrong and how to mend it. @returns the exit code. */
export async function runDoctor(path: string, options: DoctorOptions, print: (line: string) => void): Promise<number> {
  const { set = [], only, json } = options;
  const mode = options.mode ?? widestMode(path, set);
  const findings = await examine({ path, mode, set, only, machine: thisMachine() });
  if (json === true) print(JSON.stringify({ mode, ...countsOf(findings), checks: findings }));
  else {
    // What is of another mode is in the JSON alone.
    const shown = findings.filter(({ id }) => concerns(id, mode));
    for (const finding of shown) print(textOf(finding));
    const { failed, warnings, ok, skipped } = countsOf(shown);
    print(`\n${mode}: ${failed} failed, ${warnings} to be looked at, ${ok} well, ${skipped} skipped`);
  }
  return countsOf(findings).failed > 0 ? EXIT_CODES.findings : EXIT_CODES.ok;
}

function countsOf(findings: readonly Finding[]) {
  const count = (status: Finding['status']) => findings.filter((one) => one.status === status).length;
  return { failed: count('failed'), warnings: count('warning'), ok: count('ok'), skipped: count('skipped') };
}

/** The mode that has most to be looked at; what cannot be read is told by the check of the config. */
function widestMode(path: string, set: readonly string[]): DoctorMode {
  try {
    const { value } = readConfig(path, { set });
    return value.live !== undefined ? 'live' : value.paper !== undefined ? 'paper' : 'backtest';
  } catch {
    return 'backtest';
  }
}

function concerns(id: string, mode: DoctorMode): boolean {
  return CHECKS.find((check) => check.id === id)?.modes?.includes(mode) !== false;
}

function textOf({ status, title, found, mend }: Finding): string {
  const indent = ' '.repeat(WIDTH + 2);
  const lines = [`${MARKS[status].padEnd(WIDTH)}  ${title}`, ...found.split('\n').map((line) => `${indent}${line}`)];
  return [...lines, ...(mend === undefined ? [] : [`${indent}mend: ${mend}`])].join('\n');
}
