import { expect, test } from '@jest/globals';
import { Subject } from 'rxjs';
import { Engine } from '../../../src/engine/engine.ts';
import type { ResumeOptions } from '../../../src/engine/engine-parts.ts';
import { ClientIds } from '../../../src/engine/orders/client-ids.ts';
import { OrderBuilder } from '../../../src/engine/orders/order-builder.ts';
import type { AccountEvent, OrderSubmitted, VenueEvent } from '../../../src/model/account-events.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { Ticker } from '../../../src/model/market-events.ts';
import type { ApprovedOrder, CancelRequest } from '../../../src/model/order.ts';
import type { Rejection } from '../../../src/model/reasons.ts';
import type { CommandedClose, FeedItem } from '../../../src/ports/market-feed.ts';
import { RiskGate } from '../../../src/risk/gate.ts';
import type { RiskLimits } from '../../../src/risk/limits.ts';
import { applyAccount } from '../../../src/state/apply.ts';
import { State } from '../../../src/state/state.ts';
import { amend, place, protect } from '../../../src/strategy/intents.ts';
import { filled, submitted } from '../../state/builders.ts';
import { BTC, type Script, strategy, T0 } from '../builders.ts';

const LIMIT = place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: 90, quantity: 3 });
const MARKET = place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 2 });
const SELL = place({ symbol: 'BTC-USDT', side: 'sell', type: 'market', quantity: 1 });
const STOP = protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 2, stopLoss: 80 });

/** A running engine before a venue that fills market orders at 100, lets limit orders rest and cancels what it is told to. */
function bench(
  script: Script,
  {
    resume,
    known,
    early = [],
    limits = {},
    balance,
    deaf = false,
    kind = 'netting',
    rules,
  }: {
    kind?: 'spot' | 'netting';
    /** The venue answers no cancel. */
    deaf?: boolean;
    resume?: ResumeOptions;
    known?: AccountEvent | readonly AccountEvent[];
    balance?: number;
    early?: readonly VenueEvent[];
    limits?: Partial<RiskLimits>;
    rules?: number | undefined;
  } = {},
) {
  const calls: string[] = [];
  /** By these the venue refuses the next orders. */
  const refusals: Rejection[] = [];
  const events: AccountEvent[] = [];
  const told$ = new Subject<VenueEvent>();
  const items$ = new Subject<FeedItem>();
  const filledBy = ({ clientOrderId, side, steps }: ApprovedOrder) => filled({ clientOrderId, side, steps }, steps ?? 0, 100, true, T0);
  const venue = {
    capabilities: { marketData: [], marketBuyByQuantity: true, futuresTriggers: true, batchLimit: 10 },
    events$: told$,
    submit: (orders: readonly ApprovedOrder[]) => {
      for (const order of orders) {
        const { clientOrderId, side, type, steps } = order;
        calls.push(`${side} ${steps} ${type}`);
        const refusal = refusals.shift();
        if (refusal !== undefined) {
          told$.next({ kind: 'orderRejected', time: T0, clientOrderId, reason: refusal });
          continue;
        }
        told$.next({ kind: 'orderAccepted', time: T0, clientOrderId, orderId: clientOrderId, held: false });
        if (type === 'market') told$.next(filledBy(order));
      }
    },
    cancel: ({ clientOrderId, reason }: CancelRequest) => {
      calls.push(`cancel ${reason}`);
      if (deaf) return;
      told$.next({ kind: 'orderCanceled', time: T0, clientOrderId, reason });
    },
  };
  const state = new State([BTC], ['s'], { kind, currency: 'USDT', equityEveryMs: 1000 });
  for (const event of [known ?? []].flat() as AccountEvent[]) applyAccount(state, event);
  if (balance !== undefined) {
    const usdt = { wallet: 'spot', asset: 'USDT', total: new Decimal(balance), frozen: new Decimal(0) } as const;
    applyAccount(state, { kind: 'balanceChanged', time: T0, balance: usdt, entry: undefined });
  }
  let now = T0;
  let scheduled: { readonly time: number; readonly run: () => void }[] = [];
  const clock = {
    now: () => now,
    schedule: (time: number, run: () => void) => {
      const one = { time, run };
      scheduled.push(one);
      return () => {
        scheduled = scheduled.filter((other) => other !== one);
      };
    },
  };
  const wait = (ms: number) => {
    now += ms;
    const due = scheduled.filter(({ time }) => time <= now);
    scheduled = scheduled.filter(({ time }) => time > now);
    for (const { run } of due) run();
  };
  const log = { debug() {}, info() {}, warn() {} };
  const context = { id: 's', symbols: ['BTC-USDT'], params: {}, state, log, now: clock.now, history: () => [] };
  const made = strategy('s', script).create(context);
  const engine = new Engine({
    state,
    strategies: [made],
    gate: new RiskGate({ state, limits: { maxPosition: new Map(), ...limits }, rules }),
    builder: new OrderBuilder(state, venue.capabilities, new ClientIds('t'), new Decimal('0.05')),
    venue,
    clock,
    journal: { intent() {}, event: (_, event) => events.push(event), commit: () => calls.push('commit') },
    bars: { from: 'ticker', intervals: [[]], graceMs: 0 },
    exitsWaitForNextBar: false,
    closeAtEnd: false,
    resume,
    rules,
  });
  for (const event of early) told$.next(event);
  const before = { applied: state.portfolio.balances.size, remembered: events.length, position: state.position(BTC, 'net').steps };
  const done = engine.run({ events$: items$ });
  let sequence = 0;
  const price = (ticks = 100) => items$.next(new Ticker(BTC, T0, ++sequence, ticks));
  const take = () => calls.splice(0);
  const denied = () => events.flatMap((event) => (event.kind === 'orderDenied' ? [event.reason] : []));
  const given = () => events.flatMap((event) => (event.kind === 'exitRefused' ? [`${event.strategyId} ${event.exit} ${event.code}`] : []));
  return {
    engine,
    state,
    made,
    events,
    items$,
    done,
    price,
    take,
    denied,
    before,
    refusals,
    wait,
    given,
    venue: (event: VenueEvent) => told$.next(event),
    /** Of a spot account. */
    coins: (total: number) => {
      const btc = { wallet: 'spot', asset: 'BTC', total: new Decimal(total), frozen: new Decimal(0) } as const;
      told$.next({ kind: 'balanceChanged', time: T0, balance: btc, entry: undefined });
    },
  };
}

