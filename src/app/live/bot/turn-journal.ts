import type { Observable } from 'rxjs';
import type { Engine } from '../../../engine/engine.ts';
import type { BotJournal } from '../../../journal/bot-journal.ts';
import { encode } from '../../../journal/codec.ts';
import type { ReceivedIn, RunStarted, TurnCause } from '../../../journal/journal-record.ts';
import type { AccountEvent, VenueEvent } from '../../../model/account-events.ts';
import type { Intent } from '../../../model/intents.ts';
import type { MarketEvent } from '../../../model/market-events.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { FeedItem } from '../../../ports/market-feed.ts';
import type { CorePlan } from '../../planning/run-plans.ts';

/** The clock of the engine's turns. */
interface Turns extends Clock {
  readonly turning: boolean;
}

/**
 * Writes to the journal everything that the engine receives: the cause and the time of each turn, the venue's events, and the bars
 * that strategies read. With these an equal engine makes the same decisions again.
 *
 * - A turn is recorded with its first action: a poll of the account without a result is not recorded, once the strategies have started.
 * - A single market event is its own turn, and needs no other record.
 */
export class TurnJournal implements Journal {
  /** The turns' clock, for the engine: identifies each callback by its number. */
  readonly clock: Clock;
  /** The cause of the present turn, until it is recorded. */
  #cause: TurnCause | undefined;
  /** The market event that is its own turn. */
  #alone: MarketEvent | undefined;
  #timers = 0;
  readonly #received = new Map<AccountEvent, ReceivedIn>();
  readonly #recorded = new Set<string>();
  /** Bars that strategies read in their constructors: recorded after the start record, which is written later. */
  #early: (() => void)[] | undefined = [];

  constructor(
    private readonly journal: BotJournal,
    private readonly turns: Turns,
    /** True once the strategies have started. */
    private readonly started: () => boolean,
  ) {
    this.clock = {
      now: () => turns.now(),
      schedule: (time, callback) => {
        const timer = ++this.#timers;
        return turns.schedule(time, () => {
          this.#begin({ by: 'timer', timer });
          // A callback may only change the schedule; its turn is recorded all the same.
          this.#recordTurn();
          callback();
        });
      },
    };
  }

  /** To be called before the engine subscribes. */
  listen(events$: Observable<VenueEvent>): void {
    events$.subscribe((event) => this.#received.set(event, this.turns.turning ? 'within' : 'before'));
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
        // The item may change only which hooks are called; its turn is recorded all the same.
        this.#recordTurn();
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

  /** Records the start of a run, before its first turn. */
  run(started: RunStarted): void {
    this.journal.append('run', started);
    for (const record of this.#early ?? []) record();
    this.#early = undefined;
  }

  market(event: MarketEvent): void {
    if (event === this.#alone) this.#cause = undefined;
    this.#recordTurn();
    this.journal.market(event, this.turns.now());
  }

  intent(sequence: number, time: number, strategyId: string, intent: Intent): void {
    this.#recordTurn();
    this.journal.intent(sequence, time, strategyId, intent);
  }

  event(sequence: number, event: AccountEvent): void {
    this.#recordTurn();
    const receivedIn = this.#received.get(event);
    if (receivedIn !== undefined) this.#received.delete(event);
    this.journal.event(sequence, event, receivedIn);
  }

  /** The venue sends nothing within a turn. Each of its requests is durable, together with the turn, before its first byte is sent. */
  commit(): void {}

  /** The plan, changed so that the history is recorded when strategies read it, each series once. */
  watched<P extends CorePlan>(plan: P): P {
    const history: CorePlan['history'] = (strategyId, symbol, interval) => {
      const bars = plan.history(strategyId, symbol, interval);
      const intervalMs = interval ?? null;
      const key = `${strategyId}/${symbol}/${intervalMs}`;
      if (!this.#recorded.has(key)) {
        this.#recorded.add(key);
        this.#recordTurn();
        const record = () => this.journal.append('history', { strategyId, symbol, intervalMs, bars });
        if (this.#early === undefined) record();
        else this.#early.push(record);
      }
      return bars;
    };
    return { ...plan, history };
  }

  #begin(cause: TurnCause, alone?: MarketEvent): void {
    this.#cause = cause;
    // In one of the first turns strategies start before anything else: a replay needs it, even without an action.
    const started = this.started();
    this.#alone = started ? alone : undefined;
    if (!started) this.#recordTurn();
  }

  /** Records the present turn before its first action is written. */
  #recordTurn(): void {
    const cause = this.#cause;
    if (cause === undefined) return;
    this.#cause = undefined;
    this.#alone = undefined;
    this.journal.turn(this.turns.now(), cause);
  }
}

/** The longest time after which market data is committed without other events, in ms. */
const MARKET_WAITS_MS = 1_000;

/**
 * Writes the engine's input to the journal: market data as it arrives, and with every commit the changes of strategies and held orders
 * since the last one.
 */
export class JournalKeeper {
  /** True if the account has changed in this turn: the turn is committed before the next one. */
  #pressing = false;
  #committedAt = Number.NEGATIVE_INFINITY;
  #held = '';
  readonly #saves = new Map<string, string>();
  /** An error in an observer does not stop the turn; it is thrown after it. */
  #failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly journal: BotJournal,
    private readonly clock: Clock,
    /** Receives market data from the engine. */
    market: (event: MarketEvent) => void,
    private readonly venue: { remember(): void },
  ) {
    this.#held = encode(engine.snapshot());
    journal.beforeCommit = () => this.#keepMore();
    engine.market$.subscribe((event) => this.#try(() => market(event)));
    engine.account$.subscribe(() => {
      this.#pressing = true;
    });
  }

  /**
   * Makes the turn durable, if something has happened in it.
   * @param send sends the first request of the turn. The commit of the request makes the turn durable too.
   * @throws TidegateError JOURNAL_FAILED.
   */
  afterTurn(send: () => void): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    send();
    const now = this.clock.now();
    if (!this.#pressing && now < this.#committedAt + MARKET_WAITS_MS) return;
    this.journal.commit();
    this.#pressing = false;
    this.#committedAt = now;
  }

  #keepMore(): void {
    if (this.engine.caughtUp) this.venue.remember();
    const snapshot = this.engine.snapshot();
    const held = encode(snapshot);
    if (held !== this.#held) this.journal.append('held', snapshot);
    this.#held = held;
    // Before the start, strategies do not have their earlier state: to record it would lose the earlier one.
    if (!this.engine.started) return;
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
