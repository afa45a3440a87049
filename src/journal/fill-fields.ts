import { Fill } from '../model/fill.ts';

/** The fields of a fill, in the order of its constructor. */
const FIELDS = [
  'fillId',
  'orderId',
  'clientOrderId',
  'strategyId',
  'instrument',
  'side',
  'positionSide',
  'priceTicks',
  'steps',
  'notional',
  'fee',
  'feeAsset',
  'liquidity',
  'tag',
  'time',
  'decidedSequence',
  'pricedSequence',
  'pricedTime',
] as const satisfies readonly (keyof Fill)[];

/** A fill by names, for the journal. */
export function fillFields(fill: Fill): [string, unknown][] {
  return FIELDS.map((name) => [name, fill[name]]);
}

/** The fill again. @throws Error where a field is missing. */
export function fillOf(fields: Readonly<Record<string, unknown>>): Fill {
  const missing = FIELDS.find((name) => fields[name] === undefined);
  if (missing !== undefined) throw new Error(`a fill has no ${missing}`);
  return new Fill(...(FIELDS.map((name) => fields[name]) as ConstructorParameters<typeof Fill>));
}
