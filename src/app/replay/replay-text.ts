import { isoTime } from '../../model/time-text.ts';
import { eventWords } from '../event-words.ts';
import { columns } from '../exchange/columns.ts';
import type { Difference } from './difference.ts';
import { plainValue } from './plain-value.ts';
import type { ReplayResult, RunResult } from './replay-journal.ts';

export interface ReplayReport extends ReplayResult {
  readonly journal: string;
  /** Strategies whose code is not what was recorded. */
  readonly changed: readonly string[];
}

const count = (number: number, word: string) => `${number.toLocaleString('en-US')} ${word}${number === 1 ? '' : 's'}`;

/** What a replay found, for a person. */
export function replayText({ journal, bot, records, untold, runs, difference, changed }: ReplayReport): string {
  const lines = [`${journal}, bot ${bot}: ${count(records, 'record')}`];
  if (untold > 0) lines.push(`${count(untold, 'record')} of an earlier Tidegate tell of no turns: folded into the state, not replayed`);
  for (const run of runs) lines.push(runLine(run));
  for (const id of changed) lines.push(`strategy "${id}" is other code than was recorded`);
  for (const asked of new Set(runs.flatMap(({ missing }) => missing)))
    lines.push(`bars of ${asked} were not recorded: the strategy got none`);
  if (difference !== undefined) return [...lines, '', ...differenceLines(difference, runs.length)].join('\n');
  const { point } = runs.at(-1)!;
  lines.push('', 'IDENTICAL: every intent, denial, event and request, and the state at every point');
  if (point !== undefined) lines.push(`state      ${point.state}`, `decisions  ${point.decisions}`);
  return lines.join('\n');
}

const ENDS: Readonly<Record<RunResult['end'], string>> = {
  stopped: 'stopped',
  cut: 'cut off (killed, failed, or still running)',
  differs: 'the same up to here',
};

function runLine({ run, started, end, turns, market, events, intents, denials, requests, points }: RunResult): string {
  const what = [
    count(turns, 'turn'),
    count(market, 'price'),
    count(events, 'event'),
    count(intents, 'intent'),
    count(denials, 'denial'),
    count(requests, 'request'),
  ];
  return `run ${run}, ${isoTime(started.now)}, ${ENDS[end]}: ${what.join(', ')}; state the same at ${count(points, 'point')}`;
}

function differenceLines({ what, id, time, sequence, recorded, replayed, cause }: Difference, run: number): string[] {
  return [
    `DIFFERENT: ${what}, at record ${id} of run ${run}, ${isoTime(time)}, market data ${sequence}`,
    cause === undefined ? 'before any event' : `after record ${cause.id}: ${eventWords(cause.event)}`,
    '',
    sideBySide(plainValue(recorded), plainValue(replayed)),
  ];
}

/** Field by field; what differs is marked. */
function sideBySide(recorded: unknown, replayed: unknown): string {
  const [one, other] = [leaves(recorded), leaves(replayed)];
  const names = [...new Set([...one.keys(), ...other.keys()])];
  const rows = names.map((name) => {
    const [left = '-', right = '-'] = [one.get(name), other.get(name)];
    return [left === right ? ' ' : '*', name, left, right];
  });
  const nothing = (value: unknown) => (value === undefined ? ' (nothing)' : '');
  return columns([['', '', `recorded${nothing(recorded)}`, `replayed${nothing(replayed)}`], ...rows]);
}

function leaves(value: unknown, name = '', found = new Map<string, string>()): Map<string, string> {
  if (typeof value !== 'object' || value === null) {
    if (value !== undefined) found.set(name, String(value));
    return found;
  }
  for (const [key, field] of Object.entries(value)) leaves(field, name === '' ? key : `${name}.${key}`, found);
  return found;
}
