import type { Log } from '../../ports/log.ts';

/** Of a second run: what strategies log then has been logged the first time. */
export const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {} };
