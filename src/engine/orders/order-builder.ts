import { Decimal, isDecimalText } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Amount, ExitLevel, ExitOffset, Exits, PlaceOrder } from '../../model/intents.ts';
import { closes, ORDER_TYPES, type OrderRequest, type OrderType, opposite, type PositionSide, type Side } from '../../model/order.ts';
import type { Position } from '../../model/position.ts';
import { type Denial, withDetails } from '../../model/reasons.ts';
import type { Offset } from '../../model/trail.ts';
import type { VenueCapabilities } from '../../ports/execution-venue.ts';
import { onListedGrid } from '../../risk/listed-grid.ts';
import { closesNow, ownSteps, reducibleSteps, sellableSteps, uncoveredSteps } from '../../risk/measures.ts';
import { type Author, instrumentKnown } from '../../risk/rules/instrument-known.ts';
import { onStep, onTick, onTrigger } from '../../risk/rules/tick-and-step.ts';
import type { State } from '../../state/state.ts';
import { exitTimesOf } from '../held/exit-times.ts';
import type { ExitTicks } from '../held/held-order.ts';
import type { ClientIds } from './client-ids.ts';
import { orderSize } from './order-size.ts';

/** An intent in exact units: risk reviews it, and the engine acts on it. */
export interface Draft {
  readonly request: OrderRequest;
  readonly type: OrderType;
  readonly stopTicks: number | undefined;
  readonly exits: ExitTicks | undefined;
}

/** The fields of a request that differ between orders. */
type OrderTerms = Pick<
  OrderRequest,
  | ('side' | 'positionSide' | 'type' | 'timeInForce' | 'postOnly' | 'reduceOnly' | 'priceTicks' | 'steps' | 'quoteQuantity')
  | ('sizing' | 'tag' | 'ref' | 'group')
>;

/** Turns an intent into an exact order, or gives the reason why it is invalid. */
export class OrderBuilder {
  readonly #instruments: ReadonlyMap<string, Instrument>;
  /** Prices inside bars, with which the venue compares triggers. Set by their owner. */
  bars: { insideTicks(instrument: Instrument): number | undefined } | undefined;

  constructor(
    private readonly state: State,
    private readonly capabilities: VenueCapabilities,
    private readonly ids: ClientIds,
    /** How far above the last price an immediate buy may pay if the venue takes no base quantity. */
    private readonly marketBuyCollar: Decimal,
  ) {
    this.#instruments = new Map(state.instruments.map((instrument) => [instrument.symbol, instrument]));
  }

  instrument(symbol: string): Instrument | undefined {
    return this.#instruments.get(symbol);
  }

  /** Whether stops and exits of this instrument wait at the venue, as its trigger orders. */
  triggersAtVenue(instrument: Instrument): boolean {
    return this.capabilities.futuresTriggers && this.#onMargin(instrument);
  }