const LIMITED: Rejection = { code: 'venueLimited', venueCode: '429', message: 'too many requests' };
const once = (...intents: NonNullable<ReturnType<NonNullable<Script['onTicker']>>>[]): Script => ({
  onTicker: ({ sequence }) => intents[sequence - 1],
});
const kill = (flatten: boolean): FeedItem => ({ kind: 'command', command: 'kill', flatten, reason: 'by hand' });
const net = ({ state }: ReturnType<typeof bench>) => state.position(BTC, 'net').steps;

test('the decisions of a turn are durable before any of them is sent', () => {
  const at = bench(once(LIMIT, [LIMIT, MARKET]));
  at.price();
  expect(at.take()).toEqual(['commit', 'buy 3 limit']);
  at.price();
  expect(at.take()).toEqual(['commit', 'buy 3 limit', 'buy 2 market']);
  at.price();
  expect(at.take()).toEqual([]);
});

test.each([
  ['nothing of a strategy, reducing or not,', undefined, 2, 2],
  ['under the rules of older journals what reduces', 0, 1, 1],
] as const)('a kill cancels everything, held orders too, and lets %s pass until its reset', (_, rules, refused, left) => {
  const grow = { ...MARKET };
  const shrink = place({ symbol: 'BTC-USDT', side: 'sell', type: 'market', quantity: 1 });
  const at = bench(once(MARKET, [LIMIT, STOP], [grow, shrink], grow), { rules });
  at.price();
  at.price();
  at.take();
  at.items$.next(kill(false));
  expect(at.take()).toEqual(['commit', 'cancel killed']);
  expect([at.state.openOrders.size, net(at)]).toEqual([0, 2]);
  at.price();
  expect([at.denied(), net(at)]).toEqual([Array(refused).fill({ code: 'killed', reason: 'by hand' }), left]);
  at.items$.next({ kind: 'command', command: 'reset' });
  at.price();
  expect([at.denied().length, net(at), at.state.latches.size]).toEqual([refused, left + 2, 0]);
});

test('after a kill no exit of a strategy is accepted, and none of an order that still fills is sent', () => {
  const bracket = place({
    symbol: 'BTC-USDT',
    side: 'buy',
    type: 'limit',
    price: 90,
    quantity: 3,
    exits: { stopLoss: 80, takeProfit: { price: 120, maker: true } },
  });
  const at = bench(once([bracket, MARKET], STOP));
  at.price();
  const [limit] = at.state.openOrders.keys();
  at.items$.next(kill(false));
  at.take();
  lateFill(at, limit!, 'buy', 3);
  expect([at.state.openOrders.size, net(at)]).toEqual([0, 5]);
  at.price();
  expect(at.denied()).toEqual([{ code: 'killed', reason: 'by hand' }]);
  at.price(70);
  expect(at.take().filter((call) => call !== 'commit')).toEqual([]);
  expect([net(at), at.given()]).toEqual([5, []]);
});

