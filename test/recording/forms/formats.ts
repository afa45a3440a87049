import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { zipSync } from 'fflate';
import type { Form } from './forms.ts';
import { barLines, barRows, DAY, HOUR, npy, START, stamped, text, utf16, zipped } from './writers.ts';

// Small samples of the files of each known format, made here: the columns and forms are those that its publisher documents.

const bar = { kind: 'bar', symbol: 'BTC-USDT' } as const;
const trade = { kind: 'trade', symbol: 'BTC-USDT' } as const;
const quote = { kind: 'quote', symbol: 'BTC-USDT' } as const;
const depth = { kind: 'depth', symbol: 'BTC-USDT' } as const;
const funding = { kind: 'funding', symbol: 'BTC-USDT-PERP' } as const;

const iso = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z');
const BARS = barRows(4);
const OUT = BARS.map(({ time, open, high, low, close, volume }) => [iso(time), open, high, low, close, volume].join(','));
const T = START;
const TRADES = [`${iso(T)},94000.5,1.5,buy`, `${iso(T + 1_250)},94000,2,sell`];
const QUOTES = [`${iso(T)},94000,94000.5,1.5,2`, `${iso(T + 1_250)},94000.5,94001,3,0.5`];
const rows = (header: string, ...lines: readonly string[]) => text(header === '' ? lines : [header, ...lines]);
const bars = (header: string, line: (row: (typeof BARS)[number]) => string) => rows(header, ...BARS.map(line));

function form(
  format: string,
  what: string,
  options: Form['options'],
  content: string | Uint8Array,
  expected: Form['expected'],
  name = 'in.csv',
): Form {
  return { title: `${format}: ${what}`, files: { [name]: content }, options, expected };
}

const KLINE = ({ time, open, high, low, close, volume }: (typeof BARS)[number], unit = '') =>
  `${time}${unit},${open},${high},${low},${close},${volume},${time + HOUR - 1}${unit},1000000,42,5,470000,0`;
const KLINE_HEADER = 'open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore';

/** Three rows: the time, contracts of 0.01, the same in the base asset, and in quote at a price of 100. */
const THREE = [
  [T, 550, 5.5, 550],
  [T + HOUR, 50, 0.5, 50],
  [T + 2 * HOUR, 300, 3, 300],
] as const;

