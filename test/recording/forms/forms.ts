import type { DataImportOptions } from '../../../src/app/data/import.ts';
import { BZ2, BZ2_TWO, XZ, ZST } from './packed.ts';
import { type BarRow, barLines, barRows, DAY, gzipped, HOUR, npy, stamped, text, utf16, zipped } from './writers.ts';

/** One way in which data are written, and what an import of it must give. */
export interface Form {
  readonly title: string;
  /** Names of the files and what is in them. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly options: Partial<Omit<DataImportOptions, 'dataDir' | 'name'>>;
  /** Rows of an export, by symbol where there are several; or the end of a refusal. */
  readonly expected: readonly string[] | Readonly<Record<string, readonly string[]>> | RegExp;
}

const bar = { kind: 'bar', symbol: 'BTC-USDT' } as const;
const trade = { kind: 'trade', symbol: 'BTC-USDT' } as const;
const quote = { kind: 'quote', symbol: 'BTC-USDT' } as const;

/** A row as an export writes it. */
const iso = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z');
const barOut = ({ time, open, high, low, close, volume }: BarRow) => [iso(time), open, high, low, close, volume].join(',');

const BARS = barRows();
const OUT = BARS.map(barOut);
const DAYS = barRows(6, DAY, Date.UTC(2025, 0, 10));
const DAYS_OUT = DAYS.map(barOut);
const plain = text(barLines(BARS));

function barForm(
  title: string,
  content: string | Uint8Array,
  options: Form['options'] = {},
  expected: Form['expected'] = OUT,
  name = 'in.csv',
): Form {
  return { title, files: { [name]: content }, options: { ...bar, ...options }, expected };
}

const at = (pattern: string) => (ms: number) => stamped(ms, pattern);
const timed = (pattern: string, header = 'time') =>
  text(barLines(BARS, { header: [header, 'open', 'high', 'low', 'close', 'volume'], time: at(pattern) }));
const daily = (pattern: string) => text(barLines(DAYS, { header: ['date', 'open', 'high', 'low', 'close', 'volume'], time: at(pattern) }));
const comma = (value: string) => value.replace('.', ',');
const grouped = (mark: string, point: string) => (value: string) => {
  const [whole, rest] = value.split('.');
  return `${whole!.replace(/\B(?=(\d{3})+$)/g, mark)}${rest === undefined ? '' : point + rest}`;
};
/** Milliseconds that a zone is ahead in winter, for a writer of its own. */
const ahead = (ms: number) => (time: number) => stamped(time + ms, '{yyyy}-{MM}-{dd} {HH}:{mm}:{ss}');

