import type { AccountEvent } from '../../../src/model/account-events.ts';
import type { Fill } from '../../../src/model/fill.ts';
import { secondsOf } from '../../builders.ts';

export function fillText({ time, tag, side, steps, priceTicks, liquidity }: Fill): string {
  return `${secondsOf(time)} ${tag} ${side} ${steps}@${priceTicks} ${liquidity}`;
}

/** `id outcome reason` of an event that ends an order unfilled (or refuses a cancel); else nothing. */
export function endText(event: AccountEvent, nameOf: (clientOrderId: string) => string): string | undefined {
  switch (event.kind) {
    case 'orderExpired':
      return `${nameOf(event.clientOrderId)} expired ${event.reason}`;
    case 'orderCanceled':
      return `${nameOf(event.clientOrderId)} canceled ${event.reason}`;
    case 'orderRejected':
      return `${nameOf(event.clientOrderId)} rejected ${Object.values(event.reason).join(' ')}`;
    case 'orderDenied':
      return `${event.tag} denied ${event.reason.code}`;
    case 'cancelRejected':
      return `${nameOf(event.clientOrderId)} cancelRejected`;
    default:
      return undefined;
  }
}