  draft(intent: PlaceOrder, author: Author, decidedSequence: number): Draft | Denial {
    const instrument = this.instrument(intent.symbol);
    const unknown = instrumentKnown(intent.symbol, instrument, author);
    if (unknown !== undefined || instrument === undefined) return unknown!;
    const onMargin = this.#onMargin(instrument);
    const broken =
      brokenRule(intent) ?? (onMargin ? brokenRuleOnMargin(intent, this.capabilities.triggerTerms ?? true) : brokenRuleOfNet(intent));
    if (broken !== undefined) return { code: 'orderInvalid', rule: broken };
    const priceTicks = intent.price === undefined ? undefined : named('price', onTick(instrument, intent.side, intent.price));
    if (typeof priceTicks === 'object') return priceTicks;
    const stopTicks = intent.stopPrice === undefined ? undefined : named('stopPrice', onTrigger(instrument, intent.side, intent.stopPrice));
    if (typeof stopTicks === 'object') return stopTicks;
    const { quantity } = intent;
    const plain = typeof quantity === 'object' ? undefined : this.#stepsOf(quantity, intent, instrument, onMargin);
    if (typeof plain === 'object') return plain;
    const exits = intent.exits === undefined ? undefined : this.exits(instrument, opposite(intent.side), intent.exits);
    if (exits !== undefined && 'code' in exits) return exits;
    const { positionSide, reduceOnly } = sideOfOrder(intent, this.state.books.get(author.id)!.sides(instrument));
    const ownTicks = priceTicks ?? stopTicks;
    const size =
      typeof quantity === 'object'
        ? orderSize(intent, quantity, { instrument, ownTicks, exits, onMargin, closing: reduceOnly }, this.state, this.capabilities)
        : undefined;
    if (size !== undefined && 'code' in size) return size;
    const { steps, sizing } = size ?? { steps: plain };
    if (onMargin && reduceOnly && exits !== undefined) return { code: 'orderInvalid', rule: 'exits are for orders that open a position' };
    const request = this.request(instrument, author.id, decidedSequence, {
      side: intent.side,
      positionSide,
      type: ORDER_TYPES[intent.type].limit ? 'limit' : 'market',
      timeInForce: intent.timeInForce ?? 'GTC',
      postOnly: intent.postOnly ?? false,
      reduceOnly,
      priceTicks,
      steps,
      quoteQuantity: steps !== undefined || intent.quoteQuantity === undefined ? size?.quoteQuantity : new Decimal(intent.quoteQuantity),
      sizing,
      tag: intent.tag ?? '',
      ref: intent.ref,
      group: intent.group,
    });
    if (stopTicks !== undefined) return { request, type: intent.type, stopTicks, exits };
    return { request: this.sendable(request), type: intent.type, stopTicks, exits };
  }

  /** The prices of exits that `side` executes, on the tick grid, or their distances from each fill. */
  exits(instrument: Instrument, side: Side, given: Exits): ExitTicks | Denial {
    const { stopLoss, takeProfit, trailBy, trail } = given;
    if ([stopLoss, takeProfit, trailBy, trail, given.after, given.steps].every((one) => one === undefined)) {
      return { code: 'orderInvalid', rule: 'exits name a stopLoss, a trailBy, a trail or a takeProfit' };
    }
    const times = exitTimesOf(given);
    if ('code' in times) return times;
    if (trailBy !== undefined && trail !== undefined) return { code: 'orderInvalid', rule: 'exits name trailBy or trail, not both' };
    const stop = levelOf(instrument, side, 'stopLoss', stopLoss);
    if ('code' in stop) return stop;
    const target =
      typeof takeProfit === 'object' && 'price' in takeProfit && takeProfit.price !== undefined ? takeProfit.price : takeProfit;
    const profit = levelOf(instrument, side, 'takeProfit', target as ExitLevel | undefined);
    if ('code' in profit) return profit;
    const activate = levelOf(instrument, side, 'trail.activateAt', trail?.activateAt);
    if ('code' in activate) return activate;
    const trailing = offsetOf(
      instrument,
      trailBy === undefined ? 'trail' : 'trailBy',
      trailBy === undefined ? trail : { distance: trailBy },
    );
    if ('code' in trailing) return trailing;
    return {
      stopTicks: stop.priceTicks,
      profitTicks: profit.priceTicks,
      trailTicks: trailing.ticks,
      ...(trailing.millionths !== undefined && { trailMillionths: trailing.millionths }),
      ...(activate.priceTicks !== undefined && { activateTicks: activate.priceTicks }),
      ...(stop.offset && { stopOffset: stop.offset }),
      ...(profit.offset && { profitOffset: profit.offset }),
      ...(activate.offset && { activateOffset: activate.offset }),
      ...(typeof takeProfit === 'object' &&
        'share' in takeProfit &&
        takeProfit.share !== undefined && { profitShare: Number(takeProfit.share) }),
      ...(typeof takeProfit === 'object' && 'maker' in takeProfit && takeProfit.maker === true && { maker: true }),
      ...times,
    };
  }

