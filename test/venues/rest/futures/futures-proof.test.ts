import { afterEach, expect, test } from '@jest/globals';
import type { OperationName } from '../../../../src/exchange/operations/operation-table.ts';
import { BTC, World, type WorldOptions } from './world.ts';

let world: World;
const start = async (options?: WorldOptions) => {
  world = await World.start(options);
};
afterEach(() => world.close());

/** A wallet of 15 and 1 BTC long at 100: 14.94 after its fee of 0.06 %. */
async function holdOne(lists: WorldOptions['lists'] = {}) {
  await start({ deposit: '15', lists });
  world.place({});
  await world.rounds(2);
  expect(world.told).toMatchObject({ total: '14.94', steps: [1_000, 0, 0, 0] });
}

async function falls(price: string) {
  world.price(BTC, price);
  await world.rounds(5, true);
  await world.boot();
  await world.rounds(2, true);
}

test('reports a liquidation once, with its fee, though no list shows it', async () => {
  await holdOne();
  // At 85.4 there are 0.34 left, below the maintenance margin of 0.427; the fee is 0.1 % of 85.4.
  await falls('85.4');
  const told = world.of('positionLiquidated');
  expect(told).toMatchObject([{ type: 'burstLiquidation', fill: { steps: 1_000, priceTicks: 854, positionSide: 'long', side: 'sell' } }]);
  const [entry] = world.account.orders.all.filter(({ clientOrderId }) => clientOrderId === '');
  expect(told[0]!.orderId).toBe(entry!.orderId);
  expect(told[0]!.fill.fee.toFixed()).toBe('0.0854');
  expect(world.told).toMatchObject({ total: '0.2546', fees: '0.06', liquidationFees: '0.0854', steps: [0, 0, 0, 0], unexplained: '0' });
  expect(world.of('positionFound')).toEqual([]);
});

test('reports a liquidation under the id of the lists', async () => {
  await holdOne({ keepTerminalOrders: true });
  await falls('85.4');
  const [entry] = world.account.orders.all.filter(({ clientOrderId }) => clientOrderId === '');
  expect(world.of('positionLiquidated')).toMatchObject([{ orderId: entry!.orderId }]);
});

test('reports the payment of the insurance fund', async () => {
  await holdOne();
  // 20 are lost and 14.94 were there: nothing is left for a fee, and the fund pays 5.06.
  await falls('80');
  expect(world.of('positionLiquidated')).toHaveLength(1);
  expect(world.told).toMatchObject({ total: '0', liquidationFees: '0', unexplained: '0' });
  const paid = world.of('balanceChanged').filter(({ entry }) => entry?.reason === 'insurance');
  expect(paid.map(({ entry }) => entry!.amount.toFixed())).toEqual(['5.06']);
});

test('takes an order without an answer for one that never was only when it must be visible by now', async () => {
  await start({ faults: { rules: [{ fault: 'failBefore', operations: ['placeFuturesOrder'], chance: 1 }] } });
  const id = world.place();
  // The window of 30 s, a second of clock error and the lag of 2 s have not passed.
  await world.rounds(30, true);
  expect(world.state.order(id)!.status).toBe('unknown');
  expect(world.requests).toEqual(['placeFuturesOrder']);
  await world.rounds(10, true);
  expect(world.requests).toEqual(['placeFuturesOrder']);
  expect(world.of('orderRejected')).toMatchObject([{ clientOrderId: id, reason: { code: 'neverArrived' } }]);
});

test('takes no order for one that never was while its fills cannot be read: the list of what is over has the newest alone', async () => {
  await start({ lists: { keepTerminalOrders: true }, behaviour: { pageLimit: 1 } });
  const { control } = world.local.exchange;
  const unread = (...reads: OperationName[]) =>
    control.setFaults({
      rules: [
        { fault: 'failAfter', operations: ['placeFuturesOrder'], chance: 1 },
        { fault: 'failBefore', operations: reads, chance: 1 },
      ],
    });
  unread('futuresFills', 'futuresHistory');
  const ids = [world.place()];
  await world.rounds(1, true);
  ids.push(world.place());
  unread('futuresFills');
  await world.rounds(60, true);
  expect(world.of('orderRejected')).toEqual([]);
  control.setFaults({ rules: [] });
  await world.rounds(10, true);
  expect(ids.map((id) => world.state.order(id)!.status)).toEqual(['filled', 'filled']);
});

test('takes the answer to a cancel that names the order for the proof that it arrived', async () => {
  await start({ faults: { visibilityLagMs: 60_000, rules: [{ fault: 'failAfter', operations: ['triggerOrder'], chance: 1 }] } });
  const id = world.place({ triggerTicks: 1_100 });
  await world.rounds(2);
  expect(world.state.order(id)!.status).toBe('unknown');
  world.cancel(id);
  await world.rounds(2);
  expect(world.of('orderAccepted')).toMatchObject([{ clientOrderId: id, orderId: world.account.orders.all[0]!.orderId }]);
  expect(world.of('orderRejected')).toEqual([]);
});

test('takes a position that the exchange closed by agreement for closed by it, at the price agreed on', async () => {
  await holdOne({ keepTerminalOrders: true });
  world.agree(BTC, 'long', '103');
  await world.rounds(5, true);
  const [entry] = world.account.orders.all.filter(({ clientOrderId }) => clientOrderId === '');
  expect(world.of('positionLiquidated')).toMatchObject([
    { type: 'agreementClose', orderId: entry!.orderId, fill: { steps: 1_000, priceTicks: 1_030, side: 'sell', positionSide: 'long' } },
  ]);
  // 14.94 and a profit of 3.
  expect(world.told).toMatchObject({ total: '17.94', fees: '0.06', liquidationFees: '0', steps: [0, 0, 0, 0], unexplained: '0' });
});
