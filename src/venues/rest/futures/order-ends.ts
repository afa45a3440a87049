import { directionOfRecord, statusOf, termsOf, type WireTerms } from '../../../exchange/mapping.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { closes } from '../../../model/order.ts';
import { type Adoption, type FoundOrder, unitsOn } from '../../reconcile/foreign.ts';
import { type GridsThere, Halts, UnknownOutcomes } from '../../reconcile/halts.ts';
import type { OrderLife } from '../../reconcile/order-life.ts';
import { leftOf, missed, type TrackedOrder } from '../../reconcile/order-record.ts';
import type { ReconcileSettings, VenueContext } from '../../reconcile/settings.ts';
import type { ForcedOrders } from './attribution/fill-reporter.ts';
import type { ListedStates, Triggers } from './attribution/listed-states.ts';
import type { TradePools } from './attribution/trade-pools.ts';
import type { FuturesBooks } from './futures-books.ts';
import type { ForeignOrder } from './futures-lists.ts';
import type { FuturesSending } from './futures-sending.ts';

interface FuturesAdoptionParts {
  readonly adoption: Adoption;
  readonly listedStates: ListedStates;
  readonly books: FuturesBooks;
}

const TERMS: readonly WireTerms[] = ['normal', 'postOnly', 'fok', 'ioc'];

/** Adopts foreign futures orders that the lists show. */
export class FuturesAdoption {
  constructor(private readonly parts: FuturesAdoptionParts) {}

  /**
   * Called after the snapshot that was requested after the lists has been handled and its trades reported. A partly filled order is
   * adopted when no trade on its side waits to be reported, so that all its earlier fills belong to no strategy.
   */
  run(foreignOrders: Iterable<ForeignOrder>): void {
    const { adoption, books, listedStates } = this.parts;
    for (const { record, instrument, requestedAt } of foreignOrders) {
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
      listedStates.found(order, requestedAt);
      listedStates.note(order, record, requestedAt);
    }
  }
}

/** @returns undefined if it has ended (or is about to), belongs to the exchange, or is not on our grid. */
function foundOrder({ record, instrument }: Pick<ForeignOrder, 'record' | 'instrument'>): FoundOrder | undefined {
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

/** Key of the causes of halts in the venue's memory. */
const MEMORY = 'futures.halts';

interface HaltCauses {
  /** Money that nothing explains, as text. */
  readonly unexplained?: string | undefined;
  /** Symbols of contracts that others trade. */
  readonly foreign: readonly string[];
}

/**
 * Halts contracts for money that nothing explains, for trades of others where the config forbids them, and for orders whose outcome is
 * unknown for too long.
 */
export class FuturesHalts {
  readonly #halts: Halts;
  readonly #unknownOutcomes: UnknownOutcomes;
  #causes: HaltCauses;

  constructor(
    private readonly settings: ReconcileSettings,
    private readonly context: VenueContext,
    grids: GridsThere,
  ) {
    this.#halts = new Halts(context, 'futures', grids);
    this.#unknownOutcomes = new UnknownOutcomes(settings, context, 'futures');
    this.#causes = (context.memory.recall(MEMORY) as HaltCauses | undefined) ?? { foreign: [] };
  }

  /** Restores the halts from the journal. */
  resume(instruments: readonly Instrument[], halts: ReadonlyMap<string, string>): void {
    this.#halts.resume(instruments, halts);
  }

  /** Halts it until a person resets it. */
  stick(instrument: Instrument, reason: string): void {
    this.#halts.stick(instrument, reason);
  }

  /** Others trade it. */
  foreign({ symbol }: Instrument): void {
    const { foreign } = this.#causes;
    if (!foreign.includes(symbol)) this.#remember({ ...this.#causes, foreign: [...foreign, symbol] });
  }

  /** Money in the wallet that nothing at the exchange explains: it is booked as unexplained. */
  unexplained(coin: string, amount: Decimal): void {
    const reason = `${amount.toFixed()} ${coin} of the futures wallet that nothing explains`;
    this.context.log.warn(reason, { coin, amount: amount.toFixed() });
    if (this.settings.unexplained === 'halt' && this.#causes.unexplained === undefined)
      this.#remember({ ...this.#causes, unexplained: reason });
  }

  /** Missing fills of the order have halted its contract, and a person has allowed trading since. */
  isAccepted(order: TrackedOrder): boolean {
    return this.#unknownOutcomes.isAccepted(order);
  }

  /** Halts contracts that must not be traded now, and releases the others. */
  review(instruments: readonly Instrument[], orders: readonly TrackedOrder[]): void {
    const { unexplained, foreign } = this.#causes;
    this.#halts.review(instruments, (instrument) => {
      if (this.settings.unexplained === 'halt' && unexplained !== undefined) return unexplained;
      if (this.settings.foreign === 'block' && foreign.includes(instrument.symbol)) return 'orders that are not ours trade it';
      return this.#unknownOutcomes.tooLong(orders, instrument);
    });
  }

  /** A person has allowed trading again. */
  lift(): void {
    this.#remember({ foreign: [] });
    this.#unknownOutcomes.lift();
    this.#halts.lift();
  }

  #remember(causes: HaltCauses): void {
    this.#causes = causes;
    this.context.memory.remember(MEMORY, causes);
  }
}

