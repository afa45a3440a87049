/** Counts what was spent by each spender in the last `windowMs`: any window of that length holds at most `limit`. */
export class Meter {
  readonly #spent = new Map<string, { time: number; amount: number }[]>();

  /** @param limit 0 is no limit. */
  constructor(
    private readonly windowMs: number,
    private readonly limit: number,
  ) {}

  /** @returns false, and counts nothing, where it would be too much. */
  spend(spender: string, amount: number, now: number): boolean {
    if (this.limit === 0 || amount === 0) return true;
    const entries = (this.#spent.get(spender) ?? []).filter(({ time }) => time > now - this.windowMs);
    const used = entries.reduce((sum, entry) => sum + entry.amount, 0);
    const fits = used + amount <= this.limit;
    if (fits) entries.push({ time: now, amount });
    this.#spent.set(spender, entries);
    return fits;
  }
}
