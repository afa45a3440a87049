/** Why risk (or the engine before it) denied an intent: a closed set, each with its numbers as decimal text. */
export interface DenialNumbers {
  instrumentUnknown: { symbol: string };
  instrumentNotTraded: { symbol: string; strategy: string };
  /** The symbol is one of the `references` of the strategy: it gives prices, and is not traded. */
  referenceOnly: { symbol: string; strategy: string };
  priceInvalid: { price: string; tickSize: string };
  quantityInvalid: { quantity: string; stepSize: string };
  orderInvalid: { rule: string };
  noMarketPrice: { symbol: string };
  quantityBelowMinimum: { quantity: string; minimum: string };
  quantityAboveMaximum: { quantity: string; maximum: string };
  notionalBelowMinimum: { notional: string; minimum: string };
  notionalAboveMaximum: { notional: string; maximum: string };
  positionAboveLimit: { position: string; limit: string };
  exposureAboveLimit: { exposure: string; limit: string };
  openOrdersAboveLimit: { openOrders: string; limit: string };
  openPositionsAboveLimit: { openPositions: string; limit: string };
  orderRateAboveLimit: { orders: string; limit: string; windowMs: string };
  /** Orders that wait to be sent. */
  sendQueueTooLong: { queued: string; limit: string };
  priceOutsideCollar: { price: string; last: string; collar: string };
  balanceTooLow: { asset: string; needed: string; available: string };
  drawdownLatched: { drawdown: string; limit: string };
  /** Equity has fallen by more than this since the start of the UTC day. */
  dailyLossLatched: { loss: string; limit: string };
  /** Consecutive losing trades; the time until which no position is opened (ISO 8601). */
  coolingDown: { losses: string; until: string };
  /** No position is opened in the symbol (`all`: in none) until this time (ISO 8601), by this latch. */
  symbolLocked: { symbol: string; by: string; until: string };
  /** Errors and refusals of the venue within its window. */
  venueErrorsLatched: { errors: string; limit: string };
  /** By the config, by a command, or while the engine closes a trade: only reducing orders pass. */
  reducing: { reason: string };
  /** The `kill` latch is set: no intent of a strategy passes. */
  killed: { reason: string };
  /** By a command: its strategy is paused, and only reducing orders pass. */
  paused: { reason: string };
  /** The data of prices or account is not good enough for orders that open. */
  dataStale: { symbol: string; subject: string; reason: string };
  instrumentHalted: { symbol: string; reason: string };
  reduceOnlyWouldGrow: { position: string; quantity: string };
  orderUnknown: { clientOrderId: string };
  /** Futures: the collateral that the order needs, and the free collateral. */
  marginTooLow: { asset: string; needed: string; available: string };
  /** Value of positions and open orders over equity. */
  leverageAboveLimit: { leverage: string; limit: string };
  /** Margin of positions and open orders over equity. */
  marginUseAboveLimit: { marginUse: string; limit: string };
  /** Distance from the mark to the liquidation price, as a share of the mark. */
  liquidationTooNear: { symbol: string; distance: string; limit: string };
  /** Value of one symbol or asset, orders included, over equity. */
  concentrationAboveLimit: { of: string; share: string; limit: string };
  /** The loss of the trade at its stop, in the account's currency. */
  lossPerTradeAboveLimit: { loss: string; limit: string };
  /** The stop is not on the losing side of the price of its order; the side is that of the position. */
  stopOnWrongSide: { side: string; stop: string; price: string };
  /** Day and time of the window's zone. */
  outsideTradingWindow: { time: string; zone: string };
  /** It would meet an own order; `market` for an order without a limit. */
  selfTrade: { clientOrderId: string; price: string; resting: string; restingPrice: string };
  duplicateClientOrderId: { clientOrderId: string };
  /** The replacement of an amended order is not sent. `reason`: what canceled or ended it before, as a word. */
  amendDropped: { clientOrderId: string; reason: string };
  /** Another leg of its atomic group was denied: the symbol of that leg. */
  groupRefused: { group: string; refused: string };
}
export type DenialCode = keyof DenialNumbers;
/** With `strategy`, the limit is that strategy's own; without, the account's, or one of every order. */
export type Denial = { [C in DenialCode]: { readonly code: C } & DenialExtras & Readonly<DenialNumbers[C]> }[DenialCode];

