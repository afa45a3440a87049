/** Receives texts of strategies and of the engine for people; no program parses them. */
export interface Log {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** A line that a strategy or the engine logs. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn';
  /** Epoch ms of the run, not of the wall clock; `NaN` before the first event. */
  readonly time: number;
  readonly message: string;
  readonly fields: object | undefined;
}