  request(instrument: Instrument, strategyId: string, decidedSequence: number, terms: OrderTerms): OrderRequest {
    return {
      clientOrderId: this.ids.next(strategyId),
      strategyId,
      instrument,
      side: terms.side,
      positionSide: terms.positionSide,
      type: terms.type,
      timeInForce: terms.timeInForce,
      postOnly: terms.postOnly,
      reduceOnly: terms.reduceOnly,
      priceTicks: terms.priceTicks,
      triggerTicks: undefined,
      fromNextBar: false,
      steps: terms.steps,
      quoteQuantity: terms.quoteQuantity,
      ...(terms.sizing !== undefined && { sizing: terms.sizing }),
      tag: terms.tag,
      ...(terms.ref !== undefined && { ref: terms.ref }),
      ...(terms.group !== undefined && { group: terms.group }),
      released: false,
      decidedSequence,
      seenSequence: this.state.market(instrument).sequence,
    };
  }

  /** Whether a run that the journal lost may have sent an order under this id; see `ClientIds`. */
  isOutdated({ clientOrderId }: OrderRequest): boolean {
    return this.ids.isOutdated(clientOrderId);
  }

  /** The same order under a new id, for the rest of its steps: the first one must be gone at the venue. */
  renewed(request: OrderRequest, steps: number): OrderRequest {
    const clientOrderId = this.ids.next(request.strategyId);
    // The chain of replacements of an amended order has no second branch.
    return { ...request, clientOrderId, steps, ...(request.replaces !== undefined && { replaces: request.clientOrderId }) };
  }

  /** The order that takes the place of an amended one, in the form that the venue accepts. */
  replacement(
    request: OrderRequest,
    terms: Required<Pick<OrderRequest, 'priceTicks' | 'steps' | 'filledBefore' | 'decidedSequence'>>,
    clientOrderId = this.ids.next(request.strategyId),
  ): OrderRequest {
    const { sequence } = this.state.market(request.instrument);
    const plain = { triggerTicks: undefined, fromNextBar: false, released: false, seenSequence: sequence };
    return this.sendable({ ...request, ...plain, ...terms, clientOrderId, replaces: request.clientOrderId });
  }

  /**
   * The order in the form that the venue accepts: reduce-only orders are trimmed to what can be reduced; and if a
   * spot market buy takes an amount of quote, a base-sized one becomes an IOC limit at last x (1 + collar).
   * `lastTicks` is the price that triggered a held order; for every other order, the last price.
   */
  sendable(request: OrderRequest, lastTicks = this.state.market(request.instrument).lastTicks): OrderRequest {
    const trimmed = onListedGrid(this.#trimmed(request), this.state);
    const { positionSide, type, side, steps, timeInForce } = trimmed;
    if (positionSide !== 'net' || type !== 'market' || side !== 'buy' || steps === undefined) return trimmed;
    if (this.capabilities.marketBuyByQuantity) return trimmed;
    if (Number.isNaN(lastTicks)) return trimmed;
    const priceTicks = new Decimal(lastTicks).times(this.marketBuyCollar.plus(1)).floor().toNumber();
    return onListedGrid({ ...trimmed, type: 'limit', timeInForce: timeInForce === 'FOK' ? 'FOK' : 'IOC', priceTicks }, this.state);
  }

  /**
   * The order as a trigger that waits for the price to rise or fall to `ticks`. The venue derives the direction from
   * its present price, so an order whose trigger is already reached is sent as a plain one, or waits for the next open at any price.
   */
  trigger(request: OrderRequest, ticks: number, rising: boolean, fromNextBar: boolean): OrderRequest {
    const isReached = this.reached(request, ticks, rising);
    if (isReached && !fromNextBar) return this.sendable({ ...request, triggerTicks: undefined, fromNextBar: false });
    const triggerTicks = isReached ? this.triggerPrice(request) : ticks;
    return onListedGrid({ ...this.#trimmed(request), triggerTicks, fromNextBar }, this.state, isReached ? undefined : rising);
  }

  /** Whether the price has risen (fallen) to these ticks, as the venue compares triggers of the order's side. */
  reached(request: OrderRequest, ticks: number, rising: boolean): boolean {
    const last = this.triggerPrice(request);
    return rising ? last >= ticks : last <= ticks;
  }

  /** The price with which triggers of this side are compared; `NaN` before the first one. */
  triggerPrice({ instrument, side }: Pick<OrderRequest, 'instrument' | 'side'>): number {
    return this.state.market(instrument).triggerTicks(side, this.bars?.insideTicks(instrument));
  }

  #onMargin(instrument: Instrument): boolean {
    return this.state.margin.settings(instrument) !== undefined;
  }

  /** Futures, and at some venues spot market buys, take base quantities only: an amount of quote is converted at the last price. */
  #stepsOf(
    quantity: Amount | undefined,
    { quoteQuantity, symbol }: PlaceOrder,
    instrument: Instrument,
    onMargin: boolean,
  ): number | undefined | Denial {
    if (quantity !== undefined) return onStep(instrument, quantity);
    if (!onMargin && this.capabilities.marketBuyByQuote !== false) return undefined;
    const last = this.state.market(instrument).exactLast();
    if (last === undefined) return { code: 'noMarketPrice', symbol };
    const steps = onStep(instrument, new Decimal(quoteQuantity!).div(last).toFixed());
    return typeof steps === 'number' ? steps : withDetails(steps, { givenQuote: String(quoteQuantity), last: last.toFixed() });
  }

  #trimmed(request: OrderRequest): OrderRequest {
    const { steps } = request;
    if (steps === undefined) return request;
    const most = this.#most(request);
    if (most <= 0 || steps <= most) return request;
    return { ...request, steps: most, ...(request.sizing !== undefined && { sizing: undefined }) };
  }

