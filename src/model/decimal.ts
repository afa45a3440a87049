import { Decimal as Base } from 'decimal.js';

/**
 * Exact decimal money: 64 significant digits, printed by `toFixed`, which gives no exponent.
 * decimal.js's default of 20 digits rounds fees silently. A clone, so that no other user of
 * decimal.js in the process can change the precision under the ledger.
 */
export const Decimal = Base.clone({ precision: 64, rounding: Base.ROUND_HALF_EVEN });
export type Decimal = Base;

export const ZERO: Decimal = new Decimal(0);

const PLAIN = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** True for text that names a finite decimal number (`1`, `-0.5`, `1e-8`); false for `0x1`, `NaN`, ``. */
export function isDecimalText(text: string): boolean {
  return PLAIN.test(text);
}
