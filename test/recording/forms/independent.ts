import { DAY, HOUR, stamped } from './writers.ts';

// A writer of tables that knows nothing of the importer: it draws a form, and writes the rows in it.

/** Draws whole numbers below `below`, the same ones for the same seed. */
export function drawer(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

type Draw = (below: number) => number;
const pick = <Value>(draw: Draw, values: readonly Value[]): Value => values[draw(values.length)]!;

/** A row of a table, with what is in a series of it. */
interface Row {
  readonly time: number;
  /** Integers of the decimals of their column. */
  readonly values: readonly number[];
  readonly side?: 'buy' | 'sell' | undefined;
}

/** A case: the text of a file, the options that it needs, and the rows of its export. */
export interface Case {
  readonly text: string;
  readonly kind: 'bar' | 'trade';
  readonly options: {
    readonly zone?: string;
    readonly dateFormat?: string;
    readonly columns?: readonly string[];
    readonly interval?: string;
    readonly decimalMark?: 'comma';
  };
  readonly expected: readonly string[];
}

const decimalOf = (units: number, decimals: number) => {
  const digits = String(units).padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
};
const shortest = (text: string) => (text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text);

/** Zones with their distances from UTC in January and in July, in hours. */
const ZONES = [
  ['Europe/London', 0, 1],
  ['America/New_York', -5, -4],
  ['Asia/Tokyo', 9, 9],
  ['Australia/Sydney', 11, 10],
  ['Asia/Kolkata', 5.5, 5.5],
] as const;

/** Forms of times: the pattern, how many ms it tells apart, and the option that it needs. */
const PATTERNS: readonly (readonly [pattern: string, ms: number, dateFormat?: string])[] = [
  ['{yyyy}-{MM}-{dd} {HH}:{mm}:{ss}.{SSS}', 1],
  ['{yyyy}-{MM}-{dd}T{HH}:{mm}:{ss}', 1_000],
  ['{yyyy}/{MM}/{dd} {HH}:{mm}:{ss}', 1_000],
  ['{yyyy}.{MM}.{dd} {HH}:{mm}', 60_000],
  ['{yyyy}{MM}{dd} {HH}{mm}{ss}', 1_000],
  ['{dd}.{MM}.{yyyy} {HH}:{mm}:{ss}', 1_000, 'dd.MM.yyyy HH:mm:ss'],
  ['{MM}/{dd}/{yyyy} {hh}:{mm} {a}', 60_000, 'MM/dd/yyyy hh:mm a'],
  ['{dd}-{MMM}-{yyyy} {HH}:{mm}', 60_000],
];

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  time: ['time', 'Timestamp', 'date', 'open_time', 'Datetime'],
  open: ['open', 'Open', 'o', '<OPEN>'],
  high: ['high', 'High', 'h', '<HIGH>'],
  low: ['low', 'Low', 'l', '<LOW>'],
  close: ['close', 'Close', 'c', '<CLOSE>'],
  volume: ['volume', 'Volume', 'vol', 'Volume BTC'],
  price: ['price', 'px', 'Price'],
  quantity: ['qty', 'amount', 'size', 'Quantity'],
  side: ['side', 'Side', 'taker_side'],
};

/** How one case writes its times. */
interface Clock {
  readonly ms: number;
  readonly zone?: string;
  readonly dateFormat?: string;
  /** The first day, in a month whose distance from UTC does not change. */
  readonly start: number;
  readonly write: (time: number) => string;
}

function clock(draw: Draw): Clock {
  const summer = draw(2) === 1;
  // Before 2001 a count of seconds or milliseconds has other numbers of digits.
  const start = Date.UTC(2015 + draw(10), summer ? 6 : 0, 2 + draw(20), draw(24), draw(60));
  if (draw(3) === 0) {
    const [unit, ms] = pick(draw, [
      ['s', 1_000],
      ['ms', 1],
      ['us', 1],
      ['ns', 1],
    ] as const);
    const write = (time: number) =>
      unit === 's' ? String(time / 1_000) : `${time}${unit === 'ms' ? '' : unit === 'us' ? '000' : '000000'}`;
    return { ms, start, write };
  }
  const [pattern, ms, dateFormat] = pick(draw, PATTERNS);
  if (draw(2) === 0) return { ms, start, ...(dateFormat && { dateFormat }), write: (time) => stamped(time, pattern) };
  const [zone, january, july] = pick(draw, ZONES);
  const ahead = (summer ? july : january) * HOUR;
  return { ms, zone, start, ...(dateFormat && { dateFormat }), write: (time) => stamped(time + ahead, pattern) };
}

/** Writes a decimal: plain, with needless zeros, or as a double with noise below a millionth of its last place. */
function numbers(draw: Draw, comma: boolean): (text: string) => string {
  const style = draw(comma ? 2 : 3);
  return (text) => {
    if (comma) return (style === 0 ? text : `${text.includes('.') ? text : `${text}.`}00`).replace('.', ',');
    if (style === 0) return text;
    if (style === 1) return text.includes('.') ? `${text}00` : `${text}.00`;
    // A double of 17 digits: its last ones are noise.
    const noisy = Number(text).toPrecision(17);
    return draw(2) === 0 || noisy.includes('e') ? text : noisy;
  };
}

