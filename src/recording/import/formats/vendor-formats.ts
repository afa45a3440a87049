import { normalised, volumeAsset } from '../csv/csv-aliases.ts';
import { isInverseOfDeribit } from './exchange-formats.ts';
import type { Format, FormatReading, Sample } from './format.ts';

/** The header as the file has it. */
function written({ headers = [] }: Sample, name: string): string {
  return headers.find((header) => normalised(header) === name) ?? '';
}

const has = (sample: Sample, name: string) => written(sample, name) !== '';

/** The values of a column in the first rows. */
function valuesOf(sample: Sample, name: string): readonly string[] {
  const index = (sample.headers ?? []).indexOf(written(sample, name));
  return index < 0 ? [] : sample.rows.map((row) => row[index] ?? '');
}

/** A vendor's names of our columns, where the file has them. */
function named(sample: Sample, names: Readonly<Record<string, string>>): FormatReading {
  const there = Object.entries(names).filter(([, theirs]) => has(sample, theirs));
  return { names: Object.fromEntries(there.map(([own, theirs]) => [own, written(sample, theirs)])) };
}

const NANO = { digits: 1n, decimals: 9 };

/** Databento writes prices as integers of 1e-9 unless it is asked for decimals. */
function databento(sample: Sample, names: Readonly<Record<string, string>>, price: string): FormatReading {
  const prices = valuesOf(sample, price);
  const isFixed = prices.length > 0 && prices.every((text) => /^-?\d{7,}$/.test(text));
  const time = has(sample, 'tsrecv') ? 'tsrecv' : 'tsevent';
  return { ...named(sample, { time, symbol: 'symbol', ...names }), ...(isFixed && { factors: { price: NANO } }) };
}

/** Exchanges whose amounts are in contracts, in Tardis's files; those of inverse contracts of Binance are of 100 or 10 USD. */
const IN_CONTRACTS = /^(okex-swap|okex-futures|huobi-dm|huobi-dm-swap|huobi-dm-linear-swap|gate-io-futures|kucoin-futures)$/;
/** Inverse contracts whose amounts are in USD, by exchange. */
const IN_USD: Readonly<Record<string, RegExp>> = {
  ...{ bitmex: /USD(?!T|C)/, bybit: /USD(?!T|C)|[A-Z]{3}USD[A-Z]\d\d$/, cryptofacilities: /^[PF]I_/i, 'binance-delivery': /USD/ },
};

/** Tardis has amounts as the exchange gives them. */
function tardisAmounts(sample: Sample, names: readonly string[]): FormatReading {
  const [exchange = '', symbol = ''] = ['exchange', 'symbol'].map((name) => valuesOf(sample, name)[0]);
  const isInUsd = exchange === 'deribit' ? isInverseOfDeribit(symbol) : IN_USD[exchange]?.test(symbol) === true;
  const isContracts = IN_CONTRACTS.test(exchange) || (exchange === 'bitmex' && !isInUsd);
  if (!isInUsd && !isContracts) return {};
  const units = Object.fromEntries(names.map((name) => [name, isInUsd ? 'quote' : 'contracts'] as const));
  const usd = exchange === 'binance-delivery' ? (symbol.toUpperCase().startsWith('BTC') ? 100n : 10n) : undefined;
  return { units, ...(usd !== undefined && { factors: { quantity: { digits: usd, decimals: 0 } } }) };
}

/** Coins whose volume Yahoo has in USD; that of shares is in shares. */
const COINS = new Set(
  'BTC ETH XRP BNB SOL DOGE ADA TRX AVAX LINK DOT MATIC LTC BCH XLM ATOM UNI ETC XMR FIL APT ARB OP SHIB PEPE NEAR ICP ALGO AAVE EOS XTZ'.split(
    ' ',
  ),
);

function yahooVolume({ symbol }: Sample): FormatReading {
  return COINS.has(symbol.split('-')[0]!) ? { units: { volume: 'quote' } } : {};
}

