import { directionOfRecord, statusOf, termsOf, type WireTerms } from '../../../exchange/mapping.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { closes } from '../../../model/order.ts';
import { Doubts, Halts } from '../halts.ts';
import { type Adoption, type FoundOrder, type OrderLife, unitsOn } from '../order-life.ts';
import { leftOf, missed, type TrackedOrder } from '../tracked-orders.ts';
import type { Outlets, RestSettings } from '../trading.ts';
import type { ForcedOrders } from './attribution/fill-telling.ts';
import type { Pools } from './attribution/pools.ts';
import type { Sights, Triggers } from './attribution/sights.ts';
import type { FuturesBooks } from './futures-books.ts';
import type { Stranger } from './futures-lists.ts';
import type { FuturesSending } from './futures-sending.ts';

interface FuturesAdoptionParts {
  readonly adoption: Adoption;
  readonly sights: Sights;
  readonly books: FuturesBooks;
}

const TERMS: readonly WireTerms[] = ['normal', 'postOnly', 'fok', 'ioc'];

/** Adopts futures orders of others that the lists show. */
export class FuturesAdoption {
  constructor(private readonly parts: FuturesAdoptionParts) {}

  /**
   * To be called once the picture that was asked for after the lists has been taken in, and its trades told: where an order
   * has filled something, it becomes ours when nothing that was traded its way waits to be told, so all of that is nobody's.
   */
  run(strangers: Iterable<Stranger>): void {
    const { adoption, books, sights } = this.parts;
    for (const { record, instrument, askedAt } of strangers) {
      const found = adoption.isPossible(instrument) ? foundOrder({ record, instrument }) : undefined;
      if (found === undefined) continue;
      const { positionSide, filledSteps, orderId } = found;
      const action = closes(found) ? 'close' : 'open';
      const waits =
        books.hides(instrument.quote) ||
        books.pools.waiting(wireSymbol(instrument.symbol), positionSide, action, (opener) => opener === orderId) > 0;
      if (waits && filledSteps > 0) continue;
      const order = adoption.adopt(found);
      if (order === undefined) continue;
      sights.found(order, askedAt);
      sights.note(order, record, askedAt);
    }
  }
}

/** @returns undefined for what is over (or about to be), the exchange's own, or beside our units. */
function foundOrder({ record, instrument }: Pick<Stranger, 'record' | 'instrument'>): FoundOrder | undefined {
  const { order_id: orderId, size, filled_qty: filled, price, price_avg: average, type, order_type: word } = record;
  const direction = directionOfRecord(type);
  const status = statusOf(record.status);
  if (size === undefined || price === undefined || average === undefined) return undefined;
  if (direction === undefined || direction.forced !== undefined) return undefined;
  if (status === undefined || status === 'filled' || status === 'canceled' || status === 'canceling') return undefined;
  const steps = unitsOn(instrument.step, new Decimal(size));
  const limit = price === '' ? ZERO : new Decimal(price);
  const priceTicks = limit.isZero() ? undefined : unitsOn(instrument.tick, limit);
  if (steps === undefined || (priceTicks === undefined && !limit.isZero())) return undefined;
  const { side, positionSide } = direction;
  const terms = TERMS.find((one) => one === word);
  return {
    orderId,
    instrument,
    side,
    positionSide,
    type: priceTicks === undefined ? 'market' : 'limit',
    ...(priceTicks === undefined || terms === undefined ? termsOf('normal') : termsOf(terms)),
    reduceOnly: closes(direction),
    priceTicks,
    steps,
    filledSteps: instrument.step.floorUnits(new Decimal(filled)),
    filledNotional: average === '' ? ZERO : new Decimal(average).times(filled),
    fillIds: [],
  };
}

/** What futures halts are made of, over restarts. */
const MEMORY = 'futures.halts';

interface HaltCauses {
  /** Money that nothing explains, in words. */
  readonly unexplained?: string | undefined;
  /** Symbols of contracts that somebody else trades. */
  readonly foreign: readonly string[];
}