const EXCHANGES: readonly Form[] = [
  form(
    'htx',
    'klines, whose amount is in the base asset',
    { ...bar, format: 'htx' },
    JSON.stringify({
      status: 'ok',
      data: [...THREE]
        .reverse()
        .map(([at, , amount, quote]) => ({ id: at / 1_000, open: 100, close: 100, low: 99, high: 101, amount, vol: quote, count: 3 })),
    }),
    THREE.map(([at, , amount]) => `${iso(at)},100,101,99,100,${amount}`),
    'in.json',
  ),
  form(
    'okx',
    'candles of a swap, whose volume is in contracts of 0.01',
    { ...bar, symbol: 'BTC-USDT-PERP', format: 'okx' },
    rows('ts,open,high,low,close,vol,volCcy', ...THREE.map(([at, contracts, amount]) => `${at},100,101,99,100,${contracts},${amount}`)),
    THREE.map(([at, , amount]) => `${iso(at)},100,101,99,100,${amount}`),
  ),
  form(
    'bitmex',
    'buckets, at the time of their close and in the base asset',
    { ...bar, symbol: 'BTC-USD-PERP', symbolIs: 'XBTUSD', format: 'bitmex' },
    rows(
      'timestamp,symbol,open,high,low,close,trades,volume,vwap,lastSize,turnover,homeNotional,foreignNotional',
      ...THREE.map(([at, , amount, quote]) => `${iso(at + HOUR)},XBTUSD,100,101,99,100,4,${quote},100,1,1e8,${amount},${quote}`),
    ),
    THREE.map(([at, , amount]) => `${iso(at)},100,101,99,100,${amount}`),
  ),
  form(
    'deribit',
    'trades of an inverse contract, in USD',
    { ...trade, symbol: 'BTC-USD-PERP', format: 'deribit' },
    JSON.stringify({
      result: {
        trades: THREE.map(([at, , amount, quote], index) => ({
          ...{ trade_seq: index, trade_id: `${index}`, timestamp: at, tick_direction: 2, price: quote / amount, mark_price: 100 },
          ...{ instrument_name: 'BTC-PERPETUAL', index_price: 100, direction: 'sell', amount: quote },
        })),
      },
    }),
    THREE.map(([at, , amount, quote]) => `${iso(at)},${quote / amount},${amount},sell`),
    'in.json',
  ),
  ...(
    [
      ['deribit', 'BTC-PERPETUAL', 1],
      ['bitmex', 'XBTUSD', 1],
      ['bybit', 'BTCUSD', 1],
      ['cryptofacilities', 'PI_XBTUSD', 1],
      ['binance-delivery', 'BTCUSD_PERP', 100],
    ] as const
  ).map(([exchange, symbol, usd]) =>
    form(
      'tardis',
      `trades of an inverse contract of ${exchange}`,
      { ...trade, symbol: 'BTC-USD-PERP' },
      rows(
        'exchange,symbol,timestamp,local_timestamp,id,side,price,amount',
        ...THREE.map(([at, , amount, quote]) => `${exchange},${symbol},${at}000,${at}000,1,buy,${quote / amount},${quote / usd}`),
      ),
      THREE.map(([at, , amount, quote]) => `${iso(at)},${quote / amount},${amount},buy`),
    ),
  ),
  form(
    'tardis',
    'trades in contracts',
    { ...trade, symbol: 'BTC-USDT-PERP' },
    rows('exchange,symbol,timestamp,local_timestamp,id,side,price,amount', `okex-swap,BTC-USDT-SWAP,${T}000,${T}000,1,buy,100,5`),
    /its unit is open: "amount" is in contracts; .*--quantity-factor 0\.01: one contract is 0\.01 BTC/,
  ),
  form(
    'coinmarketcap',
    'days, with the time of the open and a volume in USD',
    { ...bar, symbol: 'BTC-USD', format: 'coinmarketcap' },
    rows(
      'timeOpen;timeClose;timeHigh;timeLow;name;open;high;low;close;volume;marketCap;timestamp',
      ...[...THREE]
        .reverse()
        .map(([at, , , quote]) => `"${iso(at)}";"${iso(at + HOUR - 1)}";;;"2781";100;101;99;100;${quote};1e12;"${iso(at + HOUR - 1)}"`),
    ),
    THREE.map(([at, , amount]) => `${iso(at)},100,101,99,100,${amount}`),
  ),
  form(
    'coingecko',
    'prices of days',
    { kind: 'ticker', symbol: 'BTC-USD', format: 'coingecko' },
    rows(
      'snapped_at,price,market_cap,total_volume',
      ...THREE.map(([at]) => `${stamped(at, '{yyyy}-{MM}-{dd} {HH}:{mm}:{ss}')} UTC,100.5,1e12,1e10`),
    ),
    THREE.map(([at]) => `${iso(at)},100.5`),
  ),
  form(
    'yahoo',
    'days of a coin, whose volume is in USD',
    { ...bar, symbol: 'SOL-USD', format: 'yahoo' },
    rows(
      'Date,Open,High,Low,Close,Adj Close,Volume',
      ...[0, 1, 2].map((day) => `2025-01-0${day + 1},100,101,99,100,100,${THREE[day]![3]}`),
    ),
    [0, 1, 2].map((day) => `2025-01-0${day + 1}T00:00:00Z,100,101,99,100,${THREE[day]![2]}`),
  ),
  form(
    'binance-vision',
    'spot klines',
    { ...bar, format: 'binance-vision' },
    bars('', (row) => KLINE(row)),
    OUT,
  ),
  form(
    'binance-vision',
    'spot klines in microseconds',
    bar,
    bars('', (row) => KLINE(row, '000')),
    OUT,
  ),
  form(
    'binance-vision',
    'futures klines',
    { ...bar, symbol: 'BTC-USDT-PERP', format: 'binance-vision' },
    bars(KLINE_HEADER, (row) => KLINE(row)),
    OUT,
  ),
  form(
    'binance-vision',
    'mark price klines',
    { kind: 'mark', symbol: 'BTC-USDT-PERP' },
    bars(KLINE_HEADER, (row) => KLINE(row)),
    BARS.map(({ time, open }) => `${iso(time)},${open}`),
  ),
  form(
    'binance-vision',
    'spot trades',
    { ...trade, format: 'binance-vision' },
    rows('', `7,94000.50,1.5,141000.75,${T}000,False,True`, `8,94000.00,2,188000,${T + 1_250}000,True,True`),
    TRADES,
  ),
  form(
    'binance-vision',
    'aggregated trades of futures',
    { ...trade, format: 'binance-vision' },
    rows(
      'agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker',
      `1,94000.5,1.5,7,7,${T},false`,
      `2,94000.0,2,8,9,${T + 1_250},true`,
    ),
    TRADES,
  ),
  form(
    'binance-vision',
    'bookTicker',
    { ...quote, format: 'binance-vision' },
    rows(
      'update_id,best_bid_price,best_bid_qty,best_ask_price,best_ask_qty,transaction_time,event_time',
      `1,94000.0,1.5,94000.5,2,${T},${T}`,
      `2,94000.5,3,94001.0,0.5,${T + 1_250},${T + 1_250}`,
    ),
    QUOTES,
  ),
  form(
    'binance-vision',
    'depth of futures',
    { ...depth, format: 'binance-vision' },
    rows(
      'symbol,timestamp,first_update_id,last_update_id,side,update_type,price,qty,pu',
      `BTCUSDT,${T},1,2,b,snap,94000.5,1.5,-1`,
      `BTCUSDT,${T},1,2,a,snap,94001.0,2,-1`,
      `BTCUSDT,${T + 1_250},3,4,b,set,94000.5,0,2`,
    ),
    [`${iso(T)},buy,94000.5,1.5,true,2,`, `${iso(T)},sell,94001,2,true,2,`, `${iso(T + 1_250)},buy,94000.5,0,false,4,2`],
  ),
  form(
    'binance-vision',
    'bookDepth',
    depth,
    rows('timestamp,percentage,depth,notional', '2025-01-14 08:00:00,-1,10,940000'),
    /bookDepth has sums/,
  ),
  form(
    'binance-vision',
    'funding',
    { ...funding, format: 'binance-vision' },
    rows('calc_time,funding_interval_hours,last_funding_rate', `${T},8,0.00010000`, `${T + 8 * HOUR},8,-0.00002500`),
    [`${iso(T)},0.0001`, `${iso(T + 8 * HOUR)},-0.000025`],
  ),
  form(
    'bybit',
    'trades of a linear contract, newest first',
    { ...trade, format: 'bybit' },
    rows(
      'timestamp,symbol,side,size,price,tickDirection,trdMatchID,grossValue,homeNotional,foreignNotional',
      `${T / 1_000 + 1}.2500,BTCUSDT,Sell,2,94000.00,ZeroMinusTick,b,1.88e+13,2,188000`,
      `${T / 1_000}.0000,BTCUSDT,Buy,1.5,94000.50,PlusTick,a,1.41e+13,1.5,141000.75`,
    ),
    TRADES,
  ),
  form(
    'bybit',
    'trades of an inverse contract',
    { ...trade, symbol: 'BTC-USD-PERP' },
    rows(
      'timestamp,symbol,side,size,price,tickDirection,trdMatchID,grossValue,homeNotional,foreignNotional',
      `${T / 1_000},BTCUSD,Buy,94000,94000,PlusTick,a,1e8,1,94000`,
      `${T / 1_000 + 1},BTCUSD,Sell,47000,94000,PlusTick,b,5e7,0.5,47000`,
    ),
    [`${iso(T)},94000,1,buy`, `${iso(T + 1_000)},94000,0.5,sell`],
  ),
  form(
    'bybit',
    'spot trades',
    { ...trade, format: 'bybit' },
    rows('id,timestamp,price,volume,side', `1,${T},94000.5,1.5,buy`, `2,${T + 1_250},94000,2,sell`),
    TRADES,
  ),
  form(
    'bybit',
    'bars',
    { ...bar, format: 'bybit' },
    bars(
      'startTime,openPrice,highPrice,lowPrice,closePrice,volume,turnover',
      (r) => `${r.time},${r.open},${r.high},${r.low},${r.close},${r.volume},1`,
    ),
    OUT,
  ),
  form(
    'okx',
    'spot trades with translated headers',
    { ...trade, format: 'okx' },
    rows(
      'instrument_name/产品名称,trade_id/交易id,side/交易方向,size/数量,price/价格,created_time/成交时间',
      `BTC-USDT,1,BUY,1.5,94000.5,${T}`,
      `BTC-USDT,2,SELL,2,94000,${T + 1_250}`,
    ),
    TRADES,
  ),
  form(
    'okx',
    'trades of a swap, whose sizes are contracts',
    { ...trade, symbol: 'BTC-USDT-PERP' },
    rows('instrument_name,trade_id,side,price,size,created_time', `BTC-USDT-SWAP,1,buy,94000.5,150,${T}`),
    /sizes of futures are in contracts; --quantity-factor <n>/,
  ),
  form(
    'okx',
    'the same with --quantity-factor',
    { ...trade, symbol: 'BTC-USDT-PERP', quantityFactor: '0.01' },
    rows(
      'instrument_name,trade_id,side,price,size,created_time',
      `BTC-USDT-SWAP,1,buy,94000.5,150,${T}`,
      `BTC-USDT-SWAP,2,sell,94000,200,${T + 1_250}`,
    ),
    TRADES,
  ),
  form(
    'okx',
    'bars of a swap',
    { ...bar, symbol: 'BTC-USDT-PERP', format: 'okx' },
    bars(
      'instrument_name,open,high,low,close,vol,vol_ccy,vol_quote,open_time,confirm',
      (r) => `BTC-USDT-SWAP,${r.open},${r.high},${r.low},${r.close},1050,${r.volume},999,${r.time},1`,
    ),
    OUT,
  ),
];