const INTERVALS = [60_000, 300_000, HOUR, 4 * HOUR, DAY];

function rowsOf(
  draw: Draw,
  kind: 'bar' | 'trade',
  { ms, start }: Clock,
  decimals: readonly [number, number],
): { rows: Row[]; step: number } {
  const step = kind === 'bar' ? pick(draw, INTERVALS) : Math.max(ms, 1_000);
  const first = Math.floor(start / Math.max(step, ms)) * Math.max(step, ms);
  const rows: Row[] = [];
  const base = 1_000 + draw(99_000) * 10 ** draw(3);
  for (let index = 0, time = first; index < 2 + draw(25); index++) {
    const value = () => base + draw(base);
    const [a, b, c, d] = [value(), value(), value(), value()].sort((x, y) => x - y) as [number, number, number, number];
    const quantity = 1 + draw(10 ** (2 + decimals[1]));
    if (kind === 'bar') rows.push({ time, values: [b, d, a, c, quantity] });
    else rows.push({ time, values: [a, quantity], side: pick(draw, ['buy', 'sell', undefined]) });
    time += kind === 'bar' ? step * (index > 3 && draw(9) === 0 ? 3 : 1) : step * (1 + draw(40));
  }
  return { rows, step };
}

/** The case of a seed. */
export function independentCase(seed: number): Case {
  const draw = drawer(seed * 2_654_435_761);
  for (let warm = 0; warm < 8; warm++) draw(2);
  const kind = pick(draw, ['bar', 'trade'] as const);
  const times = clock(draw);
  const decimals = [draw(6), draw(5)] as const;
  const { rows, step } = rowsOf(draw, kind, times, decimals);
  const separator = pick(draw, [',', ';', '\t', '|']);
  const comma = separator !== ',' && draw(4) === 0;
  const number = numbers(draw, comma);
  const names = kind === 'bar' ? ['open', 'high', 'low', 'close', 'volume'] : ['price', 'quantity'];
  const hasSide = kind === 'trade';
  const isQuantity = (name: string) => name === 'volume' || name === 'quantity';
  const cells = rows.map((row) => ({
    time: times.write(row.time),
    side: row.side === undefined ? '' : row.side,
    ...Object.fromEntries(names.map((name, index) => [name, number(decimalOf(row.values[index]!, decimals[isQuantity(name) ? 1 : 0]))])),
  })) as readonly Readonly<Record<string, string>>[];

  // Columns in any order, some more beside them, with any of their names or names of the writer's own.
  const order = ['time', ...names, ...(hasSide ? ['side'] : []), 'remark'];
  for (let index = order.length - 1; index > 0; index--) {
    const other = draw(index + 1);
    [order[index], order[other]] = [order[other]!, order[index]!];
  }
  const renamed = draw(4) === 0;
  const headers = Object.fromEntries(order.map((name) => [name, renamed ? `x_${name}_y` : pick(draw, HEADERS[name] ?? ['remark'])]));
  const columns = renamed
    ? [
        order
          .filter((name) => name !== 'remark')
          .map((name) => `${name}=${headers[name]}`)
          .join(','),
      ]
    : undefined;
  const lines = cells.map((cell) => order.map((name) => quotedCell(draw, cell[name] ?? 'x', separator)).join(separator));
  if (draw(2) === 0 && rows.length > 1) lines.reverse();
  const head = [...(draw(4) === 0 ? ['# written by another program'] : []), order.map((name) => headers[name]).join(separator)];
  const end = pick(draw, ['\n', '\r\n']);
  const { zone, dateFormat } = times;
  return {
    kind,
    text: `${[...head, ...lines].join(end)}${draw(2) === 0 ? end : ''}`,
    options: {
      ...(zone && { zone }),
      ...(dateFormat && { dateFormat }),
      ...(columns && { columns }),
      // 1,234 may be two numbers.
      ...(comma && decimals.some((places) => places === 3) && { decimalMark: 'comma' as const }),
      ...(kind === 'bar' && { interval: intervalName(step) }),
    },
    expected: rows.map((row) => {
      const time = new Date(row.time).toISOString().replace('.000Z', 'Z');
      const values = names.map((name, index) => shortest(decimalOf(row.values[index]!, decimals[isQuantity(name) ? 1 : 0])));
      return [time, ...values, ...(hasSide ? [row.side ?? ''] : [])].join(',');
    }),
  };
}

const intervalName = (ms: number) => (ms % DAY === 0 ? `${ms / DAY}d` : ms % HOUR === 0 ? `${ms / HOUR}h` : `${ms / 60_000}m`);

function quotedCell(draw: Draw, text: string, separator: string): string {
  return text.includes(separator) || draw(12) === 0 ? `"${text}"` : text;
}
