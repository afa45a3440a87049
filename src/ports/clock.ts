/** The only source of time, so that it is the same in a backtest and in a live run. */
export interface Clock {
  /** Epoch ms, fractions to the microsecond. */
  now(): number;
  /** Runs `callback` at `time` (or as soon as possible if that is past); the returned function cancels it. */
  schedule(time: number, callback: () => void): () => void;
}
