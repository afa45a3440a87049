/** A value of a signal: a number, a text, or null if its row has none. */
export type SignalValue = number | string | null;

/** A row of a user's own data, such as a prediction of a model. Strategies receive it in `onSignal`. */
export interface SignalReceived {
  readonly kind: 'signalReceived';
  /** Epoch ms at which strategies receive it: never before `sourceTime` plus the delay `availableAfter` of the config. */
  readonly time: number;
  /** The name of its entry in `signals` of the config. */
  readonly name: string;
  /** Its symbol; absent if it belongs to no symbol. */
  readonly symbol?: string | undefined;
  /** The time of its row, in epoch ms. */
  readonly sourceTime: number;
  /** Its values by column, in the order of the columns. */
  readonly values: Readonly<Record<string, SignalValue>>;
}
