/** Powers of ten that doubles hold exactly. */
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

/** Greatest common divisor of two non-negative safe integers; `gcd(0, n)` is n. */
export function gcd(a: number, b: number): number {
  let x = a;
  let y = b;
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}
