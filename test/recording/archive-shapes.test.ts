import { expect, test } from '@jest/globals';
import type { SeriesKind } from '../../src/recording/columns/series-meta.ts';
import { Workshop } from './builders.ts';

// The columns are those that https://github.com/binance/binance-public-data and https://docs.tardis.dev/downloadable-csv-files
// describe; the rows are made up.

const shop = new Workshop();

interface Shape {
  readonly kind: SeriesKind;
  readonly header?: string;
  readonly rows: readonly string[];
  /** Epoch ms of the first row, and all columns as integers at the decimals of the rows. */
  readonly first: number;
  readonly columns: readonly (readonly number[])[];
}

const KLINE_HEADER = 'open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore';
const BARS = [[100], [104], [99], [102], [7]].map((column) => [...column, ...column]);
const TRADE_COLUMNS = [
  [942, 943],
  [15, 20],
  [1, -1],
];
const QUOTE_COLUMNS = [
  [942, 942],
  [943, 944],
  [5, 7],
  [6, 8],
];

const SHAPES: Readonly<Record<string, Shape>> = {
  'Binance spot klines of microseconds': {
    kind: 'bar',
    rows: [0, 1].map((n) => `${1735689600000000 + n * 60e6},100,104,99,102,7,${1735689659999999 + n * 60e6},700,9,3,300,0`),
    first: 1_735_689_600_000,
    columns: BARS,
  },
  'Binance futures klines': {
    kind: 'bar',
    header: KLINE_HEADER,
    rows: [0, 1].map((n) => `${1735689600000 + n * 60e3},100,104,99,102,7,${1735689659999 + n * 60e3},700,9,3,300,0`),
    first: 1_735_689_600_000,
    columns: BARS,
  },
  'Binance spot aggTrades': {
    kind: 'trade',
    rows: ['26129,94.2,1.5,27781,27781,1735689600123,False,True', '26130,94.3,2,27782,27784,1735689600125,True,True'],
    first: 1_735_689_600_123,
    columns: TRADE_COLUMNS,
  },
  'Binance futures aggTrades': {
    kind: 'trade',
    header: 'agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker',
    rows: ['26129,94.2,1.5,27781,27781,1735689600123,false', '26130,94.3,2,27782,27784,1735689600125,true'],
    first: 1_735_689_600_123,
    columns: TRADE_COLUMNS,
  },
  'Binance futures aggTrades without a header': {
    kind: 'trade',
    rows: ['26129,94.2,1.5,27781,27781,1735689600123,false', '26130,94.3,2,27782,27784,1735689600125,true'],
    first: 1_735_689_600_123,
    columns: TRADE_COLUMNS,
  },
  'Binance spot trades': {
    kind: 'trade',
    rows: ['28457,94.2,1.5,141.3,1735689600123,False,True', '28458,94.3,2,188.6,1735689600125,True,True'],
    first: 1_735_689_600_123,
    columns: TRADE_COLUMNS,
  },
  'Binance futures trades': {
    kind: 'trade',
    header: 'id,price,qty,quote_qty,time,is_buyer_maker',
    rows: ['28457,94.2,1.5,141.3,1735689600123,false', '28458,94.3,2,188.6,1735689600125,true'],
    first: 1_735_689_600_123,
    columns: TRADE_COLUMNS,
  },
  'Binance futures trades without a header': {
    kind: 'trade',
    rows: ['28457,94.2,1.5,141.3,1735689600123,false', '28458,94.3,2,188.6,1735689600125,true'],
    first: 1_735_689_600_123,
    columns: TRADE_COLUMNS,
  },
  'Binance futures bookTicker': {
    kind: 'quote',
    header: 'update_id,best_bid_price,best_bid_qty,best_ask_price,best_ask_qty,transaction_time,event_time',
    rows: ['11,94.2,0.5,94.3,0.6,1735689600001,1735689600004', '12,94.2,0.7,94.4,0.8,1735689600002,1735689600005'],
    first: 1_735_689_600_004,
    columns: QUOTE_COLUMNS,
  },
  'Binance futures bookTicker without a header': {
    kind: 'quote',
    rows: ['11,94.2,0.5,94.3,0.6,1735689600001,1735689600004', '12,94.2,0.7,94.4,0.8,1735689600002,1735689600005'],
    first: 1_735_689_600_004,
    columns: QUOTE_COLUMNS,
  },
  'Binance funding rates': {
    kind: 'funding',
    header: 'calc_time,funding_interval_hours,last_funding_rate',
    rows: ['1735689600001,8,0.0001', '1735718400000,8,-0.0002'],
    first: 1_735_689_600_001,
    columns: [[1, -2]],
  },
  'Binance mark price klines': {
    kind: 'mark',
    header: KLINE_HEADER,
    rows: ['1735689600000,94.2,95,93,94.8,0,1735689659999,0,60,0,0,0', '1735689660000,94.3,95,93,94.8,0,1735689719999,0,60,0,0,0'],
    first: 1_735_689_600_000,
    columns: [[942, 943]],
  },
  // The page of these files: https://www.binance.com/en/support/faq/binance-futures-order-book-historical-data-e707685b4e0f408fa7c1b9ccd8ea7aa9
  'Binance futures T_DEPTH, a snapshot and a change': {
    kind: 'depth',
    header: 'symbol,timestamp,trans_id,first_update_id,last_update_id,side,update_type,price,qty,pu',
    rows: [
      'BTCUSDT,1735689600000,,21,25,b,snap,94.2,1.5,-1',
      'BTCUSDT,1735689600000,,21,25,a,snap,94.3,2,-1',
      'BTCUSDT,1735689600100,7,28,31,a,set,94.3,0,25',
    ],
    first: 1_735_689_600_000,
    columns: [
      [1, -1, -1],
      [942, 943, 943],
      [15, 20, 0],
      [1, 1, 0],
      [25, 25, 31],
      [0, 0, 25],
    ],
  },
  'Binance futures T_DEPTH without numbers of the update before, where the first number says nothing of it': {
    kind: 'depth',
    header: 'symbol,timestamp,first_update_id,last_update_id,side,update_type,price,qty,pu',
    rows: ['BTCUSDT,1735689600000,21,25,b,set,94.2,1.5,', 'BTCUSDT,1735689600100,28,31,a,set,94.3,2,'],
    first: 1_735_689_600_000,
    columns: [
      [1, -1],
      [942, 943],
      [15, 20],
      [0, 0],
      [25, 31],
      [0, 0],
    ],
  },
  'Tardis incremental_book_L2': {
    kind: 'depth',
    header: 'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount',
    rows: [
      'x,BTCUSDT,1735689600120000,1735689600123001,true,bid,94.2,1.5',
      'x,BTCUSDT,1735689600120000,1735689600123001,true,ask,94.3,2',
      'x,BTCUSDT,1735689600119000,1735689600125000,false,ask,94.3,0',
    ],
    first: 1_735_689_600_123.001,
    columns: [
      [1, -1, -1],
      [942, 943, 943],
      [15, 20, 0],
      [1, 1, 0],
      [0, 0, 0],
      [0, 0, 0],
    ],
  },
  // The exchange's stamps are out of order, those of arrival are not.
  'Tardis trades': {
    kind: 'trade',
    header: 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount',
    rows: [
      'binance,BTCUSDT,1735689600120000,1735689600123001,1,buy,94.2,1.5',
      'binance,BTCUSDT,1735689600119000,1735689600125000,2,sell,94.3,2',
    ],
    first: 1_735_689_600_123.001,
    columns: TRADE_COLUMNS,
  },
  'Tardis quotes': {
    kind: 'quote',
    header: 'exchange,symbol,timestamp,local_timestamp,ask_amount,ask_price,bid_price,bid_amount',
    rows: [
      'binance,BTCUSDT,1735689600120000,1735689600123001,0.6,94.3,94.2,0.5',
      'binance,BTCUSDT,1735689600119000,1735689600125000,0.8,94.4,94.2,0.7',
    ],
    first: 1_735_689_600_123.001,
    columns: QUOTE_COLUMNS,
  },
  'Tardis derivative_ticker, its marks': {
    kind: 'mark',
    header:
      'exchange,symbol,timestamp,local_timestamp,funding_timestamp,funding_rate,predicted_funding_rate,open_interest,last_price,index_price,mark_price',
    rows: ['x,BTCUSDT,1735689600120000,1735689600123001,,,,,94,95,94.2', 'x,BTCUSDT,1735689600119000,1735689600125000,,,,,94,95,94.3'],
    first: 1_735_689_600_123.001,
    columns: [[942, 943]],
  },
};

test.each(Object.entries(SHAPES))('%s are recognised by their columns', (_, { kind, header, rows, first, columns }) => {
  const text = [...(header === undefined ? [] : [header]), ...rows].join('\n');
  const meta = shop.import(text, { kind, symbol: kind === 'mark' || kind === 'funding' ? 'BTC-USDT-PERP' : 'BTC-USDT' });
  expect(meta.firstTime).toBe(first);
  expect(shop.read(meta).columns).toEqual(columns);
});
