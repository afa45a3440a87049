import { parseJson } from '../exchange/json.ts';
import type { OperationName } from '../exchange/operations/operation-table.ts';
import { Decimal } from '../model/decimal.ts';

/**
 * Behaviour of spot and common operations that neither the document nor public sources define, as this exchange does it. The bot must
 * work with each value; the seeds of `npm run faults` draw them (docs/reference/local-exchange.md lists them).
 */
export interface Behaviour {
  /** A spot market buy's `quantity` is an amount of quote (true) or of base. */
  readonly marketBuyByQuote: boolean;
  /** How long an internal withdrawal is PROGRESSING, in ms. */
  readonly withdrawalMs: number;
  /** Share of the net fees of a sub-affiliate that is paid to its affiliate. */
  readonly commissionRate: string;
  /** Most orders in one batch of operation 7. */
  readonly batchLimit: number;
  /** How long a client id stays in use after its order has ended, in ms. */
  readonly clientIdRestMs: number;
  /** A client id in use: the order is refused, or the reply names the order that has it. */
  readonly repeatedId: 'refused' | 'answered';
  /** A cancel that finds nothing to cancel: `result: false`, or an error with a code. */
  readonly failedCancel: 'result' | 'refused';
  /** A spot cancel takes effect up to this many ms after its reply: until then the order may still fill. */
  readonly cancelMs: number;
  /** A post-only order that would take: accepted and canceled at once, or refused. */
  readonly postOnlyTaking: 'canceled' | 'refused';
  /** The HTTP status of refusals except 429 and 5xx: as documented, or 200 for all. */
  readonly refusalStatus: 'documented' | 'ok';
  /** The part of a change that is shown first, while the rest lags: all together, the order, the fills, or the end of a canceled order. */
  readonly shownFirst: 'together' | 'order' | 'fills' | 'end';
  /** Order of the lists of operations 2, 4, 7, 8, 9 and 11. */
  readonly listOrder: 'newestFirst' | 'oldestFirst' | 'mixed';
  /** Most records in one page of operation 8, whatever the request. */
  readonly pageLimit: number;
  /** Operation 8 shows that there is another page by its flag and its total, only by its flag, or only by its total. */
  readonly nextPage: 'both' | 'flag' | 'total';
  /** Whether the limits of a period belong to it, in operation 8. */
  readonly periodEnds: 'inside' | 'outside';
  /** How far back periods of operations 8 and 11 may begin, in ms; 0 is no limit. An earlier start is refused with 40704. */
  readonly historyMs: number;
  /** Fields without a value: as in the document's samples (`0`), empty, or null. */
  readonly emptyFields: 'sampled' | 'empty' | 'null';
  /** Coins without a balance in operation 9. */
  readonly zeroBalances: 'omitted' | 'listed';
  /** Words of spot order statuses. */
  readonly statusWords: 'open' | 'new' | 'capitals';
  /** Names of coins and pairs in replies. */
  readonly nameCase: 'upper' | 'lower';
  /** Decimals: as short as possible, with zeros up to 10 places, or as JSON numbers. */
  readonly decimals: 'short' | 'padded' | 'numbers';
  /** Ids: in quotes or bare as documented, all in quotes, or all bare. */
  readonly ids: 'documented' | 'quoted' | 'bare';
  /** Places to which spot fees are rounded, up; -1 rounds none. */
  readonly feePlaces: number;
  /** The order that a fired trigger becomes: with the trigger's id, with a new id and its client id, or with a new id alone. */
  readonly firedTriggerId: 'kept' | 'newWithClientId' | 'new';
  /** Whether operation 14 lists triggers that have not fired; `currentPlan` always does. */
  readonly currentListsTriggers: boolean;
  /** The meaning of `createDate` in the history of futures orders: days back, epoch ms, or either by its size. */
  readonly createDate: 'either' | 'days' | 'time';
  /** Words of a futures fill (`direction`, `liquidateType`, `liquidateFee`): as documented, empty, or those of other clients. */
  readonly fillWords: 'documented' | 'empty' | 'odd';
  /** The reply to a futures batch of several names every order, or leaves out the last one. */
  readonly batchReply: 'whole' | 'part';
  /** A futures cancel takes effect up to this many ms after its reply. */
  readonly futuresCancelMs: number;
  /** A futures cancel of an order that is over: says so, or that there is no such order. */
  readonly endedCancel: 'over' | 'notFound';
}

