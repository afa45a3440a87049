import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AccountEvent } from '../../src/model/account-events.ts';
import { Decimal } from '../../src/model/decimal.ts';
import type { Fill } from '../../src/model/fill.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { Intent } from '../../src/model/intents.ts';
import type { Bar } from '../../src/model/market-events.ts';
import type { OrderRequest } from '../../src/model/order.ts';
import type { RiskLimits, ScopeLimits, StrategyLimits } from '../../src/risk/limits.ts';
import type { ReadonlyState } from '../../src/state/state.ts';
import { cancel, place } from '../../src/strategy/intents.ts';
import { BTC, bars, ETH, instrument, run, type Scripted, strategy, tickers } from '../engine/builders.ts';

const RUNS = 100;

/** Equity may be a rounding of doubles off. */
const EPSILON = 1e-6;
const LIMIT = 0.1;
const PRICED = instrument(0, { takerFee: '0.001', tickSize: '1' });

const anyBars = fc.array(
  fc.record({ gap: fc.integer({ min: -30, max: 30 }), move: fc.integer({ min: -120, max: 120 }), order: fc.integer({ min: -6, max: 6 }) }),
  { minLength: 5, maxLength: 40 },
);

test('a 10 % drawdown limit that flattens ends no run worse than 10 %, one bar and its slippage', async () => {
  let latched = 0;
  await fc.assert(
    fc.asyncProperty(anyBars, fc.constantFrom(0, 20, 50), async (steps, slippageBps) => {
      let close = 1000;
      const rows = steps.map(({ gap, move }) => {
        const open = Math.max(50, close + gap);
        close = Math.max(50, open + move);
        return [open, Math.max(open, close), Math.min(open, close), close];
      });
      let bar = 0;
      const script = {
        onBar: () => {
          const { order } = steps[bar++]!;
          const side = order > 0 ? 'buy' : 'sell';
          return order === 0 ? undefined : place({ symbol: 'BTC-USDT', side, type: 'market', quantity: Math.abs(order) });
        },
      };
      const equities: number[] = [];
      const seen: Bar[] = [];
      let state: ReadonlyState | undefined;
      const result = await run(
        [strategy('a', { ...script, made: (me) => (state = me.state) })],
        {
          data: [bars(rows, { of: PRICED })],
          balances: { USDT: '10000' },
          fills: { slippageBps },
          limits: { maxDrawdown: { share: LIMIT, onBreach: 'flatten' } },
        },
        (engine) => {
          engine.market$.subscribe((event) => {
            seen.push(event as Bar);
            equities.push(state!.portfolio.equity);
          });
        },
      );
      expect(result.message).toBe('');
      let peak = Number.NEGATIVE_INFINITY;
      const broken = equities.findIndex((equity) => {
        peak = Math.max(peak, equity);
        return (peak - equity) / peak > LIMIT;
      });
      expect(result.state.drawdownLatched).toBe(broken >= 0);
      if (broken < 0) return;
      latched++;
      const bound = peak * (1 - LIMIT) - barOf(seen, broken, result.tables.fills) - EPSILON;
      expect(Math.min(...equities.slice(broken))).toBeGreaterThanOrEqual(bound);
      if (broken < seen.length - 1) expect(result.state.heldSteps(PRICED)).toBe(0);
    }),
    { numRuns: RUNS },
  );
  expect(latched).toBeGreaterThan(RUNS / 5);
});

/**
 * What the bar that passes the limit moves the position by, from the close before it to the open after it, and what
 * trading at these two opens costs: fees, and the distance of each fill from its open.
 */
function barOf(seen: readonly Bar[], index: number, fills: readonly Fill[]): number {
  const bar = seen[index]!;
  const before = seen[index - 1]?.closeTicks ?? bar.openTicks;
  const next = seen[index + 1]?.openTicks ?? bar.closeTicks;
  const heldUntil = (time: number) =>
    fills.reduce((sum, fill) => (fill.time < time ? sum + (fill.side === 'buy' ? fill.steps : -fill.steps) : sum), 0);
  const [came, held] = [heldUntil(bar.openTime), heldUntil(bar.time)].map(Math.abs) as [number, number];
  const traded = fills.filter(({ time }) => time >= bar.openTime);
  const costs = traded.reduce((sum, { time, steps, priceTicks, fee }) => {
    const open = time < bar.time ? bar.openTicks : next;
    return sum + fee.toNumber() + Math.abs(priceTicks - open) * steps;
  }, 0);
  return (
    came * Math.abs(bar.openTicks - before) + held * (Math.abs(bar.closeTicks - bar.openTicks) + Math.abs(next - bar.closeTicks)) + costs
  );
}

