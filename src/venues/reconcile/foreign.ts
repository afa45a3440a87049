import { type Decimal, ZERO } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Grid } from '../../model/grid.ts';
import type { Instrument } from '../../model/instrument.ts';
import { closes, type OrderRequest } from '../../model/order.ts';
import type { OrderLife } from './order-life.ts';
import { isOlder, TrackedOrder, type TrackedOrders } from './order-record.ts';
import { type Asking, ask, type SeenFill, type SeenOrder } from './records.ts';
import type { LostIds, ReconcileSettings, VenueContext } from './settings.ts';

/**
 * How an order of the exchange differs from ours under the same client id. An exchange accepts an id again after its order has
 * ended. @returns undefined if it may be the same order.
 */
export function unlikeSent(seen: SeenOrder, order: TrackedOrder): string | undefined {
  const { request, orderId, sentAt, shown } = order;
  const { instrument, side, type, priceTicks, steps, quoteQuantity } = request;
  const price = priceTicks === undefined ? undefined : instrument.tick.toDecimal(priceTicks);
  const quantity = quoteQuantity ?? (steps === undefined ? undefined : instrument.step.toDecimal(steps));
  if (orderId !== '' && seen.orderId === orderId) return undefined;
  const mayBecome = request.triggerTicks !== undefined && seen.isTriggered === true && !order.becameOrder;
  if (orderId !== '' && shown && !mayBecome) return `it is order ${seen.orderId}, not ${orderId}`;
  if (isOther(seen.side, side) || isOther(seen.type, type)) return `it is a ${seen.type} ${seen.side}`;
  if (seen.positionSide !== undefined && seen.positionSide !== request.positionSide)
    return `it is a ${seen.side} of the ${seen.positionSide} side`;
  if (isOther(seen.symbol, instrument.symbol)) return `it is on ${seen.symbol}`;
  if (isUnequal(seen.price, price)) return `its price is ${seen.price!.toFixed()}`;
  if (isUnequal(seen.quantity, quantity)) return `its quantity is ${seen.quantity!.toFixed()}`;
  return isOlder(seen.createdAt ?? 0, sentAt) ? 'it is older than the request' : undefined;
}

/** A field that a record leaves out is no difference. */
function isOther(there: string, here: string): boolean {
  return there !== '' && there !== here;
}

function isUnequal(there: Decimal | undefined, here: Decimal | undefined): boolean {
  return there !== undefined && here !== undefined && !there.equals(here);
}

/** An open foreign order, in ticks and steps. */
export interface FoundOrder
  extends Pick<
    OrderRequest,
    'instrument' | 'side' | 'positionSide' | 'type' | 'timeInForce' | 'postOnly' | 'reduceOnly' | 'priceTicks' | 'triggerTicks'
  > {
  readonly orderId: string;
  /** Quantity of the whole order. */
  readonly steps: number;
  /** Steps filled before the adoption, which belong to no strategy, and their value in quote. */
  readonly filledSteps: number;
  readonly filledNotional: Decimal;
  /** Ids of those fills, if the exchange lists them. */
  readonly fillIds: readonly string[];
}

interface AdoptionParts {
  readonly orders: TrackedOrders;
  readonly life: OrderLife;
  readonly settings: ReconcileSettings;
  readonly context: VenueContext;
  /** The strategy that adopts foreign orders of an instrument; `undefined` if none does. */
  readonly adopterOf: (instrument: Instrument) => string | undefined;
}

/** Tag of adopted orders, by which strategies and readers of the journal recognize them. */
const TAG = 'adopted';

/** Adopts foreign orders: tracks them by the exchange's id, reports each once, and from then on treats them like own orders. */
export class Adoption {
  constructor(private readonly parts: AdoptionParts) {}

  isPossible(instrument: Instrument): boolean {
    return this.parts.adopterOf(instrument) !== undefined;
  }

  /**
   * Called after the earlier fills of the order have been published as fills of no strategy.
   * @param owner its strategy, if the order is one of ours that the journal lost.
   */
  adopt({ orderId, filledSteps, filledNotional, fillIds, ...terms }: FoundOrder, owner?: string | undefined): TrackedOrder | undefined {
    const { orders, life, settings, context, adopterOf } = this.parts;
    const strategyId = owner ?? adopterOf(terms.instrument);
    if (strategyId === undefined || orders.byOrderId(orderId) !== undefined) return undefined;
    const clientOrderId = `${TAG}-${orderId}`;
    // No market data led to it.
    const unknown = { quoteQuantity: undefined, decidedSequence: 0, seenSequence: 0 };
    const request: OrderRequest = { ...terms, ...unknown, clientOrderId, strategyId, tag: TAG, fromNextBar: false, released: false };
    const order = new TrackedOrder(request);
    order.phase = 'open';
    order.seenOpen = true;
    order.orderId = orderId;
    order.reportedSteps = filledSteps;
    for (const fillId of fillIds) order.fillIds.add(fillId);
    orders.add(order);
    context.report({
      kind: 'orderAdopted',
      time: context.clock.now(),
      clientOrderId,
      orderId,
      request,
      filledSteps,
      filledNotional,
      fillIds,
    });
    life.lookIn(order, owner === undefined ? settings.lookupMs : 0);
    return order;
  }
}