const BTC_BAR =
  (separator: string, time: (ms: number) => string, tail = '') =>
  (r: (typeof BARS)[number]) =>
    [time(r.time), r.open, r.high, r.low, r.close, r.volume].join(separator) + tail;
const at = (pattern: string) => (ms: number) => stamped(ms, pattern);

const VENDORS: readonly Form[] = [
  form(
    'cryptodatadownload',
    'hours, newest first, below an address',
    { ...bar, format: 'cryptodatadownload' },
    rows(
      'https://www.CryptoDataDownload.com',
      'unix,date,symbol,open,high,low,close,Volume BTC,Volume USDT,tradecount',
      ...BARS.map((r) => `${r.time},${iso(r.time)},BTCUSDT,${r.open},${r.high},${r.low},${r.close},${r.volume},1000000,7`).reverse(),
    ),
    OUT,
  ),
  form(
    'cryptodatadownload',
    'hours with AM and PM',
    bar,
    rows(
      'https://www.CryptoDataDownload.com',
      'Date,Symbol,Open,High,Low,Close,Volume BTC,Volume USDT',
      ...BARS.map(
        (r) => `${stamped(r.time, '{yyyy}-{MM}-{dd} {hh}-{a}')},BTCUSDT,${r.open},${r.high},${r.low},${r.close},${r.volume},1000000`,
      ),
    ),
    OUT,
  ),
  form(
    'kaiko',
    'trades',
    { ...trade, format: 'kaiko' },
    rows('id,exchange,symbol,date,price,amount,sell', `1,bs,btcusdt,${T},94000.5,1.5,false`, `2,bs,btcusdt,${T + 1_250},94000,2,true`),
    TRADES,
  ),
  form(
    'kaiko',
    'trades of the newer kind',
    { ...trade, format: 'kaiko' },
    rows('timestamp,trade_id,price,amount,taker_side_sell', `${T},1,94000.5,1.5,False`, `${T + 1_250},2,94000,2,True`),
    TRADES,
  ),
  form(
    'tardis',
    'trades',
    { ...trade, format: 'tardis' },
    rows(
      'exchange,symbol,timestamp,local_timestamp,id,side,price,amount',
      `binance,BTCUSDT,${T - 5}000,${T}000,1,buy,94000.5,1.5`,
      `binance,BTCUSDT,${T + 1_240}000,${T + 1_250}000,2,sell,94000,2`,
    ),
    TRADES,
  ),
  form(
    'tardis',
    'book_snapshot',
    { ...quote, format: 'tardis' },
    rows(
      'exchange,symbol,timestamp,local_timestamp,asks[0].price,asks[0].amount,bids[0].price,bids[0].amount,asks[1].price,asks[1].amount',
      `binance,BTCUSDT,${T}000,${T}000,94000.5,2,94000,1.5,94002,1`,
      `binance,BTCUSDT,${T + 1_250}000,${T + 1_250}000,94001,0.5,94000.5,3,94002,1`,
    ),
    QUOTES,
  ),
  form(
    'tardis',
    'predicted rates',
    funding,
    rows(
      'exchange,symbol,timestamp,local_timestamp,funding_timestamp,funding_rate,predicted_funding_rate,open_interest,last_price,index_price,mark_price',
      `binance,BTCUSDT,${T}000,${T}000,${T + HOUR}000,0.0001,,1,94000,94000,94000`,
    ),
    /derivative_ticker has a predicted rate/,
  ),
  form(
    'databento',
    'trades with fixed prices',
    { ...trade, format: 'databento' },
    rows(
      'ts_recv,ts_event,rtype,publisher_id,instrument_id,action,side,depth,price,size,flags,ts_in_delta,sequence,symbol',
      `${T}000000,${T - 1}000000,0,1,42,T,B,0,94000500000000,2,0,1,7,BTCF5`,
      `${T + 1_250}000000,${T}000000,0,1,42,T,A,0,94000000000000,3,0,1,8,BTCF5`,
    ),
    [`${iso(T)},94000.5,2,buy`, `${iso(T + 1_250)},94000,3,sell`],
  ),
  form(
    'databento',
    'bars',
    { ...bar, format: 'databento' },
    bars(
      'ts_event,rtype,publisher_id,instrument_id,open,high,low,close,volume,symbol',
      (r) =>
        `${stamped(r.time, '{yyyy}-{MM}-{dd}T{HH}:{mm}:{ss}')}.000000000Z,34,1,42,${r.open},${r.high},${r.low},${r.close},${r.volume},BTCF5`,
    ),
    OUT,
  ),
  form(
    'databento',
    'quotes',
    { ...quote, format: 'databento' },
    rows(
      'ts_recv,ts_event,rtype,publisher_id,instrument_id,action,side,depth,price,size,bid_px_00,ask_px_00,bid_sz_00,ask_sz_00,symbol',
      `${T}000000,${T}000000,1,1,42,A,B,0,94000.0,1,94000.0,94000.5,1.5,2,BTCF5`,
      `${T + 1_250}000000,${T}000000,1,1,42,A,B,0,94000.5,1,94000.5,94001.0,3,0.5,BTCF5`,
    ),
    QUOTES,
  ),
  form(
    'polygon',
    'bars',
    { ...bar, format: 'polygon' },
    bars(
      'ticker,volume,open,close,high,low,window_start,transactions',
      (r) => `X:BTC-USD,${r.volume},${r.open},${r.close},${r.high},${r.low},${r.time}000000,5`,
    ),
    OUT,
  ),
  form(
    'polygon',
    'trades',
    { ...trade, format: 'polygon' },
    rows(
      'ticker,conditions,exchange,id,participant_timestamp,price,size',
      `X:BTC-USD,2,1,1,${T}000000,94000.5,1.5`,
      `X:BTC-USD,1,1,2,${T + 1_250}000000,94000,2`,
    ),
    TRADES.map((line) => line.replace(/,(buy|sell)$/, ',')),
  ),
  form(
    'yahoo',
    'days of a share, whose volume is in shares',
    { ...bar, symbol: 'AAPL-USD', format: 'yahoo' },
    rows(
      'Date,Open,High,Low,Close,Adj Close,Volume',
      ...barLines(barRows(3, DAY, Date.UTC(2025, 0, 1)), { header: [], time: at('{yyyy}-{MM}-{dd}') }).map((line) =>
        line.replace(/,([^,]*),([^,]*)$/, ',$1,$1,$2'),
      ),
    ),
    barRows(3, DAY, Date.UTC(2025, 0, 1)).map((r) => [iso(r.time), r.open, r.high, r.low, r.close, r.volume].join(',')),
  ),
  form(
    'yahoo',
    'three lines of header, as yfinance writes them',
    { ...bar, symbol: 'BTC-USD', format: 'yahoo', unit: 'volume=base' },
    rows(
      'Price,Close,High,Low,Open,Volume',
      'Ticker,BTC-USD,BTC-USD,BTC-USD,BTC-USD,BTC-USD',
      'Datetime,,,,,',
      ...BARS.map((r) => `${stamped(r.time, '{yyyy}-{MM}-{dd} {HH}:{mm}:{ss}')}+00:00,${r.close},${r.high},${r.low},${r.open},${r.volume}`),
    ),
    OUT,
  ),
  form(
    'yahoo',
    'several symbols side by side',
    { ...bar, only: 'BTC-USD', unit: 'volume=base' },
    rows(
      'Price,Close,Close,High,High,Low,Low,Open,Open,Volume,Volume',
      'Ticker,ETH-USD,BTC-USD,ETH-USD,BTC-USD,ETH-USD,BTC-USD,ETH-USD,BTC-USD,ETH-USD,BTC-USD',
      'Datetime,,,,,,,,,,',
      ...BARS.map(
        (r) => `${stamped(r.time, '{yyyy}-{MM}-{dd} {HH}:{mm}:{ss}')}+00:00,1,${r.close},1,${r.high},1,${r.low},1,${r.open},1,${r.volume}`,
      ),
    ),
    OUT,
  ),
  form(
    'stooq',
    'hours',
    { ...bar, format: 'stooq' },
    bars(
      '<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>',
      (r) => `BTC.V,60,${BTC_BAR(',', at('{yyyy}{MM}{dd},{HH}{mm}{ss}'), ',0')(r)}`,
    ),
    OUT,
  ),
  form(
    'dukascopy',
    'bars',
    { ...bar, format: 'dukascopy' },
    bars('Gmt time,Open,High,Low,Close,Volume', BTC_BAR(',', at('{dd}.{MM}.{yyyy} {HH}:{mm}:{ss}.{SSS}'))),
    OUT,
  ),
  form(
    'dukascopy',
    'bars in local time',
    { ...bar, format: 'dukascopy' },
    bars(
      'Local time,Open,High,Low,Close,Volume',
      BTC_BAR(',', (ms) => `${stamped(ms + HOUR, '{dd}.{MM}.{yyyy} {HH}:{mm}:{ss}.{SSS}')} GMT+0100`),
    ),
    OUT,
  ),
  form(
    'dukascopy',
    'ticks',
    { ...quote, format: 'dukascopy' },
    rows(
      'Gmt time,Ask,Bid,AskVolume,BidVolume',
      '14.01.2025 08:00:00.000,94000.5,94000,2,1.5',
      '14.01.2025 08:00:01.250,94001,94000.5,0.5,3',
    ),
    QUOTES,
  ),
  form(
    'histdata',
    'minutes in eastern standard time',
    { ...bar, format: 'histdata' },
    bars(
      '',
      BTC_BAR(';', (ms) => stamped(ms - 5 * HOUR, '{yyyy}{MM}{dd} {HH}{mm}{ss}')),
    ),
    OUT,
  ),
  form(
    'histdata',
    'ticks',
    { ...quote, format: 'histdata', quoteQuantity: '1' },
    rows('', '20250114 030000000,94000.000000,94000.500000,0', '20250114 030001250,94000.500000,94001.000000,0'),
    [`${iso(T)},94000,94000.5,1,1`, `${iso(T + 1_250)},94000.5,94001,1,1`],
  ),
  form(
    'histdata',
    'a zip file with its report',
    bar,
    zipped({
      'DAT_MT_BTCUSDT_M1_202501.csv': bars(
        '',
        BTC_BAR(',', (ms) => stamped(ms - 5 * HOUR, '{yyyy}.{MM}.{dd},{HH}:{mm}')),
      ),
      'DAT_MT_BTCUSDT_M1_202501.txt': 'Gap of 120s found\n',
    }),
    OUT,
    'HISTDATA_COM_MT_BTCUSDT_M1_202501.zip',
  ),
];

