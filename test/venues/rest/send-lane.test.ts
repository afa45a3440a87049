import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Credentials } from '../../../src/exchange/client/credentials.ts';
import { ExchangeClient } from '../../../src/exchange/client/exchange-client.ts';
import { type Reply, type Sent, TransportFailure } from '../../../src/exchange/client/transport.ts';
import { WeightBudget } from '../../../src/exchange/client/weight-budget.ts';
import { type Cause, ExchangeError, type Scope } from '../../../src/exchange/errors.ts';
import { BotJournal } from '../../../src/journal/bot-journal.ts';
import type { ReplyTold } from '../../../src/journal/journal-record.ts';
import { roundTrips } from '../../../src/journal/round-trips.ts';
import type { Instrument } from '../../../src/model/instrument.ts';
import { FuturesSending } from '../../../src/venues/rest/futures/futures-sending.ts';
import { OrderLife } from '../../../src/venues/rest/order-life.ts';
import { TurnClock } from '../../../src/venues/rest/real-clock.ts';
import { rejectionOf, SendLane } from '../../../src/venues/rest/send-lane.ts';
import { SpotSending } from '../../../src/venues/rest/spot/spot-orders.ts';
import { TrackedOrder, TrackedOrders } from '../../../src/venues/rest/tracked-orders.ts';
import { type Outlets, REST_DEFAULTS } from '../../../src/venues/rest/trading.ts';
import { order, T0 } from '../../builders.ts';
import { KEYS } from '../../exchange/stub-server.ts';
import { SimClock } from '../../faults/sim-clock.ts';
import { INSTRUMENTS } from '../../local-exchange/local.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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
function bot(answer: Answer = answered, maxWaitMs = 30_000) {
  const clock = new SimClock(T0);
  const turns = new TurnClock(clock);
  const path = join(temporaryFolder(), 'journal.sqlite');
  const journal = BotJournal.open(path, { bot: 'b', now: () => turns.now(), instruments: INSTRUMENTS, synchronous: 'off' });
  const leftAt: number[] = [];
  const send = (sent: Sent) =>
    new Promise<Reply>((resolve, reject) => {
      if (!sent.target.includes('time')) leftAt.push(clock.now());
      clock.schedule(clock.now() + WIRE_MS, () => {
        const text = answer(sent);
        if (typeof text === 'string') resolve({ status: 200, text, retryAfterMs: undefined });
        else reject(text);
      });
    });
  const client = new ExchangeClient({
    clock,
    budget: new WeightBudget(clock, { maxWaitMs }),
    credentials: new Credentials(KEYS),
    random: () => 0,
    sender: { send, close: async () => {} },
    settings: { spotBaseUrl: 'http://127.0.0.1:1', contractBaseUrl: 'http://127.0.0.1:2' },
  });
  const failed: unknown[] = [];
  const fail = (error: unknown) => void failed.push(error);
  const log = { debug() {}, info() {}, warn() {} };
  const outlets: Outlets = { clock, memory: journal, log, tell: () => {}, settled: () => {}, fail };
  const lane = new SendLane(clock, 0, fail);
  lane.open();
  const life = new OrderLife(new TrackedOrders(), REST_DEFAULTS, outlets);
  const spot = new SpotSending(client, lane, life, outlets);
  const futures = new FuturesSending(client, lane, life, outlets, { answered: () => {}, provedAbsent: () => {} });
  return {
    spot,
    futures,
    leftAt,
    /** Takes so many turns, each some time after the one before, and waits until all that they sent has its answer. */
    async run(count: number, turn: (index: number) => void) {
      for (let index = 0; index < count; index++) {
        clock.schedule(T0 + index * EVERY_MS, () => turns.take(() => turn(index)));
      }
      await clock.runTo(T0 + 60_000);
      const replies = [...journal.records()].flatMap(({ kind, value }) => (kind === 'reply' ? [value as ReplyTold] : []));
      journal.commit();
      journal.close();
      expect(failed).toEqual([]);
      return { replies, trips: roundTrips(path) };
    },
  };
}

const tracked = (instrument: Instrument, index: number) =>
  new TrackedOrder(order({ instrument, clientOrderId: `b-${index}`, priceTicks: 100, triggerTicks: 100, steps: 1 }));
const going = (instrument: Instrument, index: number) => {
  const one = tracked(instrument, index);
  one.wish = { reason: 'requested', stage: 'queued', since: T0 };
  return one;
};

test.each<[string, 'order' | 'cancel', (parts: ReturnType<typeof bot>, index: number) => void]>([
  ['spot orders', 'order', ({ spot }, index) => spot.place([tracked(SPOT, index), tracked(SPOT, index + 1_000)])],
  ['cancels of spot orders', 'cancel', ({ spot }, index) => spot.cancel(going(SPOT, index))],
  ['futures orders', 'order', ({ futures }, index) => futures.place(tracked(CONTRACT, index))],
  ['cancels of futures orders', 'cancel', ({ futures }, index) => futures.cancel(going(CONTRACT, index))],
])('%s that wait for their turn and for the time of the exchange are under way from when they leave', async (_, kind, act) => {
  const parts = bot();
  const { trips } = await parts.run(COUNT, (index) => act(parts, index));
  const { leftAt } = parts;
  expect(leftAt).toHaveLength(COUNT);
  // At most ten leave in any second, and the first asks for the time before: none leaves when it is decided.
  expect(leftAt[0]).toBe(T0 + WIRE_MS);
  expect(leftAt.at(-1)!).toBeGreaterThan(T0 + 2_000);
  expect(trips).toEqual(leftAt.map((sentAt) => ({ sentAt, tookMs: WIRE_MS, kind })));
});

test('what was lost on its way tells how long it was waited for, and what never left tells nothing', async () => {
  const lose: Answer = (sent) => (sent.target.includes('time') ? answered(sent) : new TransportFailure('timedOut', 'no reply', undefined));
  const parts = bot(lose, 100);
  const { replies, trips } = await parts.run(COUNT, (index) => parts.futures.place(tracked(CONTRACT, index)));
  const lost = replies.filter(({ outcome }) => outcome === 'unknown');
  expect(lost.map(({ sentAt, tookMs }) => [sentAt, tookMs])).toEqual(parts.leftAt.map((sentAt) => [sentAt, WIRE_MS]));
  const kept = replies.filter(({ outcome }) => outcome === 'none');
  expect(kept.length).toBe(COUNT - parts.leftAt.length);
  expect(kept.length).toBeGreaterThan(0);
  for (const reply of kept) expect(reply).not.toHaveProperty('sentAt');
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
])('a request that failed by %s (%s) is told as %s: what may fare better later has another code', (cause, scope, code) => {
  const failure = new ExchangeError({ operation: 'batchOrders', cause, scope, message: 'no' });
  expect(rejectionOf(failure).code).toBe(code);
});
