import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BUDGET_DEFAULTS, type Cost, type Permit, WeightBudget } from '../../src/exchange/client/weight-budget.ts';
import { PRIORITIES, type Priority } from '../../src/exchange/operations/operation-table.ts';
import { ManualClock } from './manual-clock.ts';

const cost = (priority: Priority, ip: number, rest: Partial<Cost> = {}): Cost => ({
  ip,
  uid: priority === 'market' ? 0 : ip,
  account: priority === 'market' ? undefined : 'me',
  priority,
  action: priority === 'cancel' || priority === 'place',
  orders: 0,
  ...rest,
});

/** Asks, and notes when leave came; `answerMs` later the answer is there. */
function ask(budget: WeightBudget, clock: ManualClock, wanted: Cost, answerMs = 0) {
  const asked: { at: number | undefined; refused: boolean } = { at: undefined, refused: false };
  budget.acquire(wanted).then((permit: Permit | undefined) => {
    if (permit === undefined) asked.refused = true;
    else {
      asked.at = clock.now();
      clock.schedule(clock.now() + answerMs, () => permit.done());
    }
  });
  return asked;
}

describe('a budget', () => {
  test('keeps weight until its window has passed since the answer', async () => {
    const clock = new ManualClock();
    const budget = new WeightBudget(clock, { ipWeight: 10, shares: { ...BUDGET_DEFAULTS.shares, market: 1 } });
    const start = clock.now();
    const first = ask(budget, clock, cost('market', 10), 400);
    const second = ask(budget, clock, cost('market', 1));
    await clock.advance(20_000);
    expect(first.at).toBe(start);
    // 400 ms until the answer, 10 s of the window, and the ms after.
    expect(second.at).toBe(start + 10_401);
  });

  test('keeps the share of those before from those behind', async () => {
    const clock = new ManualClock();
    const budget = new WeightBudget(clock, { ipWeight: 100, uidWeight: 100 });
    const start = clock.now();
    const market = Array.from({ length: 10 }, () => ask(budget, clock, cost('market', 10)));
    await clock.advance(0);
    expect(market.filter(({ at }) => at === start)).toHaveLength(7);
    const account = ask(budget, clock, cost('account', 10));
    const place = ask(budget, clock, cost('place', 10));
    const cancel = ask(budget, clock, cost('cancel', 10));
    await clock.advance(0);
    expect([account.at, place.at, cancel.at]).toEqual([start, start, start]);
  });

  test('lets cancels go first, then order queries, orders, the account and the market', async () => {
    const clock = new ManualClock();
    const budget = new WeightBudget(clock, {
      shares: { cancel: 1, orderQuery: 1, place: 1, account: 1, market: 1 },
      ipWeight: 10,
      uidWeight: 10,
    });
    ask(budget, clock, cost('cancel', 10));
    const asked = [...PRIORITIES].reverse().map((priority) => ask(budget, clock, cost(priority, 10)));
    await clock.advance(25_000);
    // Each fills the budget, so they go one window apart, and two windows fit here.
    expect(asked.map(({ at }) => at !== undefined)).toEqual([false, false, false, true, true]);
    expect(asked[4]!.at).toBeLessThan(asked[3]!.at!);
  });

  // The market spends the address's budget alone; the account spends its own first.
  test.each([
    ['market', 200],
    ['account', 100],
  ] as const)('lets no small request of the %s overtake a large one for ever', async (priority, ipWeight) => {
    const clock = new ManualClock();
    const shares = { ...BUDGET_DEFAULTS.shares, market: 0.5, account: 1 };
    const budget = new WeightBudget(clock, { ipWeight, uidWeight: 100, shares, maxWaitMs: 60_000 });
    for (let index = 0; index < 20; index++) {
      ask(budget, clock, cost(priority, 5));
      await clock.advance(400);
    }
    const large = ask(budget, clock, cost(priority, 80));
    for (let index = 0; index < 30; index++) {
      for (let small = 0; small < 5; small++) ask(budget, clock, cost(priority, 1));
      await clock.advance(500);
    }
    expect(large.at).toBeDefined();
  });

  test('takes at most 10 orders and cancels a second, of which a cancel always finds one', async () => {
    const clock = new ManualClock();
    const budget = new WeightBudget(clock);
    const start = clock.now();
    const places = Array.from({ length: 20 }, () => ask(budget, clock, cost('place', 1)));
    await clock.advance(0);
    expect(places.filter(({ at }) => at === start)).toHaveLength(9);
    const cancel = ask(budget, clock, cost('cancel', 1));
    await clock.advance(0);
    expect(cancel.at).toBe(start);
    await clock.advance(1_001);
    expect(places.filter(({ at }) => at !== undefined)).toHaveLength(18);
  });

  test("obeys the account's limit of futures orders a minute, and their delay", async () => {
    const clock = new ManualClock();
    const budget = new WeightBudget(clock, { maxWaitMs: 300_000 });
    budget.limitOrders('me', 3, 200);
    const start = clock.now();
    const orders = Array.from({ length: 4 }, () => ask(budget, clock, cost('place', 1, { orders: 1 }), 50));
    await clock.advance(120_000);
    expect(orders.map(({ at }) => at! - start)).toEqual([0, 251, 502, 60_051]);
  });

  test('sends nothing while a 429 lasts, cancels included', async () => {
    const clock = new ManualClock();
    const budget = new WeightBudget(clock);
    const start = clock.now();
    budget.pause();
    const cancel = ask(budget, clock, cost('cancel', 1));
    await clock.advance(9_999);
    expect(cancel.at).toBeUndefined();
    await clock.advance(1);
    expect(cancel.at).toBe(start + 10_000);
  });

  test('gives up a request that waited too long, or that can never go', async () => {
    const clock = new ManualClock();
    const budget = new WeightBudget(clock, { ipWeight: 10, uidWeight: 10, maxWaitMs: 1_000 });
    const never = ask(budget, clock, cost('market', 8));
    ask(budget, clock, cost('cancel', 10));
    const late = ask(budget, clock, cost('place', 1));
    await clock.advance(0);
    expect([never.refused, late.refused]).toEqual([true, false]);
    await clock.advance(1_000);
    expect(late.refused).toBe(true);
    await clock.advance(20_000);
    expect(clock.pending).toBe(0);
  });
});

