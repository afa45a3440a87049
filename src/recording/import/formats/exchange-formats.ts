import { normalised } from '../csv/csv-aliases.ts';
import { lookOf } from '../csv/csv-line.ts';
import type { Format, FormatForm, Sample } from './format.ts';

const KLINES = [
  ...['open_time', 'open', 'high', 'low', 'close', 'volume'],
  ...['close_time', 'quote_volume', 'count', 'taker_base', 'taker_quote', 'ignore'],
];

/** A form without a header. @param look of its rows: n a number or a date, b true/false, h text. */
export function headerless(kind: FormatForm['kinds'][number], look: string, names: readonly string[]): FormatForm {
  return { kinds: [kind], columns: { looks: (row) => row.map(lookOf).join('') === look, names } };
}

/** The header of a sample that begins with a name: OKX puts a translation behind it. */
function headerOf({ headers = [] }: Sample, name: string): string {
  return headers.find((header) => normalised(header.split('/')[0]!) === name) ?? '';
}

/** The headers of a sample that begin with these names. */
function named(sample: Sample, names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([own, theirs]) => (headerOf(sample, theirs) === '' ? [] : [[own, headerOf(sample, theirs)]])),
  );
}

/** The first value of a column. */
function firstOf(sample: Sample, name: string): string {
  return sample.rows[0]![(sample.headers ?? []).indexOf(headerOf(sample, name))] ?? '';
}

/** Contracts whose amount is in USD: those of Deribit that no asset follows. */
export function isInverseOfDeribit(instrument: string): boolean {
  return /^(BTC|ETH)-(PERPETUAL|\d{1,2}[A-Z]{3}\d\d)$/.test(instrument);
}

const isPerpetual = ({ symbol }: Sample) => symbol.endsWith('-PERP');

