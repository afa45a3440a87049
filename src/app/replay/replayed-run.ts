import { Observable, Subject, type Subscriber } from 'rxjs';
import type { Engine } from '../../engine/engine.ts';
import { ClientIds } from '../../engine/orders/client-ids.ts';
import type { HistoryTold, StatePoint } from '../../journal/journal-record.ts';
import type { VenueEvent } from '../../model/account-events.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import type { ApprovedOrder, CancelRequest } from '../../model/order.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExecutionVenue, VenueCapabilities } from '../../ports/execution-venue.ts';
import { type FeedItem, SETTLED } from '../../ports/market-feed.ts';
import type { State } from '../../state/state.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import type { Past } from '../live/bot/journal-history.ts';
import { knownStrategies, statePoint } from '../live/bot/state-point.ts';
import type { CorePlan } from '../planning/run-plans.ts';
import { liveContainer, TOKENS } from '../wiring/container.ts';
import { ComparedJournal, type Difference, requestDifference } from './compared-journal.ts';
import type { RecordedBetween, RecordedRow, RecordedTurn } from './recorded-steps.ts';

/** What an engine is replayed with. */
export interface ReplayPlan extends CorePlan {
  readonly capabilities: VenueCapabilities;
}

interface ReplayedRunParts {
  readonly plan: ReplayPlan;
  /** Epoch ms as the engine was put together. */
  readonly now: number;
  /** As the records before the run leave it, and what stands beside it. */
  readonly state: State;
  readonly past: Past;
  /** Epoch ms of the journal's first opening. */
  readonly createdAt: number;
  /** Of its client ids, where the run names one. */
  readonly era?: string | undefined;
}

const FIRST_ERA_BASE = 36;

/** One run of a bot, replayed: a fresh engine receives what the journal says that the bot's engine received, and nothing else. */
export class ReplayedRun {
  turns = 0;
  /** Requests that this engine asked for in just these words. */
  requests = 0;
  /** Points at which all of the state was the same. */
  points = 0;
  /** The newest point of the replay. */
  point: StatePoint | undefined;
  /** Bars that strategies asked for and the record does not have. */
  readonly missing = new Set<string>();
  readonly journal: ComparedJournal;
  readonly #parts: ReplayedRunParts;
  readonly #clock: ReplayClock;
  readonly #venue: ReplayVenue;
  readonly #strategies: Strategy[] = [];
  readonly #bars = new Map<string, HistoryTold['bars']>();
  #engine: Engine | undefined;
  #out: Subscriber<FeedItem> | undefined;
  #ended: Promise<void> = Promise.resolve();
  #threw: unknown;
  #rows: readonly RecordedRow[] = [];

