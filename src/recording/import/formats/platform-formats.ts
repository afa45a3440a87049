import { normalised } from '../csv/csv-aliases.ts';
import { TimeFormat } from '../times/time-format.ts';
import type { Format, FormatReading, Sample } from './format.ts';

/** The zone of a broker is in none of MetaTrader's files. */
const BROKERS_ZONE = "the file does not say its broker's zone: times are read as UTC; --zone names another, such as EET";

/** The time of Nautilus's bars is a setting of the program that made them. */
const CLOSE_TIMES = 'Nautilus has bars at their close by default: --time close stores them by their open time';

/** The bars of MetaTrader 5 have both volumes, of which brokers fill one. */
function metatraderVolume({ headers = [], rows }: Sample): FormatReading {
  const real = headers.findIndex((header) => normalised(header) === 'vol');
  const ticks = headers.findIndex((header) => normalised(header) === 'tickvol');
  const isEmpty = real < 0 || rows.every((row) => Number(row[real]) === 0);
  return { note: BROKERS_ZONE, ...(isEmpty && ticks >= 0 && { names: { volume: headers[ticks]! } }) };
}

const LEAN_DAY = /(?:^|[/\\])(\d{4})(\d\d)(\d\d)_[^/\\]*$/;

/**
 * Lean's files of a day count milliseconds from its midnight; the day is in their name. Prices of equities are integers of
 * 0.0001, which only the folder says.
 */
function lean(sample: Sample, prices: readonly number[]): FormatReading | string {
  const [, year, month, day] = LEAN_DAY.exec(sample.path) ?? [];
  const isDay = sample.rows.every((row) => /^\d{1,8}$/.test(row[0]!));
  if (isDay && year === undefined)
    return 'times count from a midnight that the name of the file does not say; expected a name such as 20250131_btcusd_minute_trade.csv';
  const startMs = isDay ? Date.UTC(Number(year), Number(month) - 1, Number(day)) : undefined;
  const time = startMs === undefined ? {} : { dateFormat: new TimeFormat('ms', startMs) };
  if (/[/\\]equity[/\\]/.test(sample.path)) return { ...time, factors: { price: { digits: 1n, decimals: 4 } }, zone: 'America/New_York' };
  const isScaled = sample.rows.every((row) => prices.every((column) => /^\d{4,}$/.test(row[column]!)));
  if (isScaled && sample.factors.price === undefined)
    return 'the prices may be those of equities, in ten-thousandths; --price-factor 0.0001 or 1 says what they are';
  return time;
}

const isLeanRow = (row: readonly string[]) => /^(\d{1,8}|\d{8} \d\d:\d\d)$/.test(row[0]!);
const isLeanFile = ({ path, rows }: Sample) => LEAN_DAY.test(path) || / /.test(rows[0]![0]!);

/** Files that other platforms keep their data in. */
export const PLATFORM_FORMATS: readonly Format[] = [
  {
    name: 'metatrader',
    forms: [
      { kinds: ['bar'], headers: ['date', 'open', 'high', 'low', 'close', 'tickvol'], reading: metatraderVolume },
      {
        kinds: ['quote'],
        headers: ['date', 'time', 'bid', 'ask', 'last', 'flags'],
        reading: () => ({ note: BROKERS_ZONE, carriesPrices: true }),
      },
      {
        kinds: ['bar'],
        columns: {
          looks: (row) => row.length === 7 && /^\d{4}\.\d\d\.\d\d$/.test(row[0]!) && /^\d\d:\d\d$/.test(row[1]!),
          names: ['date', 'time', 'open', 'high', 'low', 'close', 'volume'],
        },
        reading: () => ({ note: BROKERS_ZONE, units: { volume: 'ticks' } }),
      },
    ],
  },
  {
    name: 'freqtrade',
    forms: [
      {
        kinds: ['bar', 'mark'],
        headers: ['date', 'open', 'high', 'low', 'close', 'volume'],
        fits: ({ path, headers = [] }) => /-\d+[smhdwM](-\w+)?\.(feather|parquet|json(\.gz)?)$/.test(path) && headers.length === 6,
      },
      {
        kinds: ['funding'],
        headers: ['date', 'open', 'high', 'low', 'close', 'volume'],
        fits: ({ path }) => /-funding_rate\.(feather|parquet)$/.test(path),
        reading: () => ({ names: { rate: 'open' } }),
      },
      {
        kinds: ['bar'],
        columns: { looks: (row) => row.length === 6, names: ['date', 'open', 'high', 'low', 'close', 'volume'] },
        fits: ({ path }) => /-\d+[smhdwM](-\w+)?\.json(\.gz)?$/.test(path),
      },
      {
        kinds: ['trade'],
        columns: {
          looks: (row) => row.length === 7 && /^(buy|sell)$/.test(row[3]!),
          names: ['timestamp', 'id', 'type', 'side', 'price', 'amount', 'cost'],
        },
      },
      { kinds: ['trade'], headers: ['timestamp', 'id', 'type', 'side', 'price', 'amount', 'cost'] },
    ],
  },
  {
    name: 'lean',
    forms: [
      {
        kinds: ['bar'],
        columns: { looks: (row) => row.length === 6 && isLeanRow(row), names: ['time', 'open', 'high', 'low', 'close', 'volume'] },
        fits: isLeanFile,
        reading: (sample) => lean(sample, [1, 2, 3, 4]),
      },
      {
        kinds: ['bar'],
        columns: { looks: (row) => row.length === 11 && isLeanRow(row), names: [] },
        fits: isLeanFile,
        reading: () => 'these are bars of bids and asks; expected those of trades',
      },
      {
        kinds: ['trade'],
        columns: { looks: (row) => row.length === 3 && isLeanRow(row), names: ['time', 'price', 'quantity'] },
        fits: isLeanFile,
        reading: (sample) => lean(sample, [1]),
      },
      {
        kinds: ['quote'],
        columns: { looks: (row) => row.length === 5 && isLeanRow(row), names: ['time', 'bid', 'bid_size', 'ask', 'ask_size'] },
        fits: isLeanFile,
        reading: (sample) => lean(sample, [1, 3]),
      },
    ],
  },
  {
    name: 'jesse',
    forms: [
      {
        kinds: ['bar'],
        headers: ['timestamp', 'open', 'close', 'high', 'low', 'volume'],
        fits: ({ headers = [] }) => /timestamp,open,close,high,low,volume/.test(headers.join(',')),
        reading: () => ({ names: { time: 'timestamp' } }),
      },
    ],
  },
  {
    name: 'hftbacktest',
    forms: [{ kinds: ['trade', 'depth'], headers: ['localns', 'exchns', 'side', 'px', 'qty', 'hftbacktestev'] }],
  },
  {
    name: 'nautilus',
    forms: [
      {
        kinds: ['bar', 'trade', 'quote'],
        headers: ['tsinit', 'tsevent'],
        reading: ({ kind }) => ({ names: { time: 'ts_init' }, ...(kind === 'bar' && { note: CLOSE_TIMES }) }),
      },
    ],
  },
];
