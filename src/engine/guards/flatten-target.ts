import type { LatchRule } from '../../model/latch-events.ts';

/** Why positions are closed: also the tag of the orders that do it. */
export type FlattenCause = LatchRule | 'maxLossPerTrade';

/** One symbol that is to be flat: of one strategy, or of all of them. */
export interface FlattenTarget {
  readonly symbol: string;
  readonly cause: FlattenCause;
  readonly strategyId: string | undefined;
}

/** `BTC-USDT` of a kill of everything, else `BTC-USDT/dailyLoss/sma`, the strategy left out where it is all of them. */
export function textOf({ symbol, cause, strategyId }: FlattenTarget): string {
  if (cause === 'kill' && strategyId === undefined) return symbol;
  return strategyId === undefined ? `${symbol}/${cause}` : `${symbol}/${cause}/${strategyId}`;
}

export function targetOf(text: string): FlattenTarget {
  const [symbol = '', cause = 'kill', strategyId] = text.split('/');
  return { symbol, cause: cause as FlattenCause, strategyId };
}