const limitsOf = (least: number): fc.Arbitrary<StrategyLimits> =>
  fc.record({
    maxPosition: fc.tuple(fc.integer({ min: least, max: 12 }), fc.integer({ min: least, max: 60 })).map(
      ([btc, eth]) =>
        new Map([
          ['BTC-USDT', new Decimal(btc)],
          ['ETH-USDT', new Decimal(eth)],
        ]),
    ),
    maxExposure: fc.option(
      fc.integer({ min: 300, max: 1500 }).map((value) => new Decimal(value)),
      { nil: undefined },
    ),
    maxOpenOrders: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    orderRate: fc.option(fc.record({ orders: fc.integer({ min: 1, max: 4 }), perMs: fc.integer({ min: 500, max: 4000 }) }), {
      nil: undefined,
    }),
    maxNotional: fc.option(
      fc.integer({ min: 200, max: 900 }).map((value) => new Decimal(value)),
      { nil: undefined },
    ),
    maxQuantity: fc.option(
      fc.integer({ min: 3, max: 20 }).map((value) => new Decimal(value)),
      { nil: undefined },
    ),
    concentration: fc.option(fc.record({ symbol: fc.constantFrom(0.05, 0.1, undefined), asset: fc.constantFrom(0.08, undefined) }), {
      nil: undefined,
    }),
    selfTrade: fc.constantFrom(undefined, 'deny' as const),
    capital: fc.constant(new Decimal(10_000)),
  });

const anyIntent: fc.Arbitrary<(last: (symbol: string) => number) => Intent> = fc
  .record({
    symbol: fc.constantFrom('BTC-USDT', 'ETH-USDT'),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    what: fc.constantFrom('market', 'market', 'limit', 'limit', 'stop', 'reduce', 'cancel'),
    quantity: fc.integer({ min: 1, max: 14 }),
    offset: fc.integer({ min: -4, max: 4 }),
  })
  .map(({ symbol, side, what, quantity, offset }) => (last) => {
    const order = { symbol, side, quantity } as const;
    const price = Math.max(1, last(symbol) + offset);
    if (what === 'cancel') return cancel({ symbol });
    if (what === 'limit') return place({ ...order, type: 'limit', price });
    if (what === 'stop') return place({ ...order, type: 'stop', stopPrice: price });
    return place({ ...order, type: 'market', reduceOnly: what === 'reduce' });
  });

const anyTurns = fc.array(
  fc.record({
    btc: fc.integer({ min: 90, max: 110 }),
    eth: fc.integer({ min: 8, max: 12 }),
    intents: fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), anyIntent), { maxLength: 4 }),
  }),
  { minLength: 3, maxLength: 25 },
);

/** Steps that are held, and on order by side, of the account or one strategy; told from the state by plain sums. */
function standing(state: ReadonlyState, of: string | undefined, one: Instrument) {
  const orders = [...state.openOrders.values()].filter(
    ({ request, held, strategyId }) =>
      request.instrument === one && !(held && request.reduceOnly) && (of === undefined || strategyId === of),
  );
  const on = (side: 'buy' | 'sell') =>
    orders.filter((order) => order.side === side).reduce((sum, order) => sum + order.request.steps! - order.filledSteps, 0);
  const held = (of === undefined ? state : state.books.get(of)!).position(one, 'net').steps;
  return { held, buys: on('buy'), sells: on('sell'), orders };
}

/** Whether an order, with all others on its side, makes the position of the account or of one strategy smaller and no more. */
function closes({ instrument: one, side }: OrderRequest, state: ReadonlyState, of: string | undefined): boolean {
  const { held, buys, sells } = standing(state, of, one);
  return side === 'buy' ? held < 0 && buys <= -held : held > 0 && sells <= held;
}

/** What an approved order must leave true of the account, or of its strategy. */
function check(
  request: OrderRequest,
  state: ReadonlyState,
  limits: ScopeLimits,
  of: string | undefined,
  times: readonly number[],
  now: number,
) {
  const { instrument: one, side, steps = 0, priceTicks } = request;
  const { maxQuantity, maxNotional, maxOpenOrders, orderRate, maxExposure, concentration, selfTrade } = limits;
  if (maxQuantity !== undefined) expect(steps).toBeLessThanOrEqual(maxQuantity.toNumber());
  if (orderRate !== undefined) expect(times.filter((time) => time > now - orderRate.perMs).length).toBeLessThanOrEqual(orderRate.orders);
  const last = state.market(one).lastTicks;
  if (maxNotional !== undefined && request.triggerTicks === undefined && !request.released)
    expect(steps * (priceTicks ?? last)).toBeLessThanOrEqual(maxNotional.toNumber());
  if (maxOpenOrders !== undefined && !request.released) {
    const open = state.instruments.reduce((sum, other) => sum + standing(state, of, other).orders.length, 0);
    expect(open).toBeLessThanOrEqual(maxOpenOrders);
  }
  if (selfTrade === 'deny' && priceTicks !== undefined) {
    const crossing = standing(state, of, one).orders.filter(({ request: other, held: atEngine }) => {
      if (atEngine || other.side === side || other.priceTicks === undefined) return false;
      return side === 'buy' ? priceTicks >= other.priceTicks : priceTicks <= other.priceTicks;
    });
    expect(crossing).toEqual([]);
  }
  // An order that closes what its own strategy holds passes, whatever others hold against it.
  if (request.reduceOnly || closes(request, state, of) || closes(request, state, request.strategyId)) return;
  const worst = (other: Instrument) => {
    const { held: h, buys: b, sells: s } = standing(state, of, other);
    const price = Math.max(state.market(other).lastTicks, other === one ? (priceTicks ?? 0) : 0);
    const most = Math.max(Math.abs(h + b), Math.abs(h - s));
    return { most, value: most === 0 ? 0 : most * price };
  };
  expect(worst(one).most).toBeLessThanOrEqual(limits.maxPosition.get(one.symbol)!.toNumber());
  if (maxExposure !== undefined)
    expect(state.instruments.reduce((sum, other) => sum + worst(other).value, 0)).toBeLessThanOrEqual(maxExposure.toNumber());
  if (concentration === undefined) return;
  const equity = (of === undefined ? state.portfolio : state.ownEquities.get(of)!).exactEquity().toNumber();
  for (const share of [concentration.symbol, concentration.asset])
    if (share !== undefined) expect(worst(one).value).toBeLessThanOrEqual(share * equity + EPSILON);
}

