import { destination, pino } from 'pino';
import type { Log } from '../../../ports/log.ts';
import { redactLine } from './redact-line.ts';

/** Names under which a secret could come into a log, whoever writes it. */
const SECRET_FIELDS = ['key', 'secret', 'passphrase', 'apiKey', 'headers', 'credentials', 'token', 'password'];
const REDACT = SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]);

export interface BotLogOptions {
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
  close(): void;
}

/** JSON lines in the bot's folder, stamped by the wall (`time`) and by the bot's clock (`at`). */
export function botLog({ file, lines, redact, now }: BotLogOptions): BotLog {
  const sink = destination({ dest: file, sync: true, append: true, mkdir: true });
  // A full disk must not end whoever logs: what matters is in the journal, or the record.
  sink.on('error', () => {});
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
    close: () => sink.end(),
  };
}
