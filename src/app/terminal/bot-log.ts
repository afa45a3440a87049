import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { destination, pino } from 'pino';
import type { Log } from '../../ports/log.ts';

interface BotLogOptions {
  /** `log.jsonl`. */
  readonly file: string;
  /** Takes each line besides. */
  readonly lines?: ((line: string) => void) | undefined;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Epoch ms of the bot's clock, which in paper is not the wall's. */
  readonly now: () => number;
}

/** The log of a bot. Written at once: what is in it when the process dies is what happened. */
export interface BotLog extends Log {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Goes on in a new file of the same name: the one so far has been renamed. */
  reopen(): void;
  close(): void;
}

/** Names under which a secret could come into a log, whoever writes it. */
const SECRET_FIELDS = ['key', 'secret', 'passphrase', 'apiKey', 'headers', 'credentials', 'token', 'password'];
const REDACT = SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]);

/** JSON lines in the bot's folder, stamped by the wall (`time`) and by the bot's clock (`at`). */
export function botLog({ file, lines, redact, now }: BotLogOptions): BotLog {
  let sink = sinkOf(file);
  const write = (line: string) => {
    const redacted = redactLine(line, redact);
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
        logger.warn({ file, error: (error as Error).message }, 'the log file could not be opened anew: the one so far goes on');
        return;
      }
      before.end();
      logger.info({ file }, 'the log file was opened anew');
    },
    close: () => sink.end(),
  };
}

function sinkOf(file: string) {
  mkdirSync(dirname(file), { recursive: true });
  const sink = destination({ dest: openSync(file, 'a'), sync: true });
  // A full disk must not end whoever logs: what matters is in the journal, or the record.
  sink.on('error', () => {});
  return sink;
}

/** Strings of a JSON text, with the colon behind those that are names. */
const STRINGS = /"(?:[^"\\]|\\.)*"(:?)/g;
/** What every line has: a passphrase that is such a word must not take it away. */
const OWN_NAMES = new Set(['level', 'time', 'at', 'msg']);

/**
 * A line of JSON whose strings have been through `redact`, as they read without escapes; all else stays as it is. Digits of
 * a passphrase are found in times and quantities, too: hidden there, they would leave what is no JSON, and tell themselves.
 */
function redactLine(line: string, redact: (text: string) => string): string {
  return line.replace(STRINGS, (found, colon: string) => {
    const text = JSON.parse(found.slice(0, found.length - colon.length)) as string;
    if (colon !== '' && OWN_NAMES.has(text)) return found;
    const redacted = redact(text);
    return redacted === text ? found : `${JSON.stringify(redacted)}${colon}`;
  });
}

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

  reopen(): void {
    this.#log?.reopen();
  }

  close(): void {
    this.#log?.close();
  }

  #say(say: (log: BotLog) => void): void {
    if (this.#log === undefined) this.#waiting.push(say);
    else say(this.#log);
  }
}

/** What a `SystemClock` calls when somebody sets the wall clock. */
export function wallSet(log: Pick<Log, 'warn'>): (byMs: number) => void {
  return (byMs) =>
    log.warn(
      'the wall clock was set: periods go on as they were, and the clock of this process follows it by 43 s a day, or at a restart',
      {
        byMs,
      },
    );
}