test("a kill that flattens closes the strategies' positions, whatever they place, and later fills too", () => {
  const again: Script = {
    ...once(MARKET, STOP),
    onOrder: (event) => (event.kind === 'orderCanceled' ? STOP : undefined),
  };
  const at = bench(again);
  at.price();
  at.price();
  at.take();
  at.items$.next(kill(true));
  expect(at.take()).toEqual(['commit', 'sell 2 market']);
  expect([net(at), at.state.openOrders.size, at.denied()]).toEqual([0, 0, [{ code: 'killed', reason: 'by hand' }]]);
  expect(at.engine.snapshot().flattening).toEqual([]);
});

test('a kill that flattens closes in slices if one order may not have the size', () => {
  // 10 steps at 100 are held; one order may be worth 520: 4 steps at a tenth above the price.
  const buys = [5, 5].map((quantity) => place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity }));
  const at = bench(once(buys), { limits: { maxNotional: new Decimal(520) } });
  at.price();
  expect(net(at)).toBe(10);
  at.take();
  at.items$.next(kill(true));
  expect(at.take().filter((call) => call !== 'commit')).toEqual(['sell 4 market', 'sell 4 market', 'sell 2 market']);
  expect([net(at), at.denied()]).toEqual([0, []]);
});

const HALTED = { kind: 'healthChanged', time: T0, subject: 'instrument', symbol: 'BTC-USDT', condition: 'halted', reason: 'odd' } as const;

test('a halted instrument is flattened', () => {
  const at = bench(once(MARKET));
  at.price();
  at.items$.next(HALTED);
  at.items$.next(kill(true));
  expect([at.denied(), net(at), at.given(), at.engine.snapshot().flattening]).toEqual([[], 0, [], []]);
});

test('a stop fires, and a strategy closes, on a halted instrument, which opens nothing', () => {
  const at = bench(once([MARKET, protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 1, stopLoss: 80 })], MARKET, SELL));
  at.price();
  at.items$.next(HALTED);
  at.price();
  expect(at.denied()).toEqual([{ code: 'instrumentHalted', symbol: 'BTC-USDT', reason: 'odd' }]);
  at.price();
  expect(net(at)).toBe(1);
  at.price(79);
  expect([net(at), at.denied().length, at.given()]).toEqual([0, 1, []]);
});

test('the part of a position that others have sold is not closed', () => {
  const at = bench(once(MARKET), { kind: 'spot', balance: 1000 });
  at.coins(2);
  at.price();
  at.coins(1);
  at.take();
  at.items$.next(kill(true));
  expect(at.take().filter((call) => call !== 'commit')).toEqual(['sell 1 market']);
  at.coins(0);
  at.wait(1_000);
  expect([net(at), at.engine.snapshot().flattening]).toEqual([1, []]);
  at.wait(60_000);
  expect([at.take().filter((call) => call !== 'commit'), at.denied(), at.given()]).toEqual([[], [], []]);
});

test('a stop closes the certain rest of an order with an unknown outcome, and the remainder after the proof', () => {
  const buy = place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 5 });
  const stop = protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 5, stopLoss: 80 });
  const rest = place({ symbol: 'BTC-USDT', side: 'sell', type: 'limit', price: 120, quantity: 2 });
  const at = bench(once([buy, stop], rest), { deaf: true, kind: 'spot', balance: 1000 });
  at.coins(5);
  at.price();
  at.price();
  const sent = () => at.take().filter((call) => call !== 'commit');
  at.venue({ kind: 'orderUnknown', time: T0, clientOrderId: 't-s-3' });
  at.items$.next(HALTED);
  sent();
  at.price(79);
  expect([sent(), net(at), at.given()]).toEqual([['sell 3 market'], 2, []]);
  at.coins(2);
  at.price(90);
  expect(sent()).toEqual([]);
  // It never was: what it kept is closed, whatever the price is by now.
  at.venue({ kind: 'orderRejected', time: T0, clientOrderId: 't-s-3', reason: { code: 'neverArrived', waitedMs: '1' } });
  at.price(90);
  expect([sent(), net(at), at.given()]).toEqual([['sell 2 market'], 0, []]);
});

test('a stop whose position others have closed waits for it, and is sent when it is back', () => {
  const stop = protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 2, stopLoss: 80 });
  const at = bench(once([MARKET, stop]), { kind: 'spot', balance: 1000 });
  at.coins(2);
  at.price();
  at.coins(0);
  at.take();
  at.price(79);
  at.wait(60_000);
  at.price(78);
  expect(at.take().filter((call) => call !== 'commit')).toEqual([]);
  expect(at.events.filter(({ kind }) => kind === 'exitDelayed' || kind === 'exitRefused' || kind === 'orderDenied')).toEqual([]);
  at.coins(2);
  at.price(85);
  expect([at.take().filter((call) => call !== 'commit'), net(at)]).toEqual([['sell 2 market'], 0]);
});

