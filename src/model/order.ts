import type { Decimal } from './decimal.ts';
import type { Instrument } from './instrument.ts';
import type { CancelReason } from './reasons.ts';

export type Side = 'buy' | 'sell';

/** What a strategy may ask for. Stops are held by the engine where the venue has none. */
export type OrderType = 'market' | 'limit' | 'stop' | 'stopLimit';
/** What reaches a venue. */
export type VenueOrderType = 'market' | 'limit';
export type TimeInForce = 'GTC' | 'IOC' | 'FOK';
/** How the venue names the orders by which it closes a position itself: for want of margin in part or whole, or at a price agreed on by hand. */
export const LIQUIDATION_TYPES = ['offsetLiquidation', 'burstLiquidation', 'agreementClose'] as const;
export type LiquidationType = (typeof LIQUIDATION_TYPES)[number];

/** The venue sent it to close a position. */
export function isLiquidation(type: OrderType | LiquidationType): type is LiquidationType {
  return (LIQUIDATION_TYPES as readonly string[]).includes(type);
}
/** `net` for accounts with one position a symbol (spot, netting); futures hold both sides. */
export type PositionSide = 'net' | 'long' | 'short';

export function opposite(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy';
}

/** True for the order that closes a futures position: a sell of the long side, a buy of the short side. */
export function closes({ side, positionSide }: { readonly side: Side; readonly positionSide: PositionSide }): boolean {
  return positionSide !== 'net' && (positionSide === 'long') === (side === 'sell');
}

/** Where a decision stood in the market data: what the check for stale fills compares. */
export interface Provenance {
  /** Sequence of the event whose handling returned the intent. */
  readonly decidedSequence: number;
  /** Sequence of the newest data of the order's instrument that the strategy had seen. */
  readonly seenSequence: number;
}

/**
 * A complete order in exact units, as risk reviews it and a venue carries it out. Exactly one of
 * `steps` and `quoteQuantity` is set; `priceTicks` on limit orders alone.
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
  /** Only to shrink the position: denied or trimmed where it would grow or turn it. */
  readonly reduceOnly: boolean;
  readonly priceTicks: number | undefined;
  /** Market orders of venues that bound them: the worst price at which one fills. With IOC what is left is canceled. */
  readonly worstTicks?: number | undefined;
  /**
   * A trigger order of a futures venue: it waits there until the last price (or the mark, as the contract
   * says) reaches this, then becomes a plain order. Its direction is fixed when the venue accepts it.
   */
  readonly triggerTicks: number | undefined;
  /** The trigger is the price seen last: the order means to go out at once, and is sent anew when it does not. */
  readonly atLast?: boolean | undefined;
  /** On bars: the trigger is judged from the next open, not inside the bar that is under way. */
  readonly fromNextBar: boolean;
  readonly steps: number | undefined;
  /** An amount of quote currency to spend (market buys). */
  readonly quoteQuantity: Decimal | undefined;
  readonly tag: string;
  /** True when the engine held it and its condition was just met: it meets the present price. */
  readonly released: boolean;
}

/** An order that has passed the risk gate. Only `risk/gate` makes one, so nothing else can reach a venue. */
export type ApprovedOrder = OrderRequest & { readonly [approved]: true };
declare const approved: unique symbol;

/** A cancel on its way to the venue. */
export interface CancelRequest {
  readonly clientOrderId: string;
  readonly instrument: Instrument;
  /** Told with the cancellation. */
  readonly reason: CancelReason;
}
