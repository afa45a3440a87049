/** Something that a strategy wanted, as far as two runs are compared by it. */
export interface Decision {
  /** Epoch ms. */
  readonly time: number;
  readonly strategyId: string;
  /** What it wanted, as text: two that want the same have the same. */
  readonly intent: string;
  /** It followed from a price after the data of its time, such as a fill at the next open, which may bear the same time. */
  readonly afterNext: boolean;
}

/** What is different about one of the runs that are compared; nothing: the run as it stands. */
export interface BiasChange {
  /** Epoch ms: it begins here. */
  readonly from?: number | undefined;
  /** Epoch ms: no data after this time. */
  readonly to?: number | undefined;
  /** It is made in the memory that the run as it stands has left behind. */
  readonly again?: boolean | undefined;
  /** The wall clock goes ahead by so much, in ms. */
  readonly clockMs?: number | undefined;
  /** Chance is drawn from this seed. */
  readonly seed?: number | undefined;
  /** The whole recording comes later by so much, in ms; decisions bear the times before that. */
  readonly shiftMs?: number | undefined;
}

/** What came of one run. */
export interface BiasOutcome {
  /** In the order in which they were made. */
  readonly decisions: readonly Decision[];
  /** Epoch ms of the first market data, and of the last that may be compared: not after `to`. */
  readonly first: number;
  readonly until: number;
  /** Files that the strategies read while they were made and ran. */
  readonly files: readonly string[];
}

/** Makes a run. Whoever hands it over sees to it that one without `again` knows nothing of any other. */
export type BiasRun = (change: BiasChange) => Promise<BiasOutcome>;