/** Times of bars: every form of a stamp that exports have. */
const TIMES: readonly Form[] = [
  barForm('epoch seconds', text(barLines(BARS, { time: (ms) => String(ms / 1_000) }))),
  barForm('epoch milliseconds', plain),
  barForm('epoch microseconds', text(barLines(BARS, { time: (ms) => `${ms}000` }))),
  barForm('epoch nanoseconds', text(barLines(BARS, { time: (ms) => `${ms}000000` }))),
  barForm('epoch seconds with a fraction', text(barLines(BARS, { time: (ms) => `${ms / 1_000}.0` }))),
  barForm('ISO 8601', timed('{yyyy}-{MM}-{dd}T{HH}:{mm}:{ss}Z')),
  barForm(
    'ISO 8601 with an offset',
    text(barLines(BARS, { time: (ms) => `${stamped(ms + 2 * HOUR, '{yyyy}-{MM}-{dd}T{HH}:{mm}:{ss}')}+02:00` })),
  ),
  barForm('a space, and UTC in words', timed('{yyyy}-{MM}-{dd} {HH}:{mm}:{ss} UTC')),
  barForm('points in the date', timed('{yyyy}.{MM}.{dd} {HH}:{mm}')),
  barForm('slashes in the date', timed('{yyyy}/{MM}/{dd} {HH}:{mm}:{ss}')),
  barForm('digits with a space', timed('{yyyy}{MM}{dd} {HH}{mm}{ss}')),
  barForm('fourteen digits', timed('{yyyy}{MM}{dd}{HH}{mm}{ss}')),
  barForm('twelve digits', timed('{yyyy}{MM}{dd}{HH}{mm}')),
  barForm('seventeen digits', timed('{yyyy}{MM}{dd}{HH}{mm}{ss}{SSS}')),
  barForm('the day first', timed('{dd}/{MM}/{yyyy} {HH}:{mm}')),
  barForm('the month first', timed('{MM}/{dd}/{yyyy} {HH}:{mm}:{ss}')),
  barForm('a clock of twelve hours', timed('{MM}/{dd}/{yyyy} {hh}:{mm} {a}')),
  barForm('the hour with AM and PM', timed('{yyyy}-{MM}-{dd} {hh}-{a}')),
  barForm('eight digits', daily('{yyyy}{MM}{dd}'), {}, DAYS_OUT),
  barForm('the name of the month', daily('{dd}-{MMM}-{yy}'), {}, DAYS_OUT),
  barForm('the name of the month first', daily('"{MMM} {dd}, {yyyy}"'), {}, DAYS_OUT),
  barForm('days with points, the day first', daily('{dd}.{MM}.{yyyy}'), {}, DAYS_OUT),
  barForm(
    'a day and a month that may be either',
    text(barLines(barRows(3, DAY, Date.UTC(2025, 1, 1)), { time: at('{dd}/{MM}/{yyyy}') })),
    {},
    /the day or the month may be first in "01\/02\/2025".*--date-format dd\/MM\/yyyy or MM\/dd\/yyyy/,
  ),
  barForm(
    'the same with --date-format',
    text(barLines(barRows(3, DAY, Date.UTC(2025, 1, 1)), { time: at('{dd}/{MM}/{yyyy}') })),
    { dateFormat: 'dd/MM/yyyy' },
    barRows(3, DAY, Date.UTC(2025, 1, 1)).map(barOut),
  ),
  barForm('two digits of the year', daily('{yy}-{MM}-{dd}'), {}, /--date-format dd-MM-yy or MM-dd-yy/),
  barForm('a form of its own', timed('{HH}h{mm} {dd}|{MM}|{yyyy}').replaceAll('|', '_'), { dateFormat: 'HHhmm dd_MM_yyyy' }),
  barForm('day numbers of Excel', text(barLines(DAYS, { time: (ms) => String(25_569 + ms / DAY) })), { dateFormat: 'excel' }, DAYS_OUT),
  barForm(
    'day numbers of Excel without a word',
    text(barLines(DAYS, { time: (ms) => String(25_569 + ms / DAY) })),
    {},
    /before 1990.*--date-format s\|ms\|us\|ns\|excel/,
  ),
  barForm(
    'two columns',
    text(barLines(BARS, { header: ['Date', 'Time', 'Open', 'High', 'Low', 'Close', 'Volume'], time: at('{yyyy}.{MM}.{dd},{HH}:{mm}') })),
  ),
  barForm(
    'two columns of digits',
    text(
      barLines(BARS, {
        header: ['<DATE>', '<TIME>', '<OPEN>', '<HIGH>', '<LOW>', '<CLOSE>', '<VOL>'],
        time: at('{yyyy}{MM}{dd},{HH}{mm}{ss}'),
      }),
    ),
  ),
  barForm(
    'two columns, the day first',
    text(barLines(BARS, { header: ['date', 'time', 'open', 'high', 'low', 'close', 'volume'], time: at('{dd}/{MM}/{yyyy},{HH}:{mm}') })),
  ),
  barForm('a zone with summer time, in winter', text(barLines(BARS, { time: ahead(HOUR) })), { zone: 'Europe/Berlin' }),
  barForm('a zone by its distance', text(barLines(BARS, { time: ahead(-5 * HOUR) })), { zone: '-05:00' }),
  barForm(
    'a zone with summer time, in summer',
    text(barLines(barRows(4, HOUR, Date.UTC(2025, 6, 1)), { time: ahead(HOUR) })),
    { zone: 'Europe/London' },
    barRows(4, HOUR, Date.UTC(2025, 6, 1)).map(barOut),
  ),
  barForm('a zone that is none', plain, { zone: 'Europe/Londn' }, /--zone "Europe\/Londn"; expected a time zone/),
];