test('a market sell of a strategy is cut to the remaining position after a manual trade', () => {
  const at = bench(once(MARKET, place({ symbol: 'BTC-USDT', side: 'sell', type: 'market', quantity: 2 })), { kind: 'spot', balance: 1000 });
  at.coins(2);
  at.price();
  at.coins(1);
  at.take();
  at.price();
  expect([at.take().filter((call) => call !== 'commit'), at.denied()]).toEqual([['sell 1 market'], []]);
});

test('an order with an unknown outcome that halts its instrument does not block flattening: its steps count as sold, and the others are closed at once', () => {
  const buy = place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 5 });
  const rest = place({ symbol: 'BTC-USDT', side: 'sell', type: 'limit', price: 120, quantity: 2 });
  const at = bench(once(buy, rest), { deaf: true });
  at.price();
  at.price();
  at.venue({ kind: 'orderUnknown', time: T0, clientOrderId: 't-s-2' });
  at.price();
  at.take();
  at.items$.next(kill(true));
  expect([at.take().filter((call) => call !== 'commit'), net(at)]).toEqual([['cancel killed', 'sell 3 market'], 2]);
  at.items$.next(HALTED);
  at.wait(60_000);
  expect([at.take().filter((call) => call !== 'commit'), at.engine.snapshot().flattening]).toEqual([[], ['BTC-USDT']]);
  // It never was: what it kept is closed.
  at.venue({ kind: 'orderRejected', time: T0, clientOrderId: 't-s-2', reason: { code: 'neverArrived', waitedMs: '1' } });
  at.wait(60_000);
  expect([at.take().filter((call) => call !== 'commit'), net(at), at.engine.snapshot().flattening]).toEqual([['sell 2 market'], 0, []]);
});

test('a kill that flattens closes what is held at once, however many opening orders still wait for their end', () => {
  const at = bench(once(MARKET, LIMIT), { deaf: true });
  at.price();
  at.price();
  at.take();
  at.items$.next(kill(true));
  expect([at.take().filter((call) => call !== 'commit'), net(at)]).toEqual([['cancel killed', 'sell 2 market'], 0]);
  at.wait(60_000);
  expect(at.take().filter((call) => call !== 'commit')).toEqual([]);
  // The cancel has overtaken nothing: the order fills after all.
  at.venue(filled({ clientOrderId: 't-s-2', side: 'buy', steps: 3 }, 3, 90, true, T0));
  at.items$.next({ kind: 'settled' });
  expect([at.take().filter((call) => call !== 'commit'), net(at), at.engine.snapshot().flattening]).toEqual([['sell 3 market'], 0, []]);
});

test('a close that is refused for something that may pass is tried at longer and longer distances until it fills', () => {
  const at = bench(once(MARKET));
  at.price();
  at.take();
  at.refusals.push(LIMITED, { code: 'neverSent', message: 'no connection' }, { code: 'neverArrived', waitedMs: '36000' });
  at.items$.next(kill(true));
  const closes = () => at.take().filter((call) => call !== 'commit').length;
  expect([closes(), at.engine.snapshot().flattening]).toEqual([1, ['BTC-USDT']]);
  at.price();
  expect(closes()).toBe(0);
  for (const ms of [1_000, 2_000, 4_000]) {
    at.wait(ms - 1);
    expect(closes()).toBe(0);
    at.wait(1);
    expect(closes()).toBe(1);
  }
  expect([net(at), at.engine.snapshot().flattening]).toEqual([0, []]);
  at.wait(60_000);
  expect([closes(), at.given()]).toEqual([0, []]);
});

test('a close that is refused for good is given up, which is reported', () => {
  const at = bench(once(MARKET));
  at.price();
  at.take();
  at.refusals.push({ code: 'venueRefused', venueCode: '40017', message: 'no' });
  at.items$.next(kill(true));
  at.price();
  at.wait(60_000);
  expect([at.take().filter((call) => call !== 'commit').length, net(at)]).toEqual([1, 2]);
  expect([at.given(), at.engine.snapshot().flattening]).toEqual([['s flatten venueRefused'], []]);
  expect([...at.state.refusedExits.values()].map(({ positionSide, exit }) => `${positionSide} ${exit}`)).toEqual(['net flatten']);
  at.items$.next(kill(true));
  expect([net(at), [...at.state.refusedExits]]).toEqual([0, []]);
});

test('a reset ends the tries to close, and a second kill restarts them', () => {
  const at = bench(once(MARKET));
  at.price();
  at.refusals.push(LIMITED, LIMITED);
  at.items$.next(kill(true));
  at.items$.next({ kind: 'command', command: 'reset' });
  at.take();
  at.wait(60_000);
  expect([at.take(), at.engine.snapshot().flattening]).toEqual([[], []]);
  at.items$.next(kill(true));
  at.wait(1_000);
  expect([at.take().filter((call) => call !== 'commit').length, net(at)]).toEqual([2, 0]);
});

