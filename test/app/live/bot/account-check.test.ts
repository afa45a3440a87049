import { expect, test } from '@jest/globals';
import { type AccountCheckParts, checkAccount, type KnownAccount } from '../../../../src/app/live/bot/account-check.ts';
import { ExchangeError } from '../../../../src/exchange/errors.ts';
import { wireSymbol } from '../../../../src/exchange/symbols.ts';
import { Decimal } from '../../../../src/model/decimal.ts';
import { applyAccount } from '../../../../src/state/apply.ts';
import { filled, open, state } from '../../../state/builders.ts';

/** What the exchange shows of the account of the keys. */
interface Shown {
  /** By order id. */
  readonly orders?: readonly string[];
  /** The side of the order under the client id of the journal's. */
  readonly named?: string;
  readonly fills?: readonly string[];
  readonly id?: string;
  readonly balance?: string;
}

const target = () => {
  const found = state();
  open(found, { clientOrderId: 'c1' });
  applyAccount(found, filled({ clientOrderId: 'c1' }, 10, 100, true));
  return found;
};

function parts(
  { orders = [], named, fills = [], id = 'mine', balance = '5' }: Shown,
  known: KnownAccount | undefined,
  key = 'other',
): AccountCheckParts {
  const found = target();
  const total = new Decimal(5);
  const { instruments } = found;
  for (const asset of new Set(instruments.flatMap(({ base, quote }) => [base, quote]))) {
    applyAccount(found, {
      kind: 'balanceChanged',
      time: 1,
      balance: { wallet: 'spot', asset, total, frozen: new Decimal(0) },
      entry: undefined,
    });
  }
  const client = {
    orderInfo: async ({ orderId = '', clientOrderId }: { orderId?: string; clientOrderId?: string }) => {
      const { symbol } = found.order('c1')!.request.instrument;
      if (orders.includes(orderId)) return [{ accountId: id }];
      if (clientOrderId === 'c1' && named !== undefined) return [{ accountId: id, symbol: wireSymbol(symbol), side: named }];
      throw new ExchangeError({ operation: 'orderInfo', cause: 'business', scope: 'read', message: 'none', exchangeCode: '43001' });
    },
    fills: async () => ({ fillsOrderResultList: fills.map((orderId) => ({ orderId, accountId: id })) }),
    accountAssets: async () =>
      instruments.flatMap(({ base, quote }) => [base, quote]).map((coinName) => ({ coinName, available: balance, frozen: '0' })),
  };
  return { client: client as never, instruments, state: found, known, accountId: key };
}

const known = (ids: KnownAccount['ids'] = []): KnownAccount => ({ salt: 's', key: 'the hash of another key', ids });

test.each<[what: string, shown: Shown, known: KnownAccount | undefined]>([
  ['knows an order of the journal', { orders: ['1'], balance: '9' }, known()],
  // A proxy had rounded the id that the journal has.
  ['knows such an order by its client id alone', { named: 'BUY', balance: '9' }, known()],
  ['knows a fill of such an order', { fills: ['1'], balance: '9' }, known()],
  ['names the same account in any fill', { fills: ['77'], balance: '9' }, known([['spot', 'mine']])],
  ['holds to the last digit what the journal does', {}, known()],
  ['holds something else, of a journal that names no account, and knows its order', { orders: ['1'], balance: '9' }, undefined],
])('a new key is taken where the exchange %s', async (_, shown, before) => {
  const first = await checkAccount(parts(shown, before));
  expect(first.key).toMatch(/^[0-9a-f]{64}$/);
  // From here on the key is the proof.
  expect(await checkAccount(parts({ balance: '9' }, first))).toMatchObject({ key: first.key });
});

test.each<[what: string, shown: Shown, known: KnownAccount | undefined, text: string]>([
  ['knows none of its orders and holds something else', { balance: '9' }, known(), 'the account of the keys has no order c1 (1)'],
  ['shows fills of orders that are not in the journal', { fills: ['77'], balance: '9' }, known(), 'the account of the keys holds 9'],
  [
    'names another account',
    { orders: ['1'], id: 'theirs' },
    known([['spot', 'mine']]),
    "the spot account of the keys is theirs, but the journal's is mine",
  ],
  [
    'has an order of another side under its client id',
    { named: 'SELL', balance: '9' },
    known(),
    'the account of the keys has no order c1 (1)',
  ],
  ['contradicts a journal that names no account', { balance: '9' }, undefined, 'the account of the keys has no order c1'],
])('a new key is refused where the exchange %s', async (_, shown, before, text) => {
  await expect(checkAccount(parts(shown, before))).rejects.toMatchObject({
    code: 'ACCOUNT_DIFFERS',
    message: expect.stringContaining(text),
  });
});

test('a person may confirm that the account is the same if nothing proves it, but not against different ids', async () => {
  const trusted = (shown: Shown, ids?: KnownAccount['ids']) => checkAccount({ ...parts(shown, known(ids)), isTrusted: true });
  expect(await trusted({ balance: '9' })).toMatchObject({ salt: 's' });
  await expect(trusted({ orders: ['1'], id: 'theirs' }, [['spot', 'mine']])).rejects.toMatchObject({ code: 'ACCOUNT_DIFFERS' });
});
