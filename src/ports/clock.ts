/** Time comes through this port alone, so that a backtest and a live run see it the same way. */
export interface Clock {
  /** Epoch ms, fractions to the microsecond. */
  now(): number;
  /** Runs `callback` at `time` (or as soon as it is past); the returned function cancels it. */
  schedule(time: number, callback: () => void): () => void;
}
