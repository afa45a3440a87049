import type { Decimal } from '../../model/decimal.ts';
import { isoTime } from '../../model/time-text.ts';

/** `63.4 %` of 0.634. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** `1234.50 USDT` */
export function money(amount: Decimal, currency: string): string {
  return `${amount.toFixed(2)} ${currency}`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** In the largest unit that it fills: `1.5 h`, `250 ms`. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? ['ms', 1];
  return `${Number((ms / size).toFixed(1))} ${unit}`;
}

export function moment(time: number): string {
  return isoTime(time);
}
