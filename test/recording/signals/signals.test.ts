import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { withDuck } from '../../../src/recording/duckdb.ts';
import { withReadableFiles } from '../../../src/recording/import/packed-files.ts';
import { readSignals, type SignalImport } from '../../../src/recording/signals/import-signals.ts';
import { checkSignals, openSignals, signalFile, writeSignals } from '../../../src/recording/signals/signal-file.ts';
import type { SignalRows } from '../../../src/recording/signals/signal-rows.ts';
import { refusal, Workshop } from '../builders.ts';

// The files of this folder were written by pandas 3.1 and polars 2.1.
const made = (name: string) => join(import.meta.dirname, name);
const shop = new Workshop();
const NOW = Date.UTC(2026, 0, 1);

function read(files: readonly string[], options: Partial<SignalImport> = {}): Promise<SignalRows> {
  const refuse: SignalImport['refuse'] = (error) => {
    throw error;
  };
  return withReadableFiles(files, 'ticker', (places, tables) =>
    readSignals({ files: places, tables, columns: [], now: NOW, refuse, ...options }),
  );
}

const ofText = (text: string, options: Partial<SignalImport> = {}) => read([shop.write('in.csv', text)], options);
const iso = (rows: SignalRows) => Array.from(rows.times, (time) => new Date(time).toISOString());

test.each(['pandas.parquet', 'pandas.feather', 'polars.parquet', 'polars.arrow', 'pandas.csv', 'pandas.jsonl'])(
  '%s is imported as it is',
  async (name) => {
    const rows = await read([made(name)]);
    expect(iso(rows)).toEqual(['2025-01-01T00:15:00.000Z', '2025-01-01T00:30:00.000Z', '2025-01-01T00:45:00.250Z']);
    expect(rows.symbols).toEqual(['BTC-USDT', 'BTC-USDT', 'ETH-USDT']);
    expect(rows.columns).toEqual([
      { name: 'up', type: 'number' },
      { name: 'small', type: 'number' },
      { name: 'count', type: 'number' },
      { name: 'regime', type: 'text' },
      { name: 'hold', type: 'text' },
    ]);
    // pandas writes a float of 32 bits to JSON with ten digits.
    const small = name === 'pandas.jsonl' ? 0.1000000015 : 0.1;
    expect(rows.values).toEqual([
      [0.1, 0.6, null],
      [small, -2.5, 3],
      [1, 2, 9007199254740991],
      ['calm', null, 'wild, "very"'],
      ['true', 'false', 'true'],
    ]);
  },
);

test('declared columns are renamed, typed and the only ones', async () => {
  const rows = await ofText('when;p;code;note\n1735689600;0,5;7;x\n1735689660;;8;y\n'.replace('0,5', '0.5'), {
    time: 'when',
    columns: [
      { name: 'up', header: 'p', type: 'number' },
      { name: 'code', header: 'code', type: 'text' },
    ],
    only: 'ETH-USDT',
  });
  expect(rows).toEqual({
    columns: [
      { name: 'up', type: 'number' },
      { name: 'code', type: 'text' },
    ],
    times: Float64Array.of(1_735_689_600_000, 1_735_689_660_000),
    symbols: ['ETH-USDT', 'ETH-USDT'],
    values: [
      [0.5, null],
      ['7', '8'],
    ],
  });
});

test('rows of several files and symbols are ordered by time, those of one time as in the files', async () => {
  const one = shop.write('1.csv', 'time,symbol,v\n2025-01-02,BTCUSDT,3\n2025-01-01,BTCUSDT,1\n');
  const two = shop.write('2.csv', 'time,symbol,v\n2025-01-01,ETH/USDT,2\n');
  const rows = await read([one, two]);
  expect(rows.values).toEqual([[1, 2, 3]]);
  expect(rows.symbols).toEqual(['BTC-USDT', 'ETH-USDT', 'BTC-USDT']);
});

