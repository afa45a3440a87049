import { OPERATIONS } from '../../src/exchange/operations/operations.ts';
import type { Random } from '../../src/model/random.ts';
import type { RawRequest } from '../local-exchange/local.ts';

/** What earlier requests have made: a request that names it gets further than one that names nothing. */
export interface Known {
  readonly clientIds: string[];
  readonly orderIds: string[];
  readonly uids: readonly string[];
  readonly time: number;
}

/** What places or moves money comes more often. */
const NAMES = (Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]).flatMap((name) =>
  Array<typeof name>(OPERATIONS[name].effect === 'read' ? 1 : 4).fill(name),
);
const ACCOUNTS = ['guest', 'guest', 'guest', 'affiliate', 'affiliate', 'stranger', undefined];

/** Values of no field, or of another one. */
const ODD: readonly unknown[] = [
  ...[
    null,
    true,
    '',
    ' ',
    '-1',
    '0',
    '1e3',
    '1e400',
    '1e-400',
    'NaN',
    'Infinity',
    '0x10',
    '١',
    '\u0000',
    '\u202e',
    '../..',
    '%00',
    "'; --",
  ],
  ...[0, -1, 0.1, 1e21, -0, Number.MAX_SAFE_INTEGER + 1, '9'.repeat(19), '9'.repeat(25), '0.'.padEnd(60, '1'), 'x'.repeat(5_000)],
  ...[[], {}, [[]], [null], { toString: 1 }, { __proto__: null, length: 3 }, { constructor: { prototype: 1 } }, Array(300).fill({})],
];
const TORN = [
  '{',
  '[]',
  'null',
  '"',
  '1',
  '{"a":1e400}',
  '{"__proto__":{"a":1}}',
  '{"a":1,"a":2}',
  `${'['.repeat(20_000)}`,
  '\u0000',
  '{}}',
];

/** Draws requests: about half of them as the document has them, the others with something wrong. */
export class FuzzedRequests {
  #orders = 0;

  constructor(private readonly random: Random) {}