/** The defaults: those of the document, or else of public sources (docs/reference/local-exchange.md). */
export const BEHAVIOUR: Behaviour = {
  marketBuyByQuote: true,
  withdrawalMs: 2_000,
  commissionRate: '0.3',
  batchLimit: 10,
  clientIdRestMs: 60_000,
  repeatedId: 'refused',
  failedCancel: 'result',
  cancelMs: 0,
  postOnlyTaking: 'canceled',
  refusalStatus: 'documented',
  shownFirst: 'together',
  listOrder: 'newestFirst',
  pageLimit: 100,
  nextPage: 'both',
  periodEnds: 'inside',
  historyMs: 0,
  emptyFields: 'sampled',
  zeroBalances: 'omitted',
  statusWords: 'open',
  nameCase: 'upper',
  decimals: 'short',
  ids: 'documented',
  feePlaces: -1,
  firedTriggerId: 'kept',
  currentListsTriggers: true,
  createDate: 'either',
  fillWords: 'documented',
  batchReply: 'whole',
  futuresCancelMs: 0,
  endedCancel: 'over',
};

/** A list that is newest first, in another order. */
export function inOrder<T>(list: readonly T[], order: Behaviour['listOrder']): T[] {
  if (order === 'newestFirst') return [...list];
  if (order === 'oldestFirst') return [...list].reverse();
  const odd = list.filter((_, index) => index % 2 === 1);
  return [...odd, ...list.filter((_, index) => index % 2 === 0)];
}

const STATUS_WORDS: Readonly<Record<Behaviour['statusWords'], Readonly<Record<string, string>>>> = {
  open: {},
  new: { open: 'new' },
  capitals: { open: 'NEW', partial_fill: 'PARTIALLY_FILLED', full_fill: 'FILLED', cancelled: 'CANCELED' },
};

/** A spot order's status in the words of this exchange. */
export function statusWord(status: string, words: Behaviour['statusWords']): string {
  return STATUS_WORDS[words][status] ?? status;
}

/** The operations whose replies have other forms. Those of the futures host do not yet. */
const FORMED: ReadonlySet<OperationName> = new Set([
  'exchangeInfo',
  'ticker',
  'tickers',
  'orderInfo',
  'cancelOrder',
  'batchOrders',
  'fills',
  'accountAssets',
  'transferRecords',
] satisfies OperationName[]);

const IDS = new Set(['orderId', 'order_id', 'fillId', 'accountId']);
const NAMES = new Set(['symbol', 'baseCoin', 'quoteCoin', 'coinName', 'fromType', 'toType']);
/** Text that looks like a number and is not. */
const TEXTS = new Set(['clientOrderId', 'client_oid', 'cTime', 'uTime', 'err_code', 'err_msg', 'displayDigitMerge']);
/** Fields that have no value before an order has filled, or for a market order. */
const MAY_BE_EMPTY = new Set(['price', 'latestFillPrice', 'maxFillPrice', 'minFillPrice', 'fillQuantity', 'fillTotalAmount']);
const DECIMAL = /^\d+(\.\d+)?$/;
const PADDED_PLACES = 10;

/** An encoded payload in the forms of this exchange. */
export function wireForm(operation: OperationName, payload: unknown, behaviour: Behaviour): unknown {
  if (!FORMED.has(operation)) return payload;
  const isOrder = operation === 'orderInfo';
  const isFill = operation === 'fills';
  const nothing = behaviour.emptyFields === 'null' ? null : '';
  const isEmpty = (name: string, value: unknown) =>
    behaviour.emptyFields !== 'sampled' &&
    ((isOrder && MAY_BE_EMPTY.has(name) && Number(value) === 0) || (isFill && (name === 'orderType' || name === 'fillPrice')));
  const field = (name: string, value: unknown): unknown => {
    if (isEmpty(name, value)) return nothing;
    if (typeof value === 'bigint') return IDS.has(name) && behaviour.ids === 'quoted' ? String(value) : value;
    if (typeof value !== 'string') return walk(value);
    if (IDS.has(name)) return behaviour.ids === 'bare' && DECIMAL.test(value) ? BigInt(value) : value;
    if (NAMES.has(name)) return behaviour.nameCase === 'lower' ? value.toLowerCase() : value;
    return TEXTS.has(name) || !DECIMAL.test(value) ? value : decimalForm(value, behaviour.decimals);
  };
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, field(name, inner)]));
  };
  return walk(payload);
}

function decimalForm(text: string, decimals: Behaviour['decimals']): unknown {
  if (decimals === 'numbers') return parseJson(text);
  if (decimals === 'short') return text;
  const value = new Decimal(text);
  return value.decimalPlaces() < PADDED_PLACES ? value.toFixed(PADDED_PLACES) : text;
}
