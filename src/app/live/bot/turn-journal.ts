import type { Observable } from 'rxjs';
import type { Engine } from '../../../engine/engine.ts';
import type { BotJournal } from '../../../journal/bot-journal.ts';
import { encode } from '../../../journal/codec.ts';
import type { Heard, RunStarted, TurnCause } from '../../../journal/journal-record.ts';
import type { AccountEvent, VenueEvent } from '../../../model/account-events.ts';
import type { Intent } from '../../../model/intents.ts';
import type { MarketEvent } from '../../../model/market-events.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { FeedItem } from '../../../ports/market-feed.ts';
import type { CorePlan } from '../../planning/run-plans.ts';

/** What the engine's turns go by. */
interface Turns extends Clock {
  readonly turning: boolean;
}

/**
 * The journal as the engine tells it, with all that the engine is told: what began each turn and when, which events the
 * venue told, and the bars that strategies were given. From these the same engine does the same again.
 *
 * - A turn is told with the first thing that it does: looks at the account that bring nothing leave no trace.
 * - A market event by itself is its own turn, and costs nothing more than itself.
 */
export class TurnJournal implements Journal {
  /** The turns' clock, for the engine: knows each callback again by its number. */
  readonly clock: Clock;
  /** What began the turn under way, until it is told. */
  #cause: TurnCause | undefined;
  /** The event that is its own turn. */
  #alone: MarketEvent | undefined;
  #turns = 0;
  #timers = 0;
  readonly #heard = new Map<AccountEvent, Heard>();
  readonly #told = new Set<string>();
  /** Bars that strategies were given while they were made: recorded after the run, which is recorded once it is known. */
  #early: (() => void)[] | undefined = [];

  constructor(
    private readonly journal: BotJournal,
    private readonly turns: Turns,
  ) {
    this.clock = {
      now: () => turns.now(),
      schedule: (time, callback) => {
        const timer = ++this.#timers;
        return turns.schedule(time, () => {
          this.#begin({ by: 'timer', timer });
          // It may change what is waited for, and nothing else.
          this.#tellTurn();
          callback();
        });
      },
    };
  }

  /** The engine has begun its first turn: what was told before is dealt with. */
  get begun(): boolean {
    return this.#turns > 0;
  }

  /** To be called before the engine listens. */
  listen(events$: Observable<VenueEvent>): void {
    events$.subscribe((event) => this.#heard.set(event, this.turns.turning ? 'within' : 'before'));
  }

  /** A turn of the feed begins. */
  begin(item: FeedItem): void {
    switch (item.kind) {
      case 'together':
        this.#begin({ by: 'market', events: item.events.length });
        return;
      case 'command':
      case 'stopping':
        this.#begin({ by: 'command', command: item });
        // It may change what strategies are asked, and nothing else.
        this.#tellTurn();
        return;
      case 'settled':
      case 'healthChanged':
      case 'ending':
      case 'priceInstant':
        this.#begin({ by: 'venue' });
        return;
      default:
        this.#begin({ by: 'market', events: 1 }, item);
    }
  }

  /** A run begins: reported before its first turn. */
  run(started: RunStarted): void {
    this.journal.append('run', started);
    for (const tell of this.#early ?? []) tell();
    this.#early = undefined;
  }

  market(event: MarketEvent): void {
    if (event === this.#alone) this.#cause = undefined;
    this.#tellTurn();
    this.journal.market(event, this.turns.now());
  }

  intent(sequence: number, time: number, strategyId: string, intent: Intent): void {
    this.#tellTurn();
    this.journal.intent(sequence, time, strategyId, intent);
  }

  event(sequence: number, event: AccountEvent): void {
    this.#tellTurn();
    const heard = this.#heard.get(event);
    if (heard !== undefined) this.#heard.delete(event);
    this.journal.event(sequence, event, heard);
  }

  commit(): void {
    this.journal.commit();
  }

  /** The plan, whose history is told as strategies ask for it: once each. */
  watched<P extends CorePlan>(plan: P): P {
    const history: CorePlan['history'] = (strategyId, symbol, interval) => {
      const bars = plan.history(strategyId, symbol, interval);
      const intervalMs = interval ?? null;
      const key = `${strategyId}/${symbol}/${intervalMs}`;
      if (!this.#told.has(key)) {
        this.#told.add(key);
        this.#tellTurn();
        const tell = () => this.journal.append('history', { strategyId, symbol, intervalMs, bars });
        if (this.#early === undefined) tell();
        else this.#early.push(tell);
      }
      return bars;
    };
    return { ...plan, history };
  }

  #begin(cause: TurnCause, alone?: MarketEvent): void {
    this.#cause = cause;
    // In the first turn strategies start, before anything else.
    const isFirst = this.#turns++ === 0;
    this.#alone = isFirst ? undefined : alone;
    if (isFirst) this.#tellTurn();
  }

  /** What the turn does is about to be written. */
  #tellTurn(): void {
    const cause = this.#cause;
    if (cause === undefined) return;
    this.#cause = undefined;
    this.#alone = undefined;
    this.journal.turn(this.turns.now(), cause);
  }
}

/** The longest that market data alone waits to be durable, in ms. */
const MARKET_WAITS_MS = 1_000;

/**
 * Writes to the journal what the engine receives: market data as it arrives, and with every commit what has changed in
 * strategies and held orders since the last one.
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