test('the keys of lines of JSON may differ', async () => {
  const rows = await ofText('{"time":1735689600000,"a":1}\n\n{"time":1735689601000,"b":"x"}\n');
  expect(rows.columns.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(rows.values).toEqual([
    [1, null],
    [null, 'x'],
  ]);
});

test('a time without an offset is in the given zone', async () => {
  expect(iso(await ofText('time,v\n2025-01-01 00:00:00,1\n', { zone: 'America/New_York' }))).toEqual(['2025-01-01T05:00:00.000Z']);
});

test.each<[string, string, Partial<SignalImport>, string]>([
  ['a bad time', 'time,v\n2025-01-01,1\nsoon,2\n', {}, 'in.csv: row 3: column "time": "soon"; expected a time:'],
  ['a time before 1990', 'time,v\n12,1\n', {}, 'which is before 1990'],
  [
    'no time',
    'when,v\n2025-01-01,1\n',
    {},
    'row 1: expected a column "time" or "timestamp" among "when", "v"; --columns time=<header> names it',
  ],
  [
    'a missing column',
    'time,v\n2025-01-01,1\n',
    { columns: [{ name: 'up', header: 'p' }] },
    'row 1: expected the column "p" among "time", "v"',
  ],
  ['no value', 'time,symbol\n2025-01-01,BTC-USDT\n', {}, 'expected a column of values besides the time'],
  ['a bad name', 'time,the value\n2025-01-01,1\n', {}, '"the value" cannot name a column: expected 1 to 64 letters'],
  ['a bad symbol', 'time,symbol,v\n2025-01-01,?,1\n', {}, 'row 2: column "symbol": "?"; expected a symbol such as BTC-USDT'],
  [
    'text in a column of numbers',
    'time,v\n2025-01-01,1\n2025-01-02,high\n',
    { columns: [{ name: 'v', header: 'v', type: 'number' }] },
    'row 3: column "v": "high"; expected a finite number, or nothing',
  ],
  ['a line that is not JSON', '{"time":1735689600000,"a":1}\n{"time":\n', {}, 'row 2: expected one JSON object on the line'],
  [
    'a line of JSON that is an array',
    '{"time":1735689600000,"a":1}\n[1735689600000,1]\n',
    {},
    'row 2: expected one JSON object on the line',
  ],
  ['an infinite number', 'time,v\n2025-01-01,1\n2025-01-02,-inf\n', {}, 'row 3: column "v": "-inf"; expected a finite number, or nothing'],
  ['a number that is too large', 'time,v\n2025-01-01,1e999\n', {}, 'row 2: column "v": "1e999"; expected a finite number'],
  ['a short row', 'time,symbol,v\n2025-01-01,BTC-USDT\n', {}, 'row 2: 2 fields; expected 3, as in the header'],
  ['a long row', 'time,v\n2025-01-01,1,2\n', {}, 'row 2: 3 fields; expected 2, as in the header'],
  ['two columns of one name', 'time,P,p\n2025-01-01,1,2\n', {}, 'row 1: "p" names two columns, apart from letter case; --columns lists'],
  ['a column named as the time', 'when,Time\n2025-01-01,1\n', { time: 'when' }, '"Time" cannot name a column'],
  ['only a header', 'time,v\n', {}, 'no row could be read; expected at least one'],
])('%s is refused with its place', async (_, text, options, message) => {
  const error = await refusal(ofText(text, options));
  expect(error.code).toBe('DATA_INVALID');
  expect(error.message).toContain(message);
});

test('refused rows are put aside, and the others imported', async () => {
  const aside: string[] = [];
  const rows = await ofText('time,v\nsoon,1\n2025-01-02,high\n2025-01-03,3\n', {
    columns: [{ name: 'v', header: 'v', type: 'number' }],
    refuse: ({ row }, text) => aside.push(`${row} ${text()}`),
  });
  expect(rows.values).toEqual([[3]]);
  expect(aside).toEqual(['2 soon,1', '3 high']);
});

test('the bad lines of a file of JSON are put aside, and no file without a good row is imported', async () => {
  const aside: string[] = [];
  const refuse: SignalImport['refuse'] = ({ row }, text) => aside.push(`${row} ${text()}`);
  const rows = await ofText('{"time":1735689600000,"v":1}\n{"time":17356896', { refuse });
  expect(rows.values).toEqual([[1]]);
  expect(aside).toEqual(['2 {"time":17356896']);
  expect((await refusal(ofText('time,v\n2025-01-01,inf\n', { refuse }))).message).toContain('no row could be read');
});

test('numbers that are none are no value in JSON that Python wrote', async () => {
  expect((await ofText('{"time":1735689600000,"v":NaN}\n{"time":1735689601000,"v":2}\n')).values).toEqual([[null, 2]]);
  expect((await refusal(ofText('{"time":1735689600000,"v":-Infinity}\n'))).message).toContain(
    'row 1: column "v": "-Infinity"; expected a finite',
  );
});

test('a text in quotes may have several lines, and a lone quote ends no row', async () => {
  const rows = await ofText('time,note,v\n2025-01-01,"one, ""two""\n\nthree",1\n2025-01-02,5" wide,2\n2025-01-03,"",3\n');
  expect(rows.values).toEqual([
    ['one, "two"\n\nthree', '5" wide', null],
    [1, 2, 3],
  ]);
  expect((await refusal(ofText('time,note\n2025-01-01,"a\nb"\nsoon,c\n'))).message).toContain('in.csv: row 4: column "time": "soon"');
});

test('times finer than a microsecond are rounded up: no signal is delivered before its time', async () => {
  const rows = await ofText('time,v\n1735689600000000001,1\n1735689600000001000,2\n');
  expect(Array.from(rows.times)).toEqual([1_735_689_600_000.001, 1_735_689_600_000.001]);
});

const ROWS: SignalRows = {
  columns: [
    { name: 'up', type: 'number' },
    { name: 'regime', type: 'text' },
  ],
  times: Float64Array.of(1_735_689_600_000.001, 1_735_689_660_000),
  symbols: ['BTC-USDT', undefined],
  values: [
    [0.1 + 0.2, null],
    [null, `it's "odd"`],
  ],
};

test('stored signals are read with equal values, and by other programs', async () => {
  const target = { dataDir: shop.dataDir, name: 'kept', replace: false, source: ['a.csv'] };
  const { file, meta } = await writeSignals(target, ROWS);
  const { meta: read, ...rows } = await openSignals(shop.dataDir, 'kept');
  expect(rows).toEqual(ROWS);
  expect(read).toEqual(meta);
  expect(meta).toMatchObject({ rows: 2, firstTime: ROWS.times[0], lastTime: ROWS.times[1], symbols: ['BTC-USDT'], source: ['a.csv'] });
  expect(checkSignals({ ...ROWS, meta })).toEqual([]);
  const found = await withDuck(async (duck) => (await duck.runAndReadAll(`SELECT "time"::VARCHAR, up FROM '${file}'`)).getRows());
  expect(found[0]).toEqual(['2025-01-01 00:00:00.000001', 0.1 + 0.2]);
  expect((await refusal(writeSignals(target, ROWS))).code).toBe('DATA_EXISTS');
});

test('a damaged file is an error that names it', async () => {
  await writeSignals({ dataDir: shop.dataDir, name: 'broken', replace: true, source: [] }, ROWS);
  const file = signalFile(shop.dataDir, 'broken');
  writeFileSync(file, readFileSync(file).subarray(0, 100));
  const error = await refusal(openSignals(shop.dataDir, 'broken'));
  expect(error.code).toBe('DATA_CORRUPT');
  expect(error.message).toContain(`${file}: it cannot be read as Parquet`);
  const missing = await refusal(openSignals(shop.dataDir, 'none'));
  expect(missing.code).toBe('DATA_NOT_FOUND');
  expect(missing.message).toContain('recording "none" has no signals');
});

test('a check finds rows in disorder, rows of one time, and columns without values', async () => {
  const rows: SignalRows = {
    columns: ROWS.columns,
    times: [3, 2, 2],
    symbols: [undefined, undefined, undefined],
    values: [
      [1, 1, 1],
      [null, null, null],
    ],
  };
  const meta = {
    version: 1,
    kind: 'signal',
    sha256: '',
    rows: 3,
    firstTime: 2,
    lastTime: 2,
    columns: ROWS.columns,
    symbols: [],
    source: [],
  } as const;
  expect(checkSignals({ ...rows, meta }).map(({ severity, text }) => `${severity}: ${text}`)).toEqual([
    'error: row 2 is before the row above it: expected rising times',
    'error: the first or the last time is not that of the description',
    'warning: 1 rows have the time and the symbol of another row: strategies receive each of them',
    'warning: column "up" has the same value in every row',
    'warning: column "regime" has no value',
  ]);
});
