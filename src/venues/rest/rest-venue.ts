import { NEVER, Subject } from 'rxjs';
import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { NO_REQUESTS, type RequestsState, type VenueEvent } from '../../model/account-events.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../model/order.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExecutionVenue, VenueCapabilities } from '../../ports/execution-venue.ts';
import type { VenueMemory } from '../../ports/journal.ts';
import type { Log } from '../../ports/log.ts';
import {
  type Difference,
  type LostIds,
  RECONCILE_DEFAULTS,
  type ReconcileSettings,
  type Resumed,
  type VenueContext,
} from '../reconcile/settings.ts';
import type { ExpectedContract } from './futures/contract-settings.ts';
import { futuresHalf } from './futures/futures-half.ts';
import { type OrderKnown, PossibleEvents } from './possible-events.ts';
import { RequestQueue } from './request-queue.ts';
import { spotHalf } from './spot/spot-half.ts';
import type { SendingSettings, Trading } from './trading.ts';
import { TurnMemory } from './turn-memory.ts';

export interface RestVenueOptions {
  readonly client: ExchangeClient;
  readonly capabilities: VenueCapabilities;
  readonly instruments: readonly Instrument[];
  /** Real time, by which waits are measured. */
  readonly clock: Clock;
  readonly memory: VenueMemory;
  readonly log: Log;
  /** The orders as the run has them. If left out, events are not compared with them. */
  readonly orderOf?: ((clientOrderId: string) => OrderKnown | undefined) | undefined;
  readonly settings?: Partial<ReconcileSettings> | undefined;
  /** See `VenueContext`. */
  readonly refused?: VenueContext['refused'] | undefined;
  readonly isOwn: (clientOrderId: string) => boolean;
  /** If the settings adopt foreign orders: the strategy that adopts them on an instrument. */
  readonly adopterOf?: ((instrument: Instrument) => string | undefined) | undefined;
  /** Owner of an order that has an id of this bot and is not in the journal; see `LostIds`. */
  readonly lostOwner?: LostIds['ownerOf'] | undefined;
  /** See `LostIds`. */
  readonly heldUnder?: LostIds['heldUnder'] | undefined;
  /** See `SendingSettings`. */
  readonly urgencyOf?: SendingSettings['urgencyOf'];
  /** Futures: the settings that the exchange must have. */
  readonly expected?: readonly ExpectedContract[] | undefined;
  /** The exchange's ids of the coins in which contracts are settled. */
  readonly coinIds?: ReadonlyMap<string, string> | undefined;
  /** Futures: the leverages of the config are set at the start. */
  readonly setsLeverage?: boolean | undefined;
}

/** State of the request queue, reported or not. */
export interface RequestsQueue extends RequestsState {
  /** Requests wait for weight. */
  readonly scarce: boolean;
  /** Epoch ms at which `scarce` was last true; minus infinity before. */
  readonly scarceAt: number;
}

/** Minimum time between two reports of the request queue, in ms, and minimum change of the free share. */
const REPORT_MS = 250;
const STEP = 0.1;
const PERCENT = 100;

/** The journal's state of both halves. */
export interface ResumedHalves {
  readonly spot: Resumed;
  readonly futures: Resumed;
}

/** The exchange behind the venue port. It sends orders one after another and polls for their results. */
export class RestVenue implements ExecutionVenue {
  readonly capabilities: VenueCapabilities;
  readonly events$ = new Subject<VenueEvent>();
  /**
   * All events of one poll of the account have been reported: the engine may take its turn. An error here did not come from the exchange.
   */
  readonly settled$ = new Subject<void>();
  /** Never emits: an event that brings `nextDue` nearer is reported and settled anyway. */
  readonly hints$ = NEVER;
  readonly #spot: Trading | undefined;
  readonly #futures: Trading | undefined;
  readonly #queue: RequestQueue;
  readonly #memory: TurnMemory;
  readonly #possible: PossibleEvents | undefined;
  /** Client ids of this bot's orders that the exchange has shown and the journal lacks. */
  readonly lostOrders = new Set<string>();
  /** Events to report at `release`. */
  #kept: VenueEvent[] | undefined;
  /** An event was reported, and `settled$` has not followed yet. */
  #hasReported = false;
  /** Polls of the account in progress. */
  #rounds = 0;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #refused: NonNullable<VenueContext['refused']>;
  readonly #free: () => number;
  #reported = { queued: 0, free: 1, scarce: false, time: Number.NEGATIVE_INFINITY };

