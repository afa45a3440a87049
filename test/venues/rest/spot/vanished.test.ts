import { describe, expect, test } from '@jest/globals';
import type { OrderVanished } from '../../../../src/model/account-events.ts';
import { T0 } from '../../../builders.ts';
import { Scripted } from './scripted.ts';

// The lag is 5 s (RECONCILE_DEFAULTS): a look-up counts from 5 s after the newest word on an order, and three must, over another 5 s.

/** An order that was answered with success, and that the exchange does not have. */
async function phantom(): Promise<Scripted> {
  const spot = await Scripted.open();
  await spot.place('a', undefined);
  spot.orders.delete('a');
  return spot;
}

const vanished = ({ events }: Scripted) => events.filter((event): event is OrderVanished => event.kind === 'orderVanished');
const halts = ({ events }: Scripted) =>
  events.flatMap((event) => (event.kind === 'healthChanged' ? [`${event.symbol} ${event.condition} ${event.reason}`] : []));

describe('an order that was confirmed and that nothing shows', () => {
  test('vanishes while it is being canceled, and halts its instrument', async () => {
    const spot = await phantom();
    await spot.cancel('a');
    await spot.rounds(9);
    expect(spot.told).toEqual(['orderAccepted a']);
    await spot.rounds(21);
    expect(spot.told).toEqual(['orderAccepted a', 'orderVanished a']);
    expect(halts(spot)).toEqual(['BTC-USDT halted order a has vanished: the exchange had confirmed it, and does not show it any more']);
    const [{ reason }] = vanished(spot) as [OrderVanished];
    expect(Number(reason.looks)).toBeGreaterThanOrEqual(3);
    expect(Number(reason.waitedMs)).toBeGreaterThanOrEqual(5_000);
    expect(spot.trading.idle).toBe(true);
  });

  test('vanishes without a cancel, too, once its look-ups have missed it', async () => {
    const spot = await phantom();
    await spot.rounds(60);
    expect(spot.told).toEqual(['orderAccepted a', 'orderVanished a']);
  });

  test('is looked up by its client id as well before it counts as vanished', async () => {
    const spot = await phantom();
    await spot.cancel('a');
    spot.idIsForgotten = true;
    spot.orders.set('a', { status: 'new', filled: 0 });
    await spot.rounds(60);
    expect(spot.told).toEqual(['orderAccepted a']);
  });

  test('gives its reservation back, and says whether the exchange still has it', async () => {
    const spot = await phantom();
    spot.frozen = '0';
    await spot.cancel('a');
    await spot.rounds(1);
    const frozen = () =>
      spot.events
        .flatMap((event) => (event.kind === 'balanceChanged' && event.balance.asset === 'USDT' ? [event.balance.frozen.toFixed()] : []))
        .at(-1);
    // Ten steps for 100 ticks each.
    expect(frozen()).toBe('1000');
    await spot.rounds(30);
    expect(frozen()).toBe('0');
    expect(vanished(spot)[0]!.reason.reserved).toBe('released');
  });

  test('that the exchange still reserves is reported with that', async () => {
    const spot = await phantom();
    spot.frozen = '1000';
    await spot.cancel('a');
    await spot.rounds(30);
    expect(vanished(spot)[0]!.reason.reserved).toBe('kept');
  });

  test('does not vanish while a balance shows what may be its fill', async () => {
    const spot = await phantom();
    spot.base = '4';
    await spot.cancel('a');
    await spot.rounds(60);
    expect(spot.told).toEqual(['orderAccepted a']);
    spot.base = '0';
    await spot.rounds(10);
    expect(spot.told).toEqual(['orderAccepted a', 'orderVanished a']);
  });

  test('does not vanish while a fill of it is listed', async () => {
    const spot = await phantom();
    spot.fills.push({ fillId: '1', orderId: 'v-a', at: 10, steps: 3, byOrderOnly: true });
    await spot.cancel('a');
    await spot.rounds(25);
    expect(spot.told.slice(0, 2)).toEqual(['orderAccepted a', 'orderFilled a 3']);
  });

  test('does not vanish while its look-ups fail', async () => {
    const spot = await phantom();
    spot.lookFails = 'timedOut';
    await spot.rounds(120);
    expect(spot.told).toEqual(['orderAccepted a']);
  });

  test('does not vanish by look-ups from before the lag', async () => {
    const spot = await phantom();
    await spot.cancel('a');
    await spot.rounds(5);
    spot.orders.set('a', { status: 'new', filled: 0 });
    await spot.rounds(30);
    expect(spot.told).toEqual(['orderAccepted a']);
  });
});

