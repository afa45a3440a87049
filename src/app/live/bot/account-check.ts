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
import { coinIdOf } from '../../../venues/rest/futures/futures-trading.ts';

/** Where the journal's memory keeps whose account it was written on. */
export const ACCOUNT_MEMORY = 'account';

/** The account of a journal. */
export interface KnownAccount {
  readonly salt: string;
  /** SHA-256 of the salt and of the hash that identifies the key: the key itself is nowhere. */
  readonly key: string;
  /** What the exchange calls the account, by half, where an answer has said so. */
  readonly ids: readonly (readonly [wallet: Wallet, id: string])[];
}

export interface AccountCheckParts {
  readonly client: Pick<ExchangeClient, 'orderInfo' | 'fills' | 'accountAssets' | 'futuresAccount'>;
  readonly instruments: readonly Instrument[];
  /** The exchange's ids of coins that contracts are settled in, where the config names them. */
  readonly coinIds?: ReadonlyMap<string, string> | undefined;
  /** As the journal leaves it. */
  readonly state: State;
  /** What the journal says of its account; `undefined` of a new one, and of an earlier build's. */
  readonly known: KnownAccount | undefined;
  /** Tells keys apart; see `Credentials`. */
  readonly accountId: string;
  /** A person says that it is the same account: what cannot be proved is believed. */
  readonly isTrusted?: boolean | undefined;
}

/** Orders that are looked up to prove the account. */
const ORDERS_ASKED = 5;
/** The exchange's word for an order that is not there. */
const NOT_FOUND = '43001';

/**
 * Checks that the keys belong to the account that the journal was written on. The same key is the same account. Another key is
 * accepted where the exchange proves that the account is the same: it names the same account id, it knows an order of the
 * journal, or all balances are those of the journal. A journal of an earlier build names no account: there, only what
 * contradicts it counts.
 * @returns what the journal is to remember.
 * @throws TidegateError ACCOUNT_DIFFERS; ExchangeError where the exchange cannot be asked.
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

/** Notes the id, or says how it contradicts what is known. */
function compared(ids: Map<Wallet, string>, wallet: Wallet, id: string): string[] {
  const before = ids.get(wallet);
  if (before === undefined) ids.set(wallet, id);
  return before === undefined || before === id ? [] : [`the ${wallet} account of the keys is ${id}, that of the journal ${before}`];
}

/** Account ids that one read shows. Spot has no such operation: its orders and fills alone name the account. */
async function namedIds({ client, instruments, coinIds }: AccountCheckParts): Promise<Map<Wallet, string>> {
  const contract = instruments.find((one) => one.contract !== undefined);
  if (contract === undefined) return new Map();
  const { account } = await client.futuresAccount({ coinId: coinIdOf(contract.quote, coinIds) });
  return new Map([['futures', account.id]]);
}

/** Spot orders that the exchange has accepted: open ones first, then the newest. */
function acceptedSpotOrders({ openOrders, endedOrders }: State): Order[] {
  const isAccepted = ({ orderId, instrument }: Order) => orderId !== '' && instrument.contract === undefined;
  return [...[...openOrders.values()].reverse(), ...[...endedOrders.values()].reverse()].filter(isAccepted);
}

interface SpotSigns {
  readonly isProved: boolean;
  readonly accountId: string | undefined;
  /** What speaks against it. */
  readonly against: readonly string[];
}

async function spotSigns(parts: AccountCheckParts, orders: readonly Order[]): Promise<SpotSigns> {
  const { client, instruments } = parts;
  const asked = orders.slice(0, ORDERS_ASKED);
  for (const { orderId } of asked) {
    const record = await orderRecord(client, orderId);
    if (record !== undefined) return { isProved: true, accountId: record.accountId, against: [] };
  }
  const against = asked.map(({ orderId, clientOrderId }) => `it does not know order ${clientOrderId} (${orderId})`);
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

async function orderRecord(client: AccountCheckParts['client'], orderId: string): Promise<PayloadOf<'orderInfo'>[number] | undefined> {
  try {
    const [record] = await client.orderInfo({ orderId });
    return record;
  } catch (error) {
    if (error instanceof ExchangeError && error.exchangeCode === NOT_FOUND) return undefined;
    throw error;
  }
}

/** Spot balances that are not those of the journal, to the last digit. */
async function unlikeBalances({ client, instruments, state }: AccountCheckParts): Promise<string[]> {
  const assets = await client.accountAssets();
  const traded = instruments.filter(({ contract }) => contract === undefined);
  return [...new Set(traded.flatMap(({ base, quote }) => [base, quote]))].flatMap((asset) => {
    const record = assets.find(({ coinName }) => coinName.toUpperCase() === asset);
    const there = record === undefined ? ZERO : new Decimal(record.available).plus(record.frozen);
    const here = state.portfolio.balance(asset, 'spot').total;
    return there.equals(here) ? [] : [`it holds ${there.toFixed()} ${asset}, the journal ${here.toFixed()}`];
  });
}

function differs(against: readonly string[]): TidegateError {
  return new TidegateError(
    'ACCOUNT_DIFFERS',
    [
      'not started: the keys are not proved to be of the account that the journal of this bot was written on, and nothing was sent:',
      ...against.map((one) => `- ${one}`),
      'Put the keys of that account back. Or look at the positions and open orders of both accounts first. Then start once with --new-account to trade the',
      'account of these keys: the journal is put aside, and a new one begins. Where it is the same account under a new key, start once with --same-account.',
    ].join('\n'),
  );
}
