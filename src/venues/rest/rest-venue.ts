import { NEVER, Subject } from 'rxjs';
import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { NO_REQUESTS, type RequestsStanding, type VenueEvent } from '../../model/account-events.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../model/order.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExecutionVenue, VenueCapabilities } from '../../ports/execution-venue.ts';
import type { VenueMemory } from '../../ports/journal.ts';
import type { Log } from '../../ports/log.ts';
import { FuturesTrading } from './futures/futures-trading.ts';
import type { ExpectedContract } from './futures/margin-binding.ts';
import { SendLane } from './send-lane.ts';
import { SpotTrading } from './spot/spot-trading.ts';
import {
  type Difference,
  type LostOrders,
  type Outlets,
  REST_DEFAULTS,
  type RestSettings,
  type Resumed,
  type SendingSettings,
  type Trading,
} from './trading.ts';

export interface RestVenueOptions {
  readonly client: ExchangeClient;
  readonly capabilities: VenueCapabilities;
  readonly instruments: readonly Instrument[];
  /** Real time: what waits goes by it. */
  readonly clock: Clock;
  readonly memory: VenueMemory;
  readonly log: Log;
  readonly settings?: Partial<RestSettings> | undefined;
  readonly isOwn: (clientOrderId: string) => boolean;
  /** Where the settings adopt orders of others: which strategy does, on an instrument. */
  readonly adopterOf?: ((instrument: Instrument) => string | undefined) | undefined;
  /** Whose an order is that has an id of this bot, and that the journal does not know; see `LostOrders`. */
  readonly lostOwner?: LostOrders['ownerOf'] | undefined;
  /** See `SendingSettings`. */
  readonly urgencyOf?: SendingSettings['urgencyOf'];
  /** Of contracts: what the exchange's own settings must agree with. */
  readonly expected?: readonly ExpectedContract[] | undefined;
  /** The exchange's ids of the coins that contracts are settled in. */
  readonly coinIds?: ReadonlyMap<string, string> | undefined;
}

/** How requests stand now, whether it was reported or not. */
export interface RequestsQueue extends RequestsStanding {
  /** Requests wait for weight. */
  readonly scarce: boolean;
  /** Epoch ms at which that was last so; minus infinity before. */
  readonly scarceAt: number;
}

/** Between two reports of how requests stand, in ms, and by how much of the limits they differ at least. */
const REPORT_MS = 250;
const STEP = 0.1;
const PERCENT = 100;

/** What the journal says of both halves. */
export interface ResumedHalves {
  readonly spot: Resumed;
  readonly futures: Resumed;
}

/** The exchange behind the venue port. It sends orders one after another and polls for what becomes of them. */
export class RestVenue implements ExecutionVenue {
  readonly capabilities: VenueCapabilities;
  readonly events$ = new Subject<VenueEvent>();
  /** All events of one look at the account are reported: the engine may take its turn. Errors here are not the exchange's. */
  readonly settled$ = new Subject<void>();
  /** Never emits: all that brings `nextDue` nearer is reported and settled anyway. */
  readonly hints$ = NEVER;
  readonly #spot: Trading | undefined;
  readonly #futures: Trading | undefined;
  readonly #lane: SendLane;
  /** Client ids of this bot's orders that the exchange has shown, and that the journal lacks. */
  readonly lostOrders = new Set<string>();
  /** Events that are reported by `release`. */
  #kept: VenueEvent[] | undefined;
  /** An event was reported and `settled$` has not followed yet. */
  #told = false;
  /** Looks at the account that are under way. */
  #rounds = 0;
  readonly #clock: Clock;
  readonly #free: () => number;
  #reported = { queued: 0, free: 1, scarce: false, time: Number.NEGATIVE_INFINITY };

