import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import * as arrow from 'apache-arrow';
import type { SeriesKind, SeriesMeta } from '../../../src/recording/columns/series-meta.ts';
import { withDuck } from '../../../src/recording/duckdb.ts';
import { type ImportOptions, importTables } from '../../../src/recording/import/import-csv.ts';
import { Quarantine } from '../../../src/recording/import/rows.ts';
import { withTables } from '../../../src/recording/import/tables/open-tables.ts';
import { cellText } from '../../../src/recording/import/tables/table.ts';
import { readRows, refusal, Workshop } from '../builders.ts';

// The files of this folder were written by pyarrow 24 and pandas 3, as freqtrade and notebooks write them.
const made = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const shop = new Workshop();

/** Imports a table as bars of BTC-USDT. */
async function read(file: string, options: Partial<ImportOptions> = {}): Promise<SeriesMeta> {
  const target = { dataDir: shop.dataDir, name: 'r', symbol: 'BTC-USDT', kind: 'bar', replace: true, quarantineMax: 1 } as const;
  const meta = await withTables([file], (tables) => importTables({ ...target, files: [file], tables, ...options }));
  return meta!;
}

/** Every cell of a table as text, and its header. */
const linesOf = (file: string) =>
  withTables([file], async (tables) => {
    const table = tables.get(file)!;
    const lines = [table.fields.map(({ name }) => name).join(',')];
    const batches = table.open(() => true, false);
    for (let batch = await batches.next(); batch !== undefined; batch = await batches.next()) {
      for (let row = 0; row < batch.rows; row++)
        lines.push(table.fields.map(({ type }, index) => cellText(type, batch!.cells[index]!, row)).join(','));
    }
    batches.close();
    return lines;
  });

/** Writes a query's rows as Parquet. */
async function parquet(name: string, sql: string): Promise<string> {
  const file = join(shop.folder, name);
  await withDuck(async (duck) => void (await duck.run(`COPY (${sql}) TO '${file}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`)));
  return file;
}

type Columns = Readonly<Record<string, arrow.Vector>>;

/** Writes columns as an Arrow file or stream, by Arrow's own library. */
function arrowFile(name: string, columns: Columns, form: 'file' | 'stream' = 'file'): string {
  return shop.write(name, arrow.tableToIPC(new arrow.Table(columns as never), form));
}

const T0 = 1_735_689_600_000;
const minutes = (count: number) => BigInt64Array.from({ length: count }, (_, row) => BigInt(T0 + row * 60_000));
const milliseconds = (values: BigInt64Array) =>
  arrow.makeVector(arrow.makeData({ type: new arrow.TimestampMillisecond(), data: values, length: values.length }));

