import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readFileSync, truncateSync } from 'node:fs';
import { TidegateError } from '../../model/errors.ts';
import { Random } from '../../model/random.ts';
import type { Clock } from '../../ports/clock.ts';
import { writeWhole } from '../../recording/files.ts';
import type { ExchangeOptions } from '../options.ts';
import { Refusal } from '../refusal.ts';
import type { ActionKind, ArgsOf, ResultOf } from './actions.ts';
import { Exchange } from './exchange.ts';
import { credentialsOf } from './exchange-account.ts';
import type { PriceInput } from './market.ts';
import type { OrderEntry, Visibility } from './order-store.ts';

/** The exchange on its clock: gives every action a time, stores it in the state file, and ends withdrawals when they are due. */
export class RunningCore {
  readonly exchange: Exchange;
  readonly #clock: Clock;
  readonly #file: StateFile | undefined;
  readonly #scheduled = new Map<string, () => void>();
  #now: number;

  /** @throws TidegateError DATA_INVALID for a state file of another kind. */
  constructor(options: ExchangeOptions, visibility: Visibility) {
    this.#clock = options.clock;
    this.#now = options.clock.now();
    this.#file = options.stateFile === undefined ? undefined : StateFile.open(options.stateFile, this.#now, fingerprint(options));
    const startedAt = this.#file?.startedAt ?? this.#now;
    this.exchange = new Exchange(options, startedAt, visibility);
    this.#file?.past.forEach(([time, kind, args], index) => {
      this.#now = Math.max(this.#now, time);
      try {
        this.#again(kind, args, time);
      } catch (error) {
        this.#file?.close();
        throw this.#file?.damaged(index, error);
      }
    });
    this.#settleLater();
  }

  /** Epoch ms; never goes back. */
  now(): number {
    this.#now = Math.max(this.#now, this.#clock.now());
    return this.#now;
  }

  /** Changes the exchange now. @throws Refusal if the whole action is refused. */
  act<K extends ActionKind>(kind: K, args: ArgsOf<K>): ResultOf<K> {
    const time = this.now();
    if (!this.#isIdle(kind, args)) this.#file?.write(time, kind, args);
    const result = this.#perform(kind, args, time);
    if (kind === 'withdraw') this.#settleLater();
    return result;
  }

  /** A model of the user that fails ends the process: the exchange cannot go on in the middle of an action. */
  #perform<K extends ActionKind>(kind: K, args: ArgsOf<K>, time: number): ResultOf<K> {
    try {
      return this.exchange.perform(kind, args, time);
    } catch (error) {
      if (error instanceof TidegateError && error.code === 'MODEL_FAILED') {
        queueMicrotask(() => {
          throw error;
        });
      }
      throw error;
    }
  }

  /** Cancels an order at once, or after a delay if cancels have one, unless it has ended by then. */
  cancel(uid: string, entry: OrderEntry): void {
    const { behaviour } = this.exchange;
    const cancelMs = entry.instrument.kind === 'spot' ? behaviour.cancelMs : behaviour.futuresCancelMs;
    const act = () => {
      if (entry.live) this.act('cancel', { uid, key: entry.key });
    };
    if (cancelMs === 0) {
      act();
      return;
    }
    const name = `cancel ${uid} ${entry.key}`;
    if (this.#scheduled.has(name)) return;
    const later = new Random(cancelMs, name).between(0, cancelMs);
    const stop = this.#clock.schedule(this.now() + later, () => {
      this.#scheduled.delete(name);
      act();
    });
    this.#scheduled.set(name, stop);
  }

  close(): void {
    for (const cancel of this.#scheduled.values()) cancel();
    this.#file?.close();
  }

  /** Tickers of spot pairs that are equal to the last ones change nothing: the state file need not have them. */
  #isIdle<K extends ActionKind>(kind: K, args: ArgsOf<K>): boolean {
    if (kind === 'prices') return (args as ArgsOf<'prices'>).every((input) => this.#isOld(input));
    return kind === 'price' && this.#isOld(args as ArgsOf<'price'>);
  }

  #isOld([kind, instrument, ticks]: PriceInput): boolean {
    const view = this.exchange.market.views[instrument];
    return kind === 'ticker' && view?.instrument.contract === undefined && view?.lastTicks === ticks;
  }

  #again<K extends ActionKind>(kind: K, args: ArgsOf<K>, time: number): void {
    try {
      this.exchange.perform(kind, args, time);
    } catch (error) {
      // It was refused then, too.
      if (!(error instanceof Refusal)) throw error;
    }
  }

  #settleLater(): void {
    for (const { id, status, createTime } of this.exchange.treasury.withdrawals) {
      if (status !== 'PROGRESSING' || this.#scheduled.has(id)) continue;
      const cancel = this.#clock.schedule(createTime + this.exchange.behaviour.withdrawalMs, () => {
        this.#scheduled.delete(id);
        this.act('settle', { id });
      });
      this.#scheduled.set(id, cancel);
    }
  }
}