const MS = { ev: ['ev', '<u8'], exch: ['exch_ts', '<i8'], local: ['local_ts', '<i8'], px: ['px', '<f8'], qty: ['qty', '<f8'] } as const;
const HFT = [MS.ev, MS.exch, MS.local, MS.px, MS.qty, ['order_id', '<u8'], ['ival', '<i8'], ['fval', '<f8']] as const;
const BOTH = (1n << 31n) | (1n << 30n);
const [BUY, SELL] = [1n << 29n, 1n << 28n];
const hftRow = (type: bigint, side: bigint, ms: number, px: number, qty: number, flags = BOTH) =>
  [flags | side | type, BigInt(ms - 5) * 1_000_000n, BigInt(ms) * 1_000_000n, px, qty, 0, 0, 0] as const;
const HFT_ROWS = [
  hftRow(3n, BUY, T, 0, 0),
  hftRow(4n, BUY, T, 94_000, 1.5),
  hftRow(4n, SELL, T, 94_000.5, 2),
  hftRow(2n, BUY, T, 94_000.5, 1.5),
  // The exchange's side alone.
  hftRow(2n, BUY, T + 1_000, 94_000.5, 1.5, 1n << 31n),
  hftRow(1n, BUY, T + 1_250, 94_000, 0),
  hftRow(2n, SELL, T + 1_250, 94_000, 2),
];
const HFT_FILE = zipSync({ 'data.npy': npy(HFT, HFT_ROWS) });
const FEATHER = tableToIPC(
  tableFromArrays({
    date: BigInt64Array.from(BARS.map(({ time }) => BigInt(time))),
    open: Float64Array.from(BARS, ({ open }) => Number(open)),
    high: Float64Array.from(BARS, ({ high }) => Number(high)),
    low: Float64Array.from(BARS, ({ low }) => Number(low)),
    close: Float64Array.from(BARS, ({ close }) => Number(close)),
    volume: Float64Array.from(BARS, ({ volume }) => Number(volume)),
  }),
  'file',
);

