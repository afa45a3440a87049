import { createHash, randomBytes } from 'node:crypto';
import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Wallet } from '../../../model/ledger.ts';
import type { Order } from '../../../state/order.ts';
import type { State } from '../../../state/state.ts';
import { coinIdOf } from '../../../venues/rest/futures/futures-reads.ts';

/** The key of the journal's memory under which it stores its account. */
export const ACCOUNT_MEMORY = 'account';

/** The account of a journal. */
export interface KnownAccount {
  readonly salt: string;
  /** SHA-256 of the salt and of the hash that identifies the key. The key itself is not stored. */
  readonly key: string;
  /** The exchange's account ids, for spot and for futures, once a reply has shown them. */
  readonly ids: readonly (readonly [wallet: Wallet, id: string])[];
}

export interface AccountCheckParts {
  readonly client: Pick<ExchangeClient, 'orderInfo' | 'fills' | 'accountAssets' | 'futuresAccount'>;
  readonly instruments: readonly Instrument[];
  /** The exchange's ids of settlement coins, if the config has them. */
  readonly coinIds?: ReadonlyMap<string, string> | undefined;
  /** The state at the end of the journal. */
  readonly state: State;
  /** The account in the journal; `undefined` for a new journal and for one of an earlier build. */
  readonly known: KnownAccount | undefined;
  /** Identifies the key; see `Credentials`. */
  readonly accountId: string;
  /** The user confirms that it is the same account, so a proof is not needed. */
  readonly isTrusted?: boolean | undefined;
}

/** The number of orders that are queried to prove the account. */
const ORDERS_ASKED = 5;
/** The exchange's code for an order that does not exist. */
const NOT_FOUND = '43001';

/**
 * Checks that the keys belong to the journal's account. The same key means the same account. Another key is accepted if the exchange
 * proves that the account is the same: it has the same account id, it has an order of the journal, or all balances are those of the
 * journal. A journal of an earlier build has no account: then only a contradiction refuses the start.
 * @returns the account to store in the journal.
 * @throws TidegateError ACCOUNT_DIFFERS; ExchangeError if a request fails.
 */
export async function checkAccount(parts: AccountCheckParts): Promise<KnownAccount> {
  const { known, accountId, state, isTrusted = false } = parts;
  const salt = known?.salt ?? randomBytes(8).toString('hex');
  const key = createHash('sha256').update(`${salt}/${accountId}`).digest('hex');
  const ids = new Map(known?.ids);
  const named = await namedIds(parts);
  const isNamed = [...named].some(([wallet, id]) => ids.get(wallet) === id);
  const against = [...named].flatMap(([wallet, id]) => compared(ids, wallet, id));
  if (against.length > 0) throw differs(against);
  const isSure = known?.key === key || isNamed;
  const orders = acceptedSpotOrders(state);
  if (orders.length > 0 && !(isSure && ids.has('spot'))) {
    const signs = await spotSigns(parts, orders);
    const said = signs.accountId === undefined ? [] : compared(ids, 'spot', signs.accountId);
    if (said.length > 0) throw differs(said);
    const proved = signs.isProved || known?.ids.some(([wallet, id]) => wallet === 'spot' && id === signs.accountId) === true;
    if (!isSure && !isTrusted && !proved && !(known === undefined && signs.against.length === 0)) throw differs(signs.against);
  }
  return { salt, key, ids: [...ids] };
}

/** Stores an id, or describes how it contradicts the known one. */
function compared(ids: Map<Wallet, string>, wallet: Wallet, id: string): string[] {
  const before = ids.get(wallet);
  if (before === undefined) ids.set(wallet, id);
  return before === undefined || before === id ? [] : [`the ${wallet} account of the keys is ${id}, but the journal's is ${before}`];
}

/** The account ids that one request shows. Spot has no such operation: only its orders and fills have the account id. */
async function namedIds({ client, instruments, coinIds }: AccountCheckParts): Promise<Map<Wallet, string>> {
  const contract = instruments.find((one) => one.contract !== undefined);
  if (contract === undefined) return new Map();
  const { account } = await client.futuresAccount({ coinId: coinIdOf(contract.quote, coinIds) });
  return new Map([['futures', account.id]]);
}

