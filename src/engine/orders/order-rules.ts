import { isDecimalText } from '../../model/decimal.ts';
import type { PlaceOrder } from '../../model/intents.ts';
import { closes, type PositionSide, type Side } from '../../model/order.ts';
import type { Position } from '../../model/position.ts';

/** The rule of order shapes that an intent breaks, in words; the types cannot say all of it. */
export function brokenRule(intent: PlaceOrder): string | undefined {
  const { type, price, stopPrice, quantity, quoteQuantity, timeInForce, postOnly, side } = intent;
  const limited = type === 'limit' || type === 'stopLimit';
  const stopped = type === 'stop' || type === 'stopLimit';
  if (!['market', 'limit', 'stop', 'stopLimit'].includes(type)) return `type is market, limit, stop or stopLimit, not "${type}"`;
  const wrongSide = brokenSide(side);
  if (wrongSide !== undefined) return wrongSide;
  if (limited !== (price !== undefined)) return limited ? `a ${type} order needs a price` : `a ${type} order takes no price`;
  if (stopped !== (stopPrice !== undefined)) return stopped ? `a ${type} order needs a stopPrice` : `a ${type} order takes no stopPrice`;
  if ((quantity === undefined) === (quoteQuantity === undefined)) return 'exactly one of quantity and quoteQuantity is given';
  if (quoteQuantity !== undefined && (type !== 'market' || side !== 'buy')) return 'quoteQuantity is for market buys';
  if (quoteQuantity !== undefined && !positive(quoteQuantity)) return 'quoteQuantity is a positive number';
  if (!['GTC', 'IOC', 'FOK'].includes(timeInForce ?? 'GTC')) return `timeInForce is GTC, IOC or FOK, not "${timeInForce}"`;
  if (postOnly === true && (!limited || (timeInForce ?? 'GTC') !== 'GTC')) return 'postOnly is for GTC limit orders';
  return undefined;
}

/** Strategies are JavaScript at run time: the type alone does not keep other words out. */
export function brokenSide(side: Side): string | undefined {
  return side === 'buy' || side === 'sell' ? undefined : `side is buy or sell, not "${side}"`;
}

/** The rule that an intent breaks where there is one net position. */
export function brokenRuleOfNet({ positionSide }: PlaceOrder): string | undefined {
  return positionSide === undefined ? undefined : 'positionSide is for the contracts of a futures account';
}

/**
 * The rule that an intent breaks on a contract on margin.
 *
 * @param plain whether the venue takes plain futures orders; where not, triggers carry no other time in force.
 */
export function brokenRuleOnMargin(intent: PlaceOrder, plain: boolean): string | undefined {
  const { side, positionSide, reduceOnly, timeInForce = 'GTC', postOnly } = intent;
  if (positionSide !== undefined && positionSide !== 'long' && positionSide !== 'short') {
    return `positionSide is long or short, not "${positionSide as string}"`;
  }
  if (reduceOnly === true && positionSide !== undefined && !closes({ side, positionSide })) {
    return 'a reduceOnly order closes: it sells long or buys short';
  }
  if (!plain && timeInForce !== 'GTC') return `futures orders go to this venue as triggers, which are GTC, not ${timeInForce}`;
  if (!plain && postOnly === true) return 'futures orders go to this venue as triggers, which cannot be postOnly';
  return undefined;
}

function positive(amount: number | string): boolean {
  return (typeof amount === 'number' ? Number.isFinite(amount) : isDecimalText(amount)) && Number(amount) > 0;
}

/** Which position an order works on, and whether it may only shrink it. */
interface SideOfOrder {
  readonly positionSide: PositionSide;
  readonly reduceOnly: boolean;
}

/**
 * What an intent means to its strategy's own position: one net one, or long and short.
 *
 * On margin, a side that the intent names is opened or closed as named. Without one, an order against a position of
 * the strategy's own closes that, as every `reduceOnly` order does; any other opens: a buy long, a sell short. What
 * closes is always reduce-only, and so never turns a position.
 */
export function sideOfOrder(intent: Pick<PlaceOrder, 'side' | 'positionSide' | 'reduceOnly'>, own: readonly Position[]): SideOfOrder {
  const { side, positionSide, reduceOnly = false } = intent;
  const [long, short] = own;
  if (short === undefined) return { positionSide: 'net', reduceOnly };
  if (positionSide !== undefined) return { positionSide, reduceOnly: closes({ side, positionSide }) };
  const closing = side === 'sell' ? 'long' : 'short';
  const held = closing === 'long' ? long!.steps > 0 : short.steps < 0;
  if (reduceOnly || held) return { positionSide: closing, reduceOnly: true };
  return { positionSide: closing === 'long' ? 'short' : 'long', reduceOnly: false };
}