interface EndParts {
  readonly life: OrderLife;
  readonly settings: ReconcileSettings;
  readonly context: VenueContext;
  readonly listedStates: ListedStates;
  readonly triggers: Triggers;
  readonly sending: Pick<FuturesSending, 'cancel' | 'probe'>;
  readonly forced: ForcedOrders;
}

/** Further facts for deciding the end of orders. */
interface Round {
  readonly pools: TradePools;
  /** Epoch ms of the request of the last snapshot handled. */
  readonly snapshotAt: number;
  /** That snapshot leaves something unexplained. */
  readonly hides: boolean;
  /** Requests may be sent: not before the run has started. */
  readonly acts: boolean;
  /** See `FuturesHalts`. */
  readonly isAccepted: (order: TrackedOrder) => boolean;
  /** See `FuturesWatch.commit`. */
  readonly traceless: ReadonlyMap<TrackedOrder, number>;
}

/** Decides when an order has ended, never existed, or is open: after all trades on its side have been reported. */
export class OrderEnds {
  /** The newest list in which each order with an unknown outcome was missing. */
  readonly #missedAt = new WeakMap<TrackedOrder, number>();
  readonly #probing = new WeakSet<TrackedOrder>();

  constructor(private readonly parts: EndParts) {}

  judge(order: TrackedOrder, round: Round): void {
    if (!order.alive || order.phase === 'sending') return;
    const { listedStates } = this.parts;
    const { request } = order;
    const listed = listedStates.of(order);
    const action = closes(request) ? 'close' : 'open';
    const isOwn = (orderId: string) => orderId === order.orderId;
    const open = round.hides || round.pools.waiting(wireSymbol(request.instrument.symbol), request.positionSide, action, isOwn) > 0;
    if (listedStates.isAbsent(order)) {
      if (order.phase === 'unknown') {
        if (!open && round.acts) this.#missing(order, listed.requestedAt);
      } else if (!open && this.#isOver(order, round.snapshotAt)) this.#goneOrVanished(order, round.traceless.get(order));
    } else if (listed.seen && listed.answeredAt <= listed.requestedAt) this.#listed(order, open, round);
    this.#lookAgain(order);
  }

  /** No list shows it, and its cancel found nothing. */
  provedAbsent(order: TrackedOrder): void {
    const { life, context } = this.parts;
    const { unknownOutcome } = order;
    if (order.phase !== 'unknown' || unknownOutcome === undefined) return;
    life.rejected(order, { code: 'neverArrived', waitedMs: String(context.clock.now() - unknownOutcome.since) });
  }

  /**
   * No list shows it, and it would be visible by now; or an accepted cancel has ended it, and list and snapshot
   * are newer than that. Either way the snapshot includes all its fills. An amended order, which is sent again, needs a snapshot that is
   * newer by the lag: a cancel may be accepted although the order had filled.
   */
  #isOver(order: TrackedOrder, snapshotAt: number): boolean {
    const { answeredAt, requestedAt, absentSince } = this.parts.listedStates.of(order);
    const { visibilityLagMs } = this.parts.settings;
    if (order.pendingCancel?.stage === 'taken') {
      const from = order.pendingCancel.reason === 'amended' ? answeredAt + visibilityLagMs : answeredAt;
      return requestedAt >= from && snapshotAt >= from;
    }
    return requestedAt - absentSince >= visibilityLagMs && snapshotAt >= absentSince;
  }