/** Files that exchanges publish of their own history. */
export const EXCHANGE_FORMATS: readonly Format[] = [
  {
    name: 'binance-vision',
    forms: [
      headerless('bar', 'n'.repeat(12), KLINES),
      headerless('mark', 'n'.repeat(12), KLINES),
      headerless('quote', 'n'.repeat(7), [
        ...['update_id', 'best_bid_price', 'best_bid_qty', 'best_ask_price', 'best_ask_qty', 'transaction_time', 'event_time'],
      ]),
      headerless('trade', 'nnnnnb', ['id', 'price', 'quantity', 'quote_quantity', 'time', 'is_buyer_maker']),
      headerless('trade', 'nnnnnbb', ['id', 'price', 'quantity', 'quote_quantity', 'time', 'is_buyer_maker', 'is_best_match']),
      headerless('trade', 'nnnnnnb', ['id', 'price', 'quantity', 'first_id', 'last_id', 'time', 'is_buyer_maker']),
      headerless('trade', 'nnnnnnbb', ['id', 'price', 'quantity', 'first_id', 'last_id', 'time', 'is_buyer_maker', 'is_best_match']),
      { kinds: ['bar', 'mark'], headers: ['opentime', 'open', 'closetime', 'quotevolume', 'count', 'ignore'] },
      { kinds: ['trade'], headers: ['id', 'price', 'qty', 'quoteqty', 'time', 'isbuyermaker'] },
      { kinds: ['trade'], headers: ['aggtradeid', 'firsttradeid', 'lasttradeid', 'transacttime', 'isbuyermaker'] },
      {
        kinds: ['quote'],
        headers: ['updateid', 'bestbidprice', 'bestbidqty', 'bestaskprice', 'bestaskqty', 'transactiontime', 'eventtime'],
      },
      { kinds: ['depth'], headers: ['firstupdateid', 'lastupdateid', 'side', 'updatetype', 'price', 'qty'] },
      {
        kinds: ['depth'],
        headers: ['timestamp', 'percentage', 'depth', 'notional'],
        reading: () => 'bookDepth has sums by distance from the price and no levels; expected T_DEPTH files, or another source',
      },
      { kinds: ['funding'], headers: ['calctime', 'fundingintervalhours', 'lastfundingrate'] },
    ],
  },
  {
    name: 'bybit',
    forms: [
      {
        kinds: ['trade'],
        headers: ['timestamp', 'symbol', 'side', 'size', 'price', 'tickdirection', 'homenotional', 'foreignnotional'],
        reading: ({ headers = [], rows }) => {
          const [size, base] = ['size', 'homenotional'].map((name) => headers.findIndex((header) => normalised(header) === name));
          // Sizes of inverse contracts are in quote.
          const isLinear = rows.every((row) => Math.abs(Number(row[size!]) / Number(row[base!]) - 1) < 1e-6);
          return { names: { quantity: headers[isLinear ? size! : base!]! } };
        },
      },
      {
        kinds: ['trade'],
        headers: ['id', 'timestamp', 'price', 'volume', 'side'],
        fits: ({ headers = [] }) => normalised(headers[0]!) === 'id' && headers.length <= 6,
      },
      { kinds: ['bar'], headers: ['starttime', 'openprice', 'closeprice', 'turnover'], reading: () => ({ names: { time: 'startTime' } }) },
      {
        kinds: ['bar', 'mark'],
        headers: ['startat', 'symbol', 'period', 'open', 'high', 'low', 'close'],
        reading: () => ({ names: { time: 'start_at' } }),
      },
    ],
  },
  {
    name: 'okx',
    forms: [
      {
        kinds: ['trade'],
        headers: [],
        fits: (sample) => ['instrumentname', 'side', 'size', 'price', 'createdtime'].every((name) => headerOf(sample, name) !== ''),
        reading: (sample) => {
          if (isPerpetual(sample) && sample.factors.quantity === undefined)
            return 'sizes of futures are in contracts; --quantity-factor <n> says how much base asset one contract is, for example 0.01';
          const names = { symbol: 'instrumentname', side: 'side', quantity: 'size', price: 'price', time: 'createdtime' };
          return { names: Object.fromEntries(Object.entries(names).map(([own, theirs]) => [own, headerOf(sample, theirs)])) };
        },
      },
      {
        // `vol` of swaps is in contracts and `volCcy` in the base asset; of spot, they are in the base and in the quote asset.
        kinds: ['bar'],
        headers: ['open', 'high', 'low', 'close', 'vol', 'volccy'],
        reading: (sample) => ({
          names: { ...named(sample, { time: 'opentime' }), volume: headerOf(sample, isPerpetual(sample) ? 'volccy' : 'vol') },
          units: { volume: 'base' },
        }),
      },
      { kinds: ['funding'], headers: ['instrumentname', 'fundingrate', 'fundingtime'] },
    ],
  },
  {
    name: 'htx',
    forms: [
      {
        // Klines: `id` is the time of the open, `amount` is in the base asset and `vol` in the quote asset.
        kinds: ['bar'],
        headers: ['id', 'open', 'close', 'low', 'high', 'amount', 'vol', 'count'],
        reading: (sample) => ({ names: named(sample, { time: 'id', volume: 'amount' }), units: { volume: 'base' } }),
      },
    ],
  },
  {
    name: 'bitmex',
    forms: [
      {
        // Buckets have the time of their close.
        kinds: ['bar'],
        headers: ['timestamp', 'symbol', 'open', 'high', 'low', 'close', 'trades', 'volume', 'vwap', 'homenotional', 'foreignnotional'],
        reading: (sample) => ({ names: named(sample, { volume: 'homenotional' }), units: { volume: 'base' }, stamp: 'close' }),
      },
    ],
  },
  {
    name: 'deribit',
    forms: [
      {
        kinds: ['trade'],
        headers: ['timestamp', 'tickdirection', 'price', 'instrumentname', 'direction', 'amount'],
        reading: (sample) => ({
          names: named(sample, { time: 'timestamp', quantity: 'amount', side: 'direction', symbol: 'instrumentname' }),
          units: { quantity: isInverseOfDeribit(firstOf(sample, 'instrumentname')) ? 'quote' : 'base' },
        }),
      },
    ],
  },
];
