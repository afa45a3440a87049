import type { Log } from '../../ports/log.ts';
import type { LoggedPoll } from './log-record.ts';

/** Tells in a log when symbols cease to be answered, and when they are again: each once. */
export class GapLog {
  /** Epoch ms of the first poll without an answer, by symbol. */
  readonly #since = new Map<string, number>();

  constructor(private readonly log: Log) {}

  tell({ time, missing = [] }: LoggedPoll): void {
    if (missing.length === 0 && this.#since.size === 0) return;
    const reasons = new Map(missing);
    const ended = [...this.#since].filter(([symbol]) => !reasons.has(symbol));
    const begun = missing.filter(([symbol]) => !this.#since.has(symbol));
    for (const [symbol] of ended) this.#since.delete(symbol);
    for (const [symbol] of begun) this.#since.set(symbol, time);
    if (ended.length > 0) {
      const since = Math.min(...ended.map(([, at]) => at));
      this.log.info('answered again', { symbols: ended.map(([symbol]) => symbol), ms: time - since });
    }
    if (begun.length > 0) this.log.warn('no answer: a gap begins', { symbols: begun.map(([symbol]) => symbol), reason: begun[0]![1] });
  }
}
