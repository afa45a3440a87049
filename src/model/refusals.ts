import type { OrderEvent } from './account-events.ts';
import type { Denial, ExpiryReason, RefusalCode, Rejection } from './reasons.ts';

/**
 * What a refusal means to the position that the order was to close. `passing`: nothing was done (or nothing more), and
 * the same may be done a little later. `final`: it will be refused again, and a person or the strategy has to act.
 * `over`: the order came to the end that it asked for, or there was nothing left to close.
 */
type RefusalFate = 'passing' | 'final' | 'over';

/** For a closing order whose position is still open. Where a code is both ours and the venue's, both mean the same. */
export const REFUSAL_FATES: Readonly<Record<RefusalCode, RefusalFate>> = {
  // Ours: what time, other orders or prices change.
  noMarketPrice: 'passing',
  orderRateAboveLimit: 'passing',
  sendQueueTooLong: 'passing',
  openOrdersAboveLimit: 'passing',
  priceOutsideCollar: 'passing',
  dataStale: 'passing',
  instrumentHalted: 'passing',
  outsideTradingWindow: 'passing',
  coolingDown: 'passing',
  selfTrade: 'passing',
  // The position stands, so that other closes in flight, whose fate is open, are too many beside this one.
  reduceOnlyWouldGrow: 'passing',
  // Ours: what the order itself is, or what nobody takes back while the position stands.
  instrumentUnknown: 'final',
  instrumentNotTraded: 'final',
  priceInvalid: 'final',
  quantityInvalid: 'final',
  orderInvalid: 'final',
  orderUnknown: 'final',
  quantityBelowMinimum: 'final',
  quantityAboveMaximum: 'final',
  notionalBelowMinimum: 'final',
  notionalAboveMaximum: 'final',
  positionAboveLimit: 'final',
  exposureAboveLimit: 'final',
  leverageAboveLimit: 'final',
  marginUseAboveLimit: 'final',
  liquidationTooNear: 'final',
  concentrationAboveLimit: 'final',
  lossPerTradeAboveLimit: 'final',
  drawdownLatched: 'final',
  dailyLossLatched: 'final',
  venueErrorsLatched: 'final',
  reducing: 'final',
  killed: 'final',
  // Both's.
  balanceTooLow: 'final',
  marginTooLow: 'final',
  duplicateClientOrderId: 'final',
  // The venue's.
  // Whoever holds them may let them go; what is free is sold first.
  coinsReserved: 'passing',
  neverSent: 'passing',
  waitedTooLong: 'passing',
  neverArrived: 'passing',
  venueLimited: 'passing',
  overloaded: 'passing',
  requestInvalid: 'final',
  venueRefused: 'final',
  quantityTooSmall: 'final',
  leverageAboveTier: 'final',
  postOnlyWouldTake: 'final',
  nothingToClose: 'over',
  // Ends without being filled whole.
  noLiquidity: 'passing',
  balance: 'final',
  ioc: 'over',
  fok: 'over',
  positionClosed: 'over',
  endOfRun: 'over',
};

/** By what the order was refused, or ended unfilled; `undefined` where it was filled, or canceled by somebody. */
export function refusalOf(event: OrderEvent): Denial | Rejection | { readonly code: ExpiryReason } | undefined {
  if (event.kind === 'orderDenied' || event.kind === 'orderRejected') return event.reason;
  return event.kind === 'orderExpired' ? { code: event.reason } : undefined;
}

/** The wait before the second try, which doubles with each further one, and the longest, in ms. */
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/** How long to wait after so many tries (from 1) that were refused for something that may pass. */
export function backOffMs(tries: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1));
}
