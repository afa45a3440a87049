import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { type DataImportOptions, dataImport } from '../../src/app/data/import.ts';
import { marketOf, nameWord, symbolOf } from '../../src/recording/import/market-words.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { importedRows } from './forms/import-case.ts';

// Files whose own words, units and sides are something else than the command says: each is right, or refused with the way out.

const folder = temporaryFolder('words');
let count = 0;

type Options = Partial<Omit<DataImportOptions, 'dataDir' | 'name'>>;
type Files = Readonly<Record<string, string | Uint8Array>>;

const rowsOf = async (files: Files, options: Options, symbol = 'BTC-USDT') =>
  (await importedRows(join(folder, String(count++)), files, { symbol, ...options }, [symbol]))[symbol];

/** Rows of trades or bars from 2024-01-01 00:00 UTC on, a second or a minute apart. */
const file = (header: string, ...rows: readonly string[]) => ({ 'in.csv': [header, ...rows, ''].join('\n') });
const T = 1_704_067_200;
const BARS = ['time,open,high,low,close,volume', `${T},100,101,99,100,5`, `${T + 60},100,101,99,100,5`];
const BAR_ROWS = ['2024-01-01T00:00:00Z,100,101,99,100,5', '2024-01-01T00:01:00Z,100,101,99,100,5'];
const bars = (...lines: readonly string[]) => [...lines, ''].join('\n');
const with7 = (column: string, values: readonly [string, string]) =>
  bars(`${BARS[0]},${column}`, `${BARS[1]},${values[0]}`, `${BARS[2]},${values[1]}`);
const trades = (header: string, values: readonly string[]) =>
  file(`time,price,size,${header}`, ...values.map((value, row) => `${T + row},${100 + row},${row + 1},${value}`));
const trade = { kind: 'trade' } as const;
const OWNERS = ['BTCUSDT', 'BTCUSDC', 'BTCUSDT', 'BTCUSDC'];

