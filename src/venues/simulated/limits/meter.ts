/** How much lies in the last `windowMs`: tells from when on more fits. A limit of 0 is none. */
export class Meter {
  readonly #entries: { readonly time: number; readonly weight: number }[] = [];
  #used = 0;

  constructor(
    private readonly windowMs: number,
    private readonly limit: number,
  ) {}

  /** The earliest time at or after `time`, epoch ms, at which `weight` fits. Times may not go back. */
  fits(time: number, weight: number): number {
    if (this.limit === 0) return time;
    let from = time;
    this.#drop(from);
    while (this.#used + weight > this.limit) {
      const oldest = this.#entries[0];
      if (oldest === undefined) return from;
      from = Math.max(from, oldest.time + this.windowMs);
      this.#drop(from);
    }
    return from;
  }

  spend(time: number, weight: number): void {
    if (this.limit === 0) return;
    this.#entries.push({ time, weight });
    this.#used += weight;
  }

  #drop(now: number): void {
    while (this.#entries.length > 0 && this.#entries[0]!.time + this.windowMs <= now) this.#used -= this.#entries.shift()!.weight;
  }
}
