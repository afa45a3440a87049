import { isoTime } from '../../model/time.ts';

export interface ScreenOptions {
  /** JSON lines even on a terminal. */
  readonly json?: boolean | undefined;
  /** Nothing but errors. */
  readonly quiet?: boolean | undefined;
}

/** What is said below this is for the file alone. */
const INFO = 30;

/** Writes stdout while a bot runs: on a terminal, readable lines with a status line below them; elsewhere JSON lines. */
export class BotScreen {
  /** A person looks. */
  readonly live: boolean;
  readonly #quiet: boolean;
  #status = '';

  constructor({ json, quiet }: ScreenOptions) {
    this.#quiet = quiet === true;
    this.live = process.stdout.isTTY === true && json !== true && !this.#quiet;
    // Whoever read along has gone, or the disk is full: that must not end a bot.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  }

  /** Takes a JSON line of the log; what is none is shown as it is. */
  readonly line = (line: string): void => {
    if (this.#quiet) return;
    const read = readLine(line);
    if (read !== undefined && read.level < INFO) return;
    const shown = read === undefined ? line.trimEnd() : prettyLine(read);
    process.stdout.write(this.live ? `${this.#clear()}${shown}\n${this.#status}` : line);
  };

  /** Text for a person alone. */
  text(text: string): void {
    if (this.live) process.stdout.write(`${this.#clear()}${text}\n${this.#status}`);
  }

  /** The last line of the terminal, drawn over the one before. */
  status(text: string): void {
    if (!this.live) return;
    const cleared = this.#clear();
    this.#status = text.slice(0, (process.stdout.columns || 100) - 1);
    process.stdout.write(`${cleared}${this.#status}`);
  }

  /** Nothing is drawn over from here. */
  end(): void {
    if (this.#status !== '') process.stdout.write('\n');
    this.#status = '';
  }

  #clear(): string {
    return this.#status === '' ? '' : '\r\u001b[K';
  }
}

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
function readLine(line: string): LogLine | undefined {
  try {
    const read = JSON.parse(line) as LogLine;
    return typeof read.level === 'number' && Math.abs(read.at) <= LAST_DATE ? read : undefined;
  } catch {
    return undefined;
  }
}

/** A line of the log as a person reads it: time of the bot's clock, level where it is not plain, message, fields. */
function prettyLine({ level, time: _, at, msg, ...fields }: LogLine): string {
  const shown = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  );
  const word = LEVELS[level] === undefined ? [] : [LEVELS[level]];
  return [isoTime(at).slice(11, 19), ...word, msg, ...shown].join('  ');
}
