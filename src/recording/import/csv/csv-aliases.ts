import type { SeriesKind } from '../../columns/series-meta.ts';

/**
 * Names of our columns in headers, best first, in lower-case letters and digits alone: `Open_Time (ms)` is
 * `opentimems`. Receive times come before event times: they use one clock over all files of a recorder, and a strategy could not have had
 * the data earlier. Tardis has them next to a `timestamp` of the exchange, out of order.
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

/** Headers of an update's first number, where the last number of the previous update is one less. */
const FIRST_OF_UPDATE = ['firstid', 'firstupdateid'];

/** Quantities that are in the base asset, whatever else a file has. */
const IN_BASE = [
  ...['basevolume', 'volumebase', 'baseassetvolume', 'baseqty', 'basequantity', 'basesize', 'baseamount', 'amountbase', 'qtybase'],
  'homenotional',
];

/** A bar with the times of its open and of its close: the open is stored. */
const OPEN_TIME = ['opentime', 'timeopen', 'starttime', 'timestart', 'timeperiodstart', 'windowstart', 'openat', 'startat'] as const;

export const ALIASES: Readonly<Record<SeriesKind, Readonly<Record<string, readonly string[]>>>> = {
  bar: {
    time: [...OPEN_TIME, ...TIME],
    open: ['open', 'o', 'openprice'],
    high: ['high', 'h', 'highprice'],
    low: ['low', 'l', 'lowprice'],
    close: ['close', 'c', 'closeprice'],
    volume: [...IN_BASE, 'volume', 'vol', 'v', 'quantity', 'qty', 'amount', 'totalvolume', 'tickvol', 'tickvolume'],
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
    quantity: [...IN_BASE, 'quantity', 'qty', 'size', 'amount', 'q', 'volume', 'vol', 'sz'],
    side: ['side', 'aggressorside', 'aggressor', 'takerside', 'isbuyermaker', 'buyermaker', 'm', 'takersidesell'],
  },
  ticker: { time: TIME, last: ['last', 'lastprice', 'lastpr', 'close', 'price', 'c', 'p', 'px'] },
  // A bar of marks is complete only at its close, but its open is the mark at its stamp.
  mark: { time: TIME, price: ['markprice', 'mark', 'markpx', 'price', 'p', 'px', 'open', 'openprice', 'o'] },
  funding: {
    time: ['fundingtime', 'fundingratetimestamp', 'calctime', ...TIME],
    rate: ['fundingrate', 'rate', 'lastfundingrate', 'r'],
  },
};

/** Headers of the time at which a recorder received a row, and of the exchange's time, best first. */
export const CLOCK_HEADERS = { received: RECEIVED, exchange: [...SENT, ...TRADED] } as const;

/** Headers of a column with the instrument of each row. */
export const SYMBOL_HEADERS: readonly string[] = [
  ...['symbol', 'pair', 'instrument', 'instid', 'contract', 'instrumentname', 'instrumentid', 'ticker', 'market', 'productid', 'coin'],
  ...['currencypair', 'tradingpair', 'symbolname'],
];

/** Headers that pandas uses for row numbers; a time index has them too. */
export const INDEX_HEADERS: readonly string[] = ['', 'unnamed0', 'index'];

/** Headers of a day, in files with a separate time of day. */
export const DAY_HEADERS: readonly string[] = ['date', 'day', 'tradedate', 'dtyyyymmdd', 'yyyymmdd'];
export const TIME_OF_DAY_HEADERS: readonly string[] = ['time', 'timeofday', 'hhmmss', 'hhmm'];

/** The asset of a volume column, from its header: `Volume USDT`, `eth_volume`; undefined where it names none. */
export function volumeAsset(header: string): string | undefined {
  const match = /^vol(?:ume)?([a-z]{3,5})$|^([a-z]{3,5})vol(?:ume)?$/.exec(normalised(header));
  const asset = match?.[1] ?? match?.[2];
  return asset === undefined || NO_ASSETS.has(asset) ? undefined : asset.toUpperCase();
}

/** Words in such headers that are not assets. */
const NO_ASSETS: ReadonlySet<string> = new Set([
  'base',
  'quote',
  'total',
  'trade',
  'taker',
  'buy',
  'sell',
  'bid',
  'ask',
  'real',
  'tick',
  'spot',
  'lots',
  'coin',
]);

/** Columns that a file may lack: a bar's volume is then 0, a trade's side unknown, and depth has no snapshots or numbers. */
export function isOptional(kind: SeriesKind, column: string): boolean {
  return OPTIONAL_COLUMNS[kind]?.includes(column) === true;
}

const OPTIONAL_COLUMNS: Partial<Record<SeriesKind, readonly string[]>> = {
  bar: ['volume'],
  trade: ['side'],
  depth: ['snapshot', 'update', 'previous'],
};

/** True where a column has an update's first number, from which the number of the previous update follows. */
export function namesFirstOfUpdate(header: string): boolean {
  return FIRST_OF_UPDATE.includes(normalised(header));
}

/** A header in the form of the aliases. */
export function normalised(header: string): string {
  return header.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Headers of a side that may also be something else: the values decide. */
export const WEAK_SIDE_HEADERS: readonly string[] = [
  ...[
    'direction',
    'takerdirection',
    'tradedirection',
    'buysell',
    'bs',
    'bsflag',
    'buyorsell',
    'sidetype',
    'type',
    'tradetype',
    's',
    'taker',
  ],
  ...['takerordertype', 'askbid', 'bidask', 'action', 'orderside', 'tradeside', 'makerside', 'initiator', 'way', 'operation', 'activeside'],
  ...[
    'isbuy',
    'isbuyer',
    'isbuyertaker',
    'isbuyside',
    'istakerbuy',
    'buy',
    'buyerinitiated',
    'takerbuy',
    'takerisbuyer',
    'issell',
    'isseller',
  ],
  ...['issellermaker', 'isbid', 'isask', 'sellerinitiated', 'aggressorisbuyer', 'executionside', 'aggressivity', 'ordertype', 'marketside'],
];

/** The meaning of the values of a side column: the taker's side, the maker's, or whether it is a buy or a sell of the taker. */
export type SideMeaning = 'taker' | 'maker' | 'isBuy' | 'isSell';

/** The meaning of a side column by its header. */
export function sideMeaning(header: string): SideMeaning {
  const name = normalised(header);
  if (/buyer.*maker|^m$|^(is|takerside)?sell(er|erinitiated)?$|^isask$/.test(name)) return 'isSell';
  if (/^(is|taker|istaker)?buy(er|side|ertaker|erinitiated)?$|^(taker|aggressor)isbuyer$|seller.*maker|^isbid$/.test(name)) return 'isBuy';
  return name === 'makerside' ? 'maker' : 'taker';
}

/** The units of quantities: the base asset, the quote asset, contracts, or changes of the price. */
export const UNITS = ['base', 'quote', 'contracts', 'ticks'] as const;
export type Unit = (typeof UNITS)[number];

/** The units of quantities, by our names. */
export type Units = Readonly<Record<string, Unit>>;

/** Headers of amounts, as `normalised`. */
export const LIKE_AMOUNT = /vol|amount|turnover|value|qty|quantity|size|notional|money|base|quote|usd|cost|funds|more|column/;