  constructor(options: RestVenueOptions) {
    const { client, capabilities, instruments, clock, memory, log, settings, isOwn, expected, coinIds } = options;
    this.capabilities = capabilities;
    this.#clock = clock;
    this.#free = () => client.free;
    const all = { ...REST_DEFAULTS, ...settings };
    const fail = (error: unknown) => this.settled$.error(error);
    this.#lane = new SendLane(clock, all.laneWaitMs, fail, { door: client, limits: all });
    const outlets: Outlets = {
      clock,
      memory,
      log,
      tell: (event) => {
        this.#told = true;
        if (this.#kept === undefined) this.events$.next(event);
        else this.#kept.push(event);
      },
      settled: () => this.#settle(),
      fail,
    };
    const adopterOf = (instrument: Instrument) => (all.foreign === 'adopt' ? options.adopterOf?.(instrument) : undefined);
    const lost: LostOrders = {
      ownerOf: (clientOrderId, symbol) => options.lostOwner?.(clientOrderId, symbol),
      found: (clientOrderId) => this.#lost(clientOrderId),
    };
    const parts = { client, lane: this.#lane, settings: all, outlets, isOwn, adopterOf, lost, urgencyOf: options.urgencyOf };
    const spot = instruments.filter(({ contract }) => contract === undefined);
    const contracts = instruments.filter(({ contract }) => contract !== undefined);
    if (spot.length > 0) this.#spot = new SpotTrading({ ...parts, instruments: spot });
    if (contracts.length > 0) this.#futures = new FuturesTrading({ ...parts, instruments: contracts, expected, coinIds });
  }

  /** Epoch ms at which the next look-up is due; `Infinity` where none. */
  get nextDue(): number {
    return Math.min(...this.#halves.map(({ nextDue }) => nextDue));
  }

  /** Nothing is on its way, in doubt or about to end, and the engine knows all there is. */
  get idle(): boolean {
    return !this.#told && this.#rounds === 0 && this.#lane.idle && this.#halves.every(({ idle }) => idle);
  }

  /** Keeps what it has to report, until `release`: a start reads the exchange before its run begins in the journal. */
  hold(): void {
    this.#kept ??= [];
  }

  /** Reports what was kept, and all else from here on at once. */
  release(): void {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    for (const event of kept) this.events$.next(event);
  }

  /** Allows requests to leave: the engine has received the state at the start. */
  begin(): void {
    this.#lane.open();
  }

  submit(orders: readonly ApprovedOrder[]): void {
    const [first] = orders;
    if (first !== undefined) this.#half(first.instrument).place(orders);
  }

  cancel(request: CancelRequest): void {
    this.#half(request.instrument).cancel(request);
  }

  /** What waits to be sent, and how much of the limits is free. */
  get queue(): RequestsQueue {
    const { waiting, since, scarce, scarceAt } = this.#lane.queue;
    const free = Math.round(this.#free() * PERCENT) / PERCENT;
    // What waits for the request before it alone is on its way.
    return { ...(scarce ? { queued: waiting, since } : NO_REQUESTS), free, scarce, scarceAt };
  }

  /** Reports how requests stand, where that has changed by much: right before a turn. */
  report(): void {
    const { queued, since, free, scarce } = this.queue;
    const time = this.#clock.now();
    const told = this.#reported;
    const isNews =
      scarce !== told.scarce || (time >= told.time + REPORT_MS && (queued !== told.queued || Math.abs(free - told.free) >= STEP));
    if (!isNews) return;
    this.#reported = { queued, free, scarce, time };
    this.events$.next({ kind: 'requestsChanged', time, queued, ...(since !== undefined && { since }), free });
  }

  /** Goes on from what the journal says. */
  resume({ spot, futures }: ResumedHalves): void {
    this.#spot?.resume(spot);
    this.#futures?.resume(futures);
  }

  /** Start-up: what the journal says against what the exchange does. May be tried again. @throws ExchangeError, TidegateError START_REFUSED */
  async open(): Promise<readonly Difference[]> {
    const spot = (await this.#spot?.open()) ?? [];
    const futures = (await this.#futures?.open()) ?? [];
    return [...spot, ...futures];
  }

  /** One look at the account. A failure on one half does not stop the look at the other. */
  async round(full: boolean): Promise<void> {
    const failures: unknown[] = [];
    this.#rounds++;
    for (const half of this.#halves) await half.round(full).catch((error: unknown) => failures.push(error));
    this.#rounds--;
    if (failures.length > 0) throw failures[0];
  }

  /** A person has said that trading may go on: lifts every halt. Between two turns. */
  lift(): void {
    for (const half of this.#halves) half.lift();
    if (this.#told) this.#settle();
  }

  /** The journal may lack something: nothing opens a position until a person resets it. */
  doubt(reason: string): void {
    for (const half of this.#halves) half.doubt(reason);
  }

  #lost(clientOrderId: string): void {
    if (this.lostOrders.has(clientOrderId)) return;
    this.lostOrders.add(clientOrderId);
    this.doubt(`the journal lacks orders of this bot that the exchange has, such as ${clientOrderId}`);
  }

  get #halves(): Trading[] {
    return [this.#spot, this.#futures].filter((half) => half !== undefined);
  }

  #settle(): void {
    this.#told = false;
    this.settled$.next();
  }

  #half({ contract }: Instrument): Trading {
    return (contract === undefined ? this.#spot : this.#futures) as Trading;
  }
}