/** Units of a value on the grid; `undefined` if the value is not a multiple of the grid's step, or is not above 0. */
export function unitsOn(grid: Grid, value: Decimal): number | undefined {
  const units = grid.floorUnits(value);
  return units > 0 && Number.isSafeInteger(units) && grid.toDecimal(units).equals(value) ? units : undefined;
}

interface Candidate {
  readonly instrument: Instrument;
  /** It has a fill since its last look-up. */
  isDue: boolean;
}

/** All fills of an order, and whether each has been reported. */
type AllFills = (orderId: string, instrument: Instrument) => Asking<readonly { readonly fill: SeenFill; readonly reported: boolean }[]>;

/**
 * Adopts foreign orders that no operation lists: one is known from its first fill, which has its id. It is adopted
 * at a moment at which all its fills have been reported as fills of no strategy, so that each fill counts once.
 */
export class FillAdoption {
  readonly #candidates = new Map<string, Candidate>();

  constructor(
    private readonly adoption: Adoption,
    private readonly allFillsOf: AllFills,
  ) {}

  /** A fill of a foreign order has appeared. */
  met(orderId: string, instrument: Instrument): void {
    const candidate = this.#candidates.get(orderId);
    if (candidate !== undefined) candidate.isDue = true;
    else if (this.adoption.isPossible(instrument)) this.#candidates.set(orderId, { instrument, isDue: true });
  }

  /** An order of this instrument may be adopted at the next poll. */
  waitsFor(instrument: Instrument): boolean {
    return [...this.#candidates.values()].some((one) => one.isDue && one.instrument === instrument);
  }

  *run(): Asking {
    for (const [orderId, candidate] of this.#candidates) if (candidate.isDue) yield* this.#try(orderId, candidate);
  }

  *#try(orderId: string, candidate: Candidate): Asking {
    const { instrument } = candidate;
    if (!this.adoption.isPossible(instrument)) {
      candidate.isDue = false;
      return;
    }
    const seen = yield* ask({ ask: 'order', instrument, id: { orderId } });
    if (seen === undefined) return;
    const all = yield* this.allFillsOf(orderId, instrument);
    const found = foundOrder(
      seen,
      all.map(({ fill }) => fill),
      instrument,
    );
    if (found === undefined) this.#candidates.delete(orderId);
    else if (found.filledSteps === instrument.step.floorUnits(seen.filled) && all.every(({ reported }) => reported)) {
      this.#candidates.delete(orderId);
      this.adoption.adopt(found);
    }
  }
}

/** @returns undefined if it has ended, is a market order of spot, was made by the exchange, or is not on our grid. */
function foundOrder(seen: SeenOrder, fills: readonly SeenFill[], instrument: Instrument): FoundOrder | undefined {
  const { orderId, side, type, price, quantity, status, positionSide = 'net', timeInForce = 'GTC', postOnly = false, forced } = seen;
  const isContract = instrument.contract !== undefined;
  if ((side !== 'buy' && side !== 'sell') || quantity === undefined || forced !== undefined) return undefined;
  if (!isContract && (type !== 'limit' || price === undefined)) return undefined;
  if (status === undefined || status === 'filled' || status === 'canceled' || status === 'canceling') return undefined;
  const priceTicks = price === undefined ? undefined : unitsOn(instrument.tick, price);
  const steps = unitsOn(instrument.step, quantity);
  if (steps === undefined || (price !== undefined && priceTicks === undefined)) return undefined;
  const sum = (of: 'quantity' | 'notional') => fills.reduce((all, fill) => all.plus(fill[of]), ZERO);
  return {
    orderId,
    instrument,
    side,
    positionSide,
    type: priceTicks === undefined ? 'market' : 'limit',
    // An open order of spot rests at its price. The exchange does not show whether it is post-only.
    timeInForce,
    postOnly,
    reduceOnly: isContract && closes({ side, positionSide }),
    priceTicks,
    triggerTicks: waitingTicks(seen, instrument),
    steps,
    filledSteps: instrument.step.floorUnits(sum('quantity')),
    filledNotional: sum('notional'),
    fillIds: fills.map(({ fillId }) => fillId),
  };
}

/** The trigger price of an order that waits for it. */
function waitingTicks({ status, triggerPrice }: SeenOrder, { tick }: Instrument): number | undefined {
  return status === 'untriggered' && triggerPrice !== undefined ? unitsOn(tick, triggerPrice) : undefined;
}

/** Foreign orders on the account, as fills and frozen amounts show them. */
export class ForeignOrders {
  readonly #orderIds = new Set<string>();
  /** Symbols that they trade. Persisted. */
  #symbols: readonly string[];

