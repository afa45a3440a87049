import { isLosslessNumber } from 'lossless-json';

/** The digits of a number as `parseJson` gave it; `undefined` for anything that is no number. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value === 'bigint') return value.toString();
  return isLosslessNumber(value) ? value.value : undefined;
}
