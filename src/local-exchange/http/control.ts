import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { parseJson, writeJson } from '../../exchange/json.ts';
import { closeEnvelope } from '../../exchange/operations/codecs.ts';
import { OPERATION_TABLE, type OperationName } from '../../exchange/operations/operation-table.ts';
import { OPERATIONS } from '../../exchange/operations/operations.ts';
import { Decimal } from '../../model/decimal.ts';
import type { Standing } from '../core/actions.ts';
import type { ExchangeAccount } from '../core/exchange-account.ts';
import { unitsOf } from '../core/order-checks.ts';
import type { RunningCore } from '../core/running-core.ts';
import { WALLET_NAMES, type WalletName } from '../core/wallets.ts';
import { FAULT_KINDS, type FaultPlan, type FaultSettings } from '../faults.ts';
import { defined, type ListSettings } from '../options.ts';
import { Refusal } from '../refusal.ts';
import { refused } from './answering.ts';

interface ControlOptions {
  readonly core: RunningCore;
  readonly faults: FaultPlan;
  readonly step: ((ms: number) => void) | undefined;
}

/** What the owner of a local exchange can do and no user can. Accounts go by name or uid, instruments by our symbol. */
export class Control {
  constructor(private readonly options: ControlOptions) {}

  /** Epoch ms of the exchange. */
  now(): number {
    return this.options.core.now();
  }

  /** Lets `ms` pass; prices and whatever else is due happen on the way. @throws Refusal where the clock runs by itself. */
  step(ms: number): void {
    if (this.options.step === undefined) throw new Refusal('40020', 'the clock of this exchange runs by itself');
    this.options.step(ms);
  }

  /** Sets the last price, as a ticker would. @throws Refusal. */
  setPrice(symbol: string, price: string): void {
    const instrument = this.options.core.exchange.instruments.find((one) => one.symbol === symbol);
    if (instrument === undefined) throw new Refusal('40102', `unknown instrument ${symbol}`);
    const ticks = unitsOf(instrument, 'price', price);
    if (ticks <= 0) throw new Refusal('43011', 'a price is above 0');
    this.options.core.act('price', ['ticker', instrument.index, ticks]);
  }

  deposit(account: string, wallet: WalletName, coin: string, amount: string): void {
    this.#mustKnow(coin);
    this.options.core.act('deposit', { uid: this.#account(account).uid, wallet, coin, amount });
  }

  /** Between two wallets of an account. @throws Refusal 40015 where there is too little. */
  transfer(account: string, coin: string, amount: string, from: WalletName, to: WalletName): void {
    this.#mustKnow(coin);
    const { uid, wallets } = this.#account(account);
    if (from === to) throw new Refusal('40020', 'from and to must be two wallets');
    if (new Decimal(amount).greaterThan(wallets[from].available(coin)))
      throw new Refusal('40015', `FAILED_PRECONDITION: ${coin} not enough`);
    this.options.core.act('transfer', { uid, coin, amount, from, to });
  }

  /** Makes an account an affiliate, a sub-affiliate, somebody's guest, or frozen. `inviter` is a name or uid. */
  setStanding(account: string, standing: Standing): void {
    const { uid } = this.#account(account);
    const inviter = standing.inviter === undefined ? undefined : this.#account(standing.inviter).uid;
    if (inviter === uid) throw new Refusal('40020', 'inviter must be another account');
    this.options.core.act('standing', { uid, ...standing, ...(inviter === undefined ? {} : { inviter }) });
  }

  /** The next so many internal withdrawals fail and are given back. */
  failWithdrawals(count: number): void {
    this.options.core.act('failWithdrawals', { count });
  }

  /** Closes what an account holds on one side of a contract, at a price that was agreed on. @throws Refusal. */
  agree(account: string, symbol: string, side: 'long' | 'short', price: string): void {
    const { core } = this.options;
    const instrument = core.exchange.instruments.find((one) => one.symbol === symbol && one.contract !== undefined);
    if (instrument === undefined) throw new Refusal('40102', `unknown contract ${symbol}`);
    if (unitsOf(instrument, 'price', price) <= 0) throw new Refusal('43011', 'a price is above 0');
    core.act('agree', { uid: this.#account(account).uid, symbol, side, price });
  }

  /** What is left out stays as it is; the draws begin anew. */
  setFaults(settings: Partial<FaultSettings>): void {
    this.options.faults.set(settings);
  }

  /** What is left out stays as it is. */
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

  #mustKnow(coin: string): void {
    if (!this.options.core.exchange.coins.some(({ name }) => name === coin)) throw new Refusal('40020', `no coin ${coin}`);
  }
}

const decimal = z.string().regex(/^\d{1,18}(\.\d{1,18})?$/, 'a decimal number of at least 0, in quotes');
const amount = decimal.regex(/[1-9]/, 'an amount above 0');
const ms = z.number().min(0).max(1e12);
const name = z.string().min(1);
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

/** What the control door takes, by path. */
const CONTROL_REQUESTS = {
  step: z.strictObject({ ms }),
  price: z.strictObject({ symbol: name, price: decimal }),
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
  }),
  agree: z.strictObject({ account: name, symbol: name, side: z.enum(['long', 'short']), price: decimal }),
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
  deposit: ({ account, wallet, coin, amount }, control) => control.deposit(account, wallet, coin, amount),
  transfer: ({ account, coin, amount, from, to }, control) => control.transfer(account, coin, amount, from, to),
  account: ({ account, ...standing }, control) => control.setStanding(account, standing),
  withdrawals: ({ fail }, control) => control.failWithdrawals(fail),
  agree: ({ account, symbol, side, price }, control) => control.agree(account, symbol, side, price),
  lists: (settings, control) => control.setLists(defined(settings)),
  faults: (settings, control) => control.setFaults(defined(settings)),
};

/** `POST /control/<what>` with a JSON object: the control over HTTP, unsigned, for loopback alone. */
export function addControl(server: FastifyInstance, control: Control): void {
  for (const what of Object.keys(DOING) as (keyof ControlRequests)[]) {
    server.post(`/control/${what}`, (request, reply) => {
      const { status, body } = answer(what, request.body, control);
      return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body);
    });
  }
}

function answer<K extends keyof ControlRequests>(what: K, body: unknown, control: Control): { status: number; body: string } {
  try {
    DOING[what](read(what, body), control);
    const now = Math.floor(control.now());
    return { status: 200, body: writeJson(closeEnvelope(OPERATIONS.spotTime, { now }, now)) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refused(error, 'futures', Math.floor(control.now()));
  }
}

function read<K extends keyof ControlRequests>(what: K, body: unknown): ControlRequests[K] {
  let value: unknown;
  try {
    value = parseJson(Buffer.isBuffer(body) ? body.toString('utf8') : '');
  } catch {
    throw new Refusal('40409', 'bad format: the body is no JSON');
  }
  const { data, error } = CONTROL_REQUESTS[what].safeParse(value);
  if (error !== undefined) {
    const [issue] = error.issues;
    throw new Refusal('40020', `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'unreadable'}`);
  }
  return data as ControlRequests[K];
}
