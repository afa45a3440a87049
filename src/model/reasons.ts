/** Why risk (or the engine before it) refused an intent: a closed set, each with its numbers as decimal text. */
export interface DenialNumbers {
  instrumentUnknown: { symbol: string };
  instrumentNotTraded: { symbol: string; strategy: string };
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
  orderRateAboveLimit: { orders: string; limit: string; windowMs: string };
  /** Orders that wait to be sent. */
  sendQueueTooLong: { queued: string; limit: string };
  priceOutsideCollar: { price: string; last: string; collar: string };
  balanceTooLow: { asset: string; needed: string; available: string };
  drawdownLatched: { drawdown: string; limit: string };
  /** Equity fell by more than this since the UTC day began. */
  dailyLossLatched: { loss: string; limit: string };
  /** Losing trades in a row; until when nothing new is opened (ISO 8601). */
  coolingDown: { losses: string; until: string };
  /** Errors and refusals of the venue within its window. */
  venueErrorsLatched: { errors: string; limit: string };
  /** By config, by command, or while the engine closes a trade: only what reduces passes. */
  reducing: { reason: string };
  /** The `kill` latch is set: nothing that a strategy asks for passes. */
  killed: { reason: string };
  /** Prices or account are not known well enough for anything but reducing. */
  dataStale: { symbol: string; subject: string; reason: string };
  instrumentHalted: { symbol: string; reason: string };
  reduceOnlyWouldGrow: { position: string; quantity: string };
  orderUnknown: { clientOrderId: string };
  /** Futures: what the order would need of the collateral, and what is free. */
  marginTooLow: { asset: string; needed: string; available: string };
  /** Value of positions and open orders over equity. */
  leverageAboveLimit: { leverage: string; limit: string };
  /** Margin of positions and open orders over equity. */
  marginUseAboveLimit: { marginUse: string; limit: string };
  /** Distance from the mark to the liquidation price, as a share of the mark. */
  liquidationTooNear: { symbol: string; distance: string; limit: string };
  /** Value of one symbol or asset, orders included, over equity. */
  concentrationAboveLimit: { of: string; share: string; limit: string };
  /** What the trade would lose at its stop, in the account's currency. */
  lossPerTradeAboveLimit: { loss: string; limit: string };
  /** Day and time of the window's zone. */
  outsideTradingWindow: { time: string; zone: string };
  /** It would meet an order of our own; `market` for an order without a limit. */
  selfTrade: { clientOrderId: string; price: string; resting: string; restingPrice: string };
  duplicateClientOrderId: { clientOrderId: string };
}
export type DenialCode = keyof DenialNumbers;
/** With `strategy`, the limit is that strategy's own; without, the account's, or one of every order. */
export type Denial = { [C in DenialCode]: { readonly code: C; readonly strategy?: string } & Readonly<DenialNumbers[C]> }[DenialCode];

/** Why a venue refused an order. */
export interface RejectionNumbers {
  balanceTooLow: { asset: string; needed: string; available: string };
  postOnlyWouldTake: { price: string; market: string };
  duplicateClientOrderId: { clientOrderId: string };
  quantityTooSmall: { quantity: string; stepSize: string };
  marginTooLow: { asset: string; needed: string; available: string };
  leverageAboveTier: { notional: string; leverage: string; maximum: string };
  nothingToClose: { positionSide: string; position: string };
  noMarketPrice: { symbol: string };
  /**
   * The simulated exchange was too busy: by a recorded row, by chance, or by the rate of our orders; with those that have
   * arrived within the window, this one included.
   */
  overloaded: { by: 'record' | 'chance' | 'rate'; orders: string; windowMs: string };
  /** The venue's own word for it. */
  venueRefused: { venueCode: string; message: string };
  /** The same where it refused the request for now, and did nothing: too much at once, or it came too late. */
  venueLimited: { venueCode: string; message: string };
  /** Orders that are not ours hold coins that a close was to sell: so many are needed, and so many are free. */
  coinsReserved: { asset: string; needed: string; available: string };
  /** The request never left this machine: for want of weight or connection. */
  neverSent: { message: string };
  /** It would have opened something, and waited longer for the exchange's limits than `maxSendDelayMs`: it never left this machine. */
  waitedTooLong: { waitedMs: string; limitMs: string };
  /** The request breaks the venue's form, and never left this machine. */
  requestInvalid: { message: string };
  /** The request left, and it is proved that the venue never took it. */
  neverArrived: { waitedMs: string };
}
export type RejectionCode = keyof RejectionNumbers;
export type Rejection = { [C in RejectionCode]: { readonly code: C } & Readonly<RejectionNumbers[C]> }[RejectionCode];

/**
 * Why an order ended without being filled whole. `liquidation`: the venue took it back to free margin. `untriggered`: a
 * trigger at the last price that the market had left. `external`: not by us. `killed`, `stopping`: by a person's command.
 * `outranked`: it held what a protective close had to sell.
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
  | 'outranked';
/** `positionClosed`: a closing order with nothing left to close. */
export type ExpiryReason = 'ioc' | 'fok' | 'noLiquidity' | 'balance' | 'positionClosed' | 'endOfRun';
/** Why an order never went out, or ended without being filled whole, but for cancels. */
export type RefusalCode = DenialCode | RejectionCode | ExpiryReason;
