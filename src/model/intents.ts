import type { OrderType, Side, TimeInForce } from './order.ts';

/** A price or a quantity as a strategy writes it: a number, or decimal text for exact values. */
export type Amount = number | string;

/** A distance from the price of the fill: in percent, or in price. */
export type ExitOffset =
  | { readonly percent: Amount; readonly distance?: undefined }
  | { readonly distance: Amount; readonly percent?: undefined };

/** The level of an exit: a price, or a distance from the price of each fill. */
export type ExitLevel = Amount | ExitOffset;

/** A take profit that may rest at the venue. */
export type TakeProfit = (ExitOffset | { readonly price: Amount; readonly percent?: undefined; readonly distance?: undefined }) & {
  /** It is sent as a limit order as soon as there is a position, and not only when the price has reached it. */
  readonly maker?: boolean | undefined;
  /** The part of the position that it closes, above 0 to 1 (the default): the stop protects all of it. */
  readonly share?: Amount | undefined;
};

/** A stop that follows the best price at this distance, from `activateAt` on: a price, or a distance in profit. */
export type TrailingStop = ExitOffset & { readonly activateAt?: ExitLevel | undefined };

/** Protective orders that the engine links: one cancels the other, and partial fills reduce both. */
export interface Exits {
  /** Stop-market trigger: a price, or a distance on the losing side of the fill. */
  readonly stopLoss?: ExitLevel | undefined;
  /**
   * The stop trails: a distance in price from the best price since it was armed. Its trigger never moves back. It
   * begins there, or at `stopLoss` if that is given. No venue has trailing triggers: the engine holds it, for futures too.
   */
  readonly trailBy?: Amount | undefined;
  /** The same in percent of the best price, or from a price on; instead of `trailBy`. */
  readonly trail?: TrailingStop | undefined;
  /** Limit: a price, or a distance on the winning side of the fill. */
  readonly takeProfit?: ExitLevel | TakeProfit | undefined;
  /** Closes the position at market at the first price after this time since its fill: `4h`, or ms. */
  readonly after?: string | number | undefined;
  /** In place of `takeProfit`: a profit as a fraction of the fill's price, from each age of the position on. */
  readonly steps?: readonly ProfitAfter[] | undefined;
}

/** From this age on, a position is closed at this profit: `{ after: '30m', profit: 0.02 }`. */
export interface ProfitAfter {
  readonly after: string | number;
  readonly profit: Amount;
}

/** A size that the engine computes: exactly one of its fields is given. */
export type OrderSize =
  /** A share of the account's equity, in percent: the value of the order, with the fee where that is paid in quote. */
  | { readonly percentOfEquity: Amount; readonly notional?: undefined; readonly risk?: undefined }
  /** The value of the order, in quote. */
  | { readonly notional: Amount; readonly percentOfEquity?: undefined; readonly risk?: undefined }
  /** The share of the account's equity that is lost if the order's stop loss fills at its price: 0.01 is 1 %. */
  | { readonly risk: Amount; readonly percentOfEquity?: undefined; readonly notional?: undefined };

/** Places an order. Exactly one of `quantity` (base, or a size) and `quoteQuantity` (quote, market buys) is given. */
export interface PlaceOrder {
  readonly kind: 'place';
  readonly symbol: string;
  readonly side: Side;
  /**
   * Futures have a long and a short side: the side that this order opens or closes. If left out, an order
   * against the strategy's own position closes it (at most completely), and any other opens one.
   */
  readonly positionSide?: 'long' | 'short' | undefined;
  readonly type: OrderType;
  readonly quantity?: Amount | OrderSize | undefined;
  readonly quoteQuantity?: Amount | undefined;
  /** Limit price: on `limit` and `stopLimit`. */
  readonly price?: Amount | undefined;
  /** Trigger price: on `stop` and `stopLimit`. */
  readonly stopPrice?: Amount | undefined;
  readonly timeInForce?: TimeInForce | undefined;
  readonly postOnly?: boolean | undefined;
  readonly reduceOnly?: boolean | undefined;
  /** Armed, leg by leg, as this order fills. */
  readonly exits?: Exits | undefined;
  /** A text of the strategy's own: on every order, fill and trade that follows, and in the tables. */
  readonly tag?: string | undefined;
  /** The strategy's own name of this order: on its events and fills, in the tables, and in `cancel({ ref })`. */
  readonly ref?: string | undefined;
  /** Legs of one trade, also of several symbols, have one group: on every order, fill and exit that follows. */
  readonly group?: string | undefined;
  /**
   * Orders of one `group` from one answer are sent together, and refused together by risk. If one fails at the exchange, the others are
   * canceled and closed (`true` or `close`), or stay (`hold`).
   */
  readonly atomic?: boolean | 'close' | 'hold' | undefined;
}

/** Holds a stop and a take profit for an existing position. */
export interface Protect extends Exits {
  readonly kind: 'protect';
  readonly symbol: string;
  /** The side that closes the position. */
  readonly side: Side;
  readonly quantity: Amount;
  readonly tag?: string | undefined;
  /** The orders have it with a suffix: `safe:stopLoss`, `safe:trailingStop`, `safe:takeProfit`. */
  readonly ref?: string | undefined;
  readonly group?: string | undefined;
}