const PLATFORMS: readonly Form[] = [
  form(
    'metatrader',
    'bars of MetaTrader 5 in UTF-16',
    { ...bar, format: 'metatrader', unit: 'volume=ticks' },
    utf16(
      bars(
        '<DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>',
        BTC_BAR('\t', at('{yyyy}.{MM}.{dd}\t{HH}:{mm}:{ss}'), '\t0\t12'),
      ),
    ),
    OUT,
  ),
  form(
    'metatrader',
    'bars of MetaTrader 4, whose volume counts changes of the price',
    { ...bar, format: 'metatrader' },
    bars('', BTC_BAR(',', at('{yyyy}.{MM}.{dd},{HH}:{mm}'))),
    OUT.map((line) => line.replace(/,[^,]*$/, ',0')),
  ),
  form(
    'metatrader',
    "bars in a broker's zone",
    { ...bar, zone: 'EET', unit: 'volume=ticks' },
    bars(
      '',
      BTC_BAR(',', (ms) => stamped(ms + 2 * HOUR, '{yyyy}.{MM}.{dd},{HH}:{mm}')),
    ),
    OUT,
  ),
  form(
    'metatrader',
    'ticks whose unchanged side is blank',
    { ...quote, format: 'metatrader', quoteQuantity: '1' },
    rows(
      '<DATE>\t<TIME>\t<BID>\t<ASK>\t<LAST>\t<VOLUME>\t<FLAGS>',
      '2025.01.14\t08:00:00.000\t94000\t\t\t\t2',
      '2025.01.14\t08:00:00.100\t\t94000.5\t\t\t4',
      '2025.01.14\t08:00:00.250\t94000.25\t\t\t\t2',
      '2025.01.14\t08:00:00.300\t\t\t94000.5\t1\t24',
      '2025.01.14\t08:00:01.000\t94000.125\t94000.75\t\t\t6',
      '2025.01.14\t08:00:02.000\t\t94000.5\t\t\t4',
    ),
    [
      '2025-01-14T08:00:00.100Z,94000,94000.5,1,1',
      '2025-01-14T08:00:00.250Z,94000.25,94000.5,1,1',
      '2025-01-14T08:00:01Z,94000.125,94000.75,1,1',
      '2025-01-14T08:00:02Z,94000.125,94000.5,1,1',
    ],
  ),
  form(
    'freqtrade',
    'bars in JSON',
    { ...bar, format: 'freqtrade' },
    JSON.stringify(BARS.map(({ time, ...rest }) => [time, ...Object.values(rest).map(Number)])),
    OUT,
    'BTC_USDT-1h.json',
  ),
  form(
    'freqtrade',
    'trades in JSON',
    { ...trade, format: 'freqtrade' },
    JSON.stringify([
      [T, '1', null, 'buy', 94_000.5, 1.5, 141_000.75],
      [T + 1_250, '2', null, 'sell', 94_000, 2, 188_000],
    ]),
    TRADES,
    'BTC_USDT-trades.json',
  ),
  form('freqtrade', 'bars in feather', { ...bar, format: 'freqtrade' }, FEATHER, OUT, 'BTC_USDT-1h.feather'),
  form(
    'lean',
    'minutes in a zip file, from the midnight in its name',
    { ...bar, format: 'lean' },
    zipped({
      '20250114_btcusdt_minute_trade.csv': bars(
        '',
        BTC_BAR(',', (ms) => String(ms - Date.UTC(2025, 0, 14))),
      ),
    }),
    OUT,
    '20250114_trade.zip',
  ),
  form(
    'lean',
    'hours',
    { ...bar, format: 'lean' },
    zipped({ 'btcusdt.csv': bars('', BTC_BAR(',', at('{yyyy}{MM}{dd} {HH}:{mm}'))) }),
    OUT,
    'btcusdt_trade.zip',
  ),
  form(
    'lean',
    'a day without its name',
    { ...bar, format: 'lean' },
    bars(
      '',
      BTC_BAR(',', (ms) => String(ms - Date.UTC(2025, 0, 14))),
    ),
    /no file of lean with a bar in each row/,
    'in.csv',
  ),
  form(
    'lean',
    'prices that may be ten-thousandths',
    bar,
    rows('', '28800000,940002,940105,939901,940007,5', '32400000,940002,940105,939901,940007,5'),
    /--price-factor 0\.0001 or 1 says what they are/,
    '20250114_spy_minute_trade.csv',
  ),
  form(
    'lean',
    'ten-thousandths with --price-factor',
    { ...bar, priceFactor: '0.0001' },
    rows('', '28800000,940002,940105,939901,940007,5', '32400000,940002,940105,939901,940007,5'),
    ['2025-01-14T08:00:00Z,94.0002,94.0105,93.9901,94.0007,5', '2025-01-14T09:00:00Z,94.0002,94.0105,93.9901,94.0007,5'],
    '20250114_spy_minute_trade.csv',
  ),
  form(
    'jesse',
    'bars',
    { ...bar, format: 'jesse' },
    bars('timestamp,open,close,high,low,volume', (r) => `${r.time},${r.open},${r.close},${r.high},${r.low},${r.volume}`),
    OUT,
  ),
  form('hftbacktest', 'trades', { ...trade, format: 'hftbacktest' }, HFT_FILE, TRADES, 'btcusdt.npz'),
  form(
    'hftbacktest',
    'depth',
    { ...depth, format: 'hftbacktest' },
    HFT_FILE,
    [`${iso(T)},buy,94000,1.5,true,,`, `${iso(T)},sell,94000.5,2,true,,`, `${iso(T + 1_250)},buy,94000,0,false,,`],
    'btcusdt.npz',
  ),
];

export const FORMATS: readonly Form[] = [...EXCHANGES, ...VENDORS, ...PLATFORMS];
