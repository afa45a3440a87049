import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Credentials } from '../../../src/exchange/client/credentials.ts';
import { ExchangeClient } from '../../../src/exchange/client/exchange-client.ts';
import { type Reply, type Sent, TransportFailure } from '../../../src/exchange/client/transport.ts';
import { WeightBudget } from '../../../src/exchange/client/weight-budget.ts';
import { type Cause, ExchangeError, type Scope } from '../../../src/exchange/errors.ts';
import { BotJournal } from '../../../src/journal/bot-journal.ts';
import type { ReplyRecord } from '../../../src/journal/journal-record.ts';
import { roundTrips } from '../../../src/journal/round-trips.ts';
import type { VenueEvent } from '../../../src/model/account-events.ts';
import type { Instrument } from '../../../src/model/instrument.ts';
import type { OrderRequest } from '../../../src/model/order.ts';
import { OrderLife } from '../../../src/venues/reconcile/order-life.ts';
import { TrackedOrder, TrackedOrders } from '../../../src/venues/reconcile/order-record.ts';
import { RECONCILE_DEFAULTS, type VenueContext } from '../../../src/venues/reconcile/settings.ts';
import { futuresWire } from '../../../src/venues/rest/futures/futures-half.ts';
import type { ListedGrids } from '../../../src/venues/rest/listed-grids.ts';
import { TurnClock } from '../../../src/venues/rest/real-clock.ts';
import { RequestQueue, rejectionOf } from '../../../src/venues/rest/request-queue.ts';
import { Sending } from '../../../src/venues/rest/sending.ts';
import { spotWire } from '../../../src/venues/rest/spot/spot-half.ts';
import { order, T0 } from '../../builders.ts';
import { KEYS } from '../../exchange/stub-server.ts';
import { SimClock } from '../../faults/sim-clock.ts';
import { INSTRUMENTS } from '../../local-exchange/local.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The grids of an exchange that has the config's. */
const SAME_GRIDS: Pick<ListedGrids, 'of' | 'explain'> = { of: () => undefined, explain: (_, reason) => Promise.resolve(reason) };

const [SPOT, , CONTRACT] = INSTRUMENTS as [Instrument, Instrument, Instrument];
/** There and back. */
const WIRE_MS = 36;
const EVERY_MS = 20;
const COUNT = 30;

type Answer = (sent: Sent) => string | TransportFailure;

const standard = (data: unknown) => JSON.stringify({ code: '00000', msg: 'success', requestTime: 1, data });
const answered: Answer = ({ target, body }) => {
  if (target.includes('time')) return standard(T0);
  if (target.endsWith('batch-orders')) {
    const { orderList } = JSON.parse(body!) as { orderList: { clientOrderId: string }[] };
    return standard({ resultList: orderList.map(({ clientOrderId }) => ({ orderId: 1, clientOrderId })) });
  }
  const reply = { order_id: '1', client_oid: 'a', symbol: 'x', result: true };
  return target.includes('/api/v2/trade') ? standard(reply) : JSON.stringify(reply);
};

