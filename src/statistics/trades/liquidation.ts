import type { Fill } from '../../model/fill.ts';

/** What the engine tags a strategy's share of a liquidation with, and how it begins the share's client order id. */
const TAG = 'liquidation';
const ID_PREFIX = 'liq-';

/** Whether the fill is a strategy's share of a position that the venue closed for lack of margin. */
export function isLiquidation({ tag, positionSide, clientOrderId }: Fill): boolean {
  return tag === TAG && positionSide !== 'net' && clientOrderId.startsWith(ID_PREFIX);
}