/** A fill of an order that was over before, as the venue shows it late. */
function lateFill(at: ReturnType<typeof bench>, clientOrderId: string, side: 'buy' | 'sell', steps: number): void {
  at.venue(filled({ clientOrderId, side, steps: 3 }, steps, 100, false, T0));
  at.items$.next({ kind: 'settled' });
}

test('a fill that arrives after a kill that flattens has made all flat is closed too, until a reset', () => {
  const at = bench(once([LIMIT, MARKET]));
  at.price();
  const [limit] = at.state.openOrders.keys();
  at.items$.next(kill(true));
  expect([net(at), at.engine.snapshot().flattening]).toEqual([0, []]);
  at.take();
  lateFill(at, limit!, 'buy', 2);
  expect(at.take().filter((call) => call !== 'commit')).toEqual(['sell 2 market']);
  expect([net(at), at.engine.snapshot().flattening, at.denied()]).toEqual([0, [], []]);
  at.items$.next({ kind: 'command', command: 'reset' });
  lateFill(at, limit!, 'buy', 1);
  expect([at.take(), net(at)]).toEqual([[], 1]);
});

test('a kill that does not flatten leaves a late fill, and one that flattens after it closes late fills from there', () => {
  const at = bench(once(LIMIT));
  at.price();
  const [limit] = at.state.openOrders.keys();
  at.items$.next(kill(false));
  lateFill(at, limit!, 'buy', 1);
  expect(net(at)).toBe(1);
  at.items$.next(kill(true));
  expect([net(at), at.state.latches.get('kill')?.flatten]).toEqual([0, true]);
  lateFill(at, limit!, 'buy', 1);
  expect(net(at)).toBe(0);
  // A kill without flattening takes nothing back.
  at.items$.next(kill(false));
  lateFill(at, limit!, 'buy', 1);
  expect(net(at)).toBe(0);
});

test('a limit that flattens closes a late fill too, for as long as its latch is set', () => {
  const at = bench(once([LIMIT, MARKET]), { limits: { maxDrawdown: { share: 0.1, onBreach: 'flatten' } }, balance: 1000 });
  at.price();
  const [limit] = at.state.openOrders.keys();
  at.price();
  at.price(20);
  expect([net(at), [...at.state.latches.keys()]]).toEqual([0, ['maxDrawdown']]);
  lateFill(at, limit!, 'buy', 2);
  expect([net(at), at.denied()]).toEqual([0, []]);
});

test('a kill that flattens stays in force over a restart: later fills are closed at the start', () => {
  const latched = { kind: 'riskLatched', time: T0, rule: 'kill', drawdown: 0, limit: 0, reason: 'x', flatten: true } as const;
  const { request, kind, type } = submitted({ clientOrderId: 'old' }) as OrderSubmitted;
  const known = { kind, type, request, time: T0, clientOrderId: 'old', stopTicks: undefined, again: false };
  const held = { orders: [], links: [], plans: [], watched: [], recalled: [], flattening: [] };
  const early = [filled({ clientOrderId: 'old' }, 4, 100)];
  const at = bench({}, { resume: { held, saves: new Map() }, known: [latched, known], early });
  at.price();
  // What is left of the order goes, too.
  expect([at.take().filter((call) => call !== 'commit'), net(at)]).toEqual([['sell 4 market', 'cancel killed'], 0]);
});

test('closes go on after a restart', () => {
  const held = { orders: [], links: [], plans: [], watched: [], recalled: [], flattening: ['BTC-USDT'] };
  const early = [filled({ clientOrderId: 'old' }, 4, 100)];
  const { request, kind, type } = submitted({ clientOrderId: 'old' }) as OrderSubmitted;
  const known = { kind, type, request, time: T0, clientOrderId: 'old', stopTicks: undefined, again: false };
  const at = bench({}, { resume: { held, saves: new Map() }, known, early });
  at.refusals.push(LIMITED);
  at.price();
  expect(net(at)).toBe(4);
  at.wait(1_000);
  expect(net(at)).toBe(0);
});

test.each([
  [true, ['commit', 'cancel stopping', 'sell 2 market', 'buy 3 limit', 'commit', 'cancel stopping'], 0],
  [false, ['commit', 'sell 2 market', 'buy 3 limit'], 2],
])('a stop with cancelOrders %p lets onStop speak and no one after', (cancelOrders, calls, open) => {
  const out = place({ symbol: 'BTC-USDT', side: 'sell', type: 'market', quantity: 2 });
  const at = bench({
    ...once(MARKET, LIMIT, LIMIT),
    onStop: () => [out, LIMIT],
    onOrder: (event) => (event.kind === 'orderCanceled' ? LIMIT : undefined),
  });
  at.price();
  at.price();
  at.take();
  at.items$.next({ kind: 'stopping', cancelOrders });
  expect(at.take()).toEqual(calls);
  at.price();
  expect([at.take(), at.state.openOrders.size, net(at)]).toEqual([[], open, 0]);
});