describe('files of other programs', () => {
  test.each(['freqtrade.lz4.feather', 'freqtrade.zstd.feather', 'freqtrade.uncompressed.feather', 'pandas.parquet'])(
    'floats of %s come in their shortest decimals, and its rows as bars',
    async (name) => {
      const meta = await read(made(name));
      expect(meta).toMatchObject({ rows: 2, intervalMs: 60_000, priceDecimals: 7, source: [name] });
      const { time, columns } = readRows(shop.binPath(meta), meta);
      expect(time).toEqual([T0, T0 + 60_000]);
      expect(columns.map((column) => column[0]! / 10 ** 7).slice(0, 4)).toEqual([94_000.1, 94_000.5, 93_999.9, 94_000]);
    },
  );

  // Written by Nautilus 1.221 in high precision, and by pyarrow in the layout of its standard precision.
  test.each([
    [
      'nautilus.trades.parquet',
      'trade',
      'price,size,aggressor_side,trade_id,ts_event,ts_init',
      [
        '94000.1,0.00125,buy,1,1735689600000000000,1735689600000000005',
        '94000,12,sell,2,1735689601000000000,1735689601000000007',
        '93999.95,1,,3,1735689602000000000,1735689602000000000',
      ],
    ],
    ...['nautilus.quotes.parquet', 'nautilus.quotes.standard.parquet'].map(
      (name) =>
        [
          name,
          'quote',
          'bid_price,ask_price,bid_size,ask_size,ts_event,ts_init',
          [
            '94000.1,94000.2,1.5,2,1735689600000000000,1735689600000000000',
            '-0.01,94000.3,0.5,2.5,1735689601000000000,1735689601000000000',
          ],
        ] as const,
    ),
    [
      'nautilus.bars.parquet',
      'bar',
      'open,high,low,close,volume,ts_event,ts_init',
      [1, 2].map((minute) => {
        const ns = `${T0 + minute * 60_000}000000`;
        return `94000.1,94001,93999,94000.5,${minute}.123,${ns},${ns}`;
      }),
    ],
  ] as const)('the bytes of %s are numbers', async (name, kind, header, rows) => {
    expect(await linesOf(made(name))).toEqual([header, ...rows]);
    expect(await read(made(name), { kind })).toMatchObject({ rows: rows.length, kind });
  });

  test.each(['trades.arrow', 'trades.parquet'])('decimals, nanoseconds, nulls and dictionaries of %s come as they are', async (name) => {
    expect((await linesOf(made(name))).map((line) => line.replace('Z,', ','))).toEqual([
      'time,price,quantity,side',
      '2025-01-01T00:00:00.000000001,94000.10000000,,buy',
      '2025-01-01T00:00:00.000000999,-0.00000001,2,sell',
    ]);
  });

  test.each([
    ['freqtrade.lz4.feather', /freqtrade\.lz4\.feather: cannot be read as Arrow: the file is damaged or cut short/],
    ['pandas.parquet', /pandas\.parquet: cannot be read as Parquet: /],
  ])('a truncated %s is refused by name', async (name, message) => {
    const cut = shop.write(name, readFileSync(made(name)).subarray(0, 1_000));
    expect(await refusal(read(cut))).toMatchObject({ code: 'DATA_INVALID', message: expect.stringMatching(message) });
  });

  test.each([
    ['text-prices.parquet', /text-prices\.parquet: row 3: column "last": expected a decimal number, not "much"/],
    ['nested-prices.parquet', /nested-prices\.parquet: row 2: column "last": expected a decimal number, not "\[1\.5\]"/],
    ['other-columns.parquet', /other-columns\.parquet: row 1: column "time": no "time" column for a ticker/],
  ])('%s, of other types or columns, is refused with file, row and column', async (name, message) => {
    const failed = await refusal(read(made(name), { kind: 'ticker' }));
    expect(failed).toMatchObject({ code: 'DATA_INVALID', message: expect.stringMatching(message) });
  });

  test('decimals of more than 38 digits are refused, as DuckDB reads other numbers', async () => {
    const file = await parquet('wide.parquet', 'SELECT 1704067200 AS time, 100.5::DECIMAL(38, 10) AS price, 1 AS size');
    const bytes = readFileSync(file);
    // The schema has the precision as a number of Thrift: 38 is 0x4c, and 50 is 0x64.
    for (let at = bytes.indexOf(Buffer.from([0x15, 0x4c])); at >= 0; at = bytes.indexOf(Buffer.from([0x15, 0x4c]), at))
      bytes[at + 1] = 0x64;
    writeFileSync(file, bytes);
    const message = /column "price" is DECIMAL\(50,10\), and at most 38 digits can be read; in Python: df\["price"\]/;
    await expect(read(file, { kind: 'trade' })).rejects.toMatchObject({ code: 'DATA_INVALID', message: expect.stringMatching(message) });
  });

  test('metadata that name another market are refused, until the user says that it is meant', async () => {
    const file = join(shop.folder, 'meta.parquet');
    const meta = "KV_METADATA {instrument_id: 'ETHUSDT.BINANCE'}";
    await withDuck(
      async (duck) =>
        void (await duck.run(`COPY (SELECT 1704067200 AS time, 1.5 AS price, 1 AS size) TO '${file}' (FORMAT parquet, ${meta})`)),
    );
    await expect(read(file, { kind: 'trade' })).rejects.toMatchObject({
      message: expect.stringContaining('its metadata "instrument_id" says "ETHUSDT.BINANCE"'),
    });
    expect((await read(file, { kind: 'trade', symbolIs: ['ETHUSDT.BINANCE'] })).rows).toBe(1);
    expect((await read(file, { kind: 'trade', symbol: 'ETH-USDT' })).rows).toBe(1);
  });

  test('other files are left alone', async () => {
    const csv = shop.write('plain.csv', 'time,last\n1,1\n');
    expect(await withTables([csv, '/no/such/file'], async (tables) => tables.size)).toBe(0);
  });
});