  #most(request: OrderRequest): number {
    const { state } = this;
    if (closesNow(request)) return Math.min(uncoveredSteps(request, state), sellableSteps(request, state));
    if (request.reduceOnly) return reducibleSteps(request, state);
    if (request.type !== 'market' || request.side !== 'sell' || request.positionSide !== 'net') return Number.POSITIVE_INFINITY;
    // The position of its strategy counts as well, if another order has sold a part of the account's.
    const own = ownSteps(request, state);
    const lacks = request.steps! <= own && reducibleSteps(request, state) < own;
    return lacks ? sellableSteps(request, state) : Number.POSITIVE_INFINITY;
  }
}

/** The rule of order shapes that an intent breaks, as text. The types cannot express all of it. */
function brokenRule(intent: PlaceOrder): string | undefined {
  const { type, price, stopPrice, quantity, quoteQuantity, timeInForce, postOnly, side } = intent;
  if (!Object.hasOwn(ORDER_TYPES, type)) return `type is ${orderTypes()}, not "${type}"`;
  const limited = ORDER_TYPES[type].limit;
  const stopped = ORDER_TYPES[type].trigger !== undefined;
  const wrongSide = brokenSide(side);
  if (wrongSide !== undefined) return wrongSide;
  if (limited !== (price !== undefined)) return limited ? `a ${type} order needs a price` : `a ${type} order takes no price`;
  if (stopped !== (stopPrice !== undefined)) return stopped ? `a ${type} order needs a stopPrice` : `a ${type} order takes no stopPrice`;
  if ((quantity === undefined) === (quoteQuantity === undefined)) return 'exactly one of quantity and quoteQuantity is given';
  if (quoteQuantity !== undefined && (type !== 'market' || side !== 'buy')) return 'quoteQuantity is for market buys';
  if (quoteQuantity !== undefined && !positive(quoteQuantity)) return 'quoteQuantity is a positive number';
  if (!['GTC', 'IOC', 'FOK'].includes(timeInForce ?? 'GTC')) return `timeInForce is GTC, IOC or FOK, not "${timeInForce}"`;
  if (postOnly === true && (!limited || (timeInForce ?? 'GTC') !== 'GTC')) return 'postOnly is for GTC limit orders';
  return undefined;
}

function orderTypes(): string {
  const types = Object.keys(ORDER_TYPES);
  return `${types.slice(0, -1).join(', ')} or ${types.at(-1)}`;
}

/** Strategies are JavaScript at run time: the type alone does not exclude other values. */
export function brokenSide(side: Side): string | undefined {
  return side === 'buy' || side === 'sell' ? undefined : `side is buy or sell, not "${side}"`;
}

/** The rule that an intent breaks on an account with one net position. */
function brokenRuleOfNet({ positionSide }: PlaceOrder): string | undefined {
  return positionSide === undefined ? undefined : 'positionSide is for the contracts of a futures account';
}