test.each<[string, Files, Options, RegExp]>([
  [
    'another market in the column of symbols',
    { 'in.csv': with7('symbol', ['ETHUSDT', 'ETHUSDT']) },
    {},
    /its column "symbol" says "ETHUSDT", and --symbol says BTC-USDT; --symbol ETH-USDT imports it as that; --symbol-is "ETHUSDT"/,
  ],
  ['another market in a column of any name', { 'in.csv': with7('what', ['ETHUSDT', 'ETHUSDT']) }, {}, /its column "what" says "ETHUSDT"/],
  [
    'another market in the name of the file',
    { 'ETHUSDT-1m.csv': bars(...BARS) },
    {},
    /the name of the file says "ETHUSDT", and --symbol says BTC-USDT/,
  ],
  [
    'another market in the name of the second file',
    { 'BTCUSDT-1m.csv': bars(...BARS), 'ETHUSDT-1m.csv': bars(...BARS) },
    {},
    /the name of the file says "ETHUSDT"/,
  ],
  [
    'another market in a member of a zip',
    { 'all.zip': zipSync({ 'BTCUSDT-1m.csv': strToU8(bars(...BARS)), 'ETHUSDT-1m.csv': strToU8(bars(...BARS)) }) },
    {},
    /the name of the file says "ETHUSDT"/,
  ],
  [
    'a perpetual imported as spot',
    { 'in.csv': with7('symbol', ['BTC-USDT-SWAP', 'BTC-USDT-SWAP']) },
    {},
    /says "BTC-USDT-SWAP", .*--symbol BTC-USDT-PERP imports it as that/,
  ],
  ['a share imported as a coin', { 'in.csv': with7('ticker', ['AAPL', 'AAPL']) }, {}, /its column "ticker" says "AAPL"/],
  [
    'a second market far below the first rows',
    {
      'in.csv': bars(
        BARS[0]!.concat(',what'),
        ...Array.from({ length: 4_000 }, (_, row) => `${T + 60 * row},100,101,99,100,5,${row < 3_990 ? 'BTCUSDT' : 'ETHUSDT'}`),
      ),
    },
    {},
    /row 3992: column "what": expected one symbol in all rows, "BTCUSDT", not "ETHUSDT"/,
  ],
  [
    'a second exchange far below the first rows',
    {
      'in.csv': bars(
        BARS[0]!.concat(',symbol,exchange'),
        ...Array.from({ length: 4_000 }, (_, row) => `${T + 60 * row},100,101,99,100,5,BTCUSDT,${row < 3_990 ? 'bybit' : 'okex'}`),
      ),
    },
    {},
    /row 3992: column "exchange": the rows are of several, "bybit" and "okex"/,
  ],
  [
    'two columns of one name',
    file('time,open,high,low,close,volume,close', `${T},100,101,99,100,5,77`, `${T + 60},100,101,99,100,5,77`),
    {},
    /columns 5 and 7 have this name; --columns close=5 or close=7 takes one by its position/,
  ],
  [
    'a column for each symbol, none of them this one',
    file('Date,AAPL,MSFT,C', '2024-01-01,13.5,25.5,492', '2024-01-02,13.6,25.6,486'),
    { kind: 'ticker' },
    /one column for each symbol, and none is named BTC; .*--columns last=<header> takes one of them/,
  ],
  [
    'volumes that no market has',
    file(
      'Day,Open,High,Low,Close,Volume',
      '2024-01-01,42280.2,44175.4,42214.9,44167.3,18426978443',
      '2024-01-02,44187.1,45899.7,44176.9,44957.9,39335274536',
    ).valueOf() && {
      'in.csv': bars(
        'date,open,high,low,close,volume',
        '2024-01-01,42280.2,44175.4,42214.9,44167.3,18426978443',
        '2024-01-02,44187.1,45899.7,44176.9,44957.9,39335274536',
      ),
    },
    { interval: '1d' },
    /as an amount of BTC the volume is worth 2e\+15 USDT a bar; --unit volume=quote: it is in USDT/,
  ],
  [
    'trades of an inverse contract',
    trades('side', ['buy', 'sell', 'buy', 'sell']),
    { ...trade, symbol: 'BTC-USD-PERP' },
    /its unit is open: "size" .*--unit quantity=base: in BTC; --quantity-factor 0.01: .*--unit quantity=quote: in USD; with --quantity-factor 100: one contract is 100 USD/,
  ],
  [
    'a file of rows that are all faulty, with --split',
    file('time,price,size,symbol', `${T},x,1,BTCUSDT`),
    { ...trade, symbol: undefined, split: true },
    /row 2: column "price": expected a decimal number, not "x"/,
  ],
])('refuses %s', async (_, files, options, message) => {
  await expect(rowsOf(files, options, options.symbol)).rejects.toMatchObject({ message: expect.stringMatching(message) });
});

const NAMES = [
  'code',
  's',
  'S',
  'asset',
  'sym',
  'name',
  'stock',
  'exchange',
  'venue',
  'source',
  'security',
  'isin',
  'what',
  'product',
  'underlying',
  'Ticker',
  'x',
  'series',
  'label',
  'key',
  'type',
];

test.each(NAMES)('two markets under "%s" are not one series', async (header) => {
  const said = /expected one symbol in all rows, not 2 \(BTCUSDT, BTCUSDC\); --only BTCUSDT takes the rows of one, --split/;
  await expect(rowsOf(trades(header, OWNERS), trade)).rejects.toMatchObject({ message: expect.stringMatching(said) });
  expect(await rowsOf(trades(header, OWNERS), { ...trade, only: 'BTCUSDT', columns: [`symbol=${header}`] })).toHaveLength(2);
  expect(await rowsOf(trades(header, OWNERS), { ...trade, columns: ['symbol=none'] })).toHaveLength(4);
});

test.each([
  ['binance', 'bybit'],
  ['AAPL', 'MSFT'],
])('rows of %s and %s are not one series', async (a, b) => {
  await expect(rowsOf(trades('where', [a, b, a, b]), trade)).rejects.toMatchObject({
    message: expect.stringContaining('expected one symbol in all rows, not 2'),
  });
});