const AMENDED = { kind: 'orderCanceled', time: T0, clientOrderId: 't-s-1', reason: 'amended' } as const;
const dropped = (reason: string) => [{ code: 'amendDropped', clientOrderId: 't-s-1', reason }];

test.each([
  ['a kill', kill(false), 'killed'],
  ['a reduce', { kind: 'command', command: 'reduce', reason: 'by hand' }, 'riskLatch'],
  ['a stop', { kind: 'stopping', cancelOrders: true }, 'stopping'],
  ['a stop that leaves orders open', { kind: 'stopping', cancelOrders: false }, 'stopping'],
] as [string, FeedItem, string][])('%s removes a replacement that waits for its cancel', (_, item, reason) => {
  const at = bench(once(LIMIT, amend({ clientOrderId: 't-s-1', price: 80 })), { deaf: true });
  at.price();
  at.price();
  expect(at.take()).toEqual(['commit', 'buy 3 limit', 'commit', 'cancel amended']);
  at.items$.next(item);
  at.venue(AMENDED);
  at.price();
  expect([at.denied(), at.state.openOrders.size]).toEqual([dropped(reason), 0]);
  expect(at.take().filter((call) => call !== 'commit')).toEqual([]);
});

test.each([
  ['confirmed after it', []],
  ['confirmed before it', [{ ...AMENDED, reason: 'requested' } as const]],
])('a restart sends no replacement whose cancel is %s, and reports that once', (_, early) => {
  const first = bench(once(LIMIT, amend({ clientOrderId: 't-s-1', price: 80 })), { deaf: true });
  first.price();
  first.price();
  const held = first.engine.snapshot();
  expect(held.amendments).toEqual([{ clientOrderId: 't-s-1', priceTicks: 80 }]);
  const received: string[] = [];
  const script: Script = { onStart: () => void received.push('start'), onOrder: ({ kind }) => void received.push(kind) };
  const again = bench(script, { resume: { held, saves: new Map() }, known: first.events, early });
  expect(again.engine.snapshot().amendments).toEqual(held.amendments);
  again.price();
  if (early.length === 0) again.venue(AMENDED);
  again.price();
  expect([again.denied(), again.state.openOrders.size]).toEqual([dropped('restarted'), 0]);
  expect(received).toEqual(['start', ...(early.length === 0 ? ['orderDenied', 'orderCanceled'] : ['orderCanceled', 'orderDenied'])]);
  expect(again.engine.snapshot()).not.toHaveProperty('amendments');
  expect(again.take().filter((call) => call !== 'commit')).toEqual([]);
});

test('an event of the venue before the start is in state and journal at once, and strategies receive it right after onStart', async () => {
  const heard: string[] = [];
  const early: VenueEvent[] = [
    {
      kind: 'balanceChanged',
      time: T0,
      balance: { wallet: 'spot', asset: 'USDT', total: new Decimal(5), frozen: new Decimal(0) },
      entry: undefined,
    },
    filled({ clientOrderId: 'old' }, 4, 100),
  ];
  const { request, kind, type } = submitted({ clientOrderId: 'old' }) as OrderSubmitted;
  const known = { kind, type, request, time: T0, clientOrderId: 'old', stopTicks: undefined, again: false };
  const at = bench({ onStart: () => void heard.push('start'), onFill: ({ steps }) => void heard.push(`fill ${steps}`) }, { known, early });
  expect(at.before).toEqual({ applied: 1, remembered: 2, position: 4 });
  at.price();
  expect(heard).toEqual(['start', 'fill 4']);
  at.items$.complete();
  await at.done;
});

test('a command that is impossible before the start stops the run', async () => {
  const at = bench({}, { early: [{ kind: 'orderUnknown', time: T0, clientOrderId: 'nobody' }] });
  await expect(at.done).rejects.toThrow('names a known order, not nobody');
});

test('a strategy receives its saved state before it starts', () => {
  const heard: unknown[] = [];
  const made = (me: object) => Object.assign(me, { save: () => ({ count: 8 }), restore: (saved: unknown) => heard.push(saved) });
  const at = bench({ made, onStart: () => void heard.push('start') }, { resume: { saves: new Map([['s', { count: 7 }]]) } });
  at.price();
  expect(heard).toEqual([{ count: 7 }, 'start']);
  expect([...at.engine.saves()]).toEqual([['s', { count: 8 }]]);
});

