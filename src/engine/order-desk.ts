import { Decimal, isDecimalText } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Exits, PlaceOrder } from '../model/intents.ts';
import { type OrderRequest, type OrderType, opposite, type Side } from '../model/order.ts';
import type { Denial } from '../model/reasons.ts';
import type { VenueCapabilities } from '../ports/execution-venue.ts';
import { instrumentKnown } from '../risk/rules/instrument-known.ts';
import { onStep, onTick } from '../risk/rules/tick-and-step.ts';
import type { State } from '../state/state.ts';
import type { ClientIds } from './client-ids.ts';

/** Trigger and limit of the exits of one position, in ticks. */
export interface ExitTicks {
  readonly stopTicks: number | undefined;
  readonly profitTicks: number | undefined;
}

/** An intent in exact units: what risk reviews, and how the engine treats it. */
export interface Draft {
  readonly request: OrderRequest;
  readonly type: OrderType;
  readonly stopTicks: number | undefined;
  readonly exits: ExitTicks | undefined;
}

export interface Author {
  readonly id: string;
  readonly symbols: readonly string[];
}

/** Turns what a strategy asked for into an exact order, or says why it cannot be one. */
export class OrderDesk {
  readonly #instruments: ReadonlyMap<string, Instrument>;

  constructor(
    private readonly state: State,
    private readonly capabilities: VenueCapabilities,
    private readonly ids: ClientIds,
    /** How far above the last price an immediate buy may pay where the venue takes no base-sized one. */
    private readonly marketBuyCollar: Decimal,
  ) {
    this.#instruments = new Map(state.instruments.map((instrument) => [instrument.symbol, instrument]));
  }

  instrument(symbol: string): Instrument | undefined {
    return this.#instruments.get(symbol);
  }

  draft(intent: PlaceOrder, author: Author, decidedSequence: number): Draft | Denial {
    const instrument = this.instrument(intent.symbol);
    const unknown = instrumentKnown(intent.symbol, instrument, author.id, author.symbols);
    if (unknown !== undefined || instrument === undefined) return unknown!;
    const broken = brokenRule(intent);
    if (broken !== undefined) return { code: 'orderInvalid', rule: broken };
    const priceTicks = intent.price === undefined ? undefined : onTick(instrument, intent.side, intent.price);
    if (typeof priceTicks === 'object') return priceTicks;
    const stopTicks = intent.stopPrice === undefined ? undefined : onTick(instrument, intent.side, intent.stopPrice);
    if (typeof stopTicks === 'object') return stopTicks;
    const steps = intent.quantity === undefined ? undefined : onStep(instrument, intent.quantity);
    if (typeof steps === 'object') return steps;
    const exits = intent.exits === undefined ? undefined : this.exits(instrument, opposite(intent.side), intent.exits);
    if (exits !== undefined && 'code' in exits) return exits;
    const request = this.request(instrument, author.id, intent.side, decidedSequence, {
      type: intent.type === 'limit' || intent.type === 'stopLimit' ? 'limit' : 'market',
      timeInForce: intent.timeInForce ?? 'GTC',
      postOnly: intent.postOnly ?? false,
      reduceOnly: intent.reduceOnly ?? false,
      priceTicks,
      steps,
      quoteQuantity: intent.quoteQuantity === undefined ? undefined : new Decimal(intent.quoteQuantity),
      tag: intent.tag ?? '',
    });
    return { request: stopTicks === undefined ? this.sendable(request) : request, type: intent.type, stopTicks, exits };
  }

  /** The prices of exits that `side` executes, on the tick. */
  exits(instrument: Instrument, side: Side, { stopLoss, takeProfit }: Exits): ExitTicks | Denial {
    if (stopLoss === undefined && takeProfit === undefined) {
      return { code: 'orderInvalid', rule: 'exits name a stopLoss, a takeProfit or both' };
    }
    const stopTicks = stopLoss === undefined ? undefined : onTick(instrument, side, stopLoss);
    if (typeof stopTicks === 'object') return stopTicks;
    const profitTicks = takeProfit === undefined ? undefined : onTick(instrument, side, takeProfit);
    if (typeof profitTicks === 'object') return profitTicks;
    return { stopTicks, profitTicks };
  }

  request(
    instrument: Instrument,
    strategyId: string,
    side: Side,
    decidedSequence: number,
    rest: Pick<OrderRequest, 'type' | 'timeInForce' | 'postOnly' | 'reduceOnly' | 'priceTicks' | 'steps' | 'quoteQuantity' | 'tag'>,
  ): OrderRequest {
    return {
      clientOrderId: this.ids.next(strategyId),
      strategyId,
      instrument,
      side,
      type: rest.type,
      timeInForce: rest.timeInForce,
      postOnly: rest.postOnly,
      reduceOnly: rest.reduceOnly,
      priceTicks: rest.priceTicks,
      steps: rest.steps,
      quoteQuantity: rest.quoteQuantity,
      tag: rest.tag,
      released: false,
      decidedSequence,
      seenSequence: this.state.market(instrument).sequence,
    };
  }

  /**
   * The order as the venue takes it: reduce-only orders are trimmed to what can be reduced, and where a
   * spot market buy takes an amount of quote, a base-sized one becomes an IOC limit at last x (1 + collar).
   * `lastTicks` is the price that triggered a held order, for every other the newest mark.
   */
  sendable(request: OrderRequest, lastTicks = this.state.market(request.instrument).markTicks): OrderRequest {
    const trimmed = request.reduceOnly ? this.#trimmed(request) : request;
    const { type, side, steps, timeInForce } = trimmed;
    if (type !== 'market' || side !== 'buy' || steps === undefined || this.capabilities.marketBuyByQuantity) return trimmed;
    if (Number.isNaN(lastTicks)) return trimmed;
    const priceTicks = new Decimal(lastTicks).times(this.marketBuyCollar.plus(1)).floor().toNumber();
    return { ...trimmed, type: 'limit', timeInForce: timeInForce === 'FOK' ? 'FOK' : 'IOC', priceTicks };
  }

  #trimmed(request: OrderRequest): OrderRequest {
    const { instrument, side, strategyId, steps } = request;
    const account = this.state.heldSteps(instrument);
    const own = this.state.books.get(strategyId)?.positions[instrument.index]?.steps ?? 0;
    const reducible = side === 'sell' ? Math.min(account, own) : Math.min(-account, -own);
    if (steps === undefined || reducible <= 0 || steps <= reducible) return request;
    return { ...request, steps: reducible };
  }
}

/** The rule of order shapes that an intent breaks, in words; the types cannot say all of it. */
function brokenRule(intent: PlaceOrder): string | undefined {
  const { type, price, stopPrice, quantity, quoteQuantity, timeInForce, postOnly, side } = intent;
  const limited = type === 'limit' || type === 'stopLimit';
  const stopped = type === 'stop' || type === 'stopLimit';
  if (!['market', 'limit', 'stop', 'stopLimit'].includes(type)) return `type is market, limit, stop or stopLimit, not "${type}"`;
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

/** Strategies are JavaScript at run time: the type alone does not keep other words out. */
export function brokenSide(side: Side): string | undefined {
  return side === 'buy' || side === 'sell' ? undefined : `side is buy or sell, not "${side}"`;
}

function positive(amount: number | string): boolean {
  return (typeof amount === 'number' ? Number.isFinite(amount) : isDecimalText(amount)) && Number(amount) > 0;
}