test.each<[string, Files, Options, readonly string[]]>([
  ['a word that the user says is meant', { 'in.csv': with7('symbol', ['ETHUSDT', 'ETHUSDT']) }, { symbolIs: 'ETHUSDT' }, BAR_ROWS],
  ['the same market in another form', { 'KRW-BTC.csv': with7('market', ['KRW-BTC', 'KRW-BTC']) }, { symbol: 'BTC-KRW' }, BAR_ROWS],
  [
    'a column by its position',
    file('time,open,high,low,close,volume,close', `${T},100,101,99,77,5,100`, `${T + 60},100,101,99,77,5,100`),
    { columns: ['close=7'] },
    BAR_ROWS,
  ],
  [
    'the column of the symbol among columns of several',
    file('Date,AAPL,MSFT,C', '2024-01-01,13.5,25.5,492', '2024-01-02,13.6,25.6,486'),
    { kind: 'ticker', symbol: 'AAPL-USD' },
    ['2024-01-01T00:00:00Z,13.5', '2024-01-02T00:00:00Z,13.6'],
  ],
  [
    'an average price before the volume, without a header',
    { 'in.csv': bars(`${T},100.5,101.25,99.75,100.25,100.4,5.125`, `${T + 60},101.5,102.25,100.75,101.25,101.4,6.125`) },
    {},
    ['2024-01-01T00:00:00Z,100.5,101.25,99.75,100.25,5.125', '2024-01-01T00:01:00Z,101.5,102.25,100.75,101.25,6.125'],
  ],
  [
    'the time of the open, with a time of the close',
    {
      'in.csv': bars(
        'timeOpen;timeClose;open;high;low;close;timestamp',
        '2024-01-02T00:00:00.000Z;2024-01-02T23:59:59.999Z;100;101;99;100;2024-01-02T23:59:59.999Z',
        '2024-01-01T00:00:00.000Z;2024-01-01T23:59:59.999Z;100;101;99;100;2024-01-01T23:59:59.999Z',
      ),
    },
    {},
    ['2024-01-01T00:00:00Z,100,101,99,100,0', '2024-01-02T00:00:00Z,100,101,99,100,0'],
  ],
  // 553.3 / 5.5 = 100.6, the close: `amount` is in the base asset.
  [
    'a volume that is in quote next to an amount in base',
    {
      'in.json': JSON.stringify({
        status: 'ok',
        data: [1, 0].map((row) => ({
          id: T + 60 * row,
          open: 100.5,
          close: 100.6,
          low: 100,
          high: 101,
          amount: 5.5,
          vol: 553.3,
          count: 3,
        })),
      }),
    },
    { columns: ['time=id'] },
    ['2024-01-01T00:00:00Z,100.5,101,100,100.6,5.5', '2024-01-01T00:01:00Z,100.5,101,100,100.6,5.5'],
  ],
  [
    'a volume in quote alone',
    { 'in.csv': bars('time,open,high,low,close,volume_quote', `${T},100,101,99,100,550`, `${T + 60},100,101,99,100,30`) },
    { columns: ['volume=volume_quote'], unit: 'volume=quote' },
    ['2024-01-01T00:00:00Z,100,101,99,100,5.5', '2024-01-01T00:01:00Z,100,101,99,100,0.3'],
  ],
  // 500 / 42000 = 0.011904761904..., 8 decimals.
  [
    'inverse contracts of 100 USD',
    file('time,price,qty', `${T},42000,5`, `${T + 1},40000,4`),
    { ...trade, symbol: 'BTC-USD-PERP', unit: 'quantity=quote', quantityFactor: '100' },
    ['2024-01-01T00:00:00Z,42000,0.0119047,', '2024-01-01T00:00:01Z,40000,0.01,'].map((line) => line.replace('0.0119047', '0.01190476')),
  ],
  [
    'the base amount next to contracts',
    file('id,price,qty,base_qty,time,is_buyer_maker', `0,42000,5,0.0119,${T}000,true`, `1,42000,5,0.0119,${T + 1}000,false`),
    { ...trade, symbol: 'BTC-USD-PERP' },
    ['2024-01-01T00:00:00Z,42000,0.0119,sell', '2024-01-01T00:00:01Z,42000,0.0119,buy'],
  ],
  [
    'changes of the price, as a volume of 0',
    { 'in.csv': bars('time,open,high,low,close,tick_volume', `${T},100,101,99,100,550`, `${T + 60},100,101,99,100,30`) },
    {},
    BAR_ROWS.map((line) => line.replace(/5$/, '0')),
  ],
  // 01:30 and 01:40 exist twice on this day: rows that rise and then begin again are oldest first.
  [
    'trades that begin inside the repeated hour',
    file('time,price,size', '2024-11-03 01:30:00,1,1', '2024-11-03 01:30:00,2,1', '2024-11-03 01:10:00,3,1', '2024-11-03 01:40:00,4,1'),
    { ...trade, zone: 'America/New_York' },
    ['2024-11-03T05:30:00Z,1,1,', '2024-11-03T05:30:00Z,2,1,', '2024-11-03T06:10:00Z,3,1,', '2024-11-03T06:40:00Z,4,1,'],
  ],
])('imports %s', async (_, files, options, expected) => {
  expect(await rowsOf(files, options, options.symbol)).toEqual(expected);
});

