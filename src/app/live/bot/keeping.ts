import type { Engine } from '../../../engine/engine.ts';
import type { BotJournal } from '../../../journal/bot-journal.ts';
import { encode } from '../../../journal/codec.ts';
import type { MarketEvent } from '../../../model/market-events.ts';
import type { Clock } from '../../../ports/clock.ts';

/** The longest that market data alone waits to be durable, in ms. */
const MARKET_WAITS_MS = 1_000;

/**
 * Keeps in the journal what the engine lives through: market data as it comes, and with every commit what strategies and
 * held orders have become since the last one.
 */
export class Keeping {
  /** Something happened to the account in this turn: it is durable before the next one. */
  #pressing = false;
  #committedAt = Number.NEGATIVE_INFINITY;
  #held = '';
  readonly #saves = new Map<string, string>();
  /** An observer cannot stop a turn by throwing; what went wrong is thrown after it. */
  #failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly journal: BotJournal,
    private readonly clock: Clock,
    /** Takes market data as the engine shows it. */
    market: (event: MarketEvent) => void,
  ) {
    this.#held = encode(engine.snapshot());
    journal.beforeCommit = () => this.#keepMore();
    engine.market$.subscribe((event) => this.#try(() => market(event)));
    engine.account$.subscribe(() => {
      this.#pressing = true;
    });
  }

  /** @throws TidegateError JOURNAL_FAILED. */
  afterTurn(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    const now = this.clock.now();
    if (!this.#pressing && now < this.#committedAt + MARKET_WAITS_MS) return;
    this.journal.commit();
    this.#pressing = false;
    this.#committedAt = now;
  }

  #keepMore(): void {
    const snapshot = this.engine.snapshot();
    const held = encode(snapshot);
    if (held !== this.#held) this.journal.append('held', snapshot);
    this.#held = held;
    const changed = new Map<string, unknown>();
    for (const [id, saved] of this.engine.saves()) {
      const text = encode(saved);
      if (text !== this.#saves.get(id)) changed.set(id, saved);
      this.#saves.set(id, text);
    }
    if (changed.size > 0) this.journal.append('save', changed);
  }

  #try(keep: () => void): void {
    try {
      keep();
    } catch (error) {
      this.#failure ??= { error };
    }
  }
}
