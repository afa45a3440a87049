import { isoTime } from '../../model/time.ts';
import { printable } from '../base/printable.ts';
import { steering } from './guarded-output.ts';

export interface ScreenOptions {
  /** Write JSON lines even on a terminal. */
  readonly json?: boolean | undefined;
  /** Write only errors. */
  readonly quiet?: boolean | undefined;
}

/** Lines below this level are written to the file only. */
const INFO = 30;

/** Writes to stdout while a bot runs: readable lines and a status line on a terminal, JSON lines elsewhere. */
export class BotScreen {
  /** True if stdout is a terminal and shows readable lines. */
  readonly live: boolean;
  readonly #quiet: boolean;
  readonly #out = steering(process.stdout);
  #status = '';

  constructor({ json, quiet }: ScreenOptions) {
    this.#quiet = quiet === true;
    this.live = process.stdout.isTTY === true && json !== true && !this.#quiet;
    // A closed pipe or a full disk must not end a bot.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  }

  /** Shows a JSON line of the log. Other text is shown as it is. */
  readonly line = (line: string): void => {
    if (this.#quiet) return;
    const read = readLine(line);
    if (read !== undefined && read.level < INFO) return;
    const shown = read === undefined ? line.trimEnd() : prettyLine(read);
    if (this.live) this.text(shown);
    else process.stdout.write(line);
  };

  /** Shows text on a terminal; without a terminal it is dropped. */
  text(text: string): void {
    if (this.live) this.#out.write(`${this.#clear()}${printable(text)}\n${this.#status}`);
  }

  /** Draws the status line over the earlier one. */
  status(text: string): void {
    if (!this.live) return;
    const cleared = this.#clear();
    this.#status = printable(text).slice(0, (process.stdout.columns || 100) - 1);
    this.#out.write(`${cleared}${this.#status}`);
  }

  /** Ends the status line, so that later output is not drawn over it. */
  end(): void {
    if (this.#status !== '') process.stdout.write('\n');
    this.#status = '';
  }

  #clear(): string {
    return this.#status === '' ? '' : '\r\u001b[K';
  }
}

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 40: 'WARN', 50: 'ERROR' };

/** The largest distance of a date from the epoch, in ms. */
const LAST_DATE = 8.64e15;

interface LogLine {
  readonly level: number;
  readonly time: number;
  readonly at: number;
  readonly msg: string;
}

/** @returns undefined if the text is not a line of the log. */
function readLine(line: string): LogLine | undefined {
  try {
    const read = JSON.parse(line) as LogLine;
    return typeof read.level === 'number' && Math.abs(read.at) <= LAST_DATE ? read : undefined;
  } catch {
    return undefined;
  }
}

/** A readable line of the log: time of the bot's clock, level unless it is `info`, message, fields. */
function prettyLine({ level, time: _, at, msg, ...fields }: LogLine): string {
  const shown = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  );
  const word = LEVELS[level] === undefined ? [] : [LEVELS[level]];
  return [isoTime(at).slice(11, 19), ...word, msg, ...shown].join('  ');
}