  constructor(parts: ReplayedRunParts) {
    this.#parts = parts;
    this.#clock = new ReplayClock(parts.now);
    this.journal = new ComparedJournal({
      sequence: () => parts.state.sequence,
      held: () => this.#engine?.snapshot(),
      saves: () => this.#engine?.saves() ?? new Map(),
    });
    this.#venue = new ReplayVenue(parts.plan.capabilities, () => {
      for (const event of this.journal.within()) this.#venue.events$.next(event);
    });
  }

  get difference(): Difference | undefined {
    return this.journal.difference;
  }

  take(step: RecordedTurn | RecordedBetween): void {
    if (step.kind === 'between') this.#between(step.row);
    else if (step.kind === 'begin') this.#begin(step);
    else this.#turn(step);
  }

  /** @param whole the journal says that the run ended here; else its process was gone in the middle of something. */
  async end(whole: boolean): Promise<void> {
    this.#out?.complete();
    await this.#ended;
    if (this.#threw !== undefined) this.journal.threw(this.#threw);
    if (whole) this.journal.settle();
  }

  #begin(step: RecordedTurn): void {
    this.#rows = step.rows;
    this.journal.begin(step);
    this.#try(() => {
      this.#engine = this.#assembled();
      this.#tell(step.rows);
      this.#ended = this.#engine
        .run({
          events$: new Observable((out) => {
            this.#out = out;
          }),
        })
        .catch((error: unknown) => {
          this.#threw = error;
        });
    });
  }

  #assembled(): Engine {
    const { plan, state, past, createdAt, era = createdAt.toString(FIRST_ERA_BASE) } = this.#parts;
    const { nextNumber, held, saves, bars, recent } = past;
    const container = liveContainer(knownStrategies({ ...plan, bars, history: this.#history }, this.#strategies), {
      journal: this.journal,
      clock: this.#clock,
      feed: { events$: new Observable() },
      venue: this.#venue,
      ids: new ClientIds(plan.name, { era, from: nextNumber }),
      state,
      resume: { held, saves, recent },
    });
    const engine = container.get(TOKENS.engine);
    engine.watch((event) => this.journal.market(event));
    return engine;
  }

  #turn(turn: RecordedTurn): void {
    const { cause, rows, time } = turn;
    this.turns++;
    this.#clock.set(time);
    this.#rows = rows;
    this.journal.begin(turn);
    this.#try(() => {
      this.#tell(rows);
      if (cause.by === 'timer') {
        if (!this.#clock.fire(cause.timer)) this.journal.differ('timer', { id: turn.id, value: cause }, undefined);
      } else if (cause.by === 'command') this.#out?.next(cause.command);
      else if (cause.by === 'venue') this.#out?.next(SETTLED);
      else this.#out?.next(itemOf(rows));
    });
  }

  /** What throws may have thrown then, too: the process ended with it. */
  #try(act: () => void): void {
    try {
      act();
      this.journal.end();
    } catch (error) {
      this.journal.threw(error);
    }
  }

  /** What the venue had told before the turn. */
  #tell(rows: readonly RecordedRow[]): void {
    for (const row of rows) {
      if (row.kind === 'event' && row.value.heard === 'before') this.#venue.events$.next(row.value.event as VenueEvent);
    }
  }

  #between(row: RecordedRow): void {
    this.journal.settle();
    switch (row.kind) {
      case 'held':
      case 'save':
        this.journal.kept(row);
        return;
      case 'request': {
        const { placed } = this.#venue;
        const differs = requestDifference(row.value, placed);
        if (differs !== undefined) this.journal.differ('request', row, differs.replayed);
        else if (this.difference === undefined) this.requests++;
        return;
      }
      case 'heartbeat':
      case 'stop':
        if (row.value?.state !== undefined) this.#compare(row, row.value);
    }
  }

  #compare(row: RecordedRow, recorded: StatePoint): void {
    const engine = this.#engine;
    if (engine === undefined || this.difference !== undefined) return;
    const { decisions } = this.journal;
    const { state } = this.#parts;
    const point = statePoint({ state, held: engine.snapshot(), saves: engine.saves(), strategies: this.#strategies, decisions });
    this.point = point;
    if (point.state !== recorded.state) this.journal.differ('state', row, point);
    else if (point.decisions !== recorded.decisions) this.journal.differ('decisions', row, point);
    else this.points++;
  }

  readonly #history: CorePlan['history'] = (strategyId, symbol, interval) => {
    const key = `${strategyId}/${symbol}/${interval ?? null}`;
    for (const row of this.#rows) {
      if (row.kind !== 'history') continue;
      const { value } = row;
      this.#bars.set(`${value.strategyId}/${value.symbol}/${value.intervalMs}`, value.bars);
    }
    const bars = this.#bars.get(key);
    if (bars === undefined) this.missing.add(key);
    return bars ?? [];
  };
}

/** The market events of a turn, as the feed gave them. */
function itemOf(rows: readonly RecordedRow[]): FeedItem {
  const events = rows.flatMap((row): MarketEvent[] => (row.kind === 'market' && row.value.kind !== 'bar' ? [row.value] : []));
  return events.length === 1 ? events[0]! : { kind: 'together', events };
}

/** The engine's clock in a replay: it shows what the journal says, and nothing comes due but what came due then. */
class ReplayClock implements Clock {
  #now: number;
  #scheduled = 0;
  readonly #callbacks = new Map<number, () => void>();

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  set(now: number): void {
    this.#now = now;
  }

  schedule(_time: number, callback: () => void): () => void {
    const timer = ++this.#scheduled;
    this.#callbacks.set(timer, callback);
    return () => this.#callbacks.delete(timer);
  }

  /** Calls what was asked for as the so-manyth. @returns false where nothing waits under this number. */
  fire(timer: number): boolean {
    const callback = this.#callbacks.get(timer);
    this.#callbacks.delete(timer);
    callback?.();
    return callback !== undefined;
  }
}

/** Where requests of a replayed engine end: it notes them, sends nothing, and tells what the journal says that was told. */
class ReplayVenue implements ExecutionVenue {
  readonly events$ = new Subject<VenueEvent>();
  readonly placed = new Map<string, ApprovedOrder>();
  readonly canceled = new Set<string>();

  constructor(
    readonly capabilities: VenueCapabilities,
    /** Called as something is handed over: what the venue told at once then, it tells now. */
    private readonly onSend: () => void,
  ) {}

  submit(orders: readonly ApprovedOrder[]): void {
    for (const order of orders) this.placed.set(order.clientOrderId, order);
    this.onSend();
  }

  cancel({ clientOrderId }: CancelRequest): void {
    this.canceled.add(clientOrderId);
    this.onSend();
  }
}
