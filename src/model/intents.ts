import type { OrderType, Side, TimeInForce } from './order.ts';

/** A price or a quantity as a strategy writes it: a number, or decimal text for exact values. */
export type Amount = number | string;

/** A way from the price of the fill: a share of it in percent, or a distance in price. */
export type ExitOffset =
  | { readonly percent: Amount; readonly distance?: undefined }
  | { readonly distance: Amount; readonly percent?: undefined };

/** Where an exit is: at a price, or so far from the price of each fill. */
export type ExitLevel = Amount | ExitOffset;

/** A take profit that may rest at the venue. */
export type TakeProfit = (ExitOffset | { readonly price: Amount; readonly percent?: undefined; readonly distance?: undefined }) & {
  /** It goes out as a limit order when its position is there, and not only when the price has come to it. */
  readonly maker?: boolean | undefined;
};

/** A stop that follows the best price at such a distance, from `activateAt` on: a price, or that far in profit. */
export type TrailingStop = ExitOffset & { readonly activateAt?: ExitLevel | undefined };

/** Protective orders that the engine links: one cancels the other, partial fills reduce both. */
export interface Exits {
  /** Stop-market trigger: a price, or how far on the losing side of the fill. */
  readonly stopLoss?: ExitLevel | undefined;
  /**
   * The stop trails: a distance in price from the best price since it was armed, which its trigger never falls behind. It
   * begins there, or at `stopLoss` where that is given. No venue's trigger trails: the engine holds it, of contracts too.
   */
  readonly trailBy?: Amount | undefined;
  /** The same in percent of the best price, or from a price on; in place of `trailBy`. */
  readonly trail?: TrailingStop | undefined;
  /** Limit: a price, or how far on the winning side of the fill. */
  readonly takeProfit?: ExitLevel | TakeProfit | undefined;
}

/** Ask for an order. Exactly one of `quantity` (base) and `quoteQuantity` (quote, market buys) is given. */
export interface PlaceOrder {
  readonly kind: 'place';
  readonly symbol: string;
  readonly side: Side;
  /**
   * Futures hold long and short side by side: the side that this order opens or closes. Left out, an order
   * against the strategy's own position closes it (at most whole), and any other opens one.
   */
  readonly positionSide?: 'long' | 'short' | undefined;
  readonly type: OrderType;
  readonly quantity?: Amount | undefined;
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
  /** A word of the strategy's own: on every order, fill and trade that follows, and in the tables. */
  readonly tag?: string | undefined;
}

/** Hold a stop and a take profit for a position that stands already. */
export interface Protect extends Exits {
  readonly kind: 'protect';
  readonly symbol: string;
  /** The side that closes the position. */
  readonly side: Side;
  readonly quantity: Amount;
  readonly tag?: string | undefined;
}

/** Cancel one of the strategy's own orders, or all with a tag, or all of a symbol, or all. */
export interface CancelOrders {
  readonly kind: 'cancel';
  readonly clientOrderId?: string | undefined;
  readonly symbol?: string | undefined;
  readonly tag?: string | undefined;
}

/** Ask for `onTimer` at a time, or every so often; a second timer of one name replaces the first. */
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

/** Something a strategy wants: returned from a hook or emitted by `intents$`, never sent. */
export type Intent = PlaceOrder | Protect | CancelOrders | SetTimer | CancelTimer;

const INTENT_KINDS: Readonly<Record<Intent['kind'], true>> = {
  place: true,
  protect: true,
  cancel: true,
  setTimer: true,
  cancelTimer: true,
};

/** Whether this is what the intent constructors make, as far as its kind says. */
export function isIntent(value: unknown): value is Intent {
  return typeof value === 'object' && value !== null && 'kind' in value && Object.hasOwn(INTENT_KINDS, value.kind as PropertyKey);
}

/**
 * What in an intent can be nothing but a mistake of its code, in words: types are gone at run time. A value that is only
 * unfit for its market is denied by risk instead.
 */
export function intentFault(intent: Intent): string | undefined {
  switch (intent.kind) {
    case 'place':
      return (
        amountFault('quantity', intent.quantity) ??
        amountFault('quoteQuantity', intent.quoteQuantity) ??
        amountFault('price', intent.price) ??
        amountFault('stopPrice', intent.stopPrice) ??
        exitsFault(intent.exits)
      );
    case 'protect':
      return amountFault('quantity', intent.quantity) ?? exitsFault(intent);
    case 'setTimer':
      return timerFault(intent);
    default:
      return undefined;
  }
}

function exitsFault(exits: Exits | undefined): string | undefined {
  const { stopLoss, takeProfit, trailBy, trail } = exits ?? {};
  return (
    levelFault('stopLoss', stopLoss, ['percent', 'distance']) ??
    amountFault('trailBy', trailBy) ??
    levelFault('takeProfit', takeProfit, ['percent', 'distance', 'price']) ??
    trailFault(trail)
  );
}

function trailFault(trail: TrailingStop | undefined): string | undefined {
  if (trail === undefined || trail === null) return undefined;
  if (typeof trail !== 'object') return `trail is { percent } or { distance }, not ${shown(trail)}`;
  return levelFault('trail', trail, ['percent', 'distance']) ?? levelFault('trail.activateAt', trail.activateAt, ['percent', 'distance']);
}

function levelFault(name: string, level: unknown, keys: readonly string[]): string | undefined {
  if (typeof level !== 'object' || level === null) return amountFault(name, level);
  const found = keys.filter((key) => (level as Record<string, unknown>)[key] !== undefined);
  if (found.length !== 1) return `${name} names one of ${keys.join(', ')}, not ${found.length === 0 ? 'none' : found.join(' and ')}`;
  return amountFault(`${name}.${found[0]}`, (level as Record<string, unknown>)[found[0]!]);
}

function amountFault(name: string, amount: unknown): string | undefined {
  if (typeof amount === 'number' || typeof amount === 'string' || amount === undefined || amount === null) return undefined;
  return `${name} is a number or decimal text, not ${shown(amount)}`;
}

function timerFault({ name, at, everyMs }: SetTimer): string | undefined {
  if (at === undefined && everyMs === undefined) return `timer "${name}" needs a time (at) or a period (everyMs)`;
  if (at !== undefined && !Number.isFinite(at)) return `timer "${name}": at is a time in epoch ms, not ${shown(at)}`;
  if (everyMs === undefined || (Number.isFinite(everyMs) && everyMs > 0)) return undefined;
  return `timer "${name}": everyMs is a positive number of ms, not ${shown(everyMs)}`;
}

function shown(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