/** Hours over the end of summer time in London: 00:00, 01:00 and 02:00 UTC show as 01:00, 01:00 and 02:00. */
const AUTUMN = barRows(5, HOUR, Date.UTC(2025, 9, 25, 23));
const london = (ms: number) => stamped(ms + (ms < Date.UTC(2025, 9, 26, 1) ? HOUR : 0), '{yyyy}-{MM}-{dd} {HH}:{mm}');
const SPRING = barRows(5, HOUR, Date.UTC(2025, 2, 29, 23));
const londonInSpring = (ms: number) => stamped(ms + (ms < Date.UTC(2025, 2, 30, 1) ? 0 : HOUR), '{yyyy}-{MM}-{dd} {HH}:{mm}');
const CLOCKS: readonly Form[] = [
  barForm('the hour that occurs twice', text(barLines(AUTUMN, { time: london })), { zone: 'Europe/London' }, AUTUMN.map(barOut)),
  barForm(
    'the hour that occurs twice, newest first',
    text([...barLines(AUTUMN, { time: london }).slice(0, 1), ...barLines(AUTUMN, { time: london }).slice(1).reverse()]),
    { zone: 'Europe/London' },
    AUTUMN.map(barOut),
  ),
  barForm('the hour that is skipped', text(barLines(SPRING, { time: londonInSpring })), { zone: 'Europe/London' }, SPRING.map(barOut)),
  barForm(
    'a time in the hour that is skipped',
    text(barLines(SPRING, { time: (ms) => stamped(ms, '{yyyy}-{MM}-{dd} {HH}:{mm}') })),
    { zone: 'Europe/London' },
    /"2025-03-30 01:00" does not exist in Europe\/London.*--zone/,
  ),
];

/** Numbers, headers, order and what is around the rows. */
const TEXTS: readonly Form[] = [
  barForm('a decimal comma', text(barLines(BARS, { number: comma, separator: ';' }))),
  barForm('a decimal comma and points of thousands', text(barLines(BARS, { number: grouped('.', ','), separator: ';' }))),
  barForm('commas of thousands in quotes', text(barLines(BARS, { number: (value) => `"${grouped(',', '.')(value)}"` }))),
  barForm('spaces of thousands', text(barLines(BARS, { number: grouped(' ', '.'), separator: '\t' }))),
  barForm('apostrophes of thousands', text(barLines(BARS, { number: grouped("'", '.'), separator: ';' }))),
  barForm(
    'a comma that may be either mark',
    'time;open;high;low;close\n1736841600;1,234;1,234;1,234;1,234\n1736845200;1,235;1,235;1,235;1,235\n',
    {},
    /the comma in "1,234" may separate decimals or thousands; --decimal-mark comma or point/,
  ),
  barForm(
    'the same with --decimal-mark point',
    'time;open;high;low;close\n1736841600;1,234;1,234;1,234;1,234\n1736845200;1,235;1,235;1,235;1,235\n',
    { decimalMark: 'point' },
    ['2025-01-14T08:00:00Z,1234,1234,1234,1234,0', '2025-01-14T09:00:00Z,1235,1235,1235,1235,0'],
  ),
  barForm('the noise of binary fractions', plain.replace('94000.25', '94000.250000000001').replace('93989.125', '93989.124999999995')),
  barForm('exponents', plain.replace('94000.25', '9.400025e4').replace('10.5', '1.05E+1')),
  barForm('newest first', text([barLines(BARS)[0]!, ...barLines(BARS).slice(1).reverse()])),
  barForm('an address above the header', `https://www.example.com/data\n${plain}`),
  barForm('comments above the header', `# made by hand\n# 2025-01-20, in UTC\n\n${plain}`),
  barForm('a title above the header', `Bitcoin / Tether\n${plain}`),
  barForm('what Excel puts first', `sep=;\n${text(barLines(BARS, { separator: ';' }))}`),
  barForm('comments between rows', plain.replace(/\n(?=\d+,94003)/, '\n# the exchange was down\n')),
  barForm('text after the rows', `${plain}\nData provided without any warranty\n`),
  barForm('text between rows', plain.replace(/\n(?=\d+,94003)/, '\nThe exchange was down\n'), {}, /row 5: .*expected/),
  barForm('a last row that was cut', plain.slice(0, -20), {}, /row 7: /),
  barForm('line ends of Windows', text(barLines(BARS), '\r\n')),
  barForm('tabs', text(barLines(BARS, { separator: '\t' }))),
  barForm('upright bars', text(barLines(BARS, { separator: '|' }))),
  barForm('UTF-16 with a mark', utf16(plain)),
  barForm('UTF-16 with the high byte first', utf16(plain, { big: true })),
  barForm('UTF-16 without a mark', utf16(plain, { mark: false })),
  barForm('row numbers of pandas', text(barLines(BARS).map((line, index) => `${index === 0 ? '' : index - 1},${line}`))),
  barForm(
    'a time that nobody knows',
    text(barLines(BARS, { header: ['when', 'open', 'high', 'low', 'close', 'volume'] })),
    {},
    /no "time" column.*--columns time=<header>/,
  ),
  barForm('columns that are named', text(barLines(BARS, { header: ['when', 'a', 'b', 'c', 'd', 'e'] })), {
    columns: ['time=when,open=a,high=b,low=c,close=d,volume=e'],
  }),
  barForm('the volume in another asset', plain.replace('volume', 'Volume USDT'), {}, /is not the volume in BTC; --columns volume=/),
  barForm('no header, the highs and lows last', text(barLines(BARS, { header: [], order: ['open', 'close', 'high', 'low', 'volume'] }))),
  barForm('no header, the lows first', text(barLines(BARS, { header: [], order: ['low', 'high', 'open', 'close', 'volume'] }))),
  barForm(
    'no header, and bars that are flat',
    '1736841600,1,1,1,1,5\n1736845200,1,1,1,1,5\n',
    {},
    /the file has no header, .*--columns time=1,open=2/,
  ),
];