/** Closes a position of the strategy at market, or a share of it. While it is flat, nothing happens. */
export interface ClosePosition {
  readonly kind: 'closePosition';
  readonly symbol: string;
  /** Futures: the side that is closed; default: both. */
  readonly positionSide?: 'long' | 'short' | undefined;
  /** Above 0 to 1, which is all of it and the default. */
  readonly share?: Amount | undefined;
  readonly tag?: string | undefined;
  readonly ref?: string | undefined;
  readonly group?: string | undefined;
}

/** Sells at market all that the strategy holds of a symbol: its coins without the fees that were taken in coins, or its long side. */
export interface SellAll {
  readonly kind: 'sellAll';
  readonly symbol: string;
  readonly tag?: string | undefined;
  readonly ref?: string | undefined;
  readonly group?: string | undefined;
}

/** A signed size of a position: exactly one of its fields is given, below zero for a short. */
export type PositionSize =
  /** A share of the account's equity, in percent. */
  | { readonly percentOfEquity: Amount; readonly notional?: undefined }
  /** The value of the position, in quote. */
  | { readonly notional: Amount; readonly percentOfEquity?: undefined };

/** Brings the strategy's position to a size: the engine places the difference, with what its open orders may still fill. */
export interface TargetPosition {
  readonly kind: 'target';
  readonly symbol: string;
  /** The position that is wanted: base units below zero for a short, or a size. 0 closes it. */
  readonly quantity: Amount | PositionSize;
  /** `market`, the default, or `limit` with a `price`. */
  readonly type?: 'market' | 'limit' | undefined;
  readonly price?: Amount | undefined;
  readonly timeInForce?: TimeInForce | undefined;
  readonly postOnly?: boolean | undefined;
  readonly tag?: string | undefined;
  readonly ref?: string | undefined;
  readonly group?: string | undefined;
}

/** Cancels one of the strategy's own orders, or all with a ref, a tag or a group, or all of a symbol, or all. */
export interface CancelOrders {
  readonly kind: 'cancel';
  readonly clientOrderId?: string | undefined;
  readonly symbol?: string | undefined;
  readonly tag?: string | undefined;
  readonly ref?: string | undefined;
  readonly group?: string | undefined;
}

/**
 * Changes the price or the quantity of one of the strategy's own resting limit orders, or the trigger of a stop that waits. The exchange cannot amend: the order is canceled, and
 * its replacement is sent when the cancel is confirmed.
 */
export interface AmendOrder {
  readonly kind: 'amend';
  readonly clientOrderId?: string | undefined;
  /** The name of exactly one open order. */
  readonly ref?: string | undefined;
  readonly price?: Amount | undefined;
  /** The new trigger of a stop or a stop limit that waits, exits included. */
  readonly stopPrice?: Amount | undefined;
  /** The new total: what has filled counts, also of the orders that this one replaced. */
  readonly quantity?: Amount | undefined;
}

/** Calls `onTimer` at a time, or repeatedly; a second timer with the same name replaces the first. */
export interface SetTimer {
  readonly kind: 'setTimer';
  readonly name: string;
  /** Epoch ms; the first firing of an `everyMs` timer when both are given. */
  readonly at?: number | undefined;
  readonly everyMs?: number | undefined;
}

export interface CancelTimer {
  readonly kind: 'cancelTimer';
  readonly name: string;
}

/**
 * Opens no position in a symbol until a time, as a latch of the strategy: its resting orders that could open one are canceled, and those
 * that follow are denied. A second lock of the same symbol replaces the first; a time that is not in the future ends it.
 */
export interface LockSymbol {
  readonly kind: 'lock';
  /** Default: all symbols of the strategy. */
  readonly symbol?: string | undefined;
  /** Epoch ms. */
  readonly until: number;
}

/** A decision of a strategy: returned from a hook or emitted by `intents$`, never sent by it. */
export type Intent =
  | PlaceOrder
  | Protect
  | ClosePosition
  | SellAll
  | TargetPosition
  | CancelOrders
  | AmendOrder
  | SetTimer
  | CancelTimer
  | LockSymbol;

const INTENT_KINDS: Readonly<Record<Intent['kind'], true>> = {
  place: true,
  protect: true,
  closePosition: true,
  sellAll: true,
  target: true,
  cancel: true,
  amend: true,
  setTimer: true,
  cancelTimer: true,
  lock: true,
};

/** Whether a value comes from the intent constructors, by its kind. */
export function isIntent(value: unknown): value is Intent {
  return typeof value === 'object' && value !== null && 'kind' in value && Object.hasOwn(INTENT_KINDS, value.kind as PropertyKey);
}

/** The quantity of an intent as a reader reads it: `0.5`, or `percentOfEquity 50`. */
export function quantityText(quantity: Amount | OrderSize): string {
  return typeof quantity === 'object'
    ? Object.entries(quantity)
        .map(([name, amount]) => `${name} ${String(amount)}`)
        .join(' ')
    : String(quantity);
}
