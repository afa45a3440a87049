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
  priceOutsideCollar: { price: string; last: string; collar: string };
  balanceTooLow: { asset: string; needed: string; available: string };
  drawdownLatched: { drawdown: string; limit: string };
  reduceOnlyWouldGrow: { position: string; quantity: string };
  orderUnknown: { clientOrderId: string };
}
export type DenialCode = keyof DenialNumbers;
export type Denial = { [C in DenialCode]: { readonly code: C } & Readonly<DenialNumbers[C]> }[DenialCode];

/** Why a venue refused an order. */
export interface RejectionNumbers {
  balanceTooLow: { asset: string; needed: string; available: string };
  postOnlyWouldTake: { price: string; market: string };
  duplicateClientOrderId: { clientOrderId: string };
  quantityTooSmall: { quantity: string; stepSize: string };
}
export type RejectionCode = keyof RejectionNumbers;
export type Rejection = { [C in RejectionCode]: { readonly code: C } & Readonly<RejectionNumbers[C]> }[RejectionCode];

/** Why an order ended without being filled whole. */
export type CancelReason = 'requested' | 'linked' | 'riskLatch';
export type ExpiryReason = 'ioc' | 'fok' | 'noLiquidity' | 'balance' | 'endOfRun';
