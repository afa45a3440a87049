import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { TidegateError } from '../../model/errors.ts';
import type { ActionKind, ArgsOf } from './actions.ts';

/** The first line. */
interface Header {
  readonly kind: 'tidegate-exchange';
  readonly version: 1;
  /** Epoch ms of the first start. */
  readonly startedAt: number;
  /** Of what the exchange is: doing the actions again under other rules would give another history. */
  readonly fingerprint: string;
}

/** An action and when it was done, in epoch ms of the exchange's time. */
export type DatedAction = readonly [time: number, kind: ActionKind, args: ArgsOf<ActionKind>];

/**
 * What happened at the exchange, one JSON line each, written before it takes effect. A line that a crash cut short
 * was answered to nobody and is dropped.
 */
export class StateFile {
  readonly #file: number;

  private constructor(
    private readonly path: string,
    readonly startedAt: number,
    /** What happened before this start. */
    readonly past: readonly DatedAction[],
  ) {
    this.#file = openSync(path, 'a');
  }

  /**
   * @throws TidegateError DATA_INVALID for a file of another kind, or of an exchange with other rules or accounts.
   */
  static open(path: string, now: number, fingerprint: string): StateFile {
    if (!existsSync(path)) {
      const file = new StateFile(path, now, []);
      file.#line({ kind: 'tidegate-exchange', version: 1, startedAt: now, fingerprint } satisfies Header);
      return file;
    }
    const text = readFileSync(path, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const [first, ...lines] = whole.split('\n').slice(0, -1);
    const header = parseLine(path, 1, first ?? '') as Partial<Header> | null;
    if (header?.kind !== 'tidegate-exchange' || header.version !== 1 || typeof header.startedAt !== 'number') {
      throw new TidegateError('DATA_INVALID', `${path}: not the state of a local exchange`);
    }
    if (header.fingerprint !== fingerprint) {
      throw new TidegateError(
        'DATA_INVALID',
        `${path}: the state of an exchange with other instruments, accounts or rules: name another file, or go back to that config`,
      );
    }
    const past = lines.map((line, index) => {
      const action = parseLine(path, index + 2, line);
      if (!isDatedAction(action)) throw damaged(path, index + 2, 'no action');
      return action;
    });
    truncateSync(path, Buffer.byteLength(whole));
    return new StateFile(path, header.startedAt, past);
  }

  /** What a past action that cannot be done again says of the file. @param index its place in `past`. */
  damaged(index: number, cause: unknown): TidegateError {
    return damaged(this.path, index + 2, 'an action that cannot be done', cause);
  }

  write(time: number, kind: ActionKind, args: ArgsOf<ActionKind>): void {
    this.#line([time, kind, args] satisfies DatedAction);
  }

  close(): void {
    closeSync(this.#file);
  }

  #line(value: unknown): void {
    writeSync(this.#file, `${JSON.stringify(value)}\n`);
  }
}

function parseLine(path: string, line: number, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw damaged(path, line, 'no JSON', cause);
  }
}

function damaged(path: string, line: number, what: string, cause?: unknown): TidegateError {
  return new TidegateError('DATA_INVALID', `${path}:${line}: ${what}: the file was changed by something else`, { cause });
}

/** Its form alone: what the arguments are worth shows when it is done again. */
function isDatedAction(value: unknown): value is DatedAction {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [time, kind, args] = value as unknown[];
  return Number.isFinite(time) && typeof kind === 'string' && typeof args === 'object' && args !== null;
}