/**
 * The rule that an intent breaks on a contract on margin.
 *
 * @param plain whether the venue takes plain futures orders. If not, triggers allow no other time in force.
 */
function brokenRuleOnMargin(intent: PlaceOrder, triggerTerms: boolean): string | undefined {
  const { side, positionSide, reduceOnly, timeInForce = 'GTC', postOnly } = intent;
  if (positionSide !== undefined && positionSide !== 'long' && positionSide !== 'short') {
    return `positionSide is long or short, not "${positionSide as string}"`;
  }
  if (reduceOnly === true && positionSide !== undefined && !closes({ side, positionSide })) {
    return 'a reduceOnly order closes: it sells long or buys short';
  }
  if (intent.stopPrice === undefined || triggerTerms) return undefined;
  if (timeInForce !== 'GTC') return `a stop that waits at this venue is GTC, not ${timeInForce}`;
  if (postOnly === true) return 'a stop that waits at this venue cannot be postOnly';
  return undefined;
}

/** A price in ticks, or a distance from the fill; neither if none is requested. */
interface Level {
  readonly priceTicks?: number | undefined;
  readonly offset?: Offset | undefined;
}

function levelOf(instrument: Instrument, side: Side, name: string, level: ExitLevel | undefined): Level | Denial {
  if (level === undefined) return {};
  if (typeof level === 'object') {
    const offset = offsetOf(instrument, name, level);
    return 'code' in offset ? offset : { offset };
  }
  const priceTicks = named(name, (name === 'stopLoss' ? onTrigger : onTick)(instrument, side, level));
  return typeof priceTicks === 'object' ? priceTicks : { priceTicks };
}

/** A denied price with the name of its field. */
export function named(field: string, ticks: number | Denial): number | Denial {
  return typeof ticks === 'number' ? ticks : withDetails(ticks, { field });
}

/** Rounded away from the price: never nearer than requested. A share is kept in millionths. */
function offsetOf(instrument: Instrument, name: string, offset: ExitOffset | undefined): Offset | Denial {
  if (offset === undefined) return {};
  const { percent, distance } = offset;
  if (distance !== undefined) {
    const ticks = onTick(instrument, 'sell', distance);
    return typeof ticks === 'object'
      ? { code: 'orderInvalid', rule: `${name} is a distance above zero, not ${String(distance)}` }
      : { ticks };
  }
  const millionths = positive(percent) ? new Decimal(percent).times(10_000).ceil().toNumber() : 0;
  const isGain = name === 'takeProfit' || name === 'trail.activateAt';
  if (millionths >= 1 && (isGain || millionths < 1_000_000)) return { millionths };
  return { code: 'orderInvalid', rule: `${name} is a percentage above 0${isGain ? '' : ' and below 100'}, not ${String(percent)}` };
}

function positive(amount: number | string): boolean {
  return (typeof amount === 'number' ? Number.isFinite(amount) : isDecimalText(amount)) && Number(amount) > 0;
}

/** The position that an order changes, and whether it may only reduce it. */
interface SideOfOrder {
  readonly positionSide: PositionSide;
  readonly reduceOnly: boolean;
}

/**
 * The effect of an intent on its strategy's own position: one net position, or long and short.
 *
 * On margin, a side that the intent names is opened or closed as named. Without one, an order against a position of
 * the strategy's own closes it, as every `reduceOnly` order does. Any other order opens: a buy long, a sell short. A
 * close is always reduce-only, and so never turns a position.
 */
export function sideOfOrder(intent: Pick<PlaceOrder, 'side' | 'positionSide' | 'reduceOnly'>, own: readonly Position[]): SideOfOrder {
  const { side, positionSide, reduceOnly = false } = intent;
  const [long, short] = own;
  if (short === undefined) return { positionSide: 'net', reduceOnly };
  if (positionSide !== undefined) return { positionSide, reduceOnly: closes({ side, positionSide }) };
  const closing = side === 'sell' ? 'long' : 'short';
  const held = closing === 'long' ? long!.steps > 0 : short.steps < 0;
  if (reduceOnly || held) return { positionSide: closing, reduceOnly: true };
  return { positionSide: closing === 'long' ? 'short' : 'long', reduceOnly: false };
}