/** What sends for a bot, with the exchange's limits on acts; each answer is there `WIRE_MS` after its request left. */
function bot(
  answer: Answer = answered,
  { maxWaitMs = 30_000, waitMs = 0, budget = {} as ConstructorParameters<typeof WeightBudget>[1], limits = RECONCILE_DEFAULTS } = {},
) {
  const clock = new SimClock(T0);
  const turns = new TurnClock(clock);
  const path = join(temporaryFolder(), 'journal.sqlite');
  const journal = BotJournal.open(path, { bot: 'b', now: () => turns.now(), instruments: INSTRUMENTS, synchronous: 'off' });
  const leftAt: number[] = [];
  /** What left, in its order: the ids of an order or of several, or the one that is canceled after a minus. */
  const left: string[] = [];
  const send = (sent: Sent) =>
    new Promise<Reply>((resolve, reject) => {
      if (!sent.target.includes('time')) leftAt.push(clock.now());
      if (!sent.target.includes('time')) left.push(idsIn(sent));
      clock.schedule(clock.now() + WIRE_MS, () => {
        const text = answer(sent);
        if (typeof text === 'string') resolve({ status: 200, text, retryAfterMs: undefined });
        else reject(text);
      });
    });
  const client = new ExchangeClient({
    clock,
    budget: new WeightBudget(clock, { maxWaitMs, ...budget }),
    credentials: new Credentials(KEYS),
    random: () => 0,
    sender: { send, close: async () => {} },
    settings: { spotBaseUrl: 'http://127.0.0.1:1', contractBaseUrl: 'http://127.0.0.1:2' },
  });
  const failed: unknown[] = [];
  const fail = (error: unknown) => void failed.push(error);
  const log = { debug() {}, info() {}, warn() {} };
  const told: VenueEvent[] = [];
  const context: VenueContext = { clock, memory: journal, log, report: (event) => void told.push(event), settled: () => {}, fail };
  const queue = new RequestQueue(clock, waitMs, fail, { gate: client, limits });
  queue.open();
  const life = new OrderLife(new TrackedOrders(), RECONCILE_DEFAULTS, context);
  const spot = new Sending(spotWire(client, limits.batchLimit), queue, life, context, SAME_GRIDS, { ...limits, urgencyOf });
  const futures = new Sending(
    futuresWire(client, limits.batchLimit, () => undefined),
    queue,
    life,
    context,
    SAME_GRIDS,
    { ...limits, urgencyOf },
  );
  return {
    spot,
    futures,
    clock,
    queue,
    life,
    leftAt,
    left,
    told,
    /** Takes so many turns, each some time after the one before, and waits until all that they sent has its answer. */
    async run(count: number, turn: (index: number) => void) {
      for (let index = 0; index < count; index++) {
        clock.schedule(T0 + index * EVERY_MS, () => turns.take(() => turn(index)));
      }
      await clock.runTo(T0 + 60_000);
      const replies = [...journal.records()].flatMap(({ kind, value }) => (kind === 'reply' ? [value as ReplyRecord] : []));
      journal.commit();
      journal.close();
      expect(failed).toEqual([]);
      return { replies, trips: roundTrips(path) };
    },
  };
}

function idsIn({ body }: Sent): string {
  const { orderList, client_oid, clientOid } = JSON.parse(body!) as Record<string, string> & { orderList?: { clientOrderId: string }[] };
  return orderList?.map(({ clientOrderId }) => clientOrderId).join(' ') ?? client_oid ?? `-${clientOid}`;
}

/** Protective closes in the tests are market orders. */
const urgencyOf = ({ type, reduceOnly, tag }: OrderRequest) =>
  tag === 'kill' ? 'flattens' : !reduceOnly ? 'opens' : type === 'market' ? 'protects' : 'reduces';

const tracked = (instrument: Instrument, index: number) =>
  new TrackedOrder(order({ instrument, clientOrderId: `b-${index}`, priceTicks: 100, triggerTicks: 100, steps: 1 }));
const going = (instrument: Instrument, index: number) => {
  const one = tracked(instrument, index);
  one.pendingCancel = { reason: 'requested', stage: 'queued', since: T0 };
  return one;
};

