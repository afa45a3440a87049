/** The first record of a log. */
export interface LogStart {
  readonly kind: 'start';
  readonly version: 1;
  /** Epoch ms. */
  readonly time: number;
  readonly symbols: readonly string[];
  /** Longer than this between two polls, in ms, is a gap. */
  readonly silentMs: number;
  /** The newest time of the log before, and how that one ended; absent for the first of a recording. */
  readonly after?: { readonly time: number; readonly end: LogEnding } | undefined;
}

/** A price as it came: `[symbol, last price, the exchange's epoch ms, mark price]`, the mark of contracts alone. */
export type LoggedPrice =
  | readonly [symbol: string, last: string, exchangeTime: number]
  | readonly [symbol: string, last: string, exchangeTime: number, mark: string];

/** One round of questions. What is neither in `prices` nor in `missing` was answered with the price it had. */
export interface LoggedPoll {
  readonly kind: 'poll';
  /** When the answers were there, epoch ms: later than that of every record before. */
  readonly time: number;
  /** Prices that have changed since the record before, in the first poll after the recorder began all of them. */
  readonly prices?: readonly LoggedPrice[] | undefined;
  /** Symbols without an answer, and why. */
  readonly missing?: readonly (readonly [symbol: string, reason: string])[] | undefined;
}

/** Polls that could not be written, told once writing was possible again. */
export interface LostPolls {
  readonly kind: 'lost';
  readonly time: number;
  readonly polls: number;
  readonly reason: string;
}

/** The last record of a log that was closed in order. */
export interface LogEnd {
  readonly kind: 'end';
  readonly time: number;
  readonly end: LogEnding;
}

/** `cut`: there is no end record, as the process was killed, or power lost. */
export type LogEnding = 'rotated' | 'stopped' | 'cut';

export type LogRecord = LogStart | LoggedPoll | LostPolls | LogEnd;
