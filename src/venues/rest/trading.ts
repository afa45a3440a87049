import type { VenueEvent } from '../../model/account-events.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../model/order.ts';
import { isTerminal } from '../../model/order-state.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ResumedOrder } from '../../ports/execution-venue.ts';
import type { VenueMemory } from '../../ports/journal.ts';
import type { Log } from '../../ports/log.ts';
import type { TrackedOrder } from './tracked-order.ts';
import type { TrackedOrders } from './tracked-orders.ts';

/** What the journal knows of a run that goes on. */
export interface Resumed {
  /** False at the very first start: what the exchange says is the baseline. */
  readonly again: boolean;
  /** Open orders, and those that ended lately: fills of theirs may still come. */
  readonly orders: readonly ResumedOrder[];
  /** By asset of this half's wallet. */
  readonly balances: ReadonlyMap<string, Decimal>;
  /** What the engine thinks is frozen of them. */
  readonly frozen: ReadonlyMap<string, Decimal>;
  /** Fills that the engine has been told of, by client id; those of nobody's order under an empty one. */
  readonly fillIds: ReadonlyMap<string, ReadonlySet<string>>;
  /** Epoch ms of the last thing in the journal: nothing older is news. */
  readonly lastTime: number;
}

/** Where exchange and journal disagreed, and why. */
export interface Difference {
  readonly what: 'order' | 'fill' | 'balance' | 'position';
  /** Client id, asset or symbol. */
  readonly subject: string;
  readonly journal: string;
  readonly exchange: string;
  /** `filledWhileAway`, `transfer`, `unexplained`, ...: a word, then what there is to say. */
  readonly cause: string;
}

/** One half of the exchange: spot, or futures. */
export interface Trading {
  /** Goes on from what the journal says. */
  resume(resumed: Resumed): void;
  /** Start-up: lays what the exchange says beside that. Tells events; sends nothing that acts; may be tried again. @throws ExchangeError, TidegateError START_REFUSED */
  open(): Promise<readonly Difference[]>;
  /** Tracks the orders (of one symbol) at once; they leave through the lane. */
  place(orders: readonly ApprovedOrder[]): void;
  cancel(request: CancelRequest): void;
  /** One look at fills, balances and whatever is due; `full`: at everything. @throws ExchangeError where the exchange cannot be asked. */
  round(full: boolean): Promise<void>;
  /** Epoch ms at which the next look-up is due; `Infinity` where none. */
  readonly nextDue: number;
  /** Nothing is on its way, in doubt or about to end. */
  readonly idle: boolean;
}

/** What became of orders while nobody looked: as the journal left them, and as the exchange shows them now. */
export function differencesOf(before: readonly ResumedOrder[], now: TrackedOrders): Difference[] {
  return before.flatMap(({ request, status, filledSteps }): Difference[] => {
    const order = now.find(request.clientOrderId);
    if (order === undefined || isTerminal(status)) return [];
    const { step } = request.instrument;
    const difference = (what: Difference['what'], cause: string): Difference[] => [
      {
        what,
        subject: request.clientOrderId,
        journal: `${status}, ${step.toText(filledSteps)} filled`,
        exchange: `${order.phase}, ${step.toText(order.toldSteps)} filled`,
        cause,
      },
    ];
    if (order.toldSteps > filledSteps) return difference('fill', 'filled while away');
    if (order.phase === 'unknown') return difference('order', 'no answer was heard, and nothing is proved yet');
    return order.phase === 'ended' ? difference('order', 'ended while away') : [];
  });
}

/** What the two halves of the REST venue (spot, futures) have around them. */
export interface Outlets {
  /** Real time: what waits goes by it. */
  readonly clock: Clock;
  readonly memory: VenueMemory;
  readonly log: Log;
  /** Hands an event to the engine, which takes its turn after `settled`. */
  tell(event: VenueEvent): void;
  /** What was told is one picture: the engine may act on it. */
  settled(): void;
  /** Something that is no failure of the exchange: the run stops with it. */
  fail(error: unknown): void;
}

