import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { codeRow, type ExchangeCode } from '../../exchange/errors.ts';
import { numberText, parseJson, writeJson } from '../../exchange/json.ts';
import { closeEnvelope, decodeRequest, encodePayload, errorBody, type RequestIssue } from '../../exchange/operations/codecs.ts';
import type { Operation, OperationName } from '../../exchange/operations/operation-table.ts';
import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import { HEADERS, TIMESTAMP_WINDOW_MS, verifySignature } from '../../exchange/signing.ts';
import type { Log } from '../../ports/log.ts';
import { type Behaviour, wireForm } from '../behaviour.ts';
import type { AccountDirectory, ExchangeAccount } from '../core/exchange-account.ts';
import type { RunningCore } from '../core/running-core.ts';
import { internalWithdrawal, internalWithdrawalStatus, invitedUsers, subAffiliateData } from '../operations/affiliate.ts';
import { ANY_SYMBOL, type Call, wireTime } from '../operations/call.ts';
import {
  allPositions,
  cancelFuturesOrder,
  futuresAccount,
  futuresAssets,
  futuresOrders,
  leverageSettings,
  singlePosition,
  triggerOrder,
} from '../operations/futures.ts';
import {
  cancelAllFutures,
  cancelFuturesBatch,
  cancelTrigger,
  closePositions,
  futuresBatchOrders,
  modifyTpSl,
  placeFuturesOrder,
  placeTpSl,
  setLeverage,
} from '../operations/futures-orders.ts';
import { futuresBills, futuresFills, futuresHistory, futuresOrder, triggerHistory, triggers } from '../operations/futures-reads.ts';
import {
  candles,
  contracts,
  currencies,
  exchangeInfo,
  fundingHistory,
  fundingRate,
  futuresCandles,
  futuresDepth,
  futuresTicker,
  futuresTime,
  spotTime,
  ticker,
  tickers,
} from '../operations/market.ts';
import { accountAssets, batchOrders, cancelOrder, fills, orderInfo, transferRecords } from '../operations/spot.ts';
import { Refusal } from '../refusal.ts';
import { type LimitSettings, RequestLimits } from './request-limits.ts';

/** A request as it arrived: raw target and raw body, nothing parsed. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  readonly ip: string;
}

export interface WireReply {
  readonly status: number;
  /** JSON text; for a gateway another type. */
  readonly body: string;
  /** JSON by default. */
  readonly contentType?: string | undefined;
  /** The target of a redirect. */
  readonly location?: string | undefined;
}

interface AnsweringOptions {
  readonly core: RunningCore;
  readonly limits: LimitSettings;
  /** Error of the server's clock at a time, in ms. */
  readonly skewMs: (now: number) => number;
  /** The jumps among them: stamps jump with them. */
  readonly jumpMs?: ((now: number) => number) | undefined;
  /** The greatest age of stale replies, in ms: replies to reads are kept this long. By default none are. */
  readonly staleMs?: (() => number) | undefined;
  readonly log: Log | undefined;
}

/** Turns a request into a reply: checks the signature, counts the weight, parses the parameters, runs the operation. */
export class Answering {
  readonly #limits: RequestLimits;
  readonly #past = new RecentReplies();

  constructor(private readonly options: AnsweringOptions) {
    this.#limits = new RequestLimits(options.limits);
  }

