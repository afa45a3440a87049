/** Why two runs differ. `unexplained` is whatever no rule names: it is never put to another. */
export const CAUSES = {
  missingData: 'missing data',
  latency: 'latency',
  price: 'price',
  partialFill: 'partial fill',
  fee: 'fee',
  refused: 'refused',
  foreign: 'foreign',
  funding: 'funding',
  liquidation: 'liquidation',
  start: 'start',
  endPrice: 'end price',
  unexplained: 'unexplained',
} as const;

export type Cause = keyof typeof CAUSES;