test('no sequence of approved intents of several strategies breaks a limit, the account’s or one’s own', async () => {
  let approved = 0;
  let denied = 0;
  await fc.assert(
    fc.asyncProperty(limitsOf(4), limitsOf(2), limitsOf(2), anyTurns, async (account, a, b, turns) => {
      const own = new Map([
        ['a', a],
        ['b', b],
      ]);
      const limits: RiskLimits = { ...account, strategies: own };
      let state: ReadonlyState | undefined;
      const script = (id: string) => {
        let turn = 0;
        return strategy(id, {
          symbols: ['BTC-USDT', 'ETH-USDT'],
          made: (me: Scripted) => (state = me.state),
          onTicker: ({ symbol }, me) => {
            if (symbol !== 'ETH-USDT') return undefined;
            const intents = turns[turn++]?.intents ?? [];
            return intents.flatMap(([of, make]) => (of === id ? [make((name) => me.market(name).last ?? 1)] : []));
          },
        });
      };
      const times = new Map<string | undefined, number[]>([...own.keys(), undefined, 'c'].map((id) => [id, []]));
      let broken: { readonly error: unknown } | undefined;
      const closed = new Set<Instrument>();
      // What is to wait here is judged as it goes out: a close that waits may be larger than one order, as it goes out in several.
      const submitted = new Map<string, readonly [OrderRequest, { readonly error: unknown } | undefined]>();
      const look = (event: AccountEvent): void => {
        if (event.kind === 'orderDenied') denied++;
        if (event.kind === 'orderSubmitted' && (event.request.reduceOnly || closes(event.request, state!, event.request.strategyId)))
          closed.add(event.request.instrument);
        const scopes: [string | undefined, ScopeLimits | undefined][] = [
          [undefined, limits],
          ['a', a],
          ['b', b],
        ];
        for (const [of, { maxPosition } = limits] of scopes) {
          for (const one of [BTC, ETH]) {
            // A close of what one strategy holds against another brings the account's net position away from zero.
            if (of === undefined && closed.has(one)) continue;
            expect(Math.abs(standing(state!, of, one).held)).toBeLessThanOrEqual(maxPosition.get(one.symbol)!.toNumber());
          }
        }
        if (event.kind === 'orderAccepted') {
          if (event.held) return;
          approved++;
          const [request, wrong] = submitted.get(event.clientOrderId)!;
          for (const id of [undefined, request.strategyId]) times.get(id)!.push(event.time);
          if (wrong !== undefined) throw wrong.error;
        }
        if (event.kind !== 'orderSubmitted' || (event.stopTicks !== undefined && !event.again)) return;
        const { request, time } = event;
        submitted.set(event.clientOrderId, [request, undefined]);
        try {
          for (const id of [undefined, request.strategyId]) {
            const scope = id === undefined ? limits : own.get(id);
            if (scope !== undefined) check(request, state!, scope, id, [...times.get(id)!, time], time);
          }
        } catch (error) {
          submitted.set(event.clientOrderId, [request, { error }]);
        }
      };
      const result = await run(
        ['a', 'b', 'c'].map(script),
        {
          data: [
            tickers(turns.map(({ btc }, second) => [second, btc] as const)),
            tickers(
              turns.map(({ eth }, second) => [second, eth] as const),
              ETH,
            ),
          ],
          balances: { USDT: '10000' },
          limits,
        },
        (engine) => {
          engine.account$.subscribe((event) => {
            // What is thrown here would be lost in the stream: it is told after the run.
            try {
              look(event);
            } catch (error) {
              broken ??= { error };
            }
          });
        },
      );
      if (broken !== undefined) throw broken.error;
      expect(result.message).toBe('');
    }),
    { numRuns: RUNS },
  );
  expect([approved > RUNS, denied > RUNS]).toEqual([true, true]);
});