/** What stops contracts: money that nothing explains, trades of others where the config forbids them, and orders in doubt for too long. */
export class FuturesHalts {
  readonly #halts: Halts;
  readonly #doubts: Doubts;
  #causes: HaltCauses;

  constructor(
    private readonly settings: RestSettings,
    private readonly outlets: Outlets,
  ) {
    this.#halts = new Halts(outlets, 'futures');
    this.#doubts = new Doubts(settings, outlets, 'futures');
    this.#causes = (outlets.memory.recall(MEMORY) as HaltCauses | undefined) ?? { foreign: [] };
  }

  /** Goes on with those that the journal knows. */
  resume(instruments: readonly Instrument[], halts: ReadonlyMap<string, string>): void {
    this.#halts.resume(instruments, halts);
  }

  /** Halts it until a person resets it. */
  stick(instrument: Instrument, reason: string): void {
    this.#halts.stick(instrument, reason);
  }

  /** Somebody else trades it. */
  foreign({ symbol }: Instrument): void {
    const { foreign } = this.#causes;
    if (!foreign.includes(symbol)) this.#remember({ ...this.#causes, foreign: [...foreign, symbol] });
  }

  /** Money of the wallet that nothing the exchange shows explains: it is booked as such. */
  unexplained(coin: string, amount: Decimal): void {
    const reason = `${amount.toFixed()} ${coin} of the futures wallet that nothing explains`;
    this.outlets.log.warn(reason, { coin, amount: amount.toFixed() });
    if (this.settings.unexplained === 'halt' && this.#causes.unexplained === undefined)
      this.#remember({ ...this.#causes, unexplained: reason });
  }

  /** Halts what must not be traded as things stand, and lets go of the rest. */
  review(instruments: readonly Instrument[], alive: readonly TrackedOrder[]): void {
    const { unexplained, foreign } = this.#causes;
    this.#halts.review(instruments, (instrument) => {
      if (this.settings.unexplained === 'halt' && unexplained !== undefined) return unexplained;
      if (this.settings.foreign === 'block' && foreign.includes(instrument.symbol)) return 'orders that are not ours trade it';
      return this.#doubts.tooLong(alive, instrument);
    });
  }

  /** A person has said that trading may go on. */
  lift(): void {
    this.#remember({ foreign: [] });
    this.#doubts.lift();
    this.#halts.lift();
  }

  #remember(causes: HaltCauses): void {
    this.#causes = causes;
    this.outlets.memory.remember(MEMORY, causes);
  }
}

interface EndParts {
  readonly life: OrderLife;
  readonly settings: RestSettings;
  readonly outlets: Outlets;
  readonly sights: Sights;
  readonly triggers: Triggers;
  readonly sending: Pick<FuturesSending, 'cancel' | 'probe'>;
  readonly forced: ForcedOrders;
}

/** What else is known when orders are judged. */
interface Round {
  readonly pools: Pools;
  /** Epoch ms at which the picture that was taken in last was asked for. */
  readonly pictureAt: number;
  /** That picture leaves something open. */
  readonly hides: boolean;
  /** Requests may leave: not before the run has started. */
  readonly acts: boolean;
}

/** Says when an order is over, was never there, or stands: once everything that was traded on its side has been told. */
export class OrderEnds {
  /** The newest list that each order in doubt was missed in. */
  readonly #missedAt = new WeakMap<TrackedOrder, number>();
  readonly #probing = new WeakSet<TrackedOrder>();

  constructor(private readonly parts: EndParts) {}