  /** It counts as ended, no list has ever shown it, and nothing of it has filled. */
  isSuspect(order: TrackedOrder, snapshotAt: number): boolean {
    const { listedStates } = this.parts;
    if (order.phase !== 'open' || order.reportedSteps > 0 || listedStates.of(order).seen || !listedStates.isAbsent(order)) return false;
    return this.#isOver(order, snapshotAt);
  }

  /** @param askedAt epoch ms at which the exchange had no trace of it; undefined if it has one. */
  #goneOrVanished(order: TrackedOrder, askedAt: number | undefined): void {
    const { life } = this.parts;
    if (askedAt === undefined) this.#gone(order);
    else if (life.notFound(order, askedAt)) life.vanished(order, 'none');
  }

  #missing(order: TrackedOrder, requestedAt: number): void {
    const { unknownOutcome } = order;
    if (unknownOutcome === undefined || this.#missedAt.get(order) === requestedAt) return;
    this.#missedAt.set(order, requestedAt);
    if (!missed(unknownOutcome, requestedAt) || this.#probing.has(order)) return;
    this.#probing.add(order);
    this.parts.sending.probe(order, () => this.#probing.delete(order));
  }

  #listed(order: TrackedOrder, open: boolean, { acts, isAccepted }: Pick<Round, 'acts' | 'isAccepted'>): void {
    const { listedStates, life, settings, sending, triggers, context } = this.parts;
    const { status, filledSteps, requestedAt } = listedStates.of(order);
    if (status !== undefined && status !== 'untriggered') triggers.fired(order);
    const isOver = status === 'canceled' || status === 'filled';
    if (filledSteps > order.reportedSteps) {
      life.gapSeen(order);
      // An order that the journal lacks has closed it again, or it was reported as a trade of no strategy: no sum will ever show it.
      if (isOver && !open && isAccepted(order)) this.#cut(order, filledSteps);
      return;
    }
    life.gapClosed(order);
    if (isOver) {
      if (!open) this.#gone(order);
      return;
    }
    order.seenOpen = true;
    const { pendingCancel } = order;
    // An order that is about to be canceled needs no second cancel, and its cancel was not refused.
    if (pendingCancel === undefined || !acts || status === 'canceling') return;
    // The list may be older than the reply to the cancel.
    const settled = requestedAt >= pendingCancel.since + settings.visibilityLagMs;
    if (pendingCancel.stage === 'refused' && settled) life.cancelRefused(order);
    // The cancel was sent, a list followed, and the order is still there: a second cancel is justified.
    if (pendingCancel.stage === 'unclear' || (pendingCancel.stage === 'taken' && settled)) {
      pendingCancel.since = context.clock.now();
      sending.cancel(order);
    }
  }

  /** The order has ended, and no sum shows the rest of its fills. */
  #cut(order: TrackedOrder, filledSteps: number): void {
    const { clientOrderId, reportedSteps, request } = order;
    const { step } = request.instrument;
    const about = { clientOrderId, reported: step.toText(filledSteps), published: step.toText(reportedSteps) };
    this.parts.context.log.warn(
      `order ${clientOrderId} has ended, and no record shows a part of the fills that it reports: it ends with the fills that were reported`,
      about,
    );
    this.#gone(order);
  }

  /** It has ended, and its fills have been reported. */
  #gone(order: TrackedOrder): void {
    const { life, forced, context, settings } = this.parts;
    if (leftOf(order) === 0) return;
    const liquidated = context.clock.now() - forced.last(order.request.instrument.quote) <= 2 * settings.visibilityLagMs;
    // A trigger order does not end unfilled by itself: the exchange or a person canceled it.
    if (order.pendingCancel === undefined) life.cancelQueued(order, liquidated ? 'liquidation' : 'external');
    life.ended(order);
  }

  #lookAgain(order: TrackedOrder): void {
    const { triggers, settings, context, listedStates } = this.parts;
    const now = context.clock.now();
    if (!order.alive || order.lookAt > now) return;
    const { request, phase, pendingCancel, idleLooks, gapSince } = order;
    const firing = !triggers.has(order) && request.atLast === true;
    const soon = phase === 'unknown' || pendingCancel !== undefined || firing || listedStates.isAbsent(order) || !Number.isNaN(gapSince);
    order.lookAt = now + (soon ? Math.min(settings.lookupMaxMs, settings.lookupMinMs * 2 ** idleLooks) : settings.lookupMs);
    order.idleLooks++;
  }
}