/** The spot orders that the exchange has accepted: open ones first, then the newest. */
function acceptedSpotOrders({ openOrders, endedOrders }: State): Order[] {
  const isAccepted = ({ orderId, instrument }: Order) => orderId !== '' && instrument.contract === undefined;
  return [...[...openOrders.values()].reverse(), ...[...endedOrders.values()].reverse()].filter(isAccepted);
}

interface SpotSigns {
  readonly isProved: boolean;
  readonly accountId: string | undefined;
  /** The reasons why the account cannot be the journal's. */
  readonly against: readonly string[];
}

async function spotSigns(parts: AccountCheckParts, orders: readonly Order[]): Promise<SpotSigns> {
  const { client, instruments } = parts;
  const asked = orders.slice(0, ORDERS_ASKED);
  for (const order of asked) {
    const record = (await orderRecord(client, { orderId: order.orderId })) ?? (await underClientId(client, order));
    if (record !== undefined) return { isProved: true, accountId: record.accountId, against: [] };
  }
  const against = asked.map(({ orderId, clientOrderId }) => `the account of the keys has no order ${clientOrderId} (${orderId})`);
  const known = new Set(orders.map(({ orderId }) => orderId));
  let accountId: string | undefined;
  for (const { symbol, contract } of instruments) {
    if (contract !== undefined) continue;
    const { fillsOrderResultList: fills } = await client.fills({ symbol: wireSymbol(symbol), pageIndex: 0, pageSize: 100 });
    accountId ??= fills[0]?.accountId;
    if (fills.some(({ orderId }) => known.has(orderId))) return { isProved: true, accountId, against: [] };
  }
  const unlike = await unlikeBalances(parts);
  return { isProved: unlike.length === 0, accountId, against: unlike.length === 0 ? [] : [...against, ...unlike] };
}

/** A proxy may have rounded the id that the journal has. A client id has the time at which the journal began. */
async function underClientId(
  client: AccountCheckParts['client'],
  { clientOrderId, instrument, request: { side } }: Order,
): Promise<OrderRecord | undefined> {
  const record = await orderRecord(client, { clientOrderId });
  const isIt = record?.symbol.toUpperCase() === wireSymbol(instrument.symbol).toUpperCase() && record.side.toLowerCase() === side;
  return isIt ? record : undefined;
}

type OrderRecord = PayloadOf<'orderInfo'>[number];

async function orderRecord(
  client: AccountCheckParts['client'],
  id: { readonly orderId: string } | { readonly clientOrderId: string },
): Promise<OrderRecord | undefined> {
  try {
    const [record] = await client.orderInfo(id);
    return record;
  } catch (error) {
    if (error instanceof ExchangeError && error.exchangeCode === NOT_FOUND) return undefined;
    throw error;
  }
}

/** The spot balances that differ from the journal's, compared to the last digit. */
async function unlikeBalances({ client, instruments, state }: AccountCheckParts): Promise<string[]> {
  const assets = await client.accountAssets();
  const traded = instruments.filter(({ contract }) => contract === undefined);
  return [...new Set(traded.flatMap(({ base, quote }) => [base, quote]))].flatMap((asset) => {
    const record = assets.find(({ coinName }) => coinName.toUpperCase() === asset);
    const there = record === undefined ? ZERO : new Decimal(record.available).plus(record.frozen);
    const here = state.portfolio.balance(asset, 'spot').total;
    return there.equals(here) ? [] : [`the account of the keys holds ${there.toFixed()} ${asset}, the journal has ${here.toFixed()}`];
  });
}

function differs(against: readonly string[]): TidegateError {
  return new TidegateError(
    'ACCOUNT_DIFFERS',
    [
      "not started: nothing proves that the keys belong to the account of this bot's journal. No order was sent:",
      ...against.map((one) => `- ${one}`),
      "Use the keys of the journal's account. Or check the positions and open orders of both accounts first. Then start once with --new-account to trade",
      'on the account of these keys: the journal is renamed, and a new one begins. If it is the same account with a new key, start once with --same-account.',
    ].join('\n'),
  );
}
