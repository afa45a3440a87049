import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Decimal } from '../../src/model/decimal.ts';
import { BTC, type Local, PERP, startLocal } from './local.ts';

type Step =
  | { readonly kind: 'price'; readonly symbol: 'BTC-USDT' | 'BTC-USDT-PERP'; readonly ticks: number }
  | { readonly kind: 'trade'; readonly ticks: number; readonly steps: number }
  | {
      readonly kind: 'order';
      readonly side: 'buy' | 'sell';
      readonly force: 'normal' | 'postOnly' | 'fok' | 'ioc';
      readonly market: boolean;
      readonly cents: number;
      readonly tenths: number;
    }
  | { readonly kind: 'trigger'; readonly type: '1' | '2' | '3' | '4'; readonly price: number; readonly size: number }
  | { readonly kind: 'cancel'; readonly which: number }
  | { readonly kind: 'move'; readonly from: 'spot' | 'futures'; readonly amount: number };

const side = fc.constantFrom('buy' as const, 'sell' as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('price' as const),
    symbol: fc.constantFrom('BTC-USDT' as const, 'BTC-USDT-PERP' as const),
    ticks: fc.integer({ min: 900, max: 1_100 }),
  }),
  fc.record({
    kind: fc.constant('trade' as const),
    ticks: fc.integer({ min: 9_000, max: 11_000 }),
    steps: fc.integer({ min: 1, max: 30_000 }),
  }),
  fc.record({
    kind: fc.constant('order' as const),
    side,
    force: fc.constantFrom('normal' as const, 'postOnly' as const, 'fok' as const, 'ioc' as const),
    market: fc.boolean(),
    cents: fc.integer({ min: 9_000, max: 11_000 }),
    tenths: fc.integer({ min: 1, max: 200 }),
  }),
  fc.record({
    kind: fc.constant('trigger' as const),
    type: fc.constantFrom('1' as const, '2' as const, '3' as const, '4' as const),
    price: fc.integer({ min: 900, max: 1_100 }),
    size: fc.integer({ min: 1, max: 300 }),
  }),
  fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(20) }),
  fc.record({
    kind: fc.constant('move' as const),
    from: fc.constantFrom('spot' as const, 'futures' as const),
    amount: fc.integer({ min: 1, max: 3_000 }),
  }),
);

/** Replies that the exchange gave, whatever they were: a refusal is an answer. */
const quietly = (call: Promise<unknown>) => call.catch(() => undefined);

async function take(local: Local, one: Step, index: number): Promise<void> {
  const { control, exchange } = local.exchange;
  const client = local.client();
  switch (one.kind) {
    case 'price':
      control.setPrice(one.symbol, (one.ticks / 10).toFixed(1));
      break;
    case 'trade':
      exchange.perform('price', ['trade', 0, one.ticks, one.steps, -1], local.exchange.now());
      break;
    case 'order': {
      const order = { side: one.side, force: one.force, price: (one.cents / 100).toFixed(2), quantity: (one.tenths / 10).toFixed(1) };
      const orderList = [{ ...order, orderType: one.market ? ('market' as const) : ('limit' as const), clientOrderId: `o${index}` }];
      await quietly(client.batchOrders({ symbol: BTC, orderList }));
      break;
    }
    case 'trigger': {
      const prices = { execute_price: '0', trigger_price: (one.price / 10).toFixed(1) };
      await quietly(
        client.triggerOrder({ symbol: PERP, client_oid: `o${index}`, size: String(one.size), type: one.type, match_type: '1', ...prices }),
      );
      break;
    }
    case 'cancel':
      await quietly(client.cancelOrder({ symbol: BTC, clientOid: `o${one.which}` }));
      await quietly(client.cancelFuturesOrder({ symbol: PERP, clientOid: `o${one.which}` }));
      break;
    case 'move':
      try {
        control.transfer('guest', 'USDT', String(one.amount), one.from, one.from === 'spot' ? 'futures' : 'spot');
      } catch {
        // Too little there.
      }
  }
}

const sum = (values: readonly (string | Decimal)[]) => values.reduce<Decimal>((total, value) => total.plus(value), new Decimal(0));

