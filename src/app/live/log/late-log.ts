import type { BotLog } from './bot-log.ts';

/** The log that strategies are made with, before the bot has its folder: what is said before `open` waits. */
export class LateLog implements BotLog {
  #log: BotLog | undefined;
  readonly #waiting: ((log: BotLog) => void)[] = [];

  open(log: BotLog): void {
    this.#log = log;
    for (const say of this.#waiting.splice(0)) say(log);
  }

  debug(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#say((log) => log.debug(message, fields));
  }
  info(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#say((log) => log.info(message, fields));
  }
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#say((log) => log.warn(message, fields));
  }
  error(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#say((log) => log.error(message, fields));
  }

  close(): void {
    this.#log?.close();
  }

  #say(say: (log: BotLog) => void): void {
    if (this.#log === undefined) this.#waiting.push(say);
    else say(this.#log);
  }
}
