/** Looks in on a replay now and then. */
export interface ReplayMonitor {
  /** Called every so many events, as soon as `wanted` says so, and at the end. @returns false to stop the replay here. */
  look(marketEvents: number, time: number): boolean;
  /** Memory that another thread may write to: while its first number is not zero, the monitor looks in at every step. */
  readonly wanted?: Int32Array | undefined;
}

/** Often enough for whoever draws how far it is. */
export const LOOK_EVERY = 256;
export const NEVER_WANTED = new Int32Array(1);