test.each<[string, 'order' | 'cancel', (parts: ReturnType<typeof bot>, index: number) => void]>([
  ['spot orders', 'order', ({ spot }, index) => spot.place([tracked(SPOT, index), tracked(SPOT, index + 1_000)])],
  ['cancels of spot orders', 'cancel', ({ spot }, index) => spot.cancel(going(SPOT, index))],
  ['futures orders', 'order', ({ futures }, index) => futures.place([tracked(CONTRACT, index)])],
  ['cancels of futures orders', 'cancel', ({ futures }, index) => futures.cancel(going(CONTRACT, index))],
])('%s that wait for their turn and for the time of the exchange are under way from when they leave', async (_, kind, act) => {
  // Two fill a batch: no others join them.
  const parts = bot(answered, { limits: { ...RECONCILE_DEFAULTS, batchLimit: 2 } });
  const { trips } = await parts.run(COUNT, (index) => act(parts, index));
  const { leftAt } = parts;
  expect(leftAt).toHaveLength(COUNT);
  // At most ten leave in any second, and the first asks for the time before: none leaves when it is decided.
  expect(leftAt[0]).toBe(T0 + WIRE_MS);
  expect(leftAt.at(-1)!).toBeGreaterThan(T0 + 2_000);
  expect(trips).toEqual(leftAt.map((sentAt) => ({ sentAt, tookMs: WIRE_MS, kind })));
});

test('the record of a lost request has the time of the wait, and the journal has no request that was never sent', async () => {
  const lose: Answer = (sent) => (sent.target.includes('time') ? answered(sent) : new TransportFailure('timedOut', 'no reply', undefined));
  const parts = bot(lose, { limits: { ...RECONCILE_DEFAULTS, maxSendDelayMs: 100 } });
  const { replies, trips } = await parts.run(COUNT, (index) => parts.futures.place([tracked(CONTRACT, index)]));
  const lost = replies.filter(({ outcome }) => outcome === 'unknown');
  expect(lost.map(({ sentAt, tookMs }) => [sentAt, tookMs])).toEqual(parts.leftAt.map((sentAt) => [sentAt, WIRE_MS]));
  expect(replies.length).toBe(parts.leftAt.length);
  const late = parts.told.flatMap((event) => (event.kind === 'orderRejected' ? [event.reason] : []));
  expect(late.length).toBe(COUNT - parts.leftAt.length);
  expect(late.length).toBeGreaterThan(0);
  for (const reason of late) expect(reason).toEqual({ code: 'waitedTooLong', waitedMs: '100', limitMs: '100' });
  expect(trips).toEqual([]);
});

test.each<[Cause, Scope, string]>([
  ['limit', 'several', 'venueLimited'],
  ['expired', 'one', 'venueLimited'],
  ['parameter', 'one', 'venueRefused'],
  ['business', 'one', 'venueRefused'],
  ['overBudget', 'one', 'neverSent'],
  ['unconnected', 'several', 'neverSent'],
  ['invalid', 'one', 'requestInvalid'],
])('a request that failed by %s (%s) is reported as %s: a failure that may pass has another code', (cause, scope, code) => {
  const failure = new ExchangeError({ operation: 'batchOrders', cause, scope, message: 'no' });
  expect(rejectionOf(failure).code).toBe(code);
});

test('the close of a kill overtakes the cancels decided before it, and leaves while another request is under way', async () => {
  const parts = bot(answered, { waitMs: 1_000 });
  const close = new TrackedOrder(
    order({ instrument: SPOT, clientOrderId: 'close', steps: 1, side: 'sell', reduceOnly: true, tag: 'kill' }),
  );
  await parts.run(2, (index) => {
    if (index === 0) for (const each of [1, 2, 3]) parts.spot.cancel(going(SPOT, each));
    // The exchange's time is known, and the first cancel is under way.
    else parts.clock.schedule(T0 + WIRE_MS + 10, () => parts.spot.place([close]));
  });
  expect(parts.left).toEqual(['-b-1', 'close', '-b-2', '-b-3']);
  expect(parts.leftAt).toEqual(
    [T0 + WIRE_MS, T0 + WIRE_MS + 10, T0 + 2 * WIRE_MS, T0 + 3 * WIRE_MS].map((time) => expect.closeTo(time, -1)),
  );
});