/** Files of companies that sell or give away history. */
export const VENDOR_FORMATS: readonly Format[] = [
  {
    name: 'cryptodatadownload',
    forms: [
      {
        kinds: ['bar'],
        headers: ['date', 'symbol', 'open', 'high', 'low', 'close'],
        fits: ({ headers = [] }) => headers.some((header) => volumeAsset(header) !== undefined),
        reading: (sample) => named(sample, { time: has(sample, 'unix') ? 'unix' : 'date', symbol: 'symbol' }),
      },
    ],
  },
  {
    name: 'kaiko',
    forms: [
      {
        kinds: ['trade'],
        headers: ['exchange', 'symbol', 'date', 'price', 'amount', 'sell'],
        reading: (sample) => named(sample, { time: 'date', side: 'sell', symbol: 'symbol' }),
      },
      { kinds: ['trade'], headers: ['timestamp', 'tradeid', 'price', 'amount', 'takersidesell'] },
    ],
  },
  {
    name: 'tardis',
    forms: [
      {
        kinds: ['trade'],
        headers: ['exchange', 'symbol', 'timestamp', 'localtimestamp', 'id', 'side', 'price', 'amount'],
        reading: (sample) => tardisAmounts(sample, ['quantity']),
      },
      {
        kinds: ['depth'],
        headers: ['exchange', 'symbol', 'timestamp', 'localtimestamp', 'issnapshot', 'side', 'price', 'amount'],
        reading: (sample) => tardisAmounts(sample, ['quantity']),
      },
      {
        kinds: ['quote'],
        headers: ['exchange', 'symbol', 'timestamp', 'localtimestamp', 'bids0price', 'asks0price'],
        reading: (sample) => ({
          ...named(sample, { bid: 'bids0price', bidQuantity: 'bids0amount', ask: 'asks0price', askQuantity: 'asks0amount' }),
          ...tardisAmounts(sample, ['bidQuantity', 'askQuantity']),
        }),
      },
      {
        kinds: ['quote'],
        headers: ['exchange', 'symbol', 'timestamp', 'localtimestamp', 'askprice', 'bidprice'],
        reading: (sample) => tardisAmounts(sample, ['bidQuantity', 'askQuantity']),
      },
      {
        kinds: ['funding'],
        headers: ['exchange', 'symbol', 'localtimestamp', 'fundingtimestamp', 'fundingrate'],
        reading: () => 'derivative_ticker has a predicted rate at every change, not the rates that were paid; import those of the exchange',
      },
      { kinds: ['ticker', 'mark'], headers: ['exchange', 'symbol', 'localtimestamp', 'lastprice', 'markprice'] },
    ],
  },
  {
    name: 'databento',
    forms: [
      {
        kinds: ['bar'],
        headers: ['tsevent', 'rtype', 'publisherid', 'open', 'high', 'low', 'close', 'volume'],
        reading: (sample) => databento(sample, { time: 'tsevent' }, 'open'),
      },
      {
        kinds: ['trade'],
        headers: ['tsevent', 'rtype', 'publisherid', 'action', 'side', 'price', 'size'],
        reading: (sample) =>
          valuesOf(sample, 'action').every((action) => action === 'T')
            ? databento(sample, { price: 'price', quantity: 'size', side: 'side' }, 'price')
            : 'the rows have other actions than trades (T); expected the schema trades',
      },
      {
        kinds: ['quote'],
        headers: ['tsevent', 'rtype', 'publisherid', 'bidpx00', 'askpx00', 'bidsz00', 'asksz00'],
        reading: (sample) =>
          databento(sample, { bid: 'bidpx00', ask: 'askpx00', bidQuantity: 'bidsz00', askQuantity: 'asksz00' }, 'bidpx00'),
      },
    ],
  },
  {
    name: 'polygon',
    forms: [
      {
        kinds: ['bar'],
        headers: ['ticker', 'open', 'close', 'high', 'low', 'windowstart', 'transactions'],
        reading: (sample) => named(sample, { time: 'windowstart', symbol: 'ticker' }),
      },
      {
        kinds: ['trade', 'quote'],
        headers: ['ticker', 'participanttimestamp'],
        reading: (sample) => named(sample, { time: 'participanttimestamp', symbol: 'ticker' }),
      },
    ],
  },
  {
    name: 'yahoo',
    forms: [
      { kinds: ['bar'], headers: ['date', 'open', 'high', 'low', 'close', 'adjclose', 'volume'], reading: yahooVolume },
      {
        kinds: ['bar'],
        headers: ['open', 'high', 'low', 'close', 'volume', 'dividends', 'stocksplits'],
        reading: (sample) => ({ ...named(sample, { time: has(sample, 'datetime') ? 'datetime' : 'date' }), ...yahooVolume(sample) }),
      },
      {
        kinds: ['bar'],
        headers: ['close', 'high', 'low', 'open', 'volume'],
        fits: ({ headers = [] }) => /^Date(time)?,Close,High,Low,Open,Volume/.test(headers.filter((header) => header !== '').join(',')),
        reading: yahooVolume,
      },
    ],
  },
  {
    name: 'coinmarketcap',
    forms: [
      {
        // The volume is in USD, and the timestamp is that of the close.
        kinds: ['bar'],
        headers: ['timeopen', 'timeclose', 'open', 'high', 'low', 'close', 'volume', 'marketcap'],
        reading: (sample) => ({ ...named(sample, { time: 'timeopen' }), units: { volume: 'quote' } }),
      },
    ],
  },
  {
    name: 'coingecko',
    forms: [
      {
        kinds: ['ticker'],
        headers: ['snappedat', 'price', 'marketcap', 'totalvolume'],
        reading: (sample) => named(sample, { time: 'snappedat', last: 'price' }),
      },
    ],
  },
  {
    name: 'stooq',
    forms: [
      {
        kinds: ['bar'],
        headers: ['ticker', 'per', 'date', 'time', 'open', 'high', 'low', 'close', 'vol'],
        reading: (sample) => ({
          ...named(sample, { symbol: 'ticker' }),
          note: 'the file does not say the zone of its times: they are read as UTC; --zone names another',
        }),
      },
    ],
  },
  {
    name: 'dukascopy',
    forms: [
      { kinds: ['bar', 'quote'], headers: ['gmttime'], reading: (sample) => ({ ...named(sample, { time: 'gmttime' }), order: 'day' }) },
      {
        kinds: ['bar', 'quote'],
        headers: ['localtime'],
        fits: (sample) => valuesOf(sample, 'localtime').every((text) => /^\d\d\.\d\d\.\d{4} .* GMT[+-]\d{4}$/.test(text)),
        reading: (sample) => ({ ...named(sample, { time: 'localtime' }), order: 'day' }),
      },
      { kinds: ['bar', 'quote'], headers: ['timeutc'], reading: (sample) => named(sample, { time: 'timeutc' }) },
      { kinds: ['bar', 'quote'], headers: ['timeeet'], reading: (sample) => ({ ...named(sample, { time: 'timeeet' }), zone: 'EET' }) },
    ],
  },
  {
    name: 'histdata',
    forms: [
      {
        kinds: ['bar'],
        columns: {
          looks: (row) => row.length === 6 && /^\d{8} \d{6}$/.test(row[0]!),
          names: ['time', 'open', 'high', 'low', 'close', 'volume'],
        },
        // Eastern standard time the whole year.
        reading: () => ({ zone: '-05:00' }),
      },
      {
        kinds: ['bar'],
        columns: {
          looks: (row) => row.length === 7 && /^\d{4}\.\d\d\.\d\d$/.test(row[0]!),
          names: ['date', 'time', 'open', 'high', 'low', 'close', 'volume'],
        },
        fits: ({ path }) => /DAT_MT_/.test(path),
        reading: () => ({ zone: '-05:00' }),
      },
      {
        kinds: ['quote'],
        columns: { looks: (row) => row.length === 4 && /^\d{8} \d{9}$/.test(row[0]!), names: ['time', 'bid', 'ask', 'none'] },
        reading: () => ({ zone: '-05:00' }),
      },
    ],
  },
];
