import type { AccountEvent } from '../../../../src/model/account-events.ts';
import type { Fill } from '../../../../src/model/fill.ts';
import { closes, type LiquidationType } from '../../../../src/model/order.ts';
import { secondsOf } from '../../../builders.ts';

/** A row's line for what happened to the account; nothing for what rows do not tell. */
export function eventText(event: AccountEvent, nameOf: (clientOrderId: string) => string): string | undefined {
  const at = secondsOf(event.time);
  switch (event.kind) {
    case 'orderFilled':
      return `${at} ${nameOf(event.clientOrderId)} ${fillText(event.fill)} ${event.fill.liquidity}`;
    case 'orderTriggered':
      return `${at} ${nameOf(event.clientOrderId)} triggered ${event.priceTicks}`;
    case 'orderExpired':
      return `${at} ${nameOf(event.clientOrderId)} expired ${event.reason}`;
    case 'orderCanceled':
      return `${at} ${nameOf(event.clientOrderId)} canceled ${event.reason}`;
    case 'orderRejected':
      return `${at} ${nameOf(event.clientOrderId)} rejected ${Object.values(event.reason).join(' ')}`;
    case 'orderDenied':
      return `${at} ${event.tag} denied ${event.reason.code}`;
    case 'fundingCharged':
      return `${at} funding ${event.positionSide} ${event.amount.toFixed()}`;
    case 'positionLiquidated':
    case 'positionDeleveraged':
      return `${at} liquidated ${LIQUIDATIONS[event.type]} ${sizeText(event.fill)} ${event.fill.fee.toFixed()}`;
    default:
      return undefined;
  }
}

const LIQUIDATIONS: Readonly<Record<LiquidationType, string>> = {
  offsetLiquidation: 'offset',
  burstLiquidation: 'burst',
  agreementClose: 'agreement',
  autoDeleveraging: 'deleveraged',
};

function fillText(fill: Fill): string {
  return `${closes(fill) ? 'close' : 'open'} ${sizeText(fill)}`;
}

function sizeText({ positionSide, steps, priceTicks }: Fill): string {
  return `${positionSide} ${steps}@${priceTicks}`;
}