/** Weight for so many places of spot at once, and then for nothing until the window is over. */
const scarce = (places: number) => ({ ipWeight: 1e9, uidWeight: (10 * places) / 0.9, actionsPerSecond: 1e9, windowMs: 10_000 });
const spot = (id: string, more: Partial<OrderRequest> = {}) =>
  new TrackedOrder(order({ instrument: SPOT, clientOrderId: id, priceTicks: 100, steps: 1, ...more }));
const canceling = (id: string, reason: 'requested' | 'killed') => {
  const one = spot(id);
  one.phase = 'open';
  one.pendingCancel = { reason, stage: 'queued', since: T0 };
  return one;
};

test('an order that has not left is taken back: nothing of it is sent, and the journal has no request of it', async () => {
  const parts = bot(answered, { budget: scarce(1) });
  const [first, second, third] = [spot('a'), spot('b'), spot('c')];
  const { replies } = await parts.run(2, (index) => {
    if (index === 0) for (const one of [first!, second!, third!]) parts.spot.place([one]);
    // Without weight, and before the time of the exchange is known.
    if (index === 0) expect(parts.queue.withdraw(third!)).toBe(0);
    if (index === 1) expect(parts.queue.withdraw(second!)).toBe(EVERY_MS);
  });
  expect(parts.left).toEqual(['a']);
  expect(replies.map(({ clientOrderIds }) => clientOrderIds)).toEqual([['a']]);
  expect(parts.queue.withdraw(first!)).toBeUndefined();
});

test('while weight is free, requests leave in the order in which they were decided, each submission as one', async () => {
  const parts = bot(answered, { budget: scarce(1_000) });
  await parts.run(1, () => {
    parts.spot.place([spot('a'), spot('b', { reduceOnly: true })]);
    parts.spot.place([spot('c')]);
    parts.spot.cancel(canceling('d', 'requested'));
    parts.spot.place([spot('e', { reduceOnly: true, type: 'market' })]);
    parts.spot.cancel(canceling('f', 'killed'));
  });
  expect(parts.left).toEqual(['a b', 'c', '-d', 'e', '-f']);
});

test('once one has to wait for weight, protective orders leave first, then reducing ones, then opening ones, in batches', async () => {
  const limits = { ...RECONCILE_DEFAULTS, maxSendDelayMs: 60_000, maxWaitMs: 60_000, batchLimit: 3 };
  const parts = bot(answered, { budget: { ...scarce(1), windowMs: 5_000 }, limits });
  await parts.run(1, () => {
    parts.spot.place([spot('a')]);
    for (const id of ['b', 'c', 'd', 'e']) parts.spot.place([spot(id)]);
    parts.spot.cancel(canceling('f', 'requested'));
    parts.spot.place([spot('g', { reduceOnly: true })]);
    parts.spot.cancel(canceling('h', 'requested'));
    parts.spot.place([spot('i', { reduceOnly: true, type: 'market' })]);
    parts.spot.cancel(canceling('j', 'killed'));
  });
  expect(parts.left).toEqual(['a', 'i', '-j', '-f', 'g', '-h', 'b c d', 'e']);
});

test('an opening order is withdrawn when it has waited too long, a reducing one waits longer, and a cancel without limit', async () => {
  const limits = { ...RECONCILE_DEFAULTS, maxSendDelayMs: 1_000, maxWaitMs: 3_000 };
  const parts = bot(answered, { budget: { ...scarce(1), windowMs: 20_000 }, limits });
  const at: [string, number][] = [];
  await parts.run(1, () => {
    // The first takes all there is.
    for (const id of ['a', 'b']) parts.spot.place([spot(id)]);
    parts.spot.place([spot('c', { reduceOnly: true })]);
    parts.spot.cancel(canceling('d', 'requested'));
  });
  for (const event of parts.told) if (event.kind === 'orderRejected') at.push([event.reason.code, event.time - T0]);
  expect(at).toEqual([
    ['waitedTooLong', 1_000],
    ['neverSent', 3_000],
  ]);
  expect(parts.left).toEqual(['a', '-d']);
});
