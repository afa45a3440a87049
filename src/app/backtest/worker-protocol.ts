import { BAR_PATHS } from '../../matching/settings.ts';
import { type ErrorCode, TidegateError } from '../../model/errors.ts';
import type { BreakdownBy } from '../../statistics/breakdown.ts';
import { machineTrouble, unusablePlace } from '../base/machine-trouble.ts';
import { hideBorrowed } from '../config/reading/secrets.ts';
import type { Summary } from './results/summary.ts';

/** The beginning of the warning about a run without any order, as the risk module denied each intent. `--quiet` prints it too. */
export const ALL_DENIED = 'all orders were denied: ';

/** The values of `--path`: one path inside bars instead of the config's, or the two extreme ones. */
export const ASKED_PATHS = [...BAR_PATHS, 'both'] as const;

export type AskedPath = (typeof ASKED_PATHS)[number];

/** The job that the main thread sends to the worker of a backtest. */
export interface BacktestJob {
  readonly configPath: string;
  readonly set: readonly string[];
  readonly out: string | undefined;
  readonly events: boolean;
  /** The breakdowns, in this order. */
  readonly breakdowns: readonly BreakdownBy[];
  /** The delay of a second run in ms (or a bar), whose findings are printed; undefined: print the summary. */
  readonly delay: number | 'bar' | undefined;
  /** The path inside bars, instead of the config's. */
  readonly path: AskedPath | undefined;
  /** Whether the summary is also wanted as text. */
  readonly text: boolean;
  /** Width of the terminal, whether it shows colour, and whether it shows more than ASCII. */
  readonly columns: number;
  readonly color: boolean;
  readonly unicode: boolean;
  readonly progress: SharedArrayBuffer;
}

export type BacktestReply =
  | { readonly kind: 'done'; readonly summary: Summary; readonly text: string; readonly failure: SentError | undefined }
  | { readonly kind: 'failed'; readonly failure: SentError };

/** An error in a message between threads; `code` is absent if it is not a TidegateError. */
export interface SentError {
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly stack: string | undefined;
}

export function sentError(thrown: unknown): SentError {
  const error = machineTrouble(thrown) ?? unusablePlace(thrown) ?? thrown;
  return {
    code: error instanceof TidegateError ? error.code : undefined,
    message: hideBorrowed(error instanceof Error ? error.message : String(error)),
    stack: error instanceof Error && error.stack !== undefined ? hideBorrowed(error.stack) : undefined,
  };
}

/** The error that was sent. */
export function receivedError({ code, message, stack }: SentError): Error {
  return code === undefined ? Object.assign(new Error(message), { stack }) : new TidegateError(code, message);
}

/**
 * Progress and stop flag, shared between the threads: the replay is one synchronous loop, so a message to
 * its thread would wait until the loop is over.
 */
export class SharedProgress {
  readonly #figures: Float64Array;
  /** Not zero once the run must stop. */
  readonly stopFlag: Int32Array;

  constructor(readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(40)) {
    this.#figures = new Float64Array(buffer, 0, 4);
    this.stopFlag = new Int32Array(buffer, 32, 1);
  }

  get events(): number {
    return this.#figures[0]!;
  }

  /** Share of the period that has been replayed, in [0, 1]. */
  get share(): number {
    const [, time, from, to] = this.#figures as unknown as [number, number, number, number];
    return to > from && time > from ? Math.min(1, (time - from) / (to - from)) : 0;
  }

  get stopped(): boolean {
    return Atomics.load(this.stopFlag, 0) !== 0;
  }

  stop(): void {
    Atomics.store(this.stopFlag, 0, 1);
  }

  plan(from: number, to: number): void {
    this.#figures[2] = from;
    this.#figures[3] = to;
  }

  report(events: number, time: number): void {
    this.#figures[0] = events;
    this.#figures[1] = time;
  }
}
