/** One thing that a run told: an intent, an event, a request, a reply; of a journal or of a backtest's `events.jsonl`. */
export interface ToldLine {
  /** Number of the record, or of the line. */
  readonly id: number;
  /** Epoch ms. */
  readonly time: number;
  /** `intent`, `request`, `reply`, or the kind of an event. */
  readonly kind: string;
  /** The rest of it, as `events.jsonl` has it: amounts, prices and quantities as text. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Of an intent: what the strategy was told right before it, where that is known. */
  readonly cause?: { readonly id: number; readonly time: number; readonly words: string } | undefined;
  /** Client ids of orders that hang together from here: an entry and its exits. */
  readonly links?: readonly { readonly entry: string; readonly legs: readonly string[] }[] | undefined;
}

/** What is to be explained. */
export interface ToldRun {
  /** Path, for people. */
  readonly source: string;
  /** What `id` counts. */
  readonly unit: 'record' | 'line';
  lines(): Iterable<ToldLine>;
  close(): void;
}
