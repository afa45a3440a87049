/** Decimal text of an integer of any width times `10^-scale`. @param words of 32 bits, two's complement, lowest first. */
export function decimalUnitsText(words: Uint32Array, scale: number): string {
  let units = 0n;
  for (let index = words.length - 1; index >= 0; index--) units = (units << 32n) | BigInt(words[index]!);
  units = BigInt.asIntN(words.length * 32, units);
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${units < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`;
}
