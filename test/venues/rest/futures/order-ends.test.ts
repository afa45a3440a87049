import { expect, test } from '@jest/globals';
import { OrderLife } from '../../../../src/venues/reconcile/order-life.ts';
import { TrackedOrder, TrackedOrders } from '../../../../src/venues/reconcile/order-record.ts';
import { RECONCILE_DEFAULTS } from '../../../../src/venues/reconcile/settings.ts';
import { ListedStates, Triggers } from '../../../../src/venues/rest/futures/attribution/listed-states.ts';
import { TradePools } from '../../../../src/venues/rest/futures/attribution/trade-pools.ts';
import { FuturesHalts, OrderEnds } from '../../../../src/venues/rest/futures/order-ends.ts';
import { SAME_GRIDS } from '../../../../src/venues/rest/listed-grids.ts';
import { order, T0 } from '../../../builders.ts';
import { SimClock } from '../../../faults/sim-clock.ts';
import { BTC } from './world.ts';

const { fillGapMs } = RECONCILE_DEFAULTS;

/** An order of 10 steps that a list shows as having filled them all; no picture shows anything. */
function lacking(status: 'filled' | 'open') {
  const clock = new SimClock(T0);
  const memory = new Map<string, unknown>();
  const told: string[] = [];
  const context = {
    clock,
    log: { debug() {}, info() {}, warn() {} },
    memory: {
      remember: (key: string, value: unknown) => void memory.set(key, value),
      recall: (key: string) => memory.get(key),
      request() {},
      reply() {},
    },
    report: (event: { readonly kind: string; readonly reason?: unknown }) => void told.push(`${event.kind} ${event.reason ?? ''}`),
    settled() {},
    fail() {},
  };
  const orders = new TrackedOrders();
  const life = new OrderLife(orders, RECONCILE_DEFAULTS, context);
  const listedStates = new ListedStates(RECONCILE_DEFAULTS.visibilityLagMs, () => clock.now());
  const halts = new FuturesHalts(RECONCILE_DEFAULTS, context, SAME_GRIDS);
  const sent = new TrackedOrder(order({ instrument: BTC, steps: 10 }));
  sent.phase = 'open';
  sent.orderId = '7';
  orders.add(sent);
  listedStates.answered(sent);
  const triggers = new Triggers(context);
  const forced = { last: () => Number.NEGATIVE_INFINITY } as never;
  const ends = new OrderEnds({
    life,
    settings: RECONCILE_DEFAULTS,
    context: context,
    listedStates: listedStates,
    triggers,
    sending: {} as never,
    forced,
  });
  const record = { order_id: '7', client_oid: sent.clientOrderId, symbol: 'cmt_btcusdt', type: 'open_long', status, filled_qty: '0.01' };
  return {
    halts,
    /** A look so much later. */
    async after(ms: number): Promise<string[]> {
      await clock.runTo(clock.now() + ms);
      listedStates.note(sent, record, clock.now());
      const isAccepted = (one: TrackedOrder) => halts.isAccepted(one);
      ends.judge(sent, { pools: new TradePools(), snapshotAt: clock.now(), hides: false, acts: true, isAccepted, traceless: new Map() });
      halts.review([BTC], orders.alive);
      return told.splice(0).filter((one) => !one.startsWith('orderTriggered'));
    },
  };
}

const HALTED = 'healthChanged order a reports fills that no record shows';

test('an ended order with fills that no sum shows halts its contract; after a reset it ends with the reported fills', async () => {
  const { halts, after } = lacking('filled');
  expect(await after(0)).toEqual([]);
  // A reset of something else, before.
  halts.lift();
  expect(await after(fillGapMs)).toEqual([]);
  expect(await after(1)).toEqual([HALTED]);
  expect(await after(10 * fillGapMs)).toEqual([]);
  halts.lift();
  expect(await after(1_000)).toEqual(['healthChanged reset', 'orderCanceled external']);
});

test('one that still works halts it again', async () => {
  const { halts, after } = lacking('open');
  await after(0);
  expect(await after(fillGapMs + 1)).toEqual([HALTED]);
  halts.lift();
  expect(await after(fillGapMs)).toEqual(['healthChanged reset']);
  expect(await after(1)).toEqual([HALTED]);
});
