import { isoTime } from '../../../model/time-text.ts';

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 40: 'WARN', 50: 'ERROR' };

/** A JSON line of the log as a person reads it: time of the bot's clock, level where it is not plain, message, fields. */
export function prettyLine(line: string): string {
  const { level, time: _, at, msg, ...fields } = JSON.parse(line) as { level: number; time: number; at: number; msg: string };
  const shown = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  );
  const word = LEVELS[level] === undefined ? [] : [LEVELS[level]];
  return [isoTime(at).slice(11, 19), ...word, msg, ...shown].join('  ');
}
