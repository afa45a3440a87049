import type { LiquidationType, Side } from '../../model/order.ts';

/** Which way a futures order goes: opening buys the long side or sells the short one, closing does the reverse. */
export interface FuturesDirection {
  readonly side: Side;
  readonly positionSide: 'long' | 'short';
}

export type TriggerType = '1' | '2' | '3' | '4';

const TRIGGER_TYPES: Readonly<Record<TriggerType, FuturesDirection>> = {
  '1': { side: 'buy', positionSide: 'long' },
  '2': { side: 'sell', positionSide: 'short' },
  '3': { side: 'sell', positionSide: 'long' },
  '4': { side: 'buy', positionSide: 'short' },
};

/** What the `type` of operation 13 means. */
export function directionOfTrigger(type: TriggerType): FuturesDirection {
  return TRIGGER_TYPES[type];
}

/** The `type` of operation 13. */
export function triggerType({ side, positionSide }: FuturesDirection): TriggerType {
  if (positionSide === 'long') return side === 'buy' ? '1' : '3';
  return side === 'sell' ? '2' : '4';
}

/** `agreement` closes are made by hand of the exchange, at a price agreed on. */
export type ForcedType = LiquidationType | 'agreement';

const PREFIXES: Readonly<Record<string, ForcedType>> = {
  offset_liquidate: 'offsetLiquidation',
  burst_liquidate: 'burstLiquidation',
  agreement_close: 'agreement',
};

/** What the `type` of a current order says: its direction, and by what it was forced. `undefined` for an unknown word. */
export function directionOfRecord(type: string): (FuturesDirection & { readonly forced: ForcedType | undefined }) | undefined {
  const [, action = '', side] = /^([a-z_]+)_(long|short)$/.exec(type.toLowerCase()) ?? [];
  if (side !== 'long' && side !== 'short') return undefined;
  const closing: Side = side === 'long' ? 'sell' : 'buy';
  if (action === 'open') return { side: side === 'long' ? 'buy' : 'sell', positionSide: side, forced: undefined };
  if (action === 'close') return { side: closing, positionSide: side, forced: undefined };
  return Object.hasOwn(PREFIXES, action) ? { side: closing, positionSide: side, forced: PREFIXES[action] } : undefined;
}

/** The `type` of a current order. */
export function recordType({ side, positionSide }: FuturesDirection, forced?: ForcedType): string {
  const opens = (positionSide === 'long') === (side === 'buy');
  const prefix = forced === undefined ? undefined : Object.keys(PREFIXES).find((name) => PREFIXES[name] === forced);
  return `${prefix ?? (opens ? 'open' : 'close')}_${positionSide}`;
}
