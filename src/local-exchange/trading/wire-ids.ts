/** Fill ids count apart from order ids. */
const FILL_OFFSET = 500_000_000_000_000n;
const WITHDRAWAL_OFFSET = 700_000_000_000_000n;

/**
 * Ids as the exchange spells them: whole numbers of 18 digits, beyond what a double holds. They begin with the time
 * at which the exchange was first started, so that ids of two exchanges are not mistaken for one another.
 */
export class WireIds {
  readonly #base: bigint;
  #withdrawals = 0n;

  /** @param startedAt epoch ms. */
  constructor(startedAt: number) {
    this.#base = BigInt(Math.max(0, Math.floor(startedAt))) * 400_000n;
  }

  /** Of the matching room's count. */
  order(count: string): string {
    return String(this.#base + BigInt(count));
  }

  /** Of the matching room's `f<count>`. */
  fill(fillId: string): string {
    return String(this.#base + FILL_OFFSET + BigInt(fillId.slice(1)));
  }

  /** A new one each time. */
  withdrawal(): string {
    return String(this.#base + WITHDRAWAL_OFFSET + ++this.#withdrawals);
  }
}
