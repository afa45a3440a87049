import type { OrderEvent } from './account-events.ts';
import type { Denial, ExpiryReason, RefusalCode, Rejection } from './reasons.ts';

/**
 * The meaning of a refusal for the position that the order should close. `passing`: nothing was done (or no more), and
 * a retry may succeed a little later. `final`: it will be refused again, and a person or the strategy has to act.
 * `over`: the order ended as requested, or there was nothing left to close.
 */
type RefusalFate = 'passing' | 'final' | 'over';

/** For a closing order whose position is still open. A code of both risk and venue has the same meaning for both. */
export const REFUSAL_FATES: Readonly<Record<RefusalCode, RefusalFate>> = {
  // Risk: time, other orders or prices can change it.
  noMarketPrice: 'passing',
  orderRateAboveLimit: 'passing',
  sendQueueTooLong: 'passing',
  openOrdersAboveLimit: 'passing',
  openPositionsAboveLimit: 'passing',
  priceOutsideCollar: 'passing',
  dataStale: 'passing',
  instrumentHalted: 'passing',
  outsideTradingWindow: 'passing',
  coolingDown: 'passing',
  symbolLocked: 'passing',
  selfTrade: 'passing',
  // The position is open, and other closes in flight with an unknown outcome may be too many together with this one.
  reduceOnlyWouldGrow: 'passing',
  // Risk: it depends on the order itself, or on a state that lasts as long as the position.
  instrumentUnknown: 'final',
  instrumentNotTraded: 'final',
  referenceOnly: 'final',
  priceInvalid: 'final',
  quantityInvalid: 'final',
  orderInvalid: 'final',
  orderUnknown: 'final',
  amendDropped: 'final',
  groupRefused: 'final',
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
  stopOnWrongSide: 'final',
  drawdownLatched: 'final',
  dailyLossLatched: 'final',
  venueErrorsLatched: 'final',
  reducing: 'final',
  killed: 'final',
  paused: 'final',
  // Risk and the venue.
  balanceTooLow: 'final',
  marginTooLow: 'final',
  duplicateClientOrderId: 'final',
  // The venue.
  // Their owner may release them; free coins are sold first.
  coinsReserved: 'passing',
  coinsLacked: 'passing',
  // The next try is rounded to the exchange's grid.
  gridChanged: 'passing',
  // The exchange may go on with it.
  tradingSuspended: 'passing',
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
  // The setting `lostExit` decides.
  canceledOutside: 'final',
  // Ends that are not complete fills.
  noLiquidity: 'passing',
  balance: 'final',
  ioc: 'over',
  fok: 'over',
  positionClosed: 'over',
  endOfRun: 'over',
};

/** Why the order was refused, or ended unfilled; `undefined` if it was filled or canceled. */
export function refusalOf(event: OrderEvent): Denial | Rejection | { readonly code: ExpiryReason } | undefined {
  if (event.kind === 'orderDenied' || event.kind === 'orderRejected') return event.reason;
  return event.kind === 'orderExpired' ? { code: event.reason } : undefined;
}

/** The wait before the second try, which doubles with each further one, and the longest, in ms. */
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/** How long to wait after this many tries (from 1) that were refused for a reason that may pass. */
export function backOffMs(tries: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1));
}