test.each<[string, readonly string[]]>([
  ...['direction', 'type', 'S', 'taker', 'buy_sell', 'action', 'ask_bid', 'Trade Side', 'way', 'anything'].map(
    (header): [string, readonly string[]] => [header, ['sell', 'BUY', 'Sell', 'buy']],
  ),
  ['direction', ['s', 'B', 'S', 'b']],
  ['taker_side', ['-1', '1', '-1', '1']],
  ['ask_bid', ['ASK', 'BID', 'ASK', 'BID']],
  ['is_buy', ['false', 'true', 'False', 'True']],
  ['is_buy', ['0', '1', '0', '1']],
  ['isSell', ['true', 'false', 'true', 'false']],
  ['isBuyerMaker', ['true', 'false', 'true', 'false']],
  ['maker_side', ['buy', 'sell', 'buy', 'sell']],
])('the side is read under "%s" from %j', async (header, values) => {
  const rows = await rowsOf(trades(header, values), trade);
  expect(rows!.map((line) => line.split(',').at(-1))).toEqual(['sell', 'buy', 'sell', 'buy']);
});

const preview = async (files: Files, options: Options) => {
  const paths = Object.entries(files).map(([name, content]) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  });
  const printed: string[] = [];
  await dataImport(paths, { dataDir: folder, kind: 'bar', symbol: 'BTC-USDT', dryRun: true, ...options }, (line) => printed.push(line));
  return printed;
};

test('a preview has the fate of every column, for JSON too, and warns of a side that is not read', async () => {
  const rows = [0, 1]
    .map((row) => JSON.stringify({ time: T + row, price: 1.5, size: 2, taker: `x${row}`, fee: '', tradeTime: T }))
    .join('\n');
  const printed = await preview({ 'in.jsonl': rows }, trade);
  expect(printed.filter((line) => line.includes('- ('))).toEqual([
    '  taker      - (not a side by its values)',
    '  fee        - (empty)',
    '  tradeTime  - (another time)',
  ]);
  expect(printed).toContain('warning: "taker" is not read: not a side by its values; --columns side=taker takes it');
});

