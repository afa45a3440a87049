import type { Rejection } from '../../model/reasons.ts';
import { Refusal } from '../refusal.ts';

/** The documented refusal for what the matching room says no to. */
export function refusalOf(reason: Rejection): Refusal {
  switch (reason.code) {
    case 'balanceTooLow':
    case 'marginTooLow':
      return new Refusal(
        '40015',
        `FAILED_PRECONDITION: ${reason.asset} not enough: ${reason.needed} needed, ${reason.available} available`,
      );
    case 'nothingToClose':
      return new Refusal('40015', `FAILED_PRECONDITION: nothing to close: the ${reason.positionSide} position is ${reason.position}`);
    case 'quantityTooSmall':
      return new Refusal('40015', `INVALID_ARGUMENT: size ${reason.quantity} is under the step ${reason.stepSize}`);
    case 'leverageAboveTier':
      return new Refusal('50007', `leverage ${reason.leverage} is over ${reason.maximum}, the limit for a value of ${reason.notional}`);
    case 'noMarketPrice':
      return new Refusal('43002', `placing failed: no price of ${reason.symbol} yet`);
    case 'postOnlyWouldTake':
      return new Refusal('43002', `placing failed: post-only at ${reason.price} would take at ${reason.market}`);
    case 'duplicateClientOrderId':
      return new Refusal('43002', 'placing failed: duplicate client order id');
    case 'venueRefused':
    case 'venueLimited':
    case 'requestInvalid':
    case 'neverSent':
    case 'neverArrived':
    case 'overloaded':
      // What befalls requests on their way; the matching room knows none of it.
      return new Refusal('43002', `placing failed: ${reason.code}`);
  }
}
