/** Powers of ten that doubles represent exactly. */
export const POWERS_OF_TEN: readonly number[] = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));

/** Exact decimal text of `units` times `10^-decimals`, without trailing zeros: (1250, 2) is `12.5`. */
export function decimalText(units: number, decimals: number): string {
  const digits = Math.abs(units)
    .toFixed(0)
    .padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${units < 0 ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

/** A decimal as whole digits and places: the value is `digits * 10^-decimals`, without needless places. */
export interface ExactDecimal {
  readonly digits: bigint;
  readonly decimals: number;
}

/** Reads decimal text, `1e-7` included, without ever passing through a binary fraction; `undefined` for other text. */
export function parseExactDecimal(text: string): ExactDecimal | undefined {
  const match = DECIMAL.exec(text);
  if (!match || `${match[2]}${match[3] ?? ''}` === '') return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const written = BigInt(whole + fraction);
  let decimals = fraction.length - Number(exponent);
  let digits = sign === '-' ? -written : written;
  if (digits === 0n) return { digits, decimals: 0 };
  for (; decimals < 0; decimals++) digits *= 10n;
  for (; decimals > 0 && digits % 10n === 0n; decimals--) digits /= 10n;
  return { digits, decimals };
}

/** `digits / 10^places`, halves to the even neighbour. */
export function roundHalfEven(digits: bigint, places: number): bigint {
  const unit = 10n ** BigInt(places);
  const floor = digits / unit;
  const twice = (digits % unit) * 2n;
  return twice > unit || (twice === unit && floor % 2n === 1n) ? floor + 1n : floor;
}

/** Greatest common divisor of two non-negative safe integers; `gcd(0, n)` is n. */
export function gcd(a: number, b: number): number {
  let x = a;
  let y = b;
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}