/** How the REST venue looks after orders; all in ms of its clock. */
export interface RestSettings {
  /** How long after its timestamp the exchange may still take a request: its own window. */
  readonly windowMs: number;
  /** Most that our idea of the exchange's clock may be wrong by. */
  readonly clockErrorMs: number;
  /** How late orders and fills may appear in what the exchange lists. */
  readonly visibilityLagMs: number;
  /** How often a resting order is looked up without a hint. */
  readonly lookupMs: number;
  /** First pause between two look-ups of an order that is about to end; it doubles, up to `lookupMaxMs`. */
  readonly lookupMinMs: number;
  readonly lookupMaxMs: number;
  /** Fills and balances are read no more often than this, however often look-ups are due. */
  readonly detectMs: number;
  /** An order whose outcome stays unknown for longer halts its instrument. */
  readonly unknownLimitMs: number;
  /** Fills that an order reports and no record shows for longer halt its instrument. */
  readonly fillGapMs: number;
  /** A request waits for the one before it, at most so long. */
  readonly laneWaitMs: number;
  /** How long after the last activity balances are compared with the exchange's. */
  readonly calmMs: number;
  /** Orders that are not ours: `block` halts, `ignore` reports them, `adopt` makes them ours where their id is known. */
  readonly foreign: 'ignore' | 'block' | 'adopt';
  /** A balance that no record explains: `accept` moves the baseline, `halt` stops trading. */
  readonly unexplained: 'accept' | 'halt';
  /** Most orders in one batch. */
  readonly batchLimit: number;
}

export const REST_DEFAULTS: RestSettings = {
  windowMs: 30_000,
  clockErrorMs: 1_000,
  visibilityLagMs: 5_000,
  lookupMs: 30_000,
  lookupMinMs: 250,
  lookupMaxMs: 5_000,
  detectMs: 900,
  unknownLimitMs: 180_000,
  fillGapMs: 30_000,
  laneWaitMs: 1_000,
  calmMs: 6_000,
  foreign: 'ignore',
  unexplained: 'accept',
  batchLimit: 10,
};

/** Instruments on which nothing new may be sent, because what stands there is not known. Each is said once. */
export class Halts {
  readonly #reasons = new Map<Instrument, string>();

  constructor(private readonly outlets: Outlets) {}

  get any(): boolean {
    return this.#reasons.size > 0;
  }

  /** Halts what `reasonOf` gives a reason for, and lets go of the rest. */
  review(instruments: readonly Instrument[], reasonOf: (instrument: Instrument) => string | undefined): void {
    for (const instrument of instruments) {
      const reason = reasonOf(instrument);
      const before = this.#reasons.get(instrument);
      if ((reason === undefined) === (before === undefined)) continue;
      if (reason === undefined) this.#reasons.delete(instrument);
      else this.#reasons.set(instrument, reason);
      this.#tell(instrument.symbol, reason);
    }
  }

  #tell(symbol: string, reason: string | undefined): void {
    const { outlets } = this;
    const time = outlets.clock.now();
    const condition = reason === undefined ? 'fresh' : 'halted';
    outlets.tell({ kind: 'healthChanged', time, subject: 'instrument', symbol, condition, reason: reason ?? 'known again' });
    if (reason === undefined) outlets.log.info(`${symbol} is known again`);
    else outlets.log.warn(`${symbol} is halted: ${reason}`);
  }
}

/** What is not known of an order for longer than may be; `undefined` where all is well. */
export function tooLong(
  orders: readonly TrackedOrder[],
  instrument: Instrument,
  { unknownLimitMs, fillGapMs }: RestSettings,
  now: number,
): string | undefined {
  for (const { doubt, gapSince, request, clientOrderId } of orders) {
    if (request.instrument !== instrument) continue;
    if (doubt !== undefined && now - doubt.since > unknownLimitMs) return `nobody knows what became of order ${clientOrderId}`;
    if (now - gapSince > fillGapMs) return `order ${clientOrderId} reports fills that no record shows`;
  }
  return undefined;
}