describe('weight reserved for a class', () => {
  const reserved = { market: { ip: 20, uid: 0 }, account: { ip: 20, uid: 20 } };

  test('is not available to others, whatever they request, and is not exceeded', async () => {
    const clock = new ManualClock();
    const budget = new WeightBudget(clock, { ipWeight: 100, uidWeight: 100, actionsPerSecond: 1e9 });
    budget.reserve(reserved);
    const start = clock.now();
    const cancels = Array.from({ length: 20 }, () => ask(budget, clock, cost('cancel', 10)));
    await clock.advance(0);
    expect(cancels.filter(({ at }) => at === start)).toHaveLength(6);
    const market = Array.from({ length: 3 }, () => ask(budget, clock, cost('market', 10)));
    const account = Array.from({ length: 3 }, () => ask(budget, clock, cost('account', 10)));
    await clock.advance(0);
    expect([market, account].map((all) => all.filter(({ at }) => at === start).length)).toEqual([2, 2]);
  });

  test('counts for the load of the class, where that is less than of all', async () => {
    const clock = new ManualClock();
    const budget = new WeightBudget(clock, { ipWeight: 100, uidWeight: 100, actionsPerSecond: 1e9 });
    budget.reserve(reserved);
    for (let index = 0; index < 6; index++) ask(budget, clock, cost('cancel', 10));
    ask(budget, clock, cost('market', 10));
    await clock.advance(0);
    expect([budget.load('market'), budget.load('account', 'me')]).toEqual([0.5, 0]);
    expect(budget.load('place', 'me')).toBeGreaterThan(0.7);
  });

  test('is not part of the free weight for orders', async () => {
    const clock = new ManualClock();
    const budget = new WeightBudget(clock, { ipWeight: 100, uidWeight: 100, actionsPerSecond: 1e9 });
    budget.reserve(reserved);
    // 90 of 100, less 40 of the address and 20 of the account.
    expect(budget.free('me')).toBe(1);
    ask(budget, clock, cost('market', 20));
    ask(budget, clock, cost('account', 20));
    await clock.advance(0);
    expect(budget.free('me')).toBe(1);
    ask(budget, clock, cost('place', 25));
    await clock.advance(0);
    expect(budget.free('me')).toBe(0.5);
    budget.pause();
    expect(budget.free('me')).toBe(0);
  });
});

test('a started request may request more at once, and is started once', () => {
  const budget = new WeightBudget(new ManualClock());
  const started: string[] = [];
  budget.wait(cost('cancel', 3), () => {
    started.push('first');
    budget.wait(cost('orderQuery', 1), () => started.push('within'));
  });
  expect(started).toEqual(['first', 'within']);
});