  /** Key of these symbols in the venue's memory. */
  readonly #key: string;

  /** @param half of the exchange: each has its own memory. */
  constructor(
    private readonly context: VenueContext,
    half: 'spot' | 'futures',
  ) {
    this.#key = `${half}.strangers`;
    this.#symbols = (context.memory.recall(this.#key) as readonly string[] | undefined) ?? [];
  }

  isForeign(orderId: string): boolean {
    return this.#orderIds.has(orderId);
  }

  /** Whether foreign orders trade this instrument. */
  trade({ symbol }: Instrument): boolean {
    return this.#symbols.includes(symbol);
  }

  /** A person has allowed trading again: foreign orders count from their next trade. */
  lift(): void {
    this.#remember([]);
  }

  /** A look-up found an order that we do not track. @param own its client id is one of this bot's: the journal lost it. */
  met(orderId: string, clientOrderId: string, own: boolean): void {
    if (this.#orderIds.has(orderId)) return;
    this.#orderIds.add(orderId);
    const whose = own ? 'has an id of this bot and is not in the journal' : 'is not ours';
    this.context.log.warn(`order ${orderId} ${whose}`, { orderId, clientOrderId });
  }

  /** They have traded this instrument. */
  traded(instrument: Instrument): void {
    if (!this.trade(instrument)) this.#remember([...this.#symbols, instrument.symbol]);
  }

  #remember(symbols: readonly string[]): void {
    this.#symbols = symbols;
    this.context.memory.remember(this.#key, symbols);
  }
}

/** Batches of client ids after which a start stops searching. */
const MOST_BATCHES = 50;
const TRIES = 3;

interface LostOrdersParts {
  readonly orders: TrackedOrders;
  readonly life: OrderLife;
  readonly adoption: Adoption;
  readonly lost: LostIds;
}

/**
 * Recovers orders of this bot that the exchange has and the journal lacks, whatever their state. Each becomes an order of
 * its strategy again, so that its fills count and no closed position remains in the books.
 */
export class LostOrders {
  /** The start is over: an order without a known strategy now halts instead of refusing the start. */
  isOpen = false;
  /** Client ids that were looked up, and whether an order existed. */
  readonly #probed = new Map<string, boolean>();

  constructor(private readonly parts: LostOrdersParts) {}

  /**
   * @returns `later` if its quantity is not known yet; undefined if the order is not ours, or its strategy is unknown: then its fills
   * belong to no strategy.
   * @throws TidegateError START_REFUSED during the start, if its strategy is unknown: the positions would be uncertain.
   */
  take(seen: SeenOrder, instrument: Instrument): TrackedOrder | 'later' | undefined {
    const { lost, adoption } = this.parts;
    const { orderId, clientOrderId, side, status } = seen;
    const held = lost.heldUnder(clientOrderId);
    // Price and size may have changed before it was sent.
    if (held !== undefined && !isOther(seen.symbol, held.instrument.symbol) && !isOther(side, held.side)) return this.#takeHeld(seen, held);
    const owner = lost.ownerOf(clientOrderId, instrument.symbol);
    if (owner === undefined) return undefined;
    lost.found(clientOrderId);
    if (owner.strategyId === undefined && !this.isOpen) throw unclaimed(seen);
    if (owner.strategyId === undefined || (side !== 'buy' && side !== 'sell')) return undefined;
    const { step, tick } = instrument;
    const priceTicks = seen.price === undefined ? undefined : unitsOn(tick, seen.price);
    const isLimit = priceTicks !== undefined && seen.type !== 'market';
    // A market order states its quantity in a different unit. Once it has ended, the filled quantity counts.
    if (!isLimit && status !== 'filled' && status !== 'canceled') return 'later';
    const steps = unitsOn(step, isLimit ? (seen.quantity ?? ZERO) : seen.filled);
    if (steps === undefined) return undefined;
    return adoption.adopt(
      {
        orderId,
        instrument,
        side,
        positionSide: seen.positionSide ?? 'net',
        type: isLimit ? 'limit' : 'market',
        timeInForce: isLimit ? 'GTC' : 'IOC',
        postOnly: false,
        reduceOnly: false,
        priceTicks: isLimit ? priceTicks : undefined,
        triggerTicks: waitingTicks(seen, instrument),
        steps,
        filledSteps: 0,
        filledNotional: ZERO,
        fillIds: [],
      },
      owner.strategyId,
    );
  }