test('a reduce cancels opening orders and keeps exits; only exits pass until its reset', () => {
  const shrink = place({ symbol: 'BTC-USDT', side: 'sell', type: 'market', quantity: 1 });
  const at = bench(once(MARKET, [LIMIT, STOP], [MARKET, shrink], MARKET));
  at.price();
  at.price();
  at.take();
  at.items$.next({ kind: 'command', command: 'reduce', reason: 'by hand' });
  expect(at.take()).toEqual(['commit', 'cancel riskLatch']);
  expect([...at.state.openOrders.values()].map(({ type, held }) => [type, held])).toEqual([['stop', true]]);
  at.price();
  expect([at.denied(), net(at)]).toEqual([[{ code: 'reducing', reason: 'by hand' }], 1]);
  at.items$.next({ kind: 'command', command: 'reset' });
  at.price();
  expect(net(at)).toBe(3);
});

test('a reduce or reset of one strategy affects only that strategy', () => {
  const at = bench(once(MARKET, MARKET));
  at.items$.next({ kind: 'command', command: 'reduce', strategyId: 't', reason: 'of t' });
  at.items$.next({ kind: 'command', command: 'reduce', reason: 'of all' });
  expect([...at.state.latches.keys()]).toEqual(['reduce/t', 'reduce']);
  at.items$.next({ kind: 'command', command: 'reset', strategyId: 't' });
  expect([...at.state.latches.keys()]).toEqual(['reduce']);
  at.price();
  expect(at.denied()).toEqual([{ code: 'reducing', reason: 'of all' }]);
});

test('a paused strategy keeps its exits, runs its hooks and opens nothing; no reset ends the pause, and resume does', () => {
  let seen = 0;
  const intents = [[LIMIT, MARKET, STOP], MARKET, SELL, MARKET];
  const at = bench({
    onTicker: () => {
      seen++;
      return intents[seen - 1];
    },
  });
  at.price();
  at.take();
  at.items$.next({ kind: 'command', command: 'pause', strategyId: 's', reason: 'news' });
  expect(at.take()).toEqual(['commit', 'cancel riskLatch']);
  expect([...at.state.openOrders.values()].map(({ type, held }) => [type, held])).toEqual([['stop', true]]);
  at.price();
  expect([at.denied(), net(at)]).toEqual([[{ code: 'paused', reason: 'news', strategy: 's' }], 2]);
  for (const whose of [{}, { strategyId: 's' }]) at.items$.next({ kind: 'command', command: 'reset', ...whose });
  at.price();
  expect([net(at), seen, [...at.state.latches.keys()]]).toEqual([1, 3, ['paused/s']]);
  at.items$.next({ kind: 'command', command: 'resume', strategyId: 's' });
  at.price();
  expect([net(at), at.state.latches.size]).toEqual([3, 0]);
});

const close = (of: Partial<CommandedClose> = {}): FeedItem => ({
  kind: 'command',
  command: 'close',
  symbol: 'BTC-USDT',
  reason: 'news',
  ...of,
});

test('a close by command cancels the orders there, closes at market, and then lets the strategy open again', () => {
  const at = bench(once([LIMIT, MARKET, STOP], MARKET));
  at.price();
  at.take();
  at.items$.next(close({ strategyId: 's' }));
  expect(at.take()).toEqual(['commit', 'cancel closing', 'sell 2 market']);
  expect([net(at), at.state.openOrders.size, at.engine.commandedCloses]).toEqual([0, 0, []]);
  expect(at.state.latches.size).toBe(0);
  at.price();
  expect([at.denied(), net(at)]).toEqual([[], 2]);
});

test.each<[what: string, of: Partial<CommandedClose>, left: number]>([
  ['its side', { side: 'long' }, 0],
  ['the other side', { side: 'short' }, 2],
  ['another strategy', { strategyId: 't' }, 2],
  ['all strategies', {}, 0],
])('a close by command of %s leaves %j: %d', (_, of, left) => {
  const at = bench(once([LIMIT, MARKET]));
  at.price();
  at.items$.next(close(of));
  expect([net(at), at.state.openOrders.size]).toEqual([left, left === 0 ? 0 : 1]);
});

test('while a close by command is tried again, its strategy is refused there; a snapshot has it, and a reset ends it', () => {
  const at = bench(once(MARKET, MARKET));
  at.price();
  at.refusals.push(LIMITED, LIMITED);
  at.items$.next(close({ strategyId: 's', side: 'long' }));
  expect([net(at), at.engine.snapshot().flattening]).toEqual([2, ['BTC-USDT/closeByCommand/s/long']]);
  at.price();
  expect(at.denied()).toEqual([{ code: 'reducing', reason: 'a person closes this position by command' }]);
  at.items$.next({ kind: 'command', command: 'reset', strategyId: 's' });
  at.wait(60_000);
  expect([net(at), at.engine.snapshot().flattening]).toEqual([2, []]);
});

