import type { SeriesKind } from '../../columns/series-meta.ts';

/**
 * Names that headers give our columns, best first, in small letters and digits alone: `Open_Time (ms)` is
 * `opentimems`. Receive times come before event times: they are one clock over all files of a recorder
 * and are what a strategy could have known. Tardis has them beside a `timestamp` of the exchange, out of order.
 */
const RECEIVED = ['localtimestamp', 'localns', 'localus', 'localms', 'localtime', 'receivedtime', 'receivetime', 'received'] as const;
const SENT = ['eventms', 'eventtime', 'exchangetime', 'exchangetimestamp', 'timestamp', 'time', 'transactms'] as const;
const TRADED = ['transacttime', 'transactiontime', 'tradems', 'tradetime'] as const;
const TIME = [
  'localtimestamp',
  ...['time', 'timestamp', 'timems', 'timeus', 'timens', 'timestampms', 'timestampus', 'timestampns', 'unixtime', 'unixtimestamp', 'unix'],
  ...['opentime', 'opentimems', 'opentimeus', 'datetime', 'date', 'ts', 'tsms', 'tsus', 'tsns', 't'],
  ...[...RECEIVED.slice(1), 'eventms', 'eventtime', 'exchangetime'],
  ...['transactms', ...TRADED, '', 'unnamed0', 'index'],
] as const;

const BOOK_SIDE = (side: 'bid' | 'ask', letter: string) => ({
  price: [side, `${side}price`, `best${side}`, `best${side}price`, `${side}px`, letter],
  quantity: [
    ...[`${side}quantity`, `${side}qty`, `${side}size`, `${side}amount`, `${side}volume`, `${side}sz`],
    ...[`best${side}quantity`, `best${side}qty`, `best${side}size`, `best${side}amount`],
  ],
});
const BID = BOOK_SIDE('bid', 'b');
const ASK = BOOK_SIDE('ask', 'a');

/** Headers of an update's first number, where the last of the update before it is one less. */
const FIRST_OF_UPDATE = ['firstid', 'firstupdateid'];

export const ALIASES: Readonly<Record<SeriesKind, Readonly<Record<string, readonly string[]>>>> = {
  bar: {
    time: TIME,
    open: ['open', 'o', 'openprice'],
    high: ['high', 'h', 'highprice'],
    low: ['low', 'l', 'lowprice'],
    close: ['close', 'c', 'closeprice'],
    volume: ['volume', 'vol', 'v', 'basevolume', 'volumebase', 'quantity', 'qty', 'amount', 'volumebtc', 'volumeusd', 'volumeusdt'],
  },
  depth: {
    time: TIME,
    side: ['side', 'bookside'],
    price: ['price', 'p', 'px'],
    quantity: ['quantity', 'qty', 'size', 'amount', 'q', 'sz'],
    snapshot: ['snapshot', 'issnapshot', 'updatetype', 'kind', 'type'],
    update: ['update', 'updateid', 'lastid', 'lastupdateid', 'finalupdateid', 'sequence', 'seq'],
    previous: ['previous', 'previd', 'previousid', 'pu', 'prevupdateid', 'previousupdateid', 'prevfinalupdateid', ...FIRST_OF_UPDATE],
  },
  quote: { time: TIME, bid: BID.price, ask: ASK.price, bidQuantity: BID.quantity, askQuantity: ASK.quantity },
  trade: {
    time: TIME,
    price: ['price', 'p', 'px', 'tradeprice', 'rate'],
    quantity: ['quantity', 'qty', 'size', 'amount', 'q', 'volume', 'vol', 'sz'],
    side: ['side', 'aggressorside', 'aggressor', 'takerside', 'isbuyermaker', 'buyermaker', 'm'],
  },
  ticker: { time: TIME, last: ['last', 'lastprice', 'lastpr', 'close', 'price', 'c', 'p', 'px'] },
  // A bar of marks is known whole at its close alone, but its open is the mark of its stamp.
  mark: { time: TIME, price: ['markprice', 'mark', 'markpx', 'price', 'p', 'px', 'open', 'openprice', 'o'] },
  funding: {
    time: ['fundingtime', 'fundingratetimestamp', 'calctime', ...TIME],
    rate: ['fundingrate', 'rate', 'lastfundingrate', 'r'],
  },
};

/** Headers of the time at which a recorder got a row, and of the exchange's time of it, best first. */
export const CLOCK_HEADERS = { received: RECEIVED, exchange: [...SENT, ...TRADED] } as const;

/** Headers of a column that says which instrument a row is of. */
export const SYMBOL_HEADERS: readonly string[] = ['symbol', 'pair', 'instrument', 'instid', 'contract'];

/** Columns that a file may lack: a bar's volume is then 0, a trade's side unknown, no depth a snapshot or numbered. */
export function isOptional(kind: SeriesKind, column: string): boolean {
  return OPTIONAL_COLUMNS[kind]?.includes(column) === true;
}

const OPTIONAL_COLUMNS: Partial<Record<SeriesKind, readonly string[]>> = {
  bar: ['volume'],
  trade: ['side'],
  depth: ['snapshot', 'update', 'previous'],
};

/** True where a column has an update's first number, and is to be read as that of the update before. */
export function namesFirstOfUpdate(header: string): boolean {
  return FIRST_OF_UPDATE.includes(normalised(header));
}

/** A header in the form that the aliases are written in. */
export function normalised(header: string): string {
  return header.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** True where a side column says whether the BUYER was the maker: `true` is then a sell aggressor. */
export function namesBuyerMaker(header: string): boolean {
  return /buyer.*maker|^m$/.test(normalised(header));
}

const KLINES = [
  ...['open_time', 'open', 'high', 'low', 'close', 'volume'],
  ...['close_time', 'quote_volume', 'count', 'taker_base', 'taker_quote', 'ignore'],
];

/**
 * Files without a header that are recognised by the look of their first line (n a number, b true/false):
 * Binance's klines (of prices and of marks), trades, aggregated trades and best prices, of spot and of futures.
 */
export const HEADERLESS: readonly { readonly kind: SeriesKind; readonly look: string; readonly header: readonly string[] }[] = [
  { kind: 'bar', look: 'nnnnnnnnnnnn', header: KLINES },
  { kind: 'mark', look: 'nnnnnnnnnnnn', header: KLINES },
  {
    kind: 'quote',
    look: 'nnnnnnn',
    header: ['update_id', 'best_bid_price', 'best_bid_qty', 'best_ask_price', 'best_ask_qty', 'transaction_time', 'event_time'],
  },
  { kind: 'trade', look: 'nnnnnb', header: ['id', 'price', 'quantity', 'quote_quantity', 'time', 'is_buyer_maker'] },
  { kind: 'trade', look: 'nnnnnbb', header: ['id', 'price', 'quantity', 'quote_quantity', 'time', 'is_buyer_maker', 'is_best_match'] },
  { kind: 'trade', look: 'nnnnnnb', header: ['id', 'price', 'quantity', 'first_id', 'last_id', 'time', 'is_buyer_maker'] },
  {
    kind: 'trade',
    look: 'nnnnnnbb',
    header: ['id', 'price', 'quantity', 'first_id', 'last_id', 'time', 'is_buyer_maker', 'is_best_match'],
  },
];