describe('a vanished order that turns up', () => {
  test('is open again, is canceled if that was requested, and lifts the halt', async () => {
    const spot = await phantom();
    await spot.cancel('a');
    await spot.rounds(30);
    spot.orders.set('a', { status: 'new', filled: 0 });
    const before = spot.acted.length;
    await spot.rounds(60);
    expect(spot.told.slice(0, 3)).toEqual(['orderAccepted a', 'orderVanished a', 'orderAccepted a']);
    expect(spot.acted.slice(before).map(([operation]) => operation)).toContain('cancelOrder');
    expect(halts(spot)).toContain('BTC-USDT fresh known again');
    spot.orders.set('a', { status: 'cancelled', filled: 0 });
    await spot.rounds(10);
    expect(spot.told.at(-1)).toBe('orderCanceled a');
  });

  test('with a fill is open before the fill counts', async () => {
    const spot = await phantom();
    await spot.rounds(60);
    spot.orders.set('a', { status: 'full_fill', filled: 10 });
    spot.fills.push({ fillId: '1', orderId: 'v-a', at: 61_000, steps: 10 });
    await spot.rounds(10);
    expect(spot.told).toEqual(['orderAccepted a', 'orderVanished a', 'orderAccepted a', 'orderFilled a 10']);
  });

  test('is found after a restart', async () => {
    const known = { request: Scripted.unopened().request('a'), orderId: 'v-a', filledSteps: 0, triggered: false, cancelRequested: false };
    const again = await Scripted.open([{ ...known, status: 'vanished', unknownSince: T0 - 60_000 }]);
    expect(again.told).toEqual([]);
    expect(halts(again)).toHaveLength(1);
    again.orders.set('a', { status: 'cancelled', filled: 0 });
    await again.rounds(60);
    expect(again.told).toEqual(['orderAccepted a', 'orderCanceled a']);
  });
});

describe('an order whose reply names an id that no order has', () => {
  const named = ({ events }: Scripted) => events.flatMap((event) => (event.kind === 'orderAccepted' ? [event.orderId] : []));

  /** A gateway answered the placing of an order that the exchange has under another id. */
  async function misnamed(filled = 0): Promise<Scripted> {
    const spot = await Scripted.open();
    spot.madeUpId = 'x-1';
    await spot.place('a', { status: filled === 10 ? 'full_fill' : 'new', filled });
    if (filled > 0) spot.fills.push({ fillId: '1', orderId: 'v-a', at: 1_000, steps: filled });
    return spot;
  }

  test('gets its true id once look-ups have missed the other long enough', async () => {
    const spot = await misnamed();
    await spot.cancel('a');
    await spot.rounds(30);
    expect(named(spot)).toEqual(['x-1', 'v-a']);
    expect(halts(spot)).toEqual([]);
  });

  test('gets its fills, which wait until then', async () => {
    const spot = await misnamed(10);
    await spot.rounds(5);
    expect(spot.told).toEqual(['orderAccepted a']);
    await spot.rounds(30);
    expect(spot.told).toEqual(['orderAccepted a', 'orderAccepted a', 'orderFilled a 10']);
    expect(halts(spot)).toEqual([]);
  });

  test('gets a fill that appears after it has vanished', async () => {
    const spot = await misnamed();
    spot.orders.delete('a');
    await spot.rounds(60);
    spot.orders.set('a', { status: 'full_fill', filled: 10 });
    spot.fills.push({ fillId: '1', orderId: 'v-a', at: 61_000, steps: 10 });
    await spot.rounds(10);
    expect(spot.told).toEqual(['orderAccepted a', 'orderVanished a', 'orderAccepted a', 'orderFilled a 10']);
    expect(named(spot)).toEqual(['x-1', 'v-a']);
  });
});