test.each([
  ['BTCUSDT', 'BTC-USDT'],
  ['btc/usdt', 'BTC-USDT'],
  ['BTC/USDT:USDT', 'BTC-USDT-PERP'],
  ['KRW-BTC', 'BTC-KRW'],
  ['USDT_BTC', 'BTC-USDT'],
  ['BTC_XRP', 'XRP-BTC'],
  ['BTC_ETH', undefined],
  ['ETH-BTC', 'ETH-BTC'],
  ['BTC-PERPETUAL', 'BTC-USD-PERP'],
  ['BTC_USDC-PERPETUAL', 'BTC-USDC-PERP'],
  ['BTC-29MAR24', undefined],
  ['BTC-PERP', undefined],
  ['XBTUSD', 'BTC-USD'],
  ['XXBTZUSD', 'BTC-USD'],
  ['tBTCUSD', 'BTC-USD'],
  ['PF_XBTUSD', 'BTC-USD-PERP'],
  ['BTCUSD_PERP', 'BTC-USD-PERP'],
  ['BTC-USDT-SWAP', 'BTC-USDT-PERP'],
  ['XBTUSDTM', 'BTC-USDT-PERP'],
  ['X:BTCUSD', 'BTC-USD'],
  ['BTCUSDT.P', 'BTC-USDT-PERP'],
  ['BTCUSDT-PERP.BINANCE', 'BTC-USDT-PERP'],
  ['1000PEPEUSDT', '1000PEPE-USDT'],
  ['EURUSD', 'EUR-USD'],
  ['MARKET', undefined],
  ['2781', undefined],
])('%s is %s', (text, symbol) => {
  expect(symbolOf(text)).toBe(symbol);
  if (symbol === undefined && /^[A-Z]+$|^\d+$/.test(text)) expect(marketOf(text)).toBeUndefined();
});

test.each([
  ['BTCUSDT-1m-2024-01.zip', 'BTCUSDT'],
  ['Binance_BTCUSDT_1h.csv', 'BTCUSDT'],
  ['btcusd_1-min_data.csv', 'btcusd'],
  ['deribit_trades_2024-01-01_BTC-PERPETUAL.csv.gz', 'BTC-PERPETUAL'],
  ['entry.csv', undefined],
  ['BTCUSDT-ETHUSDT.csv', undefined],
])('the name of %s says %s', (name, text) => {
  expect(nameWord(`/some/${name}`)?.text).toBe(text);
});

const HELP = { kind: 'trade', symbol: 'BTC-USDT' } as const;

test.each<[string, Files, Options, RegExp]>([
  [
    'a symbol in the wrong case',
    trades('symbol', OWNERS),
    { ...HELP, only: 'btcusdt' },
    /no row is of "btcusdt"; after --only, .*: BTCUSDT, BTCUSDC$/,
  ],
  [
    'two spellings of one market',
    trades('symbol', ['BTCUSDT', 'BTC/USDT', 'BTCUSDT', 'BTC/USDT']),
    { ...HELP, symbol: undefined, split: true },
    /the files write BTC-USDT as BTC\/USDT and as BTCUSDT; --split BTC\/USDT=BTC-USDT/,
  ],
  [
    'a price that does not fit',
    file('time,price,size', `${T},9007199254740993,1`),
    HELP,
    /does not fit a safe integer \(2\^53\); --decimals <n> rounds all prices/,
  ],
  [
    'a quantity that does not fit',
    file('time,price,size', `${T},1,9007199254740993`),
    HELP,
    /does not fit a safe integer \(2\^53\); --quantity-factor <n>/,
  ],
  [
    'rows out of order',
    file('time,price,size', `${T + 1},1,1`, `${T + 2},1,1`, `${T},1,1`),
    HELP,
    /expected rows in time order; --quarantine <file> leaves such rows out/,
  ],
  [
    'an empty price',
    file('time,price,size', `${T},1,1`, `${T + 1},,1`),
    HELP,
    /expected a decimal number, not ""; --quarantine <file> leaves such rows out/,
  ],
  [
    'an hour of bars that occurs twice',
    file('time,open,high,low,close', ...['00:00', '01:00', '01:00', '02:00'].map((time) => `2024-11-03 ${time},1,1,1,1`)),
    { symbol: 'BTC-USDT', interval: '1h' },
    /repeats that of the row before; .*--zone names the zone if an hour occurs twice/,
  ],
  [
    'columns without a header',
    { 'in.csv': bars(`${T},a,100,1,x`, `${T + 1},b,100,1,x`) },
    HELP,
    /the file has no header, and what its 5 columns are is not clear; --columns time=1,price=2,quantity=3 gives them by their positions; the first row is "1704067200, a, 100, 1, x"/,
  ],
])('says the way out of %s', async (_, files, options, message) => {
  await expect(rowsOf(files, options, options.symbol)).rejects.toMatchObject({ message: expect.stringMatching(message) });
});