test('a request that is taken back, or whose leave is given back, costs nothing', async () => {
  const clock = new ManualClock();
  const budget = new WeightBudget(clock, { ipWeight: 10, uidWeight: 10 });
  const start = clock.now();
  const permits: Permit[] = [];
  budget.wait(cost('cancel', 10), (permit) => permits.push(permit));
  const takeBack = budget.wait(cost('cancel', 8), (permit) => permits.push(permit));
  const last = ask(budget, clock, cost('cancel', 5));
  takeBack();
  expect([permits.length, budget.scarce]).toEqual([1, true]);
  permits[0]!.giveBack();
  await clock.advance(0);
  expect([permits.length, last.at]).toEqual([1, start]);
  await clock.advance(10_001);
  expect(budget.scarce).toBe(false);
});

test('the load of a class counts the budget used or awaited by it and by classes before it', async () => {
  const clock = new ManualClock(0);
  const budget = new WeightBudget(clock, {
    ipWeight: 100,
    uidWeight: 50,
    shares: { cancel: 1, orderQuery: 1, place: 1, account: 1, market: 0.5 },
  });
  expect(budget.load('market')).toBe(0);
  const query = await budget.acquire(cost('orderQuery', 20, { account: 'a', uid: 40 }));
  expect([budget.load('market'), budget.load('cancel'), budget.load('cancel', 'a'), budget.load('cancel', 'b')]).toEqual([
    0.4, 0.2, 0.8, 0.2,
  ]);
  void budget.acquire(cost('market', 40));
  expect([budget.load('market'), budget.load('cancel')]).toEqual([1.2, 0.2]);
  budget.pause(1_000);
  expect(budget.load('cancel')).toBe(Number.POSITIVE_INFINITY);
  query?.done();
  await clock.advance(20_000);
  expect(budget.load('market')).toBe(0.8);
});

interface Arrival {
  readonly at: number;
  readonly cost: Cost;
}

/** The most that any window over there holds, whichever way its ends are counted. */
function fullest(arrivals: readonly Arrival[], windowMs: number, weigh: (cost: Cost) => number): number {
  const starts = arrivals.map(({ at }) => at);
  return Math.max(
    0,
    ...starts.map((start) =>
      arrivals.filter(({ at }) => at >= start && at <= start + windowMs).reduce((sum, one) => sum + weigh(one.cost), 0),
    ),
  );
}

const request = fc.record({
  priority: fc.constantFrom(...PRIORITIES),
  weight: fc.integer({ min: 1, max: 40 }),
  afterMs: fc.integer({ min: 0, max: 700 }),
  // The exchange counts it somewhere between the sending and the answer.
  thereMs: fc.integer({ min: 0, max: 3_000 }),
  backMs: fc.integer({ min: 0, max: 3_000 }),
  orders: fc.integer({ min: 0, max: 2 }),
});

test('no window at the exchange is ever over the budget, whatever the delays', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 20, maxLength: 80 }), async (requests) => {
      const clock = new ManualClock();
      const budget = new WeightBudget(clock, { ipWeight: 120, uidWeight: 100, maxWaitMs: 600_000 });
      budget.limitOrders('me', 5, 100);
      const arrivals: Arrival[] = [];
      for (const { priority, weight, afterMs, thereMs, backMs, orders } of requests) {
        const wanted = cost(priority, weight, priority === 'place' ? { orders } : {});
        void budget.acquire(wanted).then((permit) => {
          clock.schedule(clock.now() + thereMs, () => arrivals.push({ at: clock.now(), cost: wanted }));
          clock.schedule(clock.now() + thereMs + backMs, () => permit?.done());
        });
        await clock.advance(afterMs);
      }
      await clock.advance(1_200_000);
      expect(arrivals).toHaveLength(requests.length);
      expect(fullest(arrivals, 10_000, ({ ip }) => ip)).toBeLessThanOrEqual(120);
      expect(fullest(arrivals, 10_000, ({ uid }) => uid)).toBeLessThanOrEqual(100);
      expect(fullest(arrivals, 1_000, ({ action }) => (action ? 1 : 0))).toBeLessThanOrEqual(10);
      expect(fullest(arrivals, 60_000, ({ orders }) => orders)).toBeLessThanOrEqual(5);
    }),
    { numRuns: 40 },
  );
});

test('a cancel never waits for a flood of anything else', async () => {
  const flood = fc.array(fc.constantFrom<Priority>('market', 'account', 'place', 'orderQuery'), { minLength: 100, maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(flood, fc.integer({ min: 0, max: 30_000 }), async (priorities, cancelAfter) => {
      const clock = new ManualClock();
      const budget = new WeightBudget(clock);
      for (const priority of priorities) ask(budget, clock, cost(priority, 10), 200);
      await clock.advance(cancelAfter);
      const asked = clock.now();
      const cancel = ask(budget, clock, cost('cancel', 3));
      await clock.advance(0);
      expect(cancel.at).toBe(asked);
    }),
    { numRuns: 30 },
  );
});
