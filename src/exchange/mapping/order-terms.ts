import type { TimeInForce } from '../../model/order.ts';

/** `force` of spot orders, `order_type` of futures orders: one word for time in force and post-only. */
export type WireTerms = 'normal' | 'postOnly' | 'fok' | 'ioc';

export interface OrderTerms {
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
}

const TERMS: Readonly<Record<WireTerms, OrderTerms>> = {
  normal: { timeInForce: 'GTC', postOnly: false },
  postOnly: { timeInForce: 'GTC', postOnly: true },
  fok: { timeInForce: 'FOK', postOnly: false },
  ioc: { timeInForce: 'IOC', postOnly: false },
};

export function termsOf(wire: WireTerms): OrderTerms {
  return TERMS[wire];
}

/** Post-only has no other time in force here: it stands until canceled. */
export function wireTerms({ timeInForce, postOnly }: OrderTerms): WireTerms {
  if (postOnly) return 'postOnly';
  return timeInForce === 'GTC' ? 'normal' : timeInForce === 'FOK' ? 'fok' : 'ioc';
}
