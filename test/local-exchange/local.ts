import { request } from 'undici';
import { Credentials } from '../../src/exchange/client/credentials.ts';
import { ExchangeClient } from '../../src/exchange/client/exchange-client.ts';
import type { ClientSettings } from '../../src/exchange/client/transport.ts';
import { WeightBudget } from '../../src/exchange/client/weight-budget.ts';
import { parseJson, writeJson } from '../../src/exchange/json.ts';
import { HEADERS, signHmac } from '../../src/exchange/signing.ts';
import type { AccountListing, AccountSpec } from '../../src/local-exchange/core/exchange-account.ts';
import type { ExchangeOptions } from '../../src/local-exchange/options.ts';
import { type RunningExchange, startExchange } from '../../src/local-exchange/start-exchange.ts';
import { SteppedClock } from '../../src/local-exchange/stepped-clock.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { Instrument } from '../../src/model/instrument.ts';
import { fillSettings, T0 } from '../builders.ts';

export const BTC = 'BTCUSDT_SPBL';
export const PERP = 'cmt_btcusdt';

const SPOT = { tickSize: '0.01', stepSize: '0.0001', makerFee: '0.001', takerFee: '0.001' };
const contract = { value: '0.000001', tiers: [{ maintenance: '0.005' }], liquidationFee: '0.001', triggerBy: 'last' } as const;

export const INSTRUMENTS = [
  new Instrument(0, { symbol: 'BTC-USDT', ...SPOT }),
  new Instrument(1, { symbol: 'ETH-USDT', ...SPOT, minQuantity: '0.01', maxQuantity: '100', minNotional: '10', maxNotional: '50000' }),
  new Instrument(2, { symbol: 'BTC-USDT-PERP', tickSize: '0.1', stepSize: '0.0001', makerFee: '0.0002', takerFee: '0.0006', contract }),
];

/** An affiliate, a guest and sub-affiliate of it, and a stranger. */
export const ACCOUNTS: readonly AccountSpec[] = [
  { name: 'affiliate', affiliate: true, balances: { spot: { USDT: '10000' }, funding: { USDT: '500' } } },
  {
    name: 'guest',
    invitedBy: 'affiliate',
    subAffiliate: true,
    balances: { spot: { USDT: '10000', BTC: '1' }, futures: { USDT: '10000' } },
  },
  { name: 'stranger', balances: { spot: { USDT: '1000' } } },
];

export interface Local {
  readonly exchange: RunningExchange;
  readonly clock: SteppedClock;
  /** Steps the exchange's time. */
  step(ms: number): void;
  price(symbol: string, price: string): void;
  client(account?: string, settings?: Partial<ClientSettings>): ExchangeClient;
  account(name: string): AccountListing;
  /** A request as it is written, signed as the account unless the headers say otherwise. */
  send(raw: RawRequest): Promise<RawReply>;
  close(): Promise<void>;
}

export interface RawRequest {
  readonly host?: 'spot' | 'futures';
  readonly method?: string;
  /** Path and query. */
  readonly target: string;
  readonly body?: unknown;
  readonly as?: string | undefined;
  /** Laid over those of the signature; `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly timestamp?: number;
  /** What is signed instead of the target. */
  readonly signedTarget?: string;
}

export interface RawReply {
  readonly status: number;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

/** Starts an exchange whose time and prices the test moves; without limits unless it sets some. */
export async function startLocal(options: Partial<ExchangeOptions> = {}): Promise<Local> {
  const clock = (options.clock as SteppedClock | undefined) ?? new SteppedClock(T0);
  const exchange = await startExchange({
    name: 'test',
    clock,
    step: (ms) => clock.step(ms),
    instruments: INSTRUMENTS,
    accounts: ACCOUNTS,
    fills: fillSettings({ limit: 'touch' }),
    margin: () => ({ mode: 'shared', separated: false, longLeverage: new Decimal(10), shortLeverage: new Decimal(10), autoAppend: false }),
    limits: { ipWeight: 0, uidWeight: 0, actionsPerSecond: 0 },
    ...options,
  });
  const clients: ExchangeClient[] = [];
  const account = (name: string) => exchange.accounts.find((one) => one.name === name)!;
  return {
    exchange,
    clock,
    step: (ms) => clock.step(ms),
    price: (symbol, price) => exchange.control.setPrice(symbol, price),
    account,
    client(name = 'guest', settings = {}) {
      const client = new ExchangeClient({
        clock,
        budget: new WeightBudget(clock, { ipWeight: 1e9, uidWeight: 1e9, actionsPerSecond: 1e9 }),
        credentials: new Credentials(account(name)),
        random: () => 0,
        settings: { spotBaseUrl: exchange.spot, contractBaseUrl: exchange.futures, readAttempts: 1, clockSyncMs: 0, ...settings },
      });
      clients.push(client);
      return client;
    },
    send: (raw) => send(exchange, raw),
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await exchange.close();
    },
  };
}

async function send(exchange: RunningExchange, raw: RawRequest): Promise<RawReply> {
  const { host = 'spot', target, body, as, timestamp = exchange.now() } = raw;
  const method = raw.method ?? (body === undefined ? 'GET' : 'POST');
  const text = body === undefined ? '' : typeof body === 'string' ? body : writeJson(body);
  const account = exchange.accounts.find(({ name }) => name === as);
  const signed =
    account === undefined
      ? {}
      : {
          [HEADERS.key]: account.key,
          [HEADERS.passphrase]: account.passphrase,
          [HEADERS.timestamp]: String(timestamp),
          [HEADERS.sign]: signHmac(account.secret, {
            timestamp: String(timestamp),
            method,
            target: raw.signedTarget ?? target,
            body: text,
          }),
          [HEADERS.contentType]: 'application/json',
        };
  const headers = Object.fromEntries(Object.entries({ ...signed, ...raw.headers }).filter(([, value]) => value !== undefined));
  const url = host === 'spot' ? exchange.spot : exchange.futures;
  const reply = await request(`${url}${target}`, {
    method: method as 'GET',
    headers: headers as Record<string, string>,
    ...(text === '' ? {} : { body: text }),
  });
  const answer = await reply.body.text();
  return { status: reply.statusCode, text: answer, json: jsonOf(answer) };
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    return parseJson(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** How a call failed. */
export async function failure(call: Promise<unknown>): Promise<Record<string, unknown> & Error> {
  return (await call.then(
    () => new Error('the call went through'),
    (reason: unknown) => reason,
  )) as Record<string, unknown> & Error;
}

let ids = 0;
/** A limit buy of 0.1 BTC at 100, unless said otherwise; every one has an id of its own. */
export function spotOrder(order: Partial<Parameters<ExchangeClient['batchOrders']>[0]['orderList'][0]> = {}) {
  return {
    side: 'buy' as const,
    orderType: 'limit' as const,
    force: 'normal' as const,
    price: '100',
    quantity: '0.1',
    clientOrderId: `c${++ids}`,
    ...order,
  };
}

/** A trigger order that opens 1 BTC long at market at 110, unless said otherwise. */
export function trigger(order: Partial<Parameters<ExchangeClient['triggerOrder']>[0]> = {}) {
  return {
    symbol: PERP,
    client_oid: `f${++ids}`,
    size: '1',
    type: '1' as const,
    match_type: '1' as const,
    execute_price: '0',
    trigger_price: '110',
    ...order,
  };
}
