import type { Clock } from '../../../ports/clock.ts';

export interface StaleWatchOptions {
  readonly clock: Clock;
  /** Without an answer for this long, in ms, something is stale. */
  readonly staleMs: number;
  readonly symbols: readonly string[];
  /** `symbol` is empty where it concerns all. */
  readonly tell: (symbol: string, condition: 'fresh' | 'stale', reason: string) => void;
}

/** Tells what has not been heard of for too long, and when it is heard of again: each change once. */
export class StaleWatch {
  readonly #heardAt = new Map<string, number>();
  readonly #reasons = new Map<string, string>();
  #told = new Set<string>();
  #running = false;
  #cancel = () => {};

  constructor(private readonly options: StaleWatchOptions) {}

  /** All count as heard of now. */
  start(): void {
    const { clock, symbols } = this.options;
    this.#running = true;
    for (const symbol of symbols) this.#heardAt.set(symbol, clock.now());
    this.#told = new Set();
    this.review();
  }

  stop(): void {
    this.#running = false;
    this.#cancel();
  }

  heard(symbol: string): void {
    this.#heardAt.set(symbol, this.options.clock.now());
    this.#reasons.delete(symbol);
  }

  /** Why nothing is heard, for the text. */
  missed(symbol: string, reason: string): void {
    this.#reasons.set(symbol, reason);
  }

  /** Tells what has changed. Called after a round of `heard`; it also calls itself when something comes due. */
  review(): void {
    const { clock, staleMs, symbols, tell } = this.options;
    const now = clock.now();
    const stale = symbols.filter((symbol) => now >= this.#heardAt.get(symbol)! + staleMs);
    const isAll = stale.length === symbols.length && stale.length > 0;
    const before = this.#told;
    this.#told = new Set(isAll ? [''] : stale);
    // The new before the end of the old: where all becomes some, those few are never told fresh in between.
    for (const symbol of this.#told) if (!before.has(symbol)) tell(symbol, 'stale', this.#reason(isAll ? stale[0]! : symbol));
    for (const symbol of before) if (!this.#told.has(symbol)) tell(symbol, 'fresh', 'answered again');
    this.#cancel();
    // Whoever is told may stop it.
    if (!this.#running) return;
    const next = symbols.filter((symbol) => !stale.includes(symbol)).map((symbol) => this.#heardAt.get(symbol)! + staleMs);
    this.#cancel = next.length === 0 ? () => {} : clock.schedule(Math.min(...next), () => this.review());
  }

  #reason(symbol: string): string {
    const why = this.#reasons.get(symbol);
    return `no answer for ${this.options.staleMs} ms${why === undefined ? '' : `: ${why}`}`;
  }
}
