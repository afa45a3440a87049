import type { LogLine } from '../api/journal-schemas.ts';
import type { Answer } from '../api/routes.ts';
import { tailOf } from '../steering/audit-log.ts';

const LEVELS: Readonly<Record<number, string>> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' };

/** The last lines of a log, the newest last. It has no secrets: the bot leaves them out. */
export function logTail(path: string, count: number, time: number): Answer<'log'> {
  return { time, path, lines: tailOf(path).slice(-count).map(lineOf) };
}

function lineOf(text: string): LogLine {
  try {
    const { time, level, msg, ...fields } = JSON.parse(text) as Record<string, unknown>;
    return {
      time: typeof time === 'number' ? time : null,
      level: LEVELS[Number(level)] ?? String(level ?? ''),
      message: String(msg ?? ''),
      fields,
    };
  } catch {
    return { time: null, level: '', message: text, fields: {} };
  }
}
