import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { parseJson, writeJson } from '../../exchange/json.ts';
import { closeEnvelope } from '../../exchange/operations/codecs.ts';
import { OPERATION_TABLE, type OperationName } from '../../exchange/operations/operation-table.ts';
import { OPERATIONS } from '../../exchange/operations/operations.ts';
import { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { AccountStatus } from '../core/actions.ts';
import type { ExchangeAccount } from '../core/exchange-account.ts';
import type { GridChange } from '../core/listings.ts';
import { unitsOf } from '../core/order-checks.ts';
import type { RunningCore } from '../core/running-core.ts';
import { WALLET_NAMES, type WalletName } from '../core/wallets.ts';
import { FAULT_KINDS, type FaultPlan, type FaultSettings } from '../faults.ts';
import { defined, FUTURES_LISTS, type ListSettings } from '../options.ts';
import { Refusal } from '../refusal.ts';
import { refused } from './answering.ts';

interface ControlOptions {
  readonly core: RunningCore;
  readonly faults: FaultPlan;
  readonly step: ((ms: number) => void) | undefined;
}

/** Actions of the owner of a local exchange that no user has. Accounts are given by name or uid, instruments by our symbol. */
export class Control {
  constructor(private readonly options: ControlOptions) {}

  /** Epoch ms of the exchange. */
  now(): number {
    return this.options.core.now();
  }

  /** Advances time by `ms`; prices and other due events happen on the way. @throws Refusal if the clock runs by itself. */
  step(ms: number): void {
    if (this.options.step === undefined) throw new Refusal('40020', 'the clock of this exchange runs by itself');
    this.options.step(ms);
  }

  /** Sets the last price, as a ticker would: a multiple of the config's tick. @throws Refusal. */
  setPrice(symbol: string, price: string): void {
    const instrument = this.#listed(symbol);
    const ticks = unitsOf(instrument, instrument, 'price', price);
    if (ticks <= 0) throw new Refusal('43011', 'a price is above 0');
    this.options.core.act('price', ['ticker', instrument.index, ticks]);
  }

  /** Changes the steps and the least quantity of new orders; fields that are left out stay unchanged. @throws Refusal. */
  setGrid(symbol: string, change: GridChange): void {
    this.#listed(symbol);
    this.options.core.act('grid', { symbol, ...change });
  }

  deposit(account: string, wallet: WalletName, coin: string, amount: string): void {
    this.#mustKnow(coin);
    this.options.core.act('deposit', { uid: this.#account(account).uid, wallet, coin, amount });
  }

  /** Between two wallets of an account. @throws Refusal 40015 if there is too little. */
  transfer(account: string, coin: string, amount: string, from: WalletName, to: WalletName): void {
    this.#mustKnow(coin);
    const { uid, wallets } = this.#account(account);
    if (from === to) throw new Refusal('40020', 'from and to must be two wallets');
    if (new Decimal(amount).greaterThan(wallets[from].available(coin)))
      throw new Refusal('40015', `FAILED_PRECONDITION: ${coin} not enough`);
    this.options.core.act('transfer', { uid, coin, amount, from, to });
  }

  /** Makes an account an affiliate, a sub-affiliate, invited, or frozen. `inviter` is a name or uid. */
  setStatus(account: string, status: AccountStatus): void {
    const { uid } = this.#account(account);
    const inviter = status.inviter === undefined ? undefined : this.#account(status.inviter).uid;
    if (inviter === uid) throw new Refusal('40020', 'inviter must be another account');
    this.options.core.act('standing', { uid, ...status, ...(inviter === undefined ? {} : { inviter }) });
  }

  /** Makes this many of the next internal withdrawals fail; their amounts are returned. */
  failWithdrawals(count: number): void {
    this.options.core.act('failWithdrawals', { count });
  }

  /** Closes the position of an account on one side of a contract, at an agreed price. @throws Refusal. */
  agree(account: string, symbol: string, side: 'long' | 'short', price: string): void {
    this.#pricedContract(symbol, price);
    this.options.core.act('agree', { uid: this.#account(account).uid, symbol, side, price });
  }

  /**
   * Closes the position of an account on one side of a contract by auto-deleveraging.
   * @param quantity in base; default: all of it.
   * @throws Refusal.
   */
  deleverage(account: string, symbol: string, side: 'long' | 'short', price: string, quantity?: string): void {
    const instrument = this.#pricedContract(symbol, price);
    if (quantity !== undefined && unitsOf(instrument, instrument, 'size', quantity) <= 0)
      throw new Refusal('43010', 'a quantity is above 0');
    this.options.core.act('deleverage', { uid: this.#account(account).uid, symbol, side, price, quantity });
  }

  #pricedContract(symbol: string, price: string): Instrument {
    const { instruments } = this.options.core.exchange;
    const instrument = instruments.find((one) => one.symbol === symbol && one.contract !== undefined);
    if (instrument === undefined) throw new Refusal('40102', `unknown contract ${symbol}`);
    if (unitsOf(instrument, instrument, 'price', price) <= 0) throw new Refusal('43011', 'a price is above 0');
    return instrument;
  }

  /** Fields that are left out stay unchanged; the random draws restart. */
  setFaults(settings: Partial<FaultSettings>): void {
    this.options.faults.set(settings);
  }

  /** Fields that are left out stay unchanged. */
  setLists(settings: Partial<ListSettings>): void {
    const { exchange } = this.options.core;
    exchange.lists = { ...exchange.lists, ...settings };
  }

  #account(nameOrUid: string): ExchangeAccount {
    const { accounts } = this.options.core.exchange;
    const found = accounts.named(nameOrUid) ?? accounts.find(nameOrUid);
    if (found === undefined) throw new Refusal('40020', `no account ${nameOrUid}`);
    return found;
  }

  #listed(symbol: string): Instrument {
    const found = this.options.core.exchange.instruments.find((one) => one.symbol === symbol);
    if (found === undefined) throw new Refusal('40102', `unknown instrument ${symbol}`);
    return found;
  }

  #mustKnow(coin: string): void {
    if (!this.options.core.exchange.coins.some(({ name }) => name === coin)) throw new Refusal('40020', `no coin ${coin}`);
  }
}

const decimal = z.string().regex(/^\d{1,18}(\.\d{1,18})?$/, 'a decimal number of at least 0, in quotes');
const amount = decimal.regex(/[1-9]/, 'an amount above 0');
const ms = z.number().min(0).max(1e12);
const name = z.string().min(1);
const FORCED = { account: name, symbol: name, side: z.enum(['long', 'short']), price: decimal };
const wallet = z.enum(WALLET_NAMES);

export const FaultRuleSchema = z.strictObject({
  fault: z.enum(FAULT_KINDS),
  operations: z.array(z.enum(Object.keys(OPERATION_TABLE) as [OperationName, ...OperationName[]])).optional(),
  chance: z.number().min(0).max(1).optional(),
  after: z.int().min(0).optional(),
  times: z.int().min(0).optional(),
  ms: z
    .tuple([ms, ms])
    .refine(([least, most]) => least <= most, 'the least comes first')
    .optional(),
});

/** The requests of the control API, by path. */
const CONTROL_REQUESTS = {
  step: z.strictObject({ ms }),
  price: z.strictObject({ symbol: name, price: decimal }),
  grid: z.strictObject({
    symbol: name,
    tickSize: amount.optional(),
    stepSize: amount.optional(),
    minQuantity: amount.optional(),
    maxQuantity: amount.optional(),
  }),
  deposit: z.strictObject({ account: name, wallet, coin: name, amount }),
  transfer: z.strictObject({ account: name, coin: name, amount, from: wallet, to: wallet }),
  account: z.strictObject({
    account: name,
    affiliate: z.boolean().optional(),
    subAffiliate: z.boolean().optional(),
    inviter: name.optional(),
    frozen: z.boolean().optional(),
  }),
  withdrawals: z.strictObject({ fail: z.int().min(0) }),
  lists: z.strictObject({
    keepTerminalOrders: z.boolean().optional(),
    keepFlatPositions: z.boolean().optional(),
    pendingMs: ms.optional(),
    cancelingMs: ms.optional(),
    sharedMode: z.enum(['SHARED', 'CROSS']).optional(),
    lagMs: z.partialRecord(z.enum(FUTURES_LISTS), ms).optional(),
  }),
  agree: z.strictObject(FORCED),
  deleverage: z.strictObject({ ...FORCED, quantity: decimal.optional() }),
  faults: z.strictObject({
    seed: z.int().optional(),
    rules: z.array(FaultRuleSchema).optional(),
    visibilityLagMs: ms.optional(),
    clockSkewMs: ms.optional(),
    clockJumpMs: ms.optional(),
  }),
} as const;

type ControlRequests = { [K in keyof typeof CONTROL_REQUESTS]: z.output<(typeof CONTROL_REQUESTS)[K]> };

type Doing = { readonly [K in keyof ControlRequests]: (request: ControlRequests[K], control: Control) => void };

const DOING: Doing = {
  step: ({ ms }, control) => control.step(ms),
  price: ({ symbol, price }, control) => control.setPrice(symbol, price),
  grid: ({ symbol, ...change }, control) => control.setGrid(symbol, defined(change)),
  deposit: ({ account, wallet, coin, amount }, control) => control.deposit(account, wallet, coin, amount),
  transfer: ({ account, coin, amount, from, to }, control) => control.transfer(account, coin, amount, from, to),
  account: ({ account, ...status }, control) => control.setStatus(account, status),
  withdrawals: ({ fail }, control) => control.failWithdrawals(fail),
  agree: ({ account, symbol, side, price }, control) => control.agree(account, symbol, side, price),
  deleverage: ({ account, symbol, side, price, quantity }, control) => control.deleverage(account, symbol, side, price, quantity),
  lists: (settings, control) => control.setLists(defined(settings)),
  faults: (settings, control) => control.setFaults(defined(settings)),
};

/**
 * `POST /control/<what>` with a JSON object: the control API over HTTP, unsigned, only for programs on this machine. A request that a
 * page in a browser could have sent is refused.
 */
export function addControl(server: FastifyInstance, control: Control): void {
  for (const what of Object.keys(DOING) as (keyof ControlRequests)[]) {
    server.post(`/control/${what}`, (request, reply) => {
      const { status, body } = answer(what, request, control);
      return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body);
    });
  }
}

interface ControlRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

function answer<K extends keyof ControlRequests>(
  what: K,
  { headers, body }: ControlRequest,
  control: Control,
): { status: number; body: string } {
  try {
    refusePages(headers);
    DOING[what](read(what, body), control);
    const now = Math.floor(control.now());
    return { status: 200, body: writeJson(closeEnvelope(OPERATIONS.spotTime, { now }, now)) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refused(error, 'futures', Math.floor(control.now()));
  }
}

/** The names of this machine, with any port: a forwarded one is another. */
const OWN_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;
const JSON_TYPE = /^application\/json\s*(;|$)/i;

/**
 * A browser sends the page's site in `Origin`, and the name that it used for this server in `Host`. It sends JSON to another site only
 * after a preflight
 * request, and nothing here allows one.
 * @throws Refusal 40014, 40007.
 */
function refusePages({ host = '', origin, 'content-type': type = '' }: IncomingHttpHeaders): void {
  if (!OWN_HOST.test(host))
    throw new Refusal('40014', `Host: expected a name of this machine such as 127.0.0.1, not ${JSON.stringify(host)}`);
  if (origin !== undefined)
    throw new Refusal('40014', `Origin: expected none, as a page in a browser sends one, not ${JSON.stringify(origin)}`);
  if (!JSON_TYPE.test(type)) throw new Refusal('40007');
}

function read<K extends keyof ControlRequests>(what: K, body: unknown): ControlRequests[K] {
  let value: unknown;
  try {
    value = parseJson(Buffer.isBuffer(body) ? body.toString('utf8') : '');
  } catch {
    throw new Refusal('40409', 'bad format: the body is not JSON');
  }
  const { data, error } = CONTROL_REQUESTS[what].safeParse(value);
  if (error !== undefined) {
    const [issue] = error.issues;
    throw new Refusal('40020', `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'unreadable'}`);
  }
  return data as ControlRequests[K];
}
