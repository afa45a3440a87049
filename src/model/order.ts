import type { Decimal } from './decimal.ts';
import type { Instrument } from './instrument.ts';
import type { CancelReason } from './reasons.ts';

export type Side = 'buy' | 'sell';

/** The order types of strategies. The engine holds stops if the venue has none. */
export type OrderType = 'market' | 'limit' | 'stop' | 'stopLimit';

/** The prices that an order type has. */
interface OrderTypePrices {
  /** It has a `price`: its limit. */
  readonly limit: boolean;
  /** It has a `stopPrice`, for which it waits. `stop`: a buy waits for the price to rise to it, a sell for it to fall. */
  readonly trigger: 'stop' | undefined;
}
export const ORDER_TYPES: Readonly<Record<OrderType, OrderTypePrices>> = {
  market: { limit: false, trigger: undefined },
  limit: { limit: true, trigger: undefined },
  stop: { limit: false, trigger: 'stop' },
  stopLimit: { limit: true, trigger: 'stop' },
};

/** Whether an order of this type limits the loss of the position that it closes. False for a type that there is not. */
export function isStop(type: OrderType | LiquidationType): boolean {
  return ORDER_TYPES[type as OrderType]?.trigger === 'stop';
}
/** The order types that reach a venue. */
export type VenueOrderType = 'market' | 'limit';
export type TimeInForce = 'GTC' | 'IOC' | 'FOK';
/**
 * The venue's names of orders by which it closes a position itself: for lack of margin, partly or completely; at a manually agreed
 * price; or because the other side of the market went bankrupt.
 */
export const LIQUIDATION_TYPES = ['offsetLiquidation', 'burstLiquidation', 'agreementClose', 'autoDeleveraging'] as const;
export type LiquidationType = (typeof LIQUIDATION_TYPES)[number];

/** The kind of the event, and the tag of the fill, of a close by the venue. */
export function forcedWords(type: LiquidationType) {
  if (type === 'autoDeleveraging') return { kind: 'positionDeleveraged', tag: type } as const;
  return { kind: 'positionLiquidated', tag: 'liquidation' } as const;
}

/** The venue created it to close a position. */
export function isLiquidation(type: OrderType | LiquidationType): type is LiquidationType {
  return (LIQUIDATION_TYPES as readonly string[]).includes(type);
}
/** `net` for accounts with one position for each symbol (spot, netting); futures have both sides. */
export type PositionSide = 'net' | 'long' | 'short';

export function opposite(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy';
}

/** True for the order that closes a futures position: a sell of the long side, a buy of the short side. */
export function closes({ side, positionSide }: { readonly side: Side; readonly positionSide: PositionSide }): boolean {
  return positionSide !== 'net' && (positionSide === 'long') === (side === 'sell');
}

/** Whether the order may close something: of a net position, each sell and each reduce-only order. */
export function mayClose(request: Pick<OrderRequest, 'side' | 'positionSide' | 'reduceOnly'>): boolean {
  return request.reduceOnly || closes(request) || (request.positionSide === 'net' && request.side === 'sell');
}

/** The market data behind a decision, for the check for stale fills. */
export interface Provenance {
  /** Sequence of the event whose hook returned the intent. */
  readonly decidedSequence: number;
  /** Sequence of the newest data of the order's instrument that the strategy had received. */
  readonly seenSequence: number;
}

/** The stop of a position by whose loss an order is sized: a price in ticks, or a distance from the fill in ticks or millionths of it. */
export interface SizingStop {
  readonly priceTicks?: number | undefined;
  readonly ticks?: number | undefined;
  readonly millionths?: number | undefined;
}

/** How an order gets its size from an amount of quote, at the price at which it fills. */
export interface Sizing {
  /** The amount to trade; with `stop`, the amount that is lost if the stop fills at its price. */
  readonly amount: Decimal;
  readonly stop?: SizingStop | undefined;
  /** The largest size, in steps. */
  readonly most?: number | undefined;
}

/**
 * A complete order in exact units, as risk reviews it and a venue executes it. Exactly one of
 * `steps` and `quoteQuantity` is set; `priceTicks` only on limit orders.
 */
export interface OrderRequest extends Provenance {
  readonly clientOrderId: string;
  readonly strategyId: string;
  readonly instrument: Instrument;
  readonly side: Side;
  /** Futures: the side of the position that it opens or closes. */
  readonly positionSide: PositionSide;
  readonly type: VenueOrderType;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  /** Only reduces the position: denied or trimmed if it would enlarge or turn it. */
  readonly reduceOnly: boolean;
  readonly priceTicks: number | undefined;
  /** Market orders at venues that limit their price: the worst price at which one fills. With IOC the rest is canceled. */
  readonly worstTicks?: number | undefined;
  /**
   * A trigger order of a futures venue: it waits there until the last price (or the mark, as the contract
   * says) reaches this, then becomes a plain order. Its direction is fixed when the venue accepts it.
   */
  readonly triggerTicks: number | undefined;
  /** On bars: the trigger is compared with prices from the next open, not inside the unfinished bar. */
  readonly fromNextBar: boolean;
  readonly steps: number | undefined;
  /** An amount of quote currency to spend (market buys). */
  readonly quoteQuantity: Decimal | undefined;
  /** Where a market order waits for the open of a bar: its size is computed from this at the price that fills it. `steps` is an estimate. */
  readonly sizing?: Sizing | undefined;
  readonly tag: string;
  /** The strategy's own name of the order. */
  readonly ref?: string | undefined;
  /** The legs of one trade have the same; absent without one. */
  readonly group?: string | undefined;
  /** The order that this one replaces, as its strategy amended it. */
  readonly replaces?: string | undefined;
  /** Steps that filled of the order that it replaces, and of those before it. */
  readonly filledBefore?: number | undefined;
  /** True if the engine held it and it was just triggered: it is executed at the present price. */
  readonly released: boolean;
}

/** An order that has passed the risk gate. Only `risk/gate` makes one, so nothing else can reach a venue. */
export type ApprovedOrder = OrderRequest & { readonly [approved]: true };
declare const approved: unique symbol;

/** A cancel on its way to the venue. */
export interface CancelRequest {
  readonly clientOrderId: string;
  readonly instrument: Instrument;
  /** Reported with the cancellation. */
  readonly reason: CancelReason;
}