const json = (rows: readonly unknown[], space?: number) => JSON.stringify(rows, null, space);
const ARRAYS = BARS.map(({ time, ...rest }) => [time, ...Object.values(rest).map(Number)]);
const OBJECTS = BARS.map(({ time, ...rest }) => ({ time, ...rest }));

/** JSON, archives and NumPy. */
const FILES: readonly Form[] = [
  barForm('an array of arrays', json(ARRAYS), {}, OUT, 'in.json'),
  barForm('an array of arrays over many lines', json(ARRAYS, 2), {}, OUT, 'in.json'),
  barForm('an array of objects', json(OBJECTS), {}, OUT, 'in.json'),
  barForm('candles in an object', JSON.stringify({ symbol: 'BTC', candles: OBJECTS, next: null }), {}, OUT, 'in.json'),
  barForm(
    'rows deep in an object',
    JSON.stringify({ code: '0', result: { list: ARRAYS.map((row) => row.map(String)) } }),
    {},
    OUT,
    'in.json',
  ),
  barForm('two arrays of rows', JSON.stringify({ a: ARRAYS, b: ARRAYS }), {}, /several arrays of rows/, 'in.json'),
  barForm('an array that was cut', json(ARRAYS).slice(0, -5), {}, /the JSON array of rows does not end/, 'in.json'),
  barForm('JSON lines', text(OBJECTS.map((row) => JSON.stringify(row))), {}, OUT, 'in.jsonl'),
  barForm('gzip', gzipped(plain), {}, OUT, 'in.csv.gz'),
  barForm('zip', zipped({ 'bars.csv': plain }), {}, OUT, 'in.zip'),
  barForm('xz', XZ, {}, OUT, 'in.csv.xz'),
  barForm('Zstandard', ZST, {}, OUT, 'in.csv.zst'),
  barForm('bzip2', BZ2, {}, OUT, 'in.csv.bz2'),
  barForm('bzip2 in two parts', BZ2_TWO, {}, OUT, 'in.csv.bz2'),
  barForm('an xz file that was cut', XZ.subarray(0, -20), {}, /in\.csv\.xz: cannot be unpacked as xz/, 'in.csv.xz'),
  barForm('a Zstandard file that was cut', ZST.subarray(0, -20), {}, /in\.csv\.zst: cannot be unpacked as Zstandard/, 'in.csv.zst'),
  barForm(
    'a bzip2 file that was cut',
    BZ2.subarray(0, -20),
    {},
    /in\.csv\.bz2: cannot be unpacked as bzip2: the file ends too early/,
    'in.csv.bz2',
  ),
  barForm(
    'a zip file of several files and a report',
    zipped({ 'b.csv': text(barLines(BARS.slice(3))), 'a.csv': text(barLines(BARS.slice(0, 3))), 'status.txt': 'No gaps.\n' }),
    {},
    OUT,
    'in.zip',
  ),
  barForm(
    'a table of NumPy',
    npy(
      Array.from({ length: 6 }, () => ['', '<f8'] as const),
      ARRAYS as number[][],
    ),
    {},
    OUT,
    'in.npy',
  ),
];