  constructor(options: RestVenueOptions) {
    const { client, capabilities, instruments, clock, memory, log, settings, isOwn, expected, coinIds, setsLeverage } = options;
    this.capabilities = capabilities;
    this.#clock = clock;
    this.#free = () => client.free;
    const all = { ...RECONCILE_DEFAULTS, ...settings };
    const fail = (error: unknown) => this.settled$.error(error);
    this.#queue = new RequestQueue(clock, all.queueWaitMs, fail, { gate: client, limits: all });
    this.#memory = new TurnMemory(memory);
    this.#possible = options.orderOf === undefined ? undefined : new PossibleEvents(options.orderOf);
    this.#refused = options.refused ?? (() => {});
    this.#log = log;
    const context: VenueContext = {
      clock,
      memory: this.#memory,
      log,
      report: (event) => {
        const contradiction = this.#possible?.contradiction(event);
        if (contradiction === undefined) this.#report(event);
        else this.#contradicted(contradiction, event);
      },
      settled: () => this.#settle(),
      refused: this.#refused,
      fail,
    };
    const adopterOf = (instrument: Instrument) => (all.foreign === 'adopt' ? options.adopterOf?.(instrument) : undefined);
    const lost: LostIds = {
      ownerOf: (clientOrderId, symbol, isOver) => options.lostOwner?.(clientOrderId, symbol, isOver),
      heldUnder: (clientOrderId) => options.heldUnder?.(clientOrderId),
      found: (clientOrderId) => this.#lost(clientOrderId),
    };
    const parts = { client, queue: this.#queue, settings: all, context, isOwn, adopterOf, lost, urgencyOf: options.urgencyOf };
    const spot = instruments.filter(({ contract }) => contract === undefined);
    const contracts = instruments.filter(({ contract }) => contract !== undefined);
    if (spot.length > 0) this.#spot = spotHalf({ ...parts, instruments: spot });
    if (contracts.length > 0) this.#futures = futuresHalf({ ...parts, instruments: contracts, expected, coinIds, setsLeverage });
  }

  /** Epoch ms at which the next look-up is due; `Infinity` where none. */
  get nextDue(): number {
    return Math.min(...this.#halves.map(({ nextDue }) => nextDue));
  }

  /** How many questions have been answered. */
  get answers(): number {
    return this.#halves.reduce((sum, { answers }) => sum + answers, 0);
  }

  /** No request is on its way, no order has an unknown outcome or is about to end, and every event has reached the engine. */
  get idle(): boolean {
    return !this.#hasReported && this.#rounds === 0 && this.#queue.idle && this.#halves.every(({ idle }) => idle);
  }

  /** Collects events until `release`: a start reads the exchange before its run begins in the journal. */
  hold(): void {
    this.#kept ??= [];
  }

  /** Reports the collected events, and from now on every event at once. */
  release(): void {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    for (const event of kept) this.events$.next(event);
  }

  /** Starts sending requests: the engine has received the initial state. */
  begin(): void {
    this.#queue.open();
  }

  /** Sends the first request of the turn that has ended: one commit makes the turn and this request durable. */
  turnEnded(): void {
    // The run has none of the events that are collected, nor those of this turn.
    if (this.#kept === undefined && !this.#hasReported) this.#possible?.applied();
    this.#queue.sendNow();
  }

  /** A commit follows, and the engine has every event that was reported: what the venue remembers becomes durable with them. */
  remember(): void {
    if (this.#kept === undefined) this.#memory.store();
  }

  submit(orders: readonly ApprovedOrder[]): void {
    for (const { clientOrderId } of orders) this.#possible?.sent(clientOrderId);
    const [first] = orders;
    if (first !== undefined) this.#half(first.instrument).place(orders);
  }

  cancel(request: CancelRequest): void {
    this.#half(request.instrument).cancel(request);
  }

  /** How many requests wait, and the free share of the rate limits. */
  get queue(): RequestsQueue {
    const { waiting, since, scarce, scarceAt } = this.#queue.state;
    const free = Math.round(this.#free() * PERCENT) / PERCENT;
    // A request that waits only for the reply to the one before it counts as sent.
    return { ...(scarce ? { queued: waiting, since } : NO_REQUESTS), free, scarce, scarceAt };
  }

  /** Reports the state of the request queue if it has changed enough. Called right before a turn. */
  report(): void {
    const { queued, since, free, scarce } = this.queue;
    const time = this.#clock.now();
    const last = this.#reported;
    const isNews =
      scarce !== last.scarce || (time >= last.time + REPORT_MS && (queued !== last.queued || Math.abs(free - last.free) >= STEP));
    if (!isNews) return;
    this.#reported = { queued, free, scarce, time };
    this.events$.next({ kind: 'requestsChanged', time, queued, ...(since !== undefined && { since }), free });
  }

  /** Restores the state from the journal. */
  resume({ spot, futures }: ResumedHalves): void {
    this.#spot?.resume(spot);
    this.#futures?.resume(futures);
  }

  /**
   * Reconciles journal and exchange at the start. Can be retried.
   * @throws ExchangeError, TidegateError START_REFUSED
   */
  async open(): Promise<readonly Difference[]> {
    const spot = (await this.#spot?.open()) ?? [];
    const futures = (await this.#futures?.open()) ?? [];
    return [...spot, ...futures];
  }

  /** One poll of the account. A failure of one half does not stop the poll of the other. */
  async round(full: boolean): Promise<void> {
    const failures: unknown[] = [];
    this.#rounds++;
    for (const half of this.#halves) await half.round(full).catch((error: unknown) => failures.push(error));
    this.#rounds--;
    if (failures.length > 0) throw failures[0];
  }

  /** A person has allowed trading again: lifts every halt. Called between two turns. */
  lift(): void {
    for (const half of this.#halves) half.lift();
    if (this.#hasReported) this.#settle();
  }

  /** Nothing opens a position on the instrument, called between two turns, or on all, with the next poll, until a person resets it. */
  haltUntilReset(reason: string, instrument?: Instrument): void {
    for (const half of instrument === undefined ? this.#halves : [this.#half(instrument)]) half.haltUntilReset(reason, instrument);
    // Between two turns: the engine receives it in a turn of its own.
    if (instrument !== undefined && this.#hasReported) this.#settle();
  }

  #report(event: VenueEvent): void {
    this.#hasReported = true;
    if (this.#kept === undefined) this.events$.next(event);
    else this.#kept.push(event);
  }

  /** The answer may be a lie, or an earlier one was: a person decides. */
  #contradicted({ reason, instrument }: NonNullable<ReturnType<PossibleEvents['contradiction']>>, event: VenueEvent): void {
    this.#refused('orders', `${event.kind}, which the order cannot have`, reason);
    this.#log.warn(reason);
    for (const half of instrument === undefined ? this.#halves : [this.#half(instrument)]) half.haltUntilReset(reason, instrument);
  }

  #lost(clientOrderId: string): void {
    if (this.lostOrders.has(clientOrderId)) return;
    this.lostOrders.add(clientOrderId);
    this.haltUntilReset(`the journal lacks orders of this bot that the exchange has, such as ${clientOrderId}`);
  }

  get #halves(): Trading[] {
    return [this.#spot, this.#futures].filter((half) => half !== undefined);
  }

  #settle(): void {
    this.#hasReported = false;
    this.settled$.next();
  }

  #half({ contract }: Instrument): Trading {
    return (contract === undefined ? this.#spot : this.#futures) as Trading;
  }
}
