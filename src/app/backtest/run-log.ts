import { join } from 'node:path';
import { destination, pino } from 'pino';
import type { Log } from '../../ports/log.ts';

/** The run's log: `log.jsonl` in the out folder, stamped with the time of the run, not of the wall. */
export function runLog(folder: string, now: () => number): Log & { close(): void } {
  const file = destination({ dest: join(folder, 'log.jsonl'), sync: true });
  const logger = pino({ level: 'debug', base: null, timestamp: () => `,"time":${Number.isFinite(now()) ? now() : 0}` }, file);
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    close: () => file.end(),
  };
}
