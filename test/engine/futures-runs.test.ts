import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { simulateRun } from '../../src/app/backtest/simulate-run.ts';
import type { AccountEvent } from '../../src/model/account-events.ts';
import { Decimal, ZERO } from '../../src/model/decimal.ts';
import type { Intent } from '../../src/model/intents.ts';
import { unrealizedProfit } from '../../src/model/margin.ts';
import { freeCollateral } from '../../src/risk/margin-measures.ts';
import type { ReadonlyState } from '../../src/state/state.ts';
import { cancel, place, protect } from '../../src/strategy/intents.ts';
import type { Intents } from '../../src/strategy/strategy.ts';
import { type PlanOptions, perpetual, plan, type Row, Scripted, series } from '../builders.ts';

// Random orders of two strategies on one futures account, through the whole backtest: whatever they ask for and
// however it fills, the core's picture of the account holds together.

const SYMBOL = 'BTC-USDT-PERP';
const price = fc.integer({ min: 80, max: 120 });

interface Wish {
  readonly event: number;
  readonly by: 's' | 't';
  readonly do: 'market' | 'limit' | 'stop' | 'bracket' | 'protect' | 'cancel' | 'close';
  readonly buy: boolean;
  readonly quantity: number;
  readonly offset: number;
  readonly side: 'long' | 'short' | undefined;
}

const wish: fc.Arbitrary<Wish> = fc.record({
  event: fc.integer({ min: 0, max: 20 }),
  by: fc.constantFrom('s', 't'),
  do: fc.constantFrom('market', 'limit', 'stop', 'bracket', 'bracket', 'protect', 'cancel', 'close'),
  buy: fc.boolean(),
  quantity: fc.integer({ min: 1, max: 9 }),
  offset: fc.integer({ min: -8, max: 8 }),
  side: fc.constantFrom('long', 'short', undefined, undefined),
});

function intentOf({ do: what, buy, quantity, offset, side }: Wish, last: number): Intent {
  const base = { symbol: SYMBOL, side: buy ? 'buy' : 'sell', quantity } as const;
  const way = buy ? 1 : -1;
  const exits = { stopLoss: last - way * (Math.abs(offset) + 1), takeProfit: last + way * (Math.abs(offset) + 1) };
  switch (what) {
    case 'market':
      return place({ ...base, type: 'market', positionSide: side });
    case 'limit':
      return place({ ...base, type: 'limit', price: last + offset, positionSide: side });
    case 'stop':
      return place({ ...base, type: 'stop', stopPrice: last + offset, positionSide: side });
    case 'bracket':
      return place({ ...base, type: 'market', positionSide: buy ? 'long' : 'short', exits });
    case 'protect':
      return protect({ ...base, stopLoss: last - offset, takeProfit: last + offset });
    case 'cancel':
      return cancel();
    case 'close':
      return place({ ...base, type: 'market', reduceOnly: true });
  }
}

interface Case {
  readonly kind: 'bar' | 'trade' | 'ticker';
  readonly rows: readonly Row[];
  readonly wishes: readonly Wish[];
  readonly latencyMs: number;
  readonly profile: 'full' | 'exchange';
  readonly separated: boolean;
  readonly mode: 'shared' | 'isolated';
  readonly balance: string;
}

const bars = fc
  .array(fc.tuple(price, price, price, price, fc.integer({ min: 0, max: 60 })), { minLength: 4, maxLength: 20 })
  .map((rows) =>
    rows.map(
      ([open, a, b, close, size], index): Row => [index * 60, open, Math.max(open, a, b, close), Math.min(open, a, b, close), close, size],
    ),
  );
const trades = fc
  .array(fc.tuple(price, fc.integer({ min: 1, max: 8 })), { minLength: 4, maxLength: 30 })
  .map((rows) => rows.map(([last, size], index): Row => [index * 2, last, size, 0]));
const tickers = fc.array(price, { minLength: 4, maxLength: 30 }).map((rows) => rows.map((last, index): Row => [index * 2, last]));

const anyCase: fc.Arbitrary<Case> = fc
  .oneof(
    bars.map((rows) => ({ kind: 'bar' as const, rows })),
    trades.map((rows) => ({ kind: 'trade' as const, rows })),
    tickers.map((rows) => ({ kind: 'ticker' as const, rows })),
  )
  .chain((data) =>
    fc.record({
      kind: fc.constant(data.kind),
      rows: fc.constant(data.rows),
      wishes: fc.array(wish, { maxLength: 25 }),
      latencyMs: fc.constantFrom(0, 0, 0, 300, 3000),
      profile: fc.constantFrom('full', 'exchange'),
      separated: fc.boolean(),
      mode: fc.constantFrom('shared', 'isolated'),
      balance: fc.constantFrom('100000', '300', '80'),
    }),
  );