const TRADES = ['2025-01-14T08:00:00Z,94000.5,1.5,buy', '2025-01-14T08:00:01.250Z,94000,2,sell'];
const TWO =
  'symbol,time,price,qty,side\nBTCUSDT,1736841600000,94000.5,1.5,buy\nETH/USDT,1736841600500,3000.5,4,sell\nBTCUSDT,1736841601250,94000,2,sell\n';

/** Other kinds, and several symbols. */
const KINDS: readonly Form[] = [
  {
    title: 'several symbols',
    files: { 'in.csv': TWO },
    options: trade,
    expected: /not 2 \(BTCUSDT, ETH\/USDT\); --only BTCUSDT .*--split/,
  },
  { title: 'one of several symbols', files: { 'in.csv': TWO }, options: { ...trade, only: 'BTCUSDT' }, expected: TRADES },
  {
    title: 'several symbols as several series',
    files: { 'in.csv': TWO },
    options: { kind: 'trade', split: true },
    expected: { 'BTC-USDT': TRADES, 'ETH-USDT': ['2025-01-14T08:00:00.500Z,3000.5,4,sell'] },
  },
  {
    title: 'several symbols with names',
    files: { 'in.csv': TWO.replaceAll('BTCUSDT', 'XBT') },
    options: { kind: 'trade', split: 'XBT=BTC-USDT' },
    expected: { 'BTC-USDT': TRADES },
  },
  {
    title: 'a symbol without a known name',
    files: { 'in.csv': TWO.replaceAll('BTCUSDT', 'XBT') },
    options: { kind: 'trade', split: true },
    expected: /"XBT" is not a recognised symbol; --split XBT=<BASE-QUOTE>/,
  },
  {
    title: 'quotes without sizes',
    files: { 'in.csv': 'time,bid,ask\n1736841600000,1.12345,1.12349\n' },
    options: quote,
    expected: /--quote-quantity <n> gives quotes without sizes this one/,
  },
  {
    title: 'quotes that get a size',
    files: { 'in.csv': 'time,bid,ask\n1736841600000,1.12345,1.12349\n1736841600100,1.12346,1.12350\n' },
    options: { ...quote, quoteQuantity: '0.5' },
    expected: ['2025-01-14T08:00:00Z,1.12345,1.12349,0.5,0.5', '2025-01-14T08:00:00.100Z,1.12346,1.1235,0.5,0.5'],
  },
  {
    title: 'quantities in contracts',
    files: { 'in.csv': 'time,price,qty,side\n1736841600000,94000.5,150,buy\n1736841601250,94000,200,sell\n' },
    options: { ...trade, symbol: 'BTC-USDT-PERP', quantityFactor: '0.01' },
    expected: TRADES,
  },
  {
    title: 'sides 0 and 1',
    files: { 'in.csv': 'time,price,qty,side\n1736841600000,1,1,0\n1736841600001,1,1,1\n' },
    options: trade,
    expected: /the sides are 0 and 1.*--columns side=none/,
  },
];

export const FORMS: readonly Form[] = [...TIMES, ...CLOCKS, ...TEXTS, ...FILES, ...KINDS];
