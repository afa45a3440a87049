import { Observable, Subject, type Subscriber } from 'rxjs';
import type { Engine } from '../../engine/engine.ts';
import { ClientIds } from '../../engine/orders/client-ids.ts';
import type { HistoryRecord, StatePoint } from '../../journal/journal-record.ts';
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

/** The plan of a replayed engine. */
export interface ReplayPlan extends CorePlan {
  readonly capabilities: VenueCapabilities;
}

interface ReplayedRunParts {
  readonly plan: ReplayPlan;
  /** Epoch ms of the engine's construction. */
  readonly now: number;
  /** The state before the run, rebuilt from the records, and the facts that are not in the state. */
  readonly state: State;
  readonly past: Past;
  /** Epoch ms of the journal's first opening. */
  readonly createdAt: number;
  /** The era of its client ids, if the run has one. */
  readonly era?: string | undefined;
}

const FIRST_ERA_BASE = 36;

/** Replays one run of a bot: a new engine receives exactly the recorded input of the bot's engine. */
export class ReplayedRun {
  turns = 0;
  /** The number of equal requests. */
  requests = 0;
  /** The number of points at which the whole state was equal. */
  points = 0;
  /** The newest point of the replay. */
  point: StatePoint | undefined;
  /** Bars that strategies read and that are not recorded. */
  readonly missing = new Set<string>();
  readonly journal: ComparedJournal;
  readonly #parts: ReplayedRunParts;
  readonly #clock: ReplayClock;
  readonly #venue: ReplayVenue;
  readonly #strategies: Strategy[] = [];
  readonly #bars = new Map<string, HistoryRecord['bars']>();
  readonly #ids: ClientIds;
  #engine: Engine | undefined;
  #out: Subscriber<FeedItem> | undefined;
  #ended: Promise<void> = Promise.resolve();
  #threw: unknown;
  #rows: readonly RecordedRow[] = [];

  constructor(parts: ReplayedRunParts) {
    this.#parts = parts;
    const { createdAt, era = createdAt.toString(FIRST_ERA_BASE) } = parts;
    this.#ids = new ClientIds(parts.plan.name, { era, from: parts.past.nextNumber, isRenewed: parts.era !== undefined });
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

  /** Ends the replay. @param whole the run was stopped; else its process was killed. */
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
      this.#deliver(step.rows);
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
    const { plan, state, past } = this.#parts;
    const { held, saves, bars, recent } = past;
    const container = liveContainer(knownStrategies({ ...plan, bars, history: this.#history }, this.#strategies), {
      journal: this.journal,
      clock: this.#clock,
      feed: { events$: new Observable() },
      venue: this.#venue,
      ids: this.#ids,
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
      this.#deliver(rows);
      if (cause.by === 'timer') {
        if (!this.#clock.fire(cause.timer)) this.journal.differ('timer', { id: turn.id, value: cause }, undefined);
      } else if (cause.by === 'command') {
        const { command } = cause;
        if (command.kind === 'command' && command.command === 'renewIds') this.#ids.renew(command.era);
        this.#out?.next(command);
      } else if (cause.by === 'venue') this.#out?.next(SETTLED);
      else this.#out?.next(itemOf(rows));
    });
  }

  /** Runs a turn. If it throws, the recorded process may have ended with the same error. */
  #try(act: () => void): void {
    try {
      act();
      this.journal.end();
    } catch (error) {
      this.journal.threw(error);
    }
  }

  /** Delivers the venue's events before the turn. */
  #deliver(rows: readonly RecordedRow[]): void {
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

/** The market events of a turn, as the feed delivered them. */
function itemOf(rows: readonly RecordedRow[]): FeedItem {
  const events = rows.flatMap((row): MarketEvent[] => (row.kind === 'market' && row.value.kind !== 'bar' ? [row.value] : []));
  return events.length === 1 ? events[0]! : { kind: 'together', events };
}

/** The engine's clock in a replay: it shows the recorded times, and calls only the callbacks that were called then. */
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

  /** Calls the callback with this number. @returns false if there is none. */
  fire(timer: number): boolean {
    const callback = this.#callbacks.get(timer);
    this.#callbacks.delete(timer);
    callback?.();
    return callback !== undefined;
  }
}

/** The venue of a replayed engine: it stores requests, sends nothing, and delivers the recorded events. */
class ReplayVenue implements ExecutionVenue {
  readonly events$ = new Subject<VenueEvent>();
  readonly placed = new Map<string, ApprovedOrder>();
  readonly canceled = new Set<string>();

  constructor(
    readonly capabilities: VenueCapabilities,
    /** Called for each request, to deliver the events that the venue reported at once. */
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
