import type { FlattenCause } from '../../../engine/guards/flatten-target.ts';
import type { Order } from '../../../state/order.ts';
import type { FillReason } from '../../../statistics/trades/fill-note.ts';

/** How the engine tags the orders that it makes itself; all of them only reduce. */
const OWN_TAGS: Readonly<Record<FlattenCause | 'endOfRun', FillReason>> = {
  maxDrawdown: 'flatten',
  dailyLoss: 'flatten',
  maxLossPerTrade: 'flatten',
  venueErrors: 'flatten',
  cooldown: 'flatten',
  reduce: 'flatten',
  kill: 'flatten',
  endOfRun: 'endOfRun',
};

/** What kind of order it was, told by its type and, of what the engine makes itself, by its tag. */
export function fillReason({ type, tag, request: { reduceOnly } }: Order): FillReason {
  if (type === 'offsetLiquidation' || type === 'burstLiquidation') return 'liquidation';
  if (type === 'stop' && (tag === 'trailingStop' || tag.endsWith(':trailingStop'))) return 'trailing';
  if (type === 'stop' || type === 'stopLimit') return 'stop';
  if (!reduceOnly) return 'signal';
  if (tag === 'takeProfit' || tag.endsWith(':takeProfit')) return 'takeProfit';
  return Object.hasOwn(OWN_TAGS, tag) ? OWN_TAGS[tag as keyof typeof OWN_TAGS] : 'signal';
}
