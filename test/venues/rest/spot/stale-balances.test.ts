import { expect, test } from '@jest/globals';
import { Scripted } from './scripted.ts';

/** What ten steps for at most 100 each bind. */
const BOUND = '1000';

const halts = ({ events }: Scripted) => events.flatMap((event) => (event.kind === 'healthChanged' ? [event.reason] : []));

/** An order lives and is canceled; then a full look shows balances from before the cancel. */
async function staleLook(exchange: Scripted, id: string): Promise<void> {
  exchange.frozen = BOUND;
  await exchange.place(id);
  await exchange.round();
  exchange.orders.get(id)!.status = 'cancelled';
  await exchange.cancel(id);
  await exchange.rounds(2);
  expect(exchange.told.at(-1)).toBe(`orderCanceled ${id}`);
  await exchange.round(0, true);
  exchange.frozen = '0';
}

test('balances from before a cancel, read twice, are no orders of others', async () => {
  const exchange = await Scripted.open([], { foreign: 'block' });
  await staleLook(exchange, 'a');
  await exchange.rounds(15);
  await staleLook(exchange, 'b');
  await exchange.rounds(15);
  expect(halts(exchange)).toEqual([]);
});

test('amounts reserved by others are read again until they are certain, and then no more often than before', async () => {
  const exchange = await Scripted.open([], { foreign: 'block', idleMs: 3_600_000 });
  exchange.frozen = BOUND;
  await exchange.round(0, true);
  await exchange.rounds(12);
  expect(halts(exchange)).toEqual([]);
  await exchange.rounds(3);
  expect(halts(exchange)).toEqual(['orders that are not ours have reserved USDT']);
  const { balancesRead } = exchange;
  await exchange.rounds(10);
  expect(exchange.balancesRead).toBe(balancesRead);
});

test('replies that may be as old as visibilityLagMs do not prove an order of others before that time is over', async () => {
  const exchange = await Scripted.open([], { foreign: 'block', visibilityLagMs: 20_000 });
  await exchange.round(0, true);
  exchange.frozen = BOUND;
  await exchange.round(0, true);
  await exchange.rounds(20);
  expect(halts(exchange)).toEqual([]);
  await exchange.rounds(3);
  expect(halts(exchange)).toEqual(['orders that are not ours have reserved USDT']);
});
