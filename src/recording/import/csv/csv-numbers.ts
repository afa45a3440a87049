/** How the decimals of one file are written. */
export interface NumberForm {
  /** `comma`: 1.234,56. `point`: 1,234.56. Left out, a comma is a mark of thousands only where nothing else is possible. */
  readonly mark?: 'comma' | 'point' | undefined;
}

const GROUPED = /^([+-]?\d{1,3})((?:([ '_\u00a0\u2009\u202f,.])\d{3})(?:\3\d{3})*)?(\D\d*)?((?:[eE][+-]?\d+)?)$/;
const MARKS = { comma: ',', point: '.' } as const;

/**
 * A decimal without marks of thousands, and with a point; undefined where it may be two numbers (`1,234` where the form is unknown)
 * or is none of this form.
 */
export function plainNumber(text: string, { mark }: NumberForm): string | undefined {
  if (mark !== 'comma' && !/[, '_\u00a0\u2009\u202f]/.test(text)) return text;
  const own = MARKS[mark ?? 'point'];
  const grouped = GROUPED.exec(text);
  const [, first = '', groups = '', sign = '', rest = '', exponent = ''] = grouped ?? [];
  if (grouped !== null && sign !== own && (rest === '' || rest[0] === own)) {
    const isSure = mark !== undefined || sign !== ',' || rest !== '' || groups.length > 4;
    return isSure ? `${first}${groups.replaceAll(sign, '')}${rest.replace(own, '.')}${exponent}` : undefined;
  }
  if (mark === 'comma' && /^[+-]?\d*,?\d*(?:[eE][+-]?\d+)?$/.test(text)) return text.replace(',', '.');
  return undefined;
}

/**
 * How the decimals of a file are written, by those of its first rows.
 * @returns undefined where a comma may be either mark, or both are used.
 */
export function numberForm(texts: readonly string[]): NumberForm | undefined {
  const commas = texts.filter((text) => text.includes(','));
  if (commas.length === 0) return {};
  const fits = (mark: 'comma' | 'point') => texts.every((text) => text === '' || plainNumber(text, { mark }) !== undefined);
  const [asComma, asPoint] = [fits('comma'), fits('point')];
  if (asComma === asPoint) return undefined;
  return { mark: asComma ? 'comma' : 'point' };
}
