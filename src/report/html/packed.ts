/** A column of numbers as whole steps: each value is the one before it and a difference, over `$per`. Null stays null. */
interface PackedNumbers {
  readonly $steps: readonly (number | null)[];
  readonly $per: number;
}

/** A column of texts as indices of its different texts. */
interface PackedTexts {
  readonly $of: readonly number[];
  readonly $texts: readonly string[];
}

/** Shorter columns are left as they are. */
const SHORT = 16;
/** Decimal places of the finest steps. */
const MOST_PLACES = 8;

/** A copy of the page's data in which long columns are written shorter, where that loses nothing. The page's script reads it by `unpack`. */
export function pack(value: unknown): unknown {
  if (Array.isArray(value)) return packList(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, pack(inner)]));
}

function packList(list: readonly unknown[]): unknown {
  if (list.length < SHORT) return list.map(pack);
  const packed = isNumbers(list) ? packNumbers(list) : isTexts(list) ? packTexts(list) : list.map(pack);
  return packed !== undefined && JSON.stringify(packed).length < JSON.stringify(list).length ? packed : list;
}

function isNumbers(list: readonly unknown[]): list is readonly (number | null)[] {
  return list.every((item) => item === null || typeof item === 'number');
}

function isTexts(list: readonly unknown[]): list is readonly string[] {
  return list.every((item) => typeof item === 'string');
}

/** Undefined where a number has too many decimals. */
function packNumbers(column: readonly (number | null)[]): PackedNumbers | undefined {
  for (let places = 0; places <= MOST_PLACES; places++) {
    const per = 10 ** places;
    const whole = column.map((value) => (value === null ? null : Math.round(value * per)));
    if (!whole.every((value, index) => value === null || (Number.isSafeInteger(value) && Object.is(value / per, column[index])))) continue;
    let before = 0;
    const steps = whole.map((value) => {
      if (value === null) return null;
      const step = value - before;
      before = value;
      return step;
    });
    return { $steps: steps, $per: per };
  }
  return undefined;
}

function packTexts(column: readonly string[]): PackedTexts {
  const places = new Map<string, number>();
  const of = column.map((text) => {
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return place;
  });
  return { $of: of, $texts: [...places.keys()] };
}

/** The value that was packed. */
export function unpack(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpack);
  if (typeof value !== 'object' || value === null) return value;
  if ('$steps' in value) return unpackNumbers(value as PackedNumbers);
  if ('$texts' in value) return (value as PackedTexts).$of.map((place) => (value as PackedTexts).$texts[place]);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unpack(inner)]));
}

function unpackNumbers({ $steps, $per }: PackedNumbers): (number | null)[] {
  let whole = 0;
  return $steps.map((step) => {
    if (step === null) return null;
    whole += step;
    return whole / $per;
  });
}
