import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { destination, pino } from 'pino';
import { TidegateError } from '../../model/errors.ts';
import type { Log } from '../../ports/log.ts';
import { machineTrouble } from '../base/machine-trouble.ts';
import { printable } from '../base/printable.ts';

interface BotLogOptions {
  /** `log.jsonl`. */
  readonly file: string;
  /** Also receives each line. */
  readonly lines?: ((line: string) => void) | undefined;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
  /** Epoch ms of the bot's clock. In paper it is not the wall clock. */
  readonly now: () => number;
}

/** The log of a bot. Each line is written at once, so the log is complete when the process dies. */
export interface BotLog extends Log {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Continues in a new file of the same name, after the present file has been renamed. */
  reopen(): void;
  close(): void;
}

/** Names of fields that may hold a secret. */
const SECRET_FIELDS = ['key', 'secret', 'passphrase', 'apiKey', 'headers', 'credentials', 'token', 'password'];
const REDACT = SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]);

/** Writes JSON lines to the bot's folder, each with the wall clock (`time`) and the bot's clock (`at`). */
export function botLog({ file, lines, redact, now }: BotLogOptions): BotLog {
  let sink = firstSinkOf(file);
  const write = (line: string) => {
    const redacted = printable(redactLine(line, redact));
    sink.write(redacted);
    lines?.(redacted);
  };
  const options = { level: 'debug', base: null, redact: { paths: REDACT, censor: '***' }, mixin: () => ({ at: Math.round(now()) }) };
  const logger = pino(options, { write });
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields) => logger.error(fields ?? {}, message),
    reopen: () => {
      const before = sink;
      try {
        sink = sinkOf(file);
      } catch (error) {
        logger.warn(
          { file, error: (error as Error).message },
          'the log file could not be reopened: the bot continues to write the old one',
        );
        return;
      }
      before.end();
      logger.info({ file }, 'the log file was reopened');
    },
    close: () => sink.end(),
  };
}

function sinkOf(file: string) {
  mkdirSync(dirname(file), { recursive: true });
  const sink = destination({ dest: openSync(file, 'a'), sync: true });
  // A full disk must not end the bot or the recorder: the important data is in the journal, or in the recording.
  let isReported = false;
  sink.on('error', ({ message }) => {
    if (!isReported) process.stderr.write(`warning: lines of ${file} are lost: ${printable(message)}\n`);
    isReported = true;
  });
  return sink;
}

/** @throws TidegateError DISK_FULL, TOO_MANY_FILES; CONFIG_INVALID where the file cannot be opened for another reason. */
function firstSinkOf(file: string) {
  try {
    return sinkOf(file);
  } catch (cause) {
    const text = `the log ${file} cannot be opened: ${(cause as Error).message}`;
    throw machineTrouble(cause) ?? new TidegateError('CONFIG_INVALID', text, { cause });
  }
}

/** The strings of a JSON text; a name comes with the colon after it. */
const STRINGS = /"(?:[^"\\]|\\.)*"(:?)/g;
/** The names that every line has: they stay even if a passphrase is one of these words. */
const OWN_NAMES = new Set(['level', 'time', 'at', 'msg']);

/**
 * Applies `redact` to the unescaped strings of a JSON line, and to nothing else. The digits of a passphrase may also occur in times and
 * quantities: to hide them there would break the JSON, and would show which digits they are.
 */
function redactLine(line: string, redact: (text: string) => string): string {
  return line.replace(STRINGS, (found, colon: string) => {
    const text = JSON.parse(found.slice(0, found.length - colon.length)) as string;
    if (colon !== '' && OWN_NAMES.has(text)) return found;
    const redacted = redact(text);
    return redacted === text ? found : `${JSON.stringify(redacted)}${colon}`;
  });
}

/** The log that strategies receive before the bot has its folder: it keeps lines until `open`, then writes them. */
export class LateLog implements BotLog {
  #log: BotLog | undefined;
  readonly #kept: ((log: BotLog) => void)[] = [];

  open(log: BotLog): void {
    this.#log = log;
    for (const write of this.#kept.splice(0)) write(log);
  }

  debug(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#write((log) => log.debug(message, fields));
  }
  info(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#write((log) => log.info(message, fields));
  }
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#write((log) => log.warn(message, fields));
  }
  error(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#write((log) => log.error(message, fields));
  }

  reopen(): void {
    this.#log?.reopen();
  }

  close(): void {
    this.#log?.close();
  }

  #write(write: (log: BotLog) => void): void {
    if (this.#log === undefined) this.#kept.push(write);
    else write(this.#log);
  }
}

/** The handler that a `SystemClock` calls when the wall clock was set. */
export function wallSet(log: Pick<Log, 'warn'>): (byMs: number) => void {
  return (byMs) =>
    log.warn(
      'the wall clock was set: timers keep their periods; the clock of this process approaches it by at most 43 s a day, or takes it over at a restart',
      {
        byMs,
      },
    );
}
