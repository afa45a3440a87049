import { Decimal } from '../model/decimal.ts';
import type { StatisticDefinition, StatisticUnit, StatisticValue } from '../statistics/statistic.ts';

/** Shown in place of a value that does not exist. */
export const NOT_AVAILABLE = 'n/a';

/** A statistic's value for people, by its unit; `n/a` for null. */
export function formatValue(unit: StatisticUnit, value: StatisticValue): string {
  if (value === null) return NOT_AVAILABLE;
  if (unit === 'money') return formatMoney(value);
  const number = Number(value);
  if (unit === 'share') return formatShare(number);
  if (unit === 'ratio') return group(number.toFixed(2));
  if (unit === 'count') return formatCount(number);
  if (unit === 'duration') return formatDuration(number);
  unit satisfies 'time';
  return formatTime(number);
}

/** A statistic of a run for people, with its standard error where it has one: `1.20 ± 0.41`. */
export function formatStatistic({ key, unit, error }: StatisticDefinition, statistics: Readonly<Record<string, StatisticValue>>): string {
  const value = statistics[key] ?? null;
  const spread = (error === undefined ? undefined : statistics[error]) ?? null;
  return value === null || spread === null ? formatValue(unit, value) : `${formatValue(unit, value)} ± ${formatValue(unit, spread)}`;
}

/** `1,234.50`; amounts below 1 keep four significant digits (`0.0001234`), so that no fee reads as zero. */
export function formatMoney(value: string | number | Decimal): string {
  const amount = new Decimal(value);
  return group(amount.abs().gte(1) || amount.isZero() ? amount.toFixed(2) : amount.toSignificantDigits(4).toFixed());
}

/** `12.34 %` for 0.1234. */
export function formatShare(value: number): string {
  return `${group((value * 100).toFixed(2))} %`;
}

/** `12,345` */
export function formatCount(value: number): string {
  return group(String(value));
}

/** A price or quantity as it is, with thousands grouped and at most ten significant digits. */
export function formatNumber(value: number | Decimal): string {
  return group(new Decimal(value).toSignificantDigits(10).toFixed());
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** The two largest units that are needed: `3 d 4 h`, `12 min`, `250 ms`. */
export function formatDuration(ms: number): string {
  const first = UNITS.findIndex(([, size]) => ms >= size);
  if (first < 0) return `${Math.round(ms)} ms`;
  const [name, size] = UNITS[first]!;
  const whole = Math.floor(ms / size);
  const [smaller, smallerSize] = UNITS[first + 1] ?? ['ms', 1];
  const rest = Math.floor((ms - whole * size) / smallerSize);
  return rest > 0 ? `${whole} ${name} ${rest} ${smaller}` : `${whole} ${name}`;
}

/** UTC, `2024-08-08 13:05`, with seconds and milliseconds only where there are any. */
export function formatTime(time: number): string {
  const text = new Date(time).toISOString().replace('T', ' ').replace('Z', '');
  return text.replace(/(:00)?\.000$/, '');
}

/** Text with thousands grouped in its plain figures: `final 12345.67 USDT` becomes `final 12,345.67 USDT`. Dates stay as they are. */
export function groupDigits(text: string): string {
  return text.replace(/(?<=^|[\s(])-?\d{4,}(?:\.\d+)?(?=$|[\s,;)%])/g, group);
}

function group(digits: string): string {
  const [whole = '', fraction] = digits.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  const text = fraction === undefined ? grouped : `${grouped}.${fraction}`;
  return /^-[0.,]*$/.test(text) ? text.slice(1) : text;
}