/** What the replies say of one another, at this moment. */
async function agree(local: Local): Promise<void> {
  const client = local.client();
  const account = local.exchange.exchange.accounts.named('guest')!;
  const orders = await Promise.all(
    account.orders.all
      .filter(({ instrument }) => instrument.kind === 'spot')
      .map(async ({ orderId }) => (await client.orderInfo({ orderId }))[0]!),
  );
  const { fillsOrderResultList: fills } = await client.fills({ symbol: BTC, pageSize: 100 });
  for (const order of orders) {
    const own = fills.filter(({ orderId }) => orderId === order.orderId);
    expect(order.fillQuantity).toBe(sum(own.map(({ fillQuantity }) => fillQuantity)).toFixed());
    expect(order.fillTotalAmount).toBe(sum(own.map(({ fillTotalAmount }) => fillTotalAmount)).toFixed());
    if (order.orderType === 'limit') expect(new Decimal(order.fillQuantity).lessThanOrEqualTo(order.quantity)).toBe(true);
    if (order.status === 'open') expect(own).toEqual([]);
  }
  const live = orders.filter(({ status }) => status === 'open' || status === 'partial_fill');
  const rest = (order: (typeof live)[0]) => new Decimal(order.quantity).minus(order.fillQuantity);
  const byQuote = ({ orderType, side: of }: (typeof live)[0]) => orderType === 'market' && of === 'buy';
  const frozen = {
    USDT: sum(
      live
        .filter((order) => order.side === 'buy')
        .map((order) => (byQuote(order) ? new Decimal(order.quantity).minus(order.fillTotalAmount) : rest(order).times(order.price))),
    ),
    BTC: sum(live.filter((order) => order.side === 'sell').map(rest)),
  };
  const assets = await client.accountAssets();
  const moved = sum(
    account.transfers.size === 0
      ? []
      : [...account.transfers.values()].map(({ amount, to }) => (to === 'spot' ? amount : amount.negated())),
  );
  const trades = (coin: 'BTC' | 'USDT') =>
    sum(
      fills.map(({ side: of, fillQuantity, fillTotalAmount, fees }) => {
        const amount = new Decimal(coin === 'BTC' ? fillQuantity : fillTotalAmount);
        const received = (of === 'buy') === (coin === 'BTC');
        return received ? amount.minus(fees) : amount.negated();
      }),
    );
  for (const [coin, opening] of [
    ['BTC', new Decimal(1)],
    ['USDT', new Decimal(10_000).plus(moved)],
  ] as const) {
    const asset = assets.find(({ coinName }) => coinName === coin) ?? { available: '0', frozen: '0', equity: '0' };
    expect([coin, asset.frozen]).toEqual([coin, frozen[coin].toFixed()]);
    expect([coin, asset.equity]).toEqual([coin, opening.plus(trades(coin)).toFixed()]);
    expect(new Decimal(asset.available).plus(asset.frozen).toFixed()).toBe(asset.equity);
    expect(new Decimal(asset.available).isNegative()).toBe(false);
  }
  await agreeOnFutures(local);
}

async function agreeOnFutures(local: Local): Promise<void> {
  const client = local.client();
  const { collateral, position } = await client.futuresAccount({ coinId: '2' });
  expect(position.map(({ id, size, open_value }) => [id, size, open_value])).toEqual(
    (await client.singlePosition({ symbol: PERP })).map(({ id, size, open_value }) => [id, size, open_value]),
  );
  for (const pool of collateral) {
    const sums = Object.entries(pool).filter(([name]) => name.startsWith('cum_'));
    expect(sum(sums.map(([, amount]) => String(amount))).toFixed()).toBe(pool.amount);
  }
  const [wallet] = await client.futuresAssets();
  const total = sum(collateral.map(({ legacy_amount }) => legacy_amount));
  if (wallet !== undefined) expect(new Decimal(wallet.equity).minus(wallet.unrealizePnl!).toFixed()).toBe(total.toFixed());
  // Nothing is created or destroyed: what all accounts hold, the exchange's own books hold with the sign turned.
  const { exchange } = local.exchange;
  for (const coin of ['USDT', 'BTC']) {
    const held = exchange.accounts.all.flatMap(({ trading }) =>
      trading.balances.filter(({ asset }) => asset === coin).map((balance) => balance.total),
    );
    expect(sum(held).plus(exchange.matching.exchangeBook.total(coin)).toFixed()).toBe('0');
  }
}

test('orders, fills, balances, positions and collateral agree at every moment', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const local = await startLocal();
      try {
        local.price('BTC-USDT', '100');
        local.price('BTC-USDT-PERP', '100');
        for (const [index, one] of steps.entries()) {
          await take(local, one, index);
          await agree(local);
          local.step(1_000);
        }
      } finally {
        await local.close();
      }
    }),
    { numRuns: 25 },
  );
});