function planned({ kind, rows, wishes, latencyMs, profile, separated, mode, balance }: Case): PlanOptions {
  const traded = perpetual({ makerFee: '0.0005', takerFee: '0.001', contract: { liquidationFee: '0.005' } });
  const strategies = (['s', 't'] as const).map((id) => {
    let seen = 0;
    const act = (self: Scripted): Intents => {
      const index = seen++;
      const { lastTicks } = self.world.market(traded);
      return wishes.filter(({ event, by }) => event === index && by === id).map((one) => intentOf(one, lastTicks));
    };
    const script = { onBar: act, onTrade: act, onTicker: act };
    return {
      id,
      symbols: [SYMBOL],
      params: {},
      create: (context: ConstructorParameters<typeof Scripted>[0]) => new Scripted(context, script),
    };
  });
  return {
    sources: [{ instrument: traded, kind, open: () => series(kind, rows) }],
    kind: 'futures',
    margin: { mode, separated, longLeverage: new Decimal(10), shortLeverage: new Decimal(5) },
    balances: { USDT: balance },
    bars: { from: 'bar', intervals: [[]], graceMs: 0 },
    fills: { barVolumeShare: 0.1 },
    latency: { entryMs: latencyMs, cancelMs: latencyMs, responseMs: latencyMs, feedMs: latencyMs },
    profile,
    closeAtEnd: true,
    strategies,
  };
}

/** What breaks the rules that must hold whenever the engine has done with something. @param atOnce nothing is on its way. */
function breaches(state: ReadonlyState, atOnce: boolean): string[] {
  const [traded] = state.instruments as [(typeof state.instruments)[number]];
  const found: string[] = [];
  let equity = state.portfolio.balance('USDT').total;
  for (const side of ['long', 'short'] as const) {
    const { steps } = state.position(traded, side);
    const own = [...state.books.values()].reduce((sum, book) => sum + book.position(traded, side).steps, 0);
    if (side === 'long' ? steps < 0 : steps > 0) found.push(`${side} is ${steps}`);
    if (own !== steps) found.push(`the strategies hold ${own} of ${steps} ${side}`);
    const held = state.margin.side(traded, side);
    if (held !== undefined) equity = equity.plus(unrealizedProfit(held, held.mark));
  }
  const told = state.portfolio.exactEquity();
  if (!told.equals(equity)) found.push(`equity is ${equity.toFixed()}, not ${told.toFixed()}`);
  // What market orders bind hangs on the price at which they arrived.
  const priced = [...state.openOrders.values()].every(({ request }) => request.priceTicks !== undefined || request.reduceOnly);
  const [free, venue] = [freeCollateral(state, 'USDT', ''), state.margin.figures('USDT').free];
  // A margin below zero is about to be liquidated, at the end of its instant; so is a separated position that has lost its share of it.
  const sound = state.margin.sides('USDT').every(({ isolatedMargin, openValue, mark, positions, settings: { mode, separated } }) => {
    if (isolatedMargin.isNegative()) return false;
    if (mode !== 'isolated' || !separated) return true;
    return positions.every((own) => !unrealizedProfit(own, mark).times(openValue).plus(isolatedMargin.times(own.openValue)).isNegative());
  });
  if (atOnce && priced && sound && !free.equals(venue)) found.push(`free is ${venue.toFixed()} at the venue, not ${free.toFixed()}`);
  return found;
}

test('the core holds together over random futures runs', async () => {
  await fc.assert(
    fc.asyncProperty(anyCase, async (one) => {
      const events: AccountEvent[] = [];
      const broken: string[] = [];
      const { failure, state } = await simulateRun(plan(planned(one)), {
        observe: (engine) => {
          engine.account$.subscribe((event) => events.push(event));
          engine.state$.subscribe((now) => broken.push(...breaches(now, one.latencyMs === 0)));
        },
      });
      if (failure !== undefined) throw failure.error;
      expect(broken).toEqual([]);
      const [traded] = state.instruments as [(typeof state.instruments)[number]];
      // What the fills realised, in the core's own arithmetic, is what the venue posted.
      const posted = events.flatMap((event) =>
        event.kind === 'balanceChanged' && event.entry?.reason === 'profit' ? [event.entry.amount] : [],
      );
      const realised = (['long', 'short'] as const).reduce((sum, side) => sum.plus(state.position(traded, side).realizedProfit), ZERO);
      expect(realised.toFixed()).toBe(posted.reduce((sum, amount) => sum.plus(amount), ZERO).toFixed());
      expect(state.openOrders.size).toBe(0);
    }),
    { numRuns: 200 },
  );
});
