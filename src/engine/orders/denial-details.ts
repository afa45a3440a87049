import { Decimal } from '../../model/decimal.ts';
import { type PlaceOrder, type Protect, quantityText } from '../../model/intents.ts';
import type { OrderRequest } from '../../model/order.ts';
import { type Denial, type DenialCode, withDetails } from '../../model/reasons.ts';
import { heldSteps } from '../../risk/measures.ts';
import type { Order } from '../../state/order.ts';
import { isExitTrigger, leftSteps } from '../../state/order-needs.ts';
import type { ReadonlyState } from '../../state/state.ts';

/** The largest number of orders that a denial names. */
const LISTED = 5;

/** Whether an open order took from what the denied one needed. @param sameSide it works on the same side of the same instrument. */
type Counts = (open: Readonly<Order>, order: OrderRequest, sameSide: boolean) => boolean;

const onSide: Counts = (_, __, sameSide) => sameSide;
const ofAsset: Counts = ({ held, request }, { instrument, side }) =>
  !held &&
  request.side === side &&
  request.positionSide === 'net' &&
  (side === 'buy' ? request.instrument.quote === instrument.quote : request.instrument.base === instrument.base);
const onMargin: Counts = ({ held, request }, { instrument }) =>
  !held && !request.reduceOnly && request.positionSide !== 'net' && request.instrument.quote === instrument.quote;

/** The denials that depend on other open orders: which of these count. */
const IN_THE_WAY: Partial<Record<DenialCode, Counts>> = {
  reduceOnlyWouldGrow: (open, order, sameSide) => sameSide && open.strategyId === order.strategyId,
  positionAboveLimit: onSide,
  exposureAboveLimit: onSide,
  concentrationAboveLimit: onSide,
  leverageAboveLimit: onSide,
  balanceTooLow: ofAsset,
  marginTooLow: onMargin,
  marginUseAboveLimit: onMargin,
  openOrdersAboveLimit: () => true,
};

/** The denial of an order with its strategy's own position, and the open orders that decided together with it. */
export function explained(denied: Denial, order: OrderRequest, state: ReadonlyState): Denial {
  const counts = IN_THE_WAY[denied.code];
  if (counts === undefined) return denied;
  const { instrument, side, positionSide, clientOrderId } = order;
  const orders: string[] = [];
  let count = 0;
  for (const open of state.openOrders.values()) {
    const { request } = open;
    if (request.clientOrderId === clientOrderId || (open.held && request.reduceOnly) || isExitTrigger(request)) continue;
    if (denied.strategy !== undefined && open.strategyId !== denied.strategy) continue;
    const sameSide = request.instrument === instrument && request.side === side && request.positionSide === positionSide;
    if (counts(open, order, sameSide) && ++count <= LISTED) orders.push(orderText(open, state));
  }
  if (count > LISTED) orders.push(`${count - LISTED} more`);
  return withDetails(denied, {
    held: instrument.step.toText(heldSteps(order, state)),
    openOrders: orders.length === 0 ? 'none' : orders.join(', '),
    ...(lacksFee(denied, order) && { advice: FEE_ADVICE }),
  });
}

const FEE_ADVICE = 'the fee of the buy was taken in the coin: sell fill.received, or use sellAll or closePosition';

/** Whether a sell needs more coins than there are by one fee at most: it sells what was bought, and not what arrived. */
function lacksFee(denied: Denial, { side, instrument }: OrderRequest): boolean {
  if (denied.code !== 'balanceTooLow' || side !== 'sell') return false;
  const { takerFee, makerFee, step } = instrument;
  const lacking = new Decimal(denied.needed).minus(denied.available);
  return lacking.lessThanOrEqualTo(Decimal.max(takerFee, makerFee).times(denied.needed).plus(step.toDecimal(1)));
}

/** An open order as text: `sell 3 BTC-USDT at 101 (bid-3)`, with its client id if it has no ref. */
function orderText(order: Readonly<Order>, state: ReadonlyState): string {
  const { instrument, side, request, ref, clientOrderId } = order;
  const price = request.priceTicks === undefined ? '' : ` at ${instrument.tick.toText(request.priceTicks)}`;
  return `${side} ${instrument.step.toText(leftSteps(order, state))} ${instrument.symbol}${price} (${ref === '' ? clientOrderId : ref})`;
}

/** The denial of an intent with the quantity that the strategy gave: orders are rounded and trimmed. */
export function withGiven(denied: Denial, { quantity, ...intent }: PlaceOrder | Protect): Denial {
  if (IN_THE_WAY[denied.code] === undefined) return denied;
  const given = quantity ?? (intent.kind === 'place' ? intent.quoteQuantity : undefined);
  return withDetails(denied, { [quantity === undefined ? 'givenQuote' : 'given']: given === undefined ? '' : quantityText(given) });
}