interface DenialExtras {
  readonly strategy?: string;
  /** More about it for readers: what was given, and the orders in the way. No record and no line of the event log has it. */
  readonly details?: DenialDetails;
}
type DenialDetails = Readonly<Record<string, string>>;

/** The denial with more details. They are not enumerable, so that records keep their form. */
export function withDetails(denial: Denial, details: DenialDetails): Denial {
  return Object.defineProperty({ ...denial }, 'details', { value: { ...denial.details, ...details } });
}

/** Why a venue refused an order. */
export interface RejectionNumbers {
  balanceTooLow: { asset: string; needed: string; available: string };
  postOnlyWouldTake: { price: string; market: string };
  duplicateClientOrderId: { clientOrderId: string };
  quantityTooSmall: { quantity: string; stepSize: string };
  /** An order that is sized by its stop would fill at or beyond it. */
  stopOnWrongSide: { side: string; stop: string; price: string };
  marginTooLow: { asset: string; needed: string; available: string };
  leverageAboveTier: { notional: string; leverage: string; maximum: string };
  nothingToClose: { positionSide: string; position: string };
  noMarketPrice: { symbol: string };
  /**
   * The simulated exchange was too busy: by a recorded row, by chance, or by the rate of our orders; with the number of orders that
   * arrived within the window, including this one.
   */
  overloaded: { by: 'record' | 'chance' | 'rate'; orders: string; windowMs: string };
  /** The venue's own code and text. */
  venueRefused: { venueCode: string; message: string };
  /** The same if it refused the request only for now, and did nothing: too many requests, or too late. */
  venueLimited: { venueCode: string; message: string };
  /** Its price or quantity is not on the exchange's present grid, which the config does not have; or that grid could not be read. */
  gridChanged: { venueCode: string; message: string };
  /** The exchange lists the pair as not traded at present. */
  tradingSuspended: { venueCode: string; message: string };
  /** Foreign orders freeze coins that a close should sell: the needed and the free quantity. */
  coinsReserved: { asset: string; needed: string; available: string };
  /** A close lacked coins when the exchange refused it, and enough are free since: the needed quantity, and the one free after it. */
  coinsLacked: { asset: string; needed: string; available: string };
  /** The request was never sent, for lack of weight or connection. */
  neverSent: { message: string };
  /** It would have opened a position, and waited for the rate limits longer than `maxSendDelayMs`: it was never sent. */
  waitedTooLong: { waitedMs: string; limitMs: string };
  /** The request breaks the venue's format, and was never sent. */
  requestInvalid: { message: string };
  /** The request was sent, and it is proved that the venue never accepted it. */
  neverArrived: { waitedMs: string };
}
export type RejectionCode = keyof RejectionNumbers;
export type Rejection = { [C in RejectionCode]: { readonly code: C } & Readonly<RejectionNumbers[C]> }[RejectionCode];

/** The proof that a venue has lost an order that it had confirmed, as decimal text. */
export interface Disappearance {
  /** Look-ups in a row that did not find it. */
  readonly looks: string;
  /** How long it has been missing. */
  readonly waitedMs: string;
  /**
   * Whether the venue's balances still reserve the amount of the order. `none`: it reserves nothing, as a market order or a futures
   * order does.
   */
  readonly reserved: 'released' | 'kept' | 'none';
}

/**
 * Why an order ended before it was filled completely. `liquidation`: the venue canceled it to free margin. `untriggered`: a
 * trigger whose price the market had passed before it arrived: it is sent at once. `external`: not by us. `killed`, `stopping`, `closing`: by a command of a
 * person, the last one because its position is closed.
 * `outranked`: it froze the coins of a protective close. `amended`: its replacement follows.
 */
export type CancelReason =
  | 'requested'
  | 'linked'
  | 'riskLatch'
  | 'liquidation'
  | 'untriggered'
  | 'external'
  | 'killed'
  | 'stopping'
  | 'closing'
  | 'outranked'
  | 'amended';
/** `positionClosed`: a closing order with nothing left to close. */
export type ExpiryReason = 'ioc' | 'fok' | 'noLiquidity' | 'balance' | 'positionClosed' | 'endOfRun';
/**
 * Why an order was never sent, or ended before it was filled completely, without cancels of this run. `canceledOutside`: somebody else
 * canceled an exit at the exchange.
 */
export type RefusalCode = DenialCode | RejectionCode | ExpiryReason | 'canceledOutside';
