import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Grid } from '../../model/grid.ts';
import type { Instrument } from '../../model/instrument.ts';
import { closes, type OrderRequest } from '../../model/order.ts';
import type { OrderLife } from './order-life.ts';
import { isOlder, TrackedOrder, type TrackedOrders } from './order-record.ts';
import { type Asking, ask, type SeenFill, type SeenOrder } from './records.ts';
import type { ReconcileSettings, VenueContext } from './settings.ts';

/**
 * How an order of the exchange differs from ours under the same client id. An exchange accepts an id again after its order has
 * ended. @returns undefined if it may be the same order.
 */
export function unlikeSent(seen: SeenOrder, order: TrackedOrder): string | undefined {
  const { request, orderId, sentAt, isNamedAlone } = order;
  const { instrument, side, type, priceTicks, steps, quoteQuantity } = request;
  const price = priceTicks === undefined ? undefined : instrument.tick.toDecimal(priceTicks);
  const quantity = quoteQuantity ?? (steps === undefined ? undefined : instrument.step.toDecimal(steps));
  const isIt = orderId !== '' && seen.orderId === orderId;
  if (isIt && !isNamedAlone) return undefined;
  // An exchange may show a market order in words and units of its own: those do not outweigh the reply that has named it.
  const isExact = !isIt || priceTicks !== undefined;
  const mayBecome = request.triggerTicks !== undefined && seen.isTriggered === true && !order.becameOrder;
  if (orderId !== '' && order.shown && !mayBecome) return `it is order ${seen.orderId}, not ${orderId}`;
  if (isOther(seen.side, side) || (isExact && isOther(seen.type, type))) return `it is a ${seen.type} ${seen.side}`;
  if (seen.positionSide !== undefined && seen.positionSide !== request.positionSide)
    return `it is a ${seen.side} of the ${seen.positionSide} side`;
  if (isOther(seen.symbol, instrument.symbol)) return `it is on ${seen.symbol}`;
  if (!isExact) return undefined;
  if (isUnequal(seen.price, price)) return `its price is ${seen.price!.toFixed()}`;
  if (isUnequal(seen.quantity, quantity)) return `its quantity is ${seen.quantity!.toFixed()}`;
  return isOlder(seen.createdAt ?? 0, sentAt) ? 'it is older than the request' : undefined;
}

/** A field that a record leaves out is no difference. */
export function isOther(there: string, here: string): boolean {
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
    order.foundOpen(context.clock.now());
    order.orderId = orderId;
    order.reportedSteps = filledSteps;
    for (const fillId of fillIds) order.fillIds.set(fillId, '');
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
export function waitingTicks({ status, triggerPrice }: SeenOrder, { tick }: Instrument): number | undefined {
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