  /**
   * @param staleMs a read may get a reply that is this old.
   * @param phantom the number of a placing that is answered and not done.
   */
  answer(
    operation: Operation,
    request: WireRequest,
    { staleMs = 0, phantom }: { readonly staleMs?: number | undefined; readonly phantom?: number | undefined } = {},
  ): WireReply {
    const now = Math.floor(this.options.core.now());
    const shownTime = now + this.options.skewMs(now);
    try {
      const body = writeJson(this.#payload(operation, request, { now, shownTime, phantom }));
      const keepMs = this.options.staleMs?.() ?? 0;
      if (operation.effect !== 'read' || keepMs === 0) return { status: 200, body };
      return { status: 200, body: this.#past.pass(pastKey(operation, request), body, { now, keepMs, staleMs }) };
    } catch (error) {
      if (error instanceof Refusal) return statusOf(refused(error, operation.host, shownTime), this.options.core.exchange.behaviour);
      this.options.log?.warn('the local exchange failed over a request', { operation: operation.name, error: String(error) });
      return refused(new Refusal('40725'), operation.host, shownTime);
    }
  }

  #payload(
    operation: Operation,
    request: WireRequest,
    { now, shownTime, phantom }: { readonly now: number; readonly shownTime: number; readonly phantom: number | undefined },
  ): unknown {
    const { core, limits } = this.options;
    this.#limits.fromIp(request.ip, operation, now);
    const account = operation.signed ? authenticate(request, core.exchange.accounts, shownTime) : undefined;
    if (account !== undefined) this.#limits.fromAccount(account, operation, now);
    const parameters = readParameters(request);
    // Some clients cancel a futures order without a symbol: accepted if the id identifies the order.
    if (operation.name === 'cancelFuturesOrder') parameters.symbol ??= ANY_SYMBOL;
    const checked = decodeRequest(operation, parameters);
    if ('issues' in checked) throw refusalOf(checked.issues[0]!, parameters);
    const stamp = (time: number) => wireTime(time + (this.options.jumpMs?.(time) ?? 0));
    const call = {
      exchange: core.exchange,
      now,
      shownTime,
      stamp,
      limits,
      account,
      act: core.act.bind(core),
      cancel: core.cancel.bind(core),
    };
    // A signed operation has its account; a public one ignores it.
    const handler = HANDLERS[operation.name as keyof typeof HANDLERS] as (request: unknown, call: Call) => unknown;
    const payload = phantom === undefined ? handler(checked.value, call as Call) : phantomOf(checked.value as Placing, phantom);
    const form = wireForm(operation.name as OperationName, encodePayload(operation, payload), core.exchange.behaviour);
    return closeEnvelope(operation, form, shownTime);
  }
}

/** The orders of an operation that can be answered by a phantom. */
type Placing = RequestOf<'batchOrders'> | RequestOf<'triggerOrder'> | RequestOf<'placeFuturesOrder'> | RequestOf<'futuresBatchOrders'>;

/** Ids of orders do not begin like this. */
const PHANTOM_ID = '99999999';

/** Says that the orders were placed, under ids that no order has. */
function phantomOf(
  placing: Placing,
  number: number,
): PayloadOf<'batchOrders'> | PayloadOf<'triggerOrder'> | PayloadOf<'placeFuturesOrder'> | PayloadOf<'futuresBatchOrders'> {
  const orderId = (index: number) => `${PHANTOM_ID}${number * 100 + index}`;
  if ('orderDataList' in placing) {
    const taken = { result: true, error_code: '', error_message: '' };
    const infos = placing.orderDataList.map(({ client_oid: id }, index) => ({ client_oid: id, order_id: orderId(index), ...taken }));
    return { order_info: infos, result: true };
  }
  if (!('orderList' in placing)) return { client_oid: placing.client_oid, order_id: orderId(0) };
  return { resultList: placing.orderList.map(({ clientOrderId = '' }, index) => ({ orderId: orderId(index), clientOrderId })) };
}

/** Recent replies to reads: those that a cache or a lagging replica of the exchange would send. */
class RecentReplies {
  #kept: { readonly time: number; readonly key: string; readonly body: string }[] = [];

