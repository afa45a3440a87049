import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ended, Running } from '../kills/processes.ts';

/** Calls of one kind on one file, and how many of them a run of some seconds makes. */
export type Calls = readonly [file: string, op: 'open' | 'read' | 'write' | 'fsync', most: number];

/** A call that fails, as `faulty-disk.c` knows it. */
export interface DiskFault {
  /** The end of the path. */
  readonly file: string;
  readonly op: Calls[1];
  readonly nth: number;
  /** Whether all later calls fail too. */
  readonly lasts: boolean;
  readonly errno: number;
}

const EIO = 5;
const EACCES = 13;
const ENOSPC = 28;

/** A fault and the program whose disk it is. */
export interface DiskCase {
  readonly part: 'bot' | 'exchange' | 'recorder';
  readonly fault: DiskFault;
}

/** Every so manieth call of each kind, and the last one. Half of the faults last. */
export function casesOf(part: DiskCase['part'], kinds: readonly Calls[], every: number): DiskCase[] {
  const calls = kinds.flatMap(([file, op, most]) => {
    const numbers = new Set(Array.from({ length: Math.ceil(most / every) }, (_, index) => 1 + index * every));
    return [...numbers.add(most)].map((nth) => ({ file, op, nth }));
  });
  return calls.map(({ file, op, nth }, index) => {
    const other = index % 4 < 2;
    const errno = op === 'write' && other ? ENOSPC : op === 'open' && other ? EACCES : EIO;
    return { part, fault: { file, op, nth, lasts: index % 2 === 1, errno } };
  });
}

/** At most so many of the cases, evenly spread over the kinds of calls; another seed takes others. All if there are not more. */
export function sampleOf(cases: readonly DiskCase[], times: number, seed: number): DiskCase[] {
  if (cases.length <= times) return [...cases];
  const kindOf = ({ part, fault: { file, op } }: DiskCase) => `${part} ${file} ${op}`;
  const kinds = [...new Set(cases.map(kindOf))].map((kind) => cases.filter((one) => kindOf(one) === kind));
  const share = (index: number) => (index * GOLDEN) % 1;
  const taken = Array.from({ length: times }, (_, index) => {
    const kind = kinds[Math.floor(((index + share(seed)) * kinds.length) / times)]!;
    return kind[Math.floor(share(seed + index) * kind.length)]!;
  });
  return [...new Set(taken)];
}

const GOLDEN = 0.618;

/** The environment in which a process meets the fault. @param notes a file that is there once a call has failed. */
export function faultEnv(shim: string, { file, op, nth, lasts, errno }: DiskFault, notes: string): NodeJS.ProcessEnv {
  return {
    LD_PRELOAD: shim,
    TIDEGATE_DISK_FILE: file,
    TIDEGATE_DISK_OP: op,
    TIDEGATE_DISK_NTH: String(nth),
    TIDEGATE_DISK_LAST: String(lasts ? 0 : nth),
    TIDEGATE_DISK_ERRNO: String(errno),
    TIDEGATE_DISK_NOTES: notes,
  };
}

function faultText({ file, op, nth, lasts, errno }: DiskFault): string {
  return `${op} ${nth}${lasts ? ' and later ones' : ''} of ${file} fail with ${errno}`;
}

/** Longest from the start to ready, from there to the failing call, and from there to the end of the process, in ms. */
const START_MS = 15_000;
const PATIENCE_MS = 3_000;
const REACTION_MS = 1_000;
const LOOK_MS = 20;

/** How the process ended whose disk failed; undefined if it went on, or did not come to the call. @param life says when all is ready. */
export async function fateOf(life: Running, meant: Running, notes: string): Promise<Ended | undefined> {
  let ended: Ended | undefined;
  meant.ended.then((end) => {
    ended = end;
  });
  let until = Date.now() + START_MS;
  life.ready.then((is) => {
    if (is) until = Math.min(until, Date.now() + PATIENCE_MS);
  });
  while (ended === undefined && !hasFailed(notes) && Date.now() < until) await pause(LOOK_MS);
  const end = Date.now() + REACTION_MS;
  while (ended === undefined && hasFailed(notes) && Date.now() < end) await pause(LOOK_MS);
  return ended;
}

/** The exit codes of trouble with a disk: config, data, journal, machine (docs/reference/cli.md). */
const DOCUMENTED = [2, 3, 7, 10];

/** What is wrong with the way a process ended whose disk failed: its code has to be documented, its words no stack. */
function wrongEnd({ code, signal, stderr }: Ended): string | undefined {
  const isTyped = !/\n\s+at .*:\d+:\d+/.test(stderr);
  if (code !== null && (code === 0 || DOCUMENTED.includes(code)) && isTyped) return undefined;
  return `ended with ${code ?? signal}: ${stderr}`;
}

function hasFailed(notes: string): boolean {
  return existsSync(notes) && readFileSync(notes).length > 0;
}

/** How the runs of one kind went. */
export interface DiskRuns {
  runs: number;
  /** Runs that did not come as far as the call. */
  unreached: number;
  orders: number;
  /** Polls that a recorder reported as stored. */
  polls: number;
  /** Runs that went on after it. */
  borne: number;
  /** Exit codes of the others. */
  readonly codes: Record<string, number>;
  readonly wrong: string[];
}

export function noRuns(): DiskRuns {
  return { runs: 0, unreached: 0, orders: 0, polls: 0, borne: 0, codes: {}, wrong: [] };
}

/** Counts a run, and notes what is wrong with its end. */
export function noteRun(result: DiskRuns, fault: DiskFault, ended: Ended | undefined, notes: string): void {
  const hasMetIt = hasFailed(notes);
  result.runs++;
  if (ended === undefined) {
    if (hasMetIt) result.borne++;
    else result.unreached++;
    return;
  }
  const wrong = wrongEnd(ended);
  if (wrong !== undefined) result.wrong.push(`${faultText(fault)}: ${wrong}`);
  else if (!hasMetIt) result.wrong.push(`${faultText(fault)}: it ended by itself, without that: ${ended.code} ${ended.stderr}`);
  const key = `${ended.code ?? ended.signal}`;
  result.codes[key] = (result.codes[key] ?? 0) + 1;
}
