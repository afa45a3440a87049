import { isoTime } from '../../../model/time-text.ts';

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 40: 'WARN', 50: 'ERROR' };

/** Farthest from the epoch that a date can be, in ms. */
const LAST_DATE = 8.64e15;

interface LogLine {
  readonly level: number;
  readonly time: number;
  readonly at: number;
  readonly msg: string;
}

/** @returns undefined for what is no line of the log. */
export function readLine(line: string): LogLine | undefined {
  try {
    const read = JSON.parse(line) as LogLine;
    return typeof read.level === 'number' && Math.abs(read.at) <= LAST_DATE ? read : undefined;
  } catch {
    return undefined;
  }
}

/** A line of the log as a person reads it: time of the bot's clock, level where it is not plain, message, fields. */
export function prettyLine({ level, time: _, at, msg, ...fields }: LogLine): string {
  const shown = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  );
  const word = LEVELS[level] === undefined ? [] : [LEVELS[level]];
  return [isoTime(at).slice(11, 19), ...word, msg, ...shown].join('  ');
}