  /** @returns the oldest reply to this request that is at most `staleMs` old, or the new one. */
  pass(key: string, body: string, { now, keepMs, staleMs }: { now: number; keepMs: number; staleMs: number }): string {
    this.#kept = this.#kept.filter(({ time }) => time >= now - keepMs);
    const past = this.#kept.find((one) => one.key === key && one.time >= now - staleMs);
    this.#kept.push({ time: now, key, body });
    return past?.body ?? body;
  }
}

/** Periods move from request to request; everything else must be equal. */
const PERIODS = /[?&"]?\b(after|before|startTime|endTime)\b"?[=:]"?\d+"?/g;

function pastKey({ name }: Operation, { target, body, headers }: WireRequest): string {
  const key = headers[HEADERS.key.toLowerCase()];
  return `${name} ${String(key)} ${target.replace(PERIODS, '')} ${Buffer.from(body).toString('utf8').replace(PERIODS, '')}`;
}

/** The implementation of each operation. */
const HANDLERS: { readonly [N in OperationName]: (request: RequestOf<N>, call: Call) => PayloadOf<N> } = {
  currencies,
  exchangeInfo,
  ticker,
  tickers,
  orderInfo,
  cancelOrder,
  batchOrders,
  fills,
  accountAssets,
  futuresAssets,
  transferRecords,
  cancelFuturesOrder,
  triggerOrder,
  futuresOrders,
  singlePosition,
  futuresAccount,
  subAffiliateData,
  invitedUsers,
  internalWithdrawal,
  internalWithdrawalStatus,
  spotTime,
  futuresTime,
  futuresTicker,
  candles,
  futuresCandles,
  placeFuturesOrder,
  futuresBatchOrders,
  cancelFuturesBatch,
  cancelTrigger,
  cancelAllFutures,
  closePositions,
  placeTpSl,
  modifyTpSl,
  futuresFills,
  futuresOrder,
  futuresHistory,
  triggers,
  triggerHistory,
  futuresBills,
  allPositions,
  leverageSettings,
  setLeverage,
  contracts,
  futuresDepth,
  fundingRate,
  fundingHistory,
};

/** Some exchanges send refusals with status 200. */
function statusOf(reply: WireReply, { refusalStatus }: Behaviour): WireReply {
  return refusalStatus === 'ok' && reply.status !== 429 && reply.status < 500 ? { ...reply, status: 200 } : reply;
}

/** The body of a refusal; for 429 on the spot host as it was recorded there. */
export function refused({ code, message, status }: Refusal, host: 'spot' | 'futures', now: number): WireReply {
  const body = code === '429' && host === 'spot' ? { code, data: {}, msg: message } : errorBody(code, message, now);
  return { status, body: writeJson(body) };
}

const TIMESTAMP = /^\d{13}$/;

/**
 * Finds the account that signed the request: every header is present, the time is at most 30 s away, key and passphrase match, and
 * the signature belongs to the raw target and body. `locale` is not required.
 * @throws Refusal 40001 to 40013.
 */
function authenticate(request: WireRequest, accounts: AccountDirectory, now: number): ExchangeAccount {
  const [key, sign, timestamp, passphrase] = [
    required(request, HEADERS.key, '40001'),
    required(request, HEADERS.sign, '40002'),
    required(request, HEADERS.timestamp, '40003'),
    required(request, HEADERS.passphrase, '40011'),
  ];
  if (!TIMESTAMP.test(timestamp)) throw new Refusal('40005');
  if (Math.abs(now - Number(timestamp)) > TIMESTAMP_WINDOW_MS) throw new Refusal('40008');
  if (request.method === 'POST' && !/^application\/json\b/i.test(header(request, HEADERS.contentType))) throw new Refusal('40007');
  const account = accounts.withKey(key);
  if (account === undefined) throw new Refusal('40006');
  const { credentials } = account.identity;
  if (!same(credentials.passphrase, passphrase)) throw new Refusal('40012');
  const { method, target, body } = request;
  if (!verifySignature(credentials.secret, { timestamp, method, target, body }, sign)) throw new Refusal('40009');
  if (account.frozen) throw new Refusal('40013');
  return account;
}

function required(request: WireRequest, name: string, code: '40001' | '40002' | '40003' | '40011'): string {
  const value = header(request, name);
  if (value === '') throw new Refusal(code);
  return value;
}

function same(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A header's value; the last if it was sent twice; empty if it is missing. */
function header(request: WireRequest, name: string): string {
  const value = request.headers[name.toLowerCase()];
  return (Array.isArray(value) ? value.at(-1) : value) ?? '';
}

/**
 * The parameters of a request as they arrived: for a GET the query, for a POST the body's JSON object.
 * @throws Refusal 40409 for an invalid body.
 */
function readParameters({ method, target, body }: WireRequest): Record<string, unknown> {
  if (method === 'GET') {
    const at = target.indexOf('?');
    return at < 0 ? {} : Object.fromEntries(new URLSearchParams(target.slice(at + 1)));
  }
  if (body.length === 0) return {};
  let value: unknown;
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Refusal('40409', 'bad format: the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal('40409', 'bad format: the body is not a JSON object');
  return { ...value };
}

/** Amounts with a code of their own for negative values. A `pageSize` is no amount. */
const NEGATIVE: readonly (readonly [RegExp, ExchangeCode])[] = [
  [/(^|[._])price$/, '43011'],
  [/(^|\.)(quantity|size|amount)$/, '43010'],
];

/** The documented refusal for a parameter that breaks a rule; `parameters` as they arrived. */
function refusalOf({ field, rule, code }: RequestIssue, parameters: unknown): Refusal {
  const value = valueAt(parameters, field);
  const negative = (typeof value === 'string' ? value : numberText(value))?.startsWith('-')
    ? NEGATIVE.find(([name]) => name.test(field))
    : undefined;
  if (negative !== undefined) return new Refusal(negative[1], `${field} must not be negative`);
  const known: ExchangeCode = codeRow(code) === undefined ? '40020' : (code as ExchangeCode);
  return new Refusal(known, `${field === '' ? 'the request' : field} ${rule}`);
}

/** The value of a path like `orderList[0].price`. */
function valueAt(value: unknown, field: string): unknown {
  return field
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .reduce((at, part) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[part] : undefined), value);
}