  next(known: Known): RawRequest {
    const name = this.#one(NAMES);
    const { method, path, host, parameters, request } = OPERATIONS[name];
    const input = this.#object(Object.keys(request.shape), known, name);
    if (this.#chance(0.4)) this.#spoil(input);
    const as = this.#one(ACCOUNTS);
    const wrong: Partial<RawRequest> = this.#chance(0.05) ? this.#otherwise(known) : {};
    if (parameters === 'body') return { host, method, target: path, as, body: this.#chance(0.02) ? this.#one(TORN) : input, ...wrong };
    const query = Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(textOf(value))}`);
    return { host, method, target: query.length === 0 ? path : `${path}?${query.join('&')}`, as, ...wrong };
  }

  /** Wrong beside its parameters. */
  #otherwise({ time }: Known): Partial<RawRequest> {
    return this.#one<Partial<RawRequest>>([
      { method: this.#one(['PUT', 'DELETE', 'PATCH', 'OPTIONS']) },
      { target: this.#one(['/', '/api/v2/nothing', '/api/v2/market/ticker?symbol=%E0%A4%A', '/api/v2/market/ticker?symbol&symbol=1&=']) },
      { timestamp: time + this.#one([-30_001, 30_001, -1e13, 1e15]) },
      { headers: { 'ACCESS-SIGN': this.#one(['', 'x', undefined]) } },
      { headers: { 'ACCESS-TIMESTAMP': this.#one(['', '-1', '1e13', '9'.repeat(40)]) } },
      { headers: { 'content-type': this.#one(['text/plain', 'application/json; charset=utf-16', 'x', '']) } },
    ]);
  }

  #object(fields: readonly string[], known: Known, name: string): Record<string, unknown> {
    return Object.fromEntries(fields.map((field) => [field, this.#value(field, known, name)]));
  }

  #spoil(input: Record<string, unknown>): void {
    const fields = Object.keys(input);
    const field = fields.length === 0 || this.#chance(0.1) ? this.#one(['__proto__', 'constructor', 'extra', '']) : this.#one(fields);
    const list = input[field];
    if (Array.isArray(list) && list.length > 0 && typeof list[0] === 'object' && this.#chance(0.8))
      this.#spoil(list[0] as Record<string, unknown>);
    else Object.defineProperty(input, field, { value: this.#chance(0.2) ? undefined : this.#one(ODD), enumerable: true });
  }

  /** A value that the field may have. */
  #value(field: string, known: Known, name: string): unknown {
    const { clientIds, orderIds, uids, time } = known;
    const isFutures = OPERATIONS[name as keyof typeof OPERATIONS].path.startsWith('/capi');
    switch (field) {
      case 'symbol':
        return isFutures ? 'cmt_btcusdt' : this.#one(['BTCUSDT_SPBL', 'BTCUSDT_SPBL', 'ETHUSDT_SPBL']);
      case 'orderList':
        return this.#list(['side', 'orderType', 'force', 'price', 'quantity', 'clientOrderId'], known, name);
      case 'orderDataList':
        return this.#list(['client_oid', 'size', 'type', 'order_type', 'match_price', 'price'], known, name);
      case 'ids':
        return [this.#one(orderIds)];
      case 'cids':
        return [this.#one(clientIds)];
      case 'orderId':
        return this.#chance(0.7) ? this.#one(orderIds) : undefined;
      case 'clientOid':
        return this.#one(clientIds);
      case 'clientOrderId':
      case 'client_oid': {
        if (name === 'orderInfo' || this.#chance(0.05)) return this.#one(clientIds);
        const id = `f${++this.#orders}`;
        clientIds.push(id);
        return id;
      }
      case 'price':
      case 'executePrice':
      case 'execute_price':
      case 'triggerPrice':
      case 'trigger_price':
        return (95 + this.#whole(1000) / 100).toFixed(isFutures ? 1 : 2);
      case 'presetTakeProfitPrice':
      case 'presetStopLossPrice':
        return this.#chance(0.1) ? (95 + this.#whole(1000) / 100).toFixed(1) : undefined;
      case 'quantity':
      case 'size':
        return ((1 + this.#whole(9_999)) / 10_000).toFixed(4);
      case 'amount':
      case 'transferAmount':
        return ((1 + this.#whole(9_999)) / 1_000).toFixed(3);
      case 'coin':
      case 'coinName':
        return this.#one(['USDT', 'USDT', 'BTC']);
      case 'toUserId':
        return this.#one(uids);
      case 'longLeverage':
      case 'shortLeverage':
        return String(1 + this.#whole(10));
      case 'startTime':
      case 'after':
        return this.#chance(0.5) ? time - this.#whole(86_400_000) : undefined;
      case 'endTime':
      case 'before':
        return this.#chance(0.3) ? time : undefined;
      case 'limit':
      case 'pageSize':
        return this.#chance(0.5) ? 1 + this.#whole(100) : undefined;
      case 'period':
      case 'granularity':
        return this.#one(['1min', '1m', '1h', '1day']);
      case 'side':
        return this.#one(['buy', 'sell', 'long', 'short']);
      case 'positionSide':
        return this.#one(['long', 'short']);
      case 'orderType':
        return this.#one(['limit', 'market']);
      case 'force':
        return this.#one(['normal', 'postOnly', 'fok', 'ioc']);
      case 'cancelOrderType':
        return this.#one(['normal', 'plan']);
      case 'planType':
        return this.#one(['profit_plan', 'loss_plan']);
      case 'marginMode':
        return this.#one([1, 1, 3]);
      case 'type':
        return this.#one(['1', '2', '3', '4']);
      case 'order_type':
        return this.#one(['0', '0', '1', '2', '3']);
      case 'match_price':
      case 'match_type':
        return this.#one(['0', '1']);
      case 'fromAccountType':
      case 'toAccountType':
        return this.#one(['SPOT', 'FUND', 'FUNDING', undefined]);
      default:
        return this.#chance(0.7) ? undefined : this.#one(['1', 1, 'USDT', time]);
    }
  }

  #list(fields: readonly string[], known: Known, name: string): unknown[] {
    return Array.from({ length: 1 + this.#whole(3) }, () => this.#object(fields, known, name));
  }

  #one<T>(values: readonly T[]): T {
    return values[this.#whole(values.length)] as T;
  }

  /** From 0 up to, and without, `end`. */
  #whole(end: number): number {
    return Math.floor(this.random.uniform() * end);
  }

  #chance(share: number): boolean {
    return this.random.uniform() < share;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