  judge(order: TrackedOrder, round: Round): void {
    if (!order.alive || order.phase === 'sending') return;
    const { sights } = this.parts;
    const { request } = order;
    const sight = sights.of(order);
    const action = closes(request) ? 'close' : 'open';
    const isOwn = (orderId: string) => orderId === order.orderId;
    const open = round.hides || round.pools.waiting(wireSymbol(request.instrument.symbol), request.positionSide, action, isOwn) > 0;
    if (sights.isAbsent(order)) {
      if (order.phase === 'unknown') {
        if (!open && round.acts) this.#missing(order, sight.askedAt);
      } else if (!open && this.#isOver(order, round.pictureAt)) this.#gone(order);
    } else if (sight.seen && sight.answeredAt <= sight.askedAt) this.#listed(order, open, round.acts);
    this.#lookAgain(order);
  }

  /** Nothing has ever been heard of it, by any way of asking. */
  provedAbsent(order: TrackedOrder): void {
    const { life, outlets } = this.parts;
    const { doubt } = order;
    if (order.phase !== 'unknown' || doubt === undefined) return;
    life.rejected(order, { code: 'neverArrived', waitedMs: String(outlets.clock.now() - doubt.since) });
  }

  /**
   * No list shows it, for long enough that it would; or a cancel that was taken has ended it, and both list and picture
   * are of after that. Either way the picture shows what it has filled.
   */
  #isOver(order: TrackedOrder, pictureAt: number): boolean {
    const { answeredAt, askedAt, absentSince } = this.parts.sights.of(order);
    if (order.wish?.stage === 'taken') return askedAt >= answeredAt && pictureAt >= answeredAt;
    return askedAt - absentSince >= this.parts.settings.visibilityLagMs && pictureAt >= absentSince;
  }

  #missing(order: TrackedOrder, askedAt: number): void {
    const { doubt } = order;
    if (doubt === undefined || this.#missedAt.get(order) === askedAt) return;
    this.#missedAt.set(order, askedAt);
    if (!missed(doubt, askedAt) || this.#probing.has(order)) return;
    this.#probing.add(order);
    this.parts.sending.probe(order, () => this.#probing.delete(order));
  }

  #listed(order: TrackedOrder, open: boolean, acts: boolean): void {
    const { sights, life, settings, sending, triggers, outlets } = this.parts;
    const { status, filledSteps, askedAt } = sights.of(order);
    if (status !== undefined && status !== 'untriggered') triggers.fired(order);
    if (filledSteps > order.toldSteps) {
      life.gapSeen(order);
      return;
    }
    life.gapClosed(order);
    if (status === 'canceled' || status === 'filled') {
      if (!open) this.#gone(order);
      return;
    }
    order.seenOpen = true;
    const { wish } = order;
    // What is about to be canceled needs no second cancel, and its cancel was not refused.
    if (wish === undefined || !acts || status === 'canceling') return;
    // What is shown may be older than what the cancel was told.
    const settled = askedAt >= wish.since + settings.visibilityLagMs;
    if (wish.stage === 'refused' && settled) life.cancelRefused(order);
    // Asked for, looked at, and still there: to ask once more is not blind.
    if (wish.stage === 'doubtful' || (wish.stage === 'taken' && settled)) {
      wish.since = outlets.clock.now();
      sending.cancel(order);
    }
  }

  /** Over, and what was filled of it is told. */
  #gone(order: TrackedOrder): void {
    const { life, forced, outlets, settings } = this.parts;
    if (leftOf(order) === 0) return;
    const liquidated = outlets.clock.now() - forced.last(order.request.instrument.quote) <= 2 * settings.visibilityLagMs;
    // A trigger order does not end by itself unfilled: the exchange took it back, or somebody did.
    if (order.wish === undefined) life.wished(order, liquidated ? 'liquidation' : 'external');
    life.ended(order);
  }

  #lookAgain(order: TrackedOrder): void {
    const { triggers, settings, outlets, sights } = this.parts;
    const now = outlets.clock.now();
    if (!order.alive || order.lookAt > now) return;
    const { request, phase, wish, idleLooks, gapSince } = order;
    const firing = !triggers.has(order) && request.atLast === true;
    const soon = phase === 'unknown' || wish !== undefined || firing || sights.isAbsent(order) || !Number.isNaN(gapSince);
    order.lookAt = now + (soon ? Math.min(settings.lookupMaxMs, settings.lookupMinMs * 2 ** idleLooks) : settings.lookupMs);
    order.idleLooks++;
  }
}