/** A SHA-256 over everything that decides the effects of actions: instruments, accounts, rules. */
function fingerprint(options: ExchangeOptions): string {
  const { name, instruments, accounts, fills, listings, coins, matching, behaviour, margin } = options;
  const contracts = instruments.filter(({ contract }) => contract !== undefined);
  const settled = {
    name,
    instruments: instruments.map(({ spec }) => spec),
    margin: accounts.map((account) => contracts.map((instrument) => margin(instrument, account.name))),
    accounts: accounts.map((account) => ({ ...account, ...credentialsOf(name, account) })),
    fills,
    listings: [...(listings ?? [])],
    coins,
    matching: { ...matching, insuranceFund: [...(matching?.insuranceFund ?? [])] },
    behaviour,
  };
  return createHash('sha256').update(JSON.stringify(settled)).digest('hex');
}

/** The first line. */
interface Header {
  readonly kind: 'tidegate-exchange';
  readonly version: 1;
  /** Epoch ms of the first start. */
  readonly startedAt: number;
  /** Fingerprint of the settings: repeating the actions under other rules would give another history. */
  readonly fingerprint: string;
}

/** An action and when it was done, in epoch ms of the exchange's time. */
type DatedAction = readonly [time: number, kind: ActionKind, args: ArgsOf<ActionKind>];

/**
 * The actions at the exchange, one JSON line each, written before it takes effect. A line that a crash cut short
 * had no reply yet and is dropped.
 */
class StateFile {
  readonly #file: number;
  /** Bytes of complete lines. */
  #end: number;

  private constructor(
    private readonly path: string,
    readonly startedAt: number,
    /** Actions before this start. */
    readonly past: readonly DatedAction[],
  ) {
    this.#file = openSync(path, 'a');
    this.#end = fstatSync(this.#file).size;
  }

  /**
   * @throws TidegateError DATA_INVALID for a file of another kind, of an exchange with other rules or accounts, or one that cannot be read.
   */
  static open(path: string, now: number, fingerprint: string): StateFile {
    if (!existsSync(path)) {
      const file = new StateFile(path, now, []);
      file.#line({ kind: 'tidegate-exchange', version: 1, startedAt: now, fingerprint } satisfies Header);
      return file;
    }
    const text = readState(path);
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

  /** The error for a past action that cannot be repeated. @param index its place in `past`. */
  damaged(index: number, cause: unknown): TidegateError {
    return damaged(this.path, index + 2, 'an action that cannot be done', cause);
  }

  write(time: number, kind: ActionKind, args: ArgsOf<ActionKind>): void {
    this.#line([time, kind, args] satisfies DatedAction);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** @throws TidegateError DISK_FULL if it cannot be written completely: the file then has no more complete lines than before. */
  #line(value: unknown): void {
    try {
      this.#end += writeWhole(this.#file, `${JSON.stringify(value)}\n`);
    } catch (cause) {
      try {
        ftruncateSync(this.#file, this.#end);
      } catch {
        // Half a line at the end is ignored by the next start.
      }
      const { message } = cause as Error;
      throw new TidegateError(
        'DISK_FULL',
        `${this.path}: an action cannot be written (${message}), and is not done: make room on its disk`,
        { cause },
      );
    }
  }
}

function readState(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new TidegateError('DATA_INVALID', `${path}: the state of the exchange cannot be read: ${(cause as Error).message}`, { cause });
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

/** Checks only the form: the arguments are checked when the action is repeated. */
function isDatedAction(value: unknown): value is DatedAction {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [time, kind, args] = value as unknown[];
  return Number.isFinite(time) && typeof kind === 'string' && typeof args === 'object' && args !== null;
}