test('--decimals rounds bars whose length is found', async () => {
  const rows = await rowsOf(
    file('date,open,high,low,close', '2024-01-01,175.60000610351562,176.5,175.1,175.9600000381469727', '2024-01-02,1,1,1,1'),
    { decimals: '2' },
  );
  expect(rows![0]).toBe('2024-01-01T00:00:00Z,175.6,176.5,175.1,175.96,0');
});

test.each<[string, Uint8Array, RegExp]>([
  [
    'HDF5',
    Buffer.from('\x89HDF\r\n\x1a\n', 'latin1'),
    /this is HDF5, which an import does not read; python -c "import pandas as pd; pd.read_hdf\('.*in\.bin'\)/,
  ],
  ['SQLite', Buffer.from('SQLite format 3\0', 'latin1'), /a database of SQLite, .*sqlite3 -header -csv/],
  ['Excel', zipSync({ '[Content_Types].xml': strToU8('<x/>'), 'xl/workbook.xml': strToU8('<x/>') }), /an Excel workbook, .*pd\.read_excel/],
  ['7z', Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]), /a 7z archive, .*7z x/],
  ['DBN', Buffer.from('DBN\x03'), /DBN of Databento, .*db\.DBNStore\.from_file\('.*in\.bin'\)/],
  ['a pickle', Buffer.from([0x80, 4, 0x95, 1, 2]), /a pickle of Python, .*pd\.read_pickle/],
  ['HST', Buffer.from('\x91\x01\0\0(C)opyright', 'latin1'), /HST of MetaTrader 4/],
  ['a page', Buffer.from('<!DOCTYPE html><html>'), /a web page, not data/],
])('names %s as what it is, with the line that converts it', async (_, content, message) => {
  await expect(rowsOf({ 'in.bin': content }, HELP)).rejects.toMatchObject({
    code: 'DATA_INVALID',
    message: expect.stringMatching(message),
  });
});

test('a folder, or a pattern, is imported in one command: a series of each market that the names have', async () => {
  const down = join(folder, 'download');
  mkdirSync(join(down, 'more'), { recursive: true });
  for (const [name, day, price] of [
    ['BTCUSDT-1h-1.csv', '01', 100],
    ['BTCUSDT-1h-2.csv', '02', 101],
    ['ETHUSDT-1h-1.csv', '01', 7],
  ] as const)
    writeFileSync(
      join(down, name),
      bars('time,open,high,low,close', ...['00', '01'].map((hour) => `2024-01-${day} ${hour}:00,${price},${price},${price},${price}`)),
    );
  writeFileSync(join(down, '.hidden'), 'x');
  const imported = async (path: string, options: Options) => {
    const series = await dataImport(
      [path],
      { dataDir: join(folder, 'data'), name: 'all', kind: 'bar', replace: true, ...options },
      () => {},
    );
    return series.map(({ meta }) => [meta.symbol, meta.rows]);
  };
  expect(await imported(down, { split: true })).toEqual([
    ['BTC-USDT', 4],
    ['ETH-USDT', 2],
  ]);
  expect(await imported(down, { split: 'BTCUSDT=BTC-USDT-PERP' })).toEqual([['BTC-USDT-PERP', 4]]);
  expect(await imported(join(down, 'BTC*'), { symbol: 'BTC-USDT' })).toEqual([['BTC-USDT', 4]]);
  await expect(imported(down, { symbol: 'BTC-USDT' })).rejects.toMatchObject({
    message: expect.stringContaining('the name of the file says "ETHUSDT"'),
  });
  await expect(imported(join(down, 'XRP*'), { symbol: 'XRP-USDT' })).rejects.toMatchObject({
    code: 'DATA_NOT_FOUND',
    message: expect.stringContaining('no file has such a name'),
  });
  await expect(imported(join(down, 'more'), { symbol: 'XRP-USDT' })).rejects.toMatchObject({
    message: expect.stringContaining('the folder has no files'),
  });
});