describe('types of Parquet', () => {
  const tickers = async (name: string, time: string, last: string) => {
    const meta = await read(await parquet(name, `SELECT ${time} AS time, ${last} AS last`), { kind: 'ticker' });
    const { time: times, nanos, columns } = readRows(shop.binPath(meta), meta);
    return { decimals: meta.priceDecimals, times, nanos, last: columns[0] };
  };
  const now = "TIMESTAMP '2025-01-01 00:00:00.000123'";

  test.each([
    ['bigint', '42::BIGINT', 0, 42],
    ['small', '(-42)::SMALLINT', 0, -42],
    ['double', '94000.15::DOUBLE', 2, 9_400_015],
    ['noise', '0.0016200000000000001::DOUBLE', 5, 162],
    ['long', '123456.123456789::DOUBLE', 9, 123_456_123_456_789],
    ['single', '94000.15::FLOAT', 2, 9_400_015],
    ['single that needs nine digits', '16777.217::FLOAT', 3, 16_777_217],
    ['decimal', '94000.1500::DECIMAL(9,4)', 2, 9_400_015],
    ['wide decimal', '94000.15::DECIMAL(38,10)', 2, 9_400_015],
    ['text', "'94000.15'", 2, 9_400_015],
    ['exponent', '0.00000012::DOUBLE', 8, 12],
  ])('a %s is the exact decimal', async (name, sql, decimals, value) => {
    expect(await tickers(`${name}.parquet`, now, sql)).toEqual({ decimals, times: [T0 + 0.123], nanos: [0], last: [value] });
  });

  test.each([
    ['timestamp', now, T0 + 0.123, 0],
    ['seconds', "'2025-01-01'::TIMESTAMP_S", T0, 0],
    ['milliseconds', "'2025-01-01 00:00:00.5'::TIMESTAMP_MS", T0 + 500, 0],
    ['nanoseconds', "'2025-01-01 00:00:00.000123456'::TIMESTAMP_NS", T0 + 0.123, 456],
    ['zone', "TIMESTAMPTZ '2025-01-01 02:00:00+02'", T0, 0],
    ['date', "DATE '2025-01-01'", T0, 0],
    ['epoch s', '1735689600', T0, 0],
    ['epoch ms as a float', '1735689600123::DOUBLE', T0 + 123, 0],
    ['epoch ns', '1735689600000123456', T0 + 0.123, 456],
    ['digits of a date', '20250101::BIGINT', T0, 0],
    ['text of a time', "'2025-01-01 00:00'", T0, 0],
  ])('a time as %s is the time', async (name, sql, time, nanos) => {
    expect(await tickers(`${name}.parquet`, sql, '1')).toEqual({ decimals: 0, times: [time], nanos: [nanos], last: [1] });
  });

  test('rows of many row groups, newest first, with decimals that grow late, are sorted and exact', async () => {
    const rows = 'SELECT epoch_ms(1735689600000 + i * 60000) AS time, CASE WHEN i = 100 THEN 1.25 ELSE 1.5 END::DOUBLE AS last';
    const file = await parquet('newest.parquet', `${rows} FROM range(70000) r(i) ORDER BY i DESC`);
    const meta = await read(file, { kind: 'ticker' });
    expect(meta).toMatchObject({ rows: 70_000, firstTime: T0, priceDecimals: 2 });
    const { time, columns } = readRows(shop.binPath(meta), meta);
    expect(time.every((at, row) => at === T0 + row * 60_000)).toBe(true);
    expect([columns[0]![99], columns[0]![100], columns[0]!.length]).toEqual([150, 125, 70_000]);
  });

  test('bad rows between good ones go to the quarantine whole, with columns that are not needed', async () => {
    const file = await parquet(
      'bad.parquet',
      `SELECT 1735689600 + i AS time, CASE WHEN i IN (3, 4100) THEN 'none' ELSE '1.5' END AS last, 'note ' || i AS note FROM range(5000) r(i)`,
    );
    const bad = join(shop.folder, 'bad.csv');
    const quarantine = new Quarantine(bad, true);
    const meta = await read(file, { kind: 'ticker', quarantine });
    quarantine.finish();
    expect(meta.rows).toBe(4_998);
    expect(readFileSync(bad, 'utf8').split('\n')).toEqual([
      'file,row,reason,line',
      'bad.parquet,5,"column ""last"": expected a decimal number, not ""none""","1735689603,none,note 3"',
      'bad.parquet,4102,"column ""last"": expected a decimal number, not ""none""","1735693700,none,note 4100"',
      '',
    ]);
  });

  test('one symbol of several is taken, and its sides come from texts and booleans', async () => {
    const file = await parquet(
      'symbols.parquet',
      `SELECT 1735689600 + i AS time, CASE WHEN i % 3 = 0 THEN 'A' ELSE 'BTC' END AS symbol, i * 0.5 AS price, 1 AS qty, i % 2 = 0 AS is_buyer_maker FROM range(9) r(i)`,
    );
    const meta = await read(file, { kind: 'trade', only: 'BTC' });
    const { time, columns } = readRows(shop.binPath(meta), meta);
    expect(time.map((at) => (at - T0) / 1_000)).toEqual([1, 2, 4, 5, 7, 8]);
    expect(columns[2]).toEqual([1, -1, -1, 1, 1, -1]);
  });

  test('a row later than the last good one is refused with its number', async () => {
    const file = await parquet('order.parquet', 'SELECT 1735689600 + abs(i - 5) AS time, 1 AS last FROM range(8) r(i)');
    expect((await refusal(read(file, { kind: 'ticker' }))).message).toMatch(/order\.parquet: row 3: the time .* is earlier than/);
  });
});