  /** A held order was sent after all: its fills belong to it, and it is not sent again. */
  #takeHeld(seen: SeenOrder, held: OrderRequest): TrackedOrder {
    const { lost, orders, life } = this.parts;
    lost.found(seen.clientOrderId);
    const known = orders.find(seen.clientOrderId);
    if (known !== undefined) return known;
    const order = new TrackedOrder(asSent(seen, held));
    order.phase = 'unknown';
    orders.add(order);
    life.accepted(order, seen.orderId);
    life.lookIn(order, 0);
    return order;
  }

  /**
   * Looks up the next client ids. An order under one of them comes from a run that the journal has lost. Continues
   * as long as it finds one.
   */
  *probe(nextIds: (batch: number) => readonly string[], instruments: readonly Instrument[]): Asking {
    for (let batch = 0, isFound = true; isFound && batch < MOST_BATCHES; batch++) {
      isFound = false;
      for (const clientOrderId of nextIds(batch)) {
        // A retried start does not look it up again.
        const isLost = this.#probed.get(clientOrderId) ?? (yield* this.#tried(clientOrderId, instruments));
        this.#probed.set(clientOrderId, isLost);
        isFound ||= isLost;
      }
    }
  }

  /** An exchange with occasional errors must not fail a start at each look-up. */
  *#tried(clientOrderId: string, instruments: readonly Instrument[]): Asking<boolean> {
    for (let left = TRIES - 1; ; left--) {
      try {
        return yield* this.#isLost(clientOrderId, instruments);
      } catch (error) {
        if (left === 0 || !(error instanceof TidegateError) || !error.retryable) throw error;
      }
    }
  }

  *#isLost(clientOrderId: string, instruments: readonly Instrument[]): Asking<boolean> {
    const seen = yield* ask({ ask: 'order', id: { clientOrderId } });
    const instrument = instruments.find(({ symbol }) => symbol === seen?.symbol);
    if (seen === undefined || instrument === undefined) return false;
    const { lost } = this.parts;
    lost.found(clientOrderId);
    // Otherwise an ended order that has filled something shows in the fills.
    const isHeld = lost.heldUnder(clientOrderId) !== undefined;
    if (seen.status === 'open' || seen.status === 'partiallyFilled' || isHeld) this.take(seen, instrument);
    return true;
  }
}

/**
 * The held order with the terms that it has at the exchange. A market buy may state an amount as its quantity: then its fills give the
 * size.
 */
function asSent({ type, price, quantity }: SeenOrder, held: OrderRequest): OrderRequest {
  const { tick, step } = held.instrument;
  const amount = quantity ?? ZERO;
  const isMarket = type === '' ? held.type === 'market' : type === 'market';
  if (isMarket) {
    if (held.side === 'buy') return { ...held, type: 'market', priceTicks: undefined, steps: undefined, quoteQuantity: amount };
    return { ...held, type: 'market', priceTicks: undefined, steps: unitsOn(step, amount) ?? held.steps };
  }
  const priceTicks = (price === undefined ? undefined : unitsOn(tick, price)) ?? held.priceTicks;
  // If a market buy takes no quantity, an IOC limit order is sent instead.
  const timeInForce = held.type === 'market' && held.timeInForce === 'GTC' ? 'IOC' : held.timeInForce;
  return { ...held, type: 'limit', timeInForce, priceTicks, steps: unitsOn(step, amount) ?? held.steps };
}

function unclaimed({ orderId, clientOrderId, symbol, side, filled }: SeenOrder): TidegateError {
  return new TidegateError(
    'START_REFUSED',
    [
      'not started: the journal lacks an order of this bot that the exchange has, and no one strategy of the config is certain to have placed it:',
      `- ${clientOrderId} (${orderId}): ${side} on ${symbol}, ${filled.toFixed()} filled`,
      'Add its strategy again, with its id and its symbols. Or close and cancel everything of the bot at the exchange, and move the journal away.',
    ].join('\n'),
  );
}
