import type { Log } from '../../ports/log.ts';
import { keepLog } from './keep-log.ts';
import { type LogFolder, openLogs } from './log-folder.ts';

/** Makes parts of series of the logs that are closed, one after the other, the oldest first. */
export class LogKeeper {
  /** Logs that have become parts. */
  kept = 0;
  /** What stands in the way at present. */
  trouble: string | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(
    private readonly folder: LogFolder,
    private readonly keepPolls: boolean,
    private readonly log: Log,
  ) {}

  /** Takes up what is there behind what is under way; one that cannot be kept stays for the next time, and those after it. Never fails. */
  keep(isOpen: (log: string) => boolean): Promise<void> {
    this.#working = this.#working.then(() => this.#keepAll(isOpen));
    return this.#working;
  }

  async #keepAll(isOpen: (log: string) => boolean): Promise<void> {
    let at = '';
    try {
      for (const log of openLogs(this.folder).filter((one) => !isOpen(one))) {
        at = log;
        const coverage = await keepLog(this.folder, log, this.keepPolls);
        this.kept++;
        if (coverage === undefined) continue;
        const { polls, rows, gaps, tornBytes, damaged, end } = coverage;
        this.log.info('kept', { log, polls, rows, gaps: gaps.length, end });
        if (tornBytes > 0) this.log.warn('a record that was being written is cut off', { log, tornBytes });
        if (damaged > 0) this.log.warn('parts of a log are no records: it stays beside, as .log.damaged', { log, damaged });
      }
      this.trouble = undefined;
    } catch (error) {
      this.trouble = `log ${at} cannot be made part of its series: ${(error as Error).message}`;
      this.log.warn('a log cannot be made part of its series: it stays', { log: at, error: (error as Error).message });
    }
  }
}