describe('types of Arrow', () => {
  const bars = (open: arrow.Vector, time: arrow.Vector): Columns => ({ time, open, high: open, low: open, close: open });
  const opens = async (file: string, kind: SeriesKind = 'bar') => {
    const meta = await read(file, { kind, intervalMs: kind === 'bar' ? 60_000 : undefined });
    const { time, columns } = readRows(shop.binPath(meta), meta);
    return { decimals: meta.priceDecimals, time, open: columns[0] };
  };

  test.each(['file', 'stream'] as const)('a %s of several batches with floats of 32 bits', async (form) => {
    const batches = [0, 1].map((half) => {
      const values = new Float32Array(3).map((_, row) => 94_000.15 + half * 3 + row);
      const times = minutes(6).slice(3 * half, 3 * half + 3);
      return new arrow.Table(bars(arrow.makeVector(values), milliseconds(times)) as never).batches[0]!;
    });
    const file = shop.write(`${form}.arrow`, arrow.tableToIPC(new arrow.Table(batches), form));
    expect(await opens(file)).toEqual({
      decimals: 2,
      time: [0, 1, 2, 3, 4, 5].map((row) => T0 + row * 60_000),
      open: [9_400_015, 9_400_115, 9_400_215, 9_400_315, 9_400_415, 9_400_515],
    });
  });

  test('a batch of more rows than are read at a time, with nulls and texts', async () => {
    const count = 20_000;
    const side = arrow.vectorFromArray(
      Array.from({ length: count }, (_, row) => ['buy', 'sell', null][row % 3]!),
      new arrow.Utf8(),
    );
    const file = arrowFile('large.arrow', {
      time: milliseconds(minutes(count)),
      price: arrow.makeVector(Float64Array.from({ length: count }, (_, row) => row / 8)),
      qty: arrow.makeVector(Int32Array.from({ length: count }, (_, row) => row)),
      side,
    });
    const meta = await read(file, { kind: 'trade' });
    const { time, columns } = readRows(shop.binPath(meta), meta);
    expect(time.every((at, row) => at === T0 + row * 60_000)).toBe(true);
    expect(columns[0]!.every((price, row) => price === row * 125)).toBe(true);
    expect(columns[1]!.every((quantity, row) => quantity === row)).toBe(true);
    expect(columns[2]!.every((value, row) => value === [1, -1, 0][row % 3])).toBe(true);
  });

  test('the unit of times is the stated one', async () => {
    // As digits without a unit they would be nanoseconds of 1970.
    const seconds = arrow.makeVector(
      arrow.makeData({ type: new arrow.TimestampSecond(), data: BigInt64Array.of(315_532_800n, 315_532_860n), length: 2 }),
    );
    const file = arrowFile('seconds.arrow', { time: seconds, last: arrow.makeVector(Float64Array.of(1, 2)) });
    expect((await opens(file, 'ticker')).time).toEqual([Date.UTC(1980, 0, 1), Date.UTC(1980, 0, 1, 0, 1)]);
  });

  test.each([
    ['days', arrow.vectorFromArray([new Date(T0), new Date(T0 + 86_400_000)], new arrow.DateDay())],
    ['unsigned numbers', arrow.makeVector(BigUint64Array.of(BigInt(T0), BigInt(T0 + 86_400_000)))],
  ])('times as %s', async (name, time) => {
    const file = arrowFile(`${name}.arrow`, { time, last: arrow.makeVector(Int8Array.of(1, -2)) });
    expect(await opens(file, 'ticker')).toEqual({ decimals: 0, time: [T0, T0 + 86_400_000], open: [1, -2] });
  });

  test('columns of types that are not read may be there, but cannot be prices', async () => {
    const list = arrow.vectorFromArray([[1], [2]], new arrow.List(new arrow.Field('item', new arrow.Int32(), true)));
    const file = arrowFile('lists.arrow', {
      list,
      time: milliseconds(minutes(2)),
      last: arrow.makeVector(Int8Array.of(1, 2)),
      other: list,
    });
    expect((await opens(file, 'ticker')).open).toEqual([1, 2]);
    const wrong = arrowFile('list.arrow', { time: milliseconds(minutes(2)), last: list });
    expect((await refusal(opens(wrong, 'ticker'))).message).toMatch(
      /list\.arrow: row 2: column "last": expected a decimal number, not "a value of a type/,
    );
  });

  test('a file that is newest first is sorted', async () => {
    const file = arrowFile('newest.arrow', { time: milliseconds(minutes(3).reverse()), last: arrow.makeVector(Int8Array.of(3, 2, 1)) });
    expect((await opens(file, 'ticker')).open).toEqual([1, 2, 3]);
  });

  test('a stream that is cut is refused', async () => {
    const whole = readFileSync(
      arrowFile('whole.arrow', { time: milliseconds(minutes(3)), last: arrow.makeVector(Int8Array.of(1, 2, 3)) }, 'stream'),
    );
    const cut = join(shop.folder, 'cut.arrow');
    writeFileSync(cut, whole.subarray(0, whole.length - 40));
    expect((await refusal(opens(cut, 'ticker'))).message).toMatch(/cut\.arrow: cannot be read as Arrow: the file is damaged or cut short/);
  });
});