test.each(['BTC-USDT/closeByCommand/s/long', 'BTC-USDT/closeByCommand//long', 'BTC-USDT/closeByCommand/s'])(
  'a close by command that an earlier run had not finished goes on: %s',
  (target) => {
    const held = { orders: [], links: [], plans: [], watched: [], recalled: [], flattening: [target] };
    const known = submitted({ clientOrderId: 'old' });
    const at = bench({}, { resume: { held, saves: new Map() }, known, early: [filled({ clientOrderId: 'old' }, 4, 100)] });
    expect([net(at), at.engine.snapshot().flattening]).toEqual([4, [target]]);
    at.price();
    expect(net(at)).toBe(0);
  },
);

const limit = (limits: Partial<RiskLimits>): FeedItem => ({
  ...{ kind: 'command', command: 'limit', change: { setting: 'risk.x', value: '1', was: 'null' } },
  limits: { maxPosition: new Map(), ...limits },
});

test('other limits are in force from the turn of their command on', () => {
  const at = bench(once(MARKET, MARKET, MARKET), { limits: { maxQuantity: new Decimal(2) } });
  at.price();
  at.items$.next(limit({ maxQuantity: new Decimal(1) }));
  at.price();
  expect([net(at), at.denied().map(({ code }) => code), at.engine.limits.maxQuantity]).toEqual([
    2,
    ['quantityAboveMaximum'],
    new Decimal(1),
  ]);
  at.items$.next(limit({}));
  at.price();
  expect([net(at), at.denied()]).toEqual([4, [expect.anything()]]);
});

test('orders that were sent before count against a new rate of orders', () => {
  const at = bench(once(MARKET, MARKET, MARKET), { limits: { orderRate: { orders: 5, perMs: 1_000 } } });
  at.price();
  at.price();
  at.items$.next(limit({ orderRate: { orders: 2, perMs: 1_000 } }));
  at.price();
  expect([net(at), at.denied().map(({ code }) => code)]).toEqual([4, ['orderRateAboveLimit']]);
});

test('errors that were counted before count against a new budget', () => {
  const at = bench({}, { limits: { errorBudget: { errors: 5, perMs: 1_000 } } });
  const stale: FeedItem = { ...{ kind: 'healthChanged', time: T0, symbol: '', condition: 'stale', reason: 'silent' }, subject: 'account' };
  at.items$.next(stale);
  at.items$.next(limit({ errorBudget: { errors: 2, perMs: 1_000 } }));
  expect(at.state.latches.size).toBe(0);
  at.items$.next({ ...stale, time: T0 + 1 });
  expect([...at.state.latches.values()]).toMatchObject([{ rule: 'venueErrors', count: 2, limit: 2 }]);
});

test('a fall of equity beyond its new limit latches at once, and one below it does not', () => {
  const drawdown = (share: number) => ({ maxDrawdown: { share, onBreach: 'cancel' } as const });
  const at = bench(once(MARKET), { kind: 'spot', balance: 1_000, limits: drawdown(0.9) });
  at.coins(1);
  for (const ticks of [100, 80]) at.price(ticks);
  const { depth } = at.state.measured.drawdown;
  expect(depth).toBeGreaterThan(0);
  at.items$.next(limit(drawdown(depth * 1.1)));
  expect(at.state.latches.size).toBe(0);
  at.items$.next(limit(drawdown(depth / 2)));
  expect([...at.state.latches.values()]).toMatchObject([{ rule: 'maxDrawdown', limit: depth / 2 }]);
});

test('a venue that fails too often within its window latches, once', () => {
  const at = bench(once(MARKET), { limits: { errorBudget: { errors: 2, perMs: 1000 } } });
  const health = (time: number, condition: 'stale' | 'fresh'): FeedItem => ({
    kind: 'healthChanged',
    time: T0 + time,
    subject: 'account',
    symbol: '',
    condition,
    reason: 'silent',
  });
  for (const item of [health(0, 'stale'), health(1, 'fresh'), health(1000, 'stale'), health(1001, 'fresh')]) at.items$.next(item);
  // The first is out of the window.
  expect(at.state.latches.size).toBe(0);
  for (const item of [health(1999, 'stale'), health(2000, 'fresh')]) at.items$.next(item);
  expect([...at.state.latches.values()]).toMatchObject([{ rule: 'venueErrors', count: 2, limit: 2 }]);
  at.price();
  expect(at.denied()).toEqual([{ code: 'venueErrorsLatched', errors: '2', limit: '2' }]);
});
