import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { simulateRun } from '../../src/app/backtest/simulate-run.ts';
import { penetrationTicks } from '../../src/matching/settings.ts';
import type { AccountEvent } from '../../src/model/account-events.ts';
import { type Decimal, ZERO } from '../../src/model/decimal.ts';
import type { Fill } from '../../src/model/fill.ts';
import type { MarketEvent } from '../../src/model/market-events.ts';
import type { OrderRequest } from '../../src/model/order.ts';
import type { ReadonlyState } from '../../src/state/state.ts';
import { fillSettings, plan } from '../builders.ts';
import { FEEDS, planOf, type RandomRun, randomRun } from './random-runs.ts';

const RUNS = 120;

interface Watched {
  readonly events: readonly AccountEvent[];
  readonly fills: readonly Fill[];
  /** By sequence; the open of a bar has the bar's own, less one. */
  readonly market: ReadonlyMap<number, MarketEvent>;
  /** As last sent. */
  readonly requests: ReadonlyMap<string, OrderRequest>;
  readonly state: ReadonlyState;
  readonly sha256: string;
}

/** Runs a case; `settled` is called with the state after every turn of the engine. */
async function watch(
  random: RandomRun,
  settled: (state: ReadonlyState, events: readonly AccountEvent[]) => void = () => {},
): Promise<Watched> {
  const events: AccountEvent[] = [];
  const market = new Map<number, MarketEvent>();
  const result = await simulateRun(plan(planOf(random)), {
    observe: (engine) => {
      engine.account$.subscribe((event) => events.push(event));
      engine.market$.subscribe((event) => market.set(event.sequence, event));
      engine.state$.subscribe((state) => settled(state, events));
    },
  });
  if (result.failure !== undefined) throw result.failure.error;
  const requests = new Map(
    events.flatMap((event) => (event.kind === 'orderSubmitted' ? [[event.clientOrderId, event.request] as const] : [])),
  );
  return { events, fills: fillsOf(events), market, requests, state: result.state, sha256: result.eventLogSha256 };
}

function fillsOf(events: readonly AccountEvent[]): Fill[] {
  return events.flatMap((event) => (event.kind === 'orderFilled' ? [event.fill] : []));
}

function sum(values: readonly Decimal[]): Decimal {
  return values.reduce((total, value) => total.plus(value), ZERO);
}

/** The datum that priced a fill; for a fill at an open, the bar that opened. */
function pricing({ market }: Watched, { pricedSequence }: Fill): MarketEvent {
  return (market.get(pricedSequence) ?? market.get(pricedSequence + 1))!;
}

/** A take profit whose price comes while a sell that finds no buyer holds the coins, as the data ends. */
const BLOCKED_AT_THE_END: RandomRun = {
  feed: 'quote and trade',
  kind: 'spot',
  rows: {
    quote: [
      [0, 90, 91, 0, 0],
      [0, 90, 91, 0, 1],
    ],
    trade: [
      [1, 90, 0, -1],
      [1, 92, 0, -1],
    ],
  },
  second: undefined,
  fills: { market: 'nextOpen', limit: 'touch', gapFill: 'limit', path: 'worst' },
  exits: 'nextBar',
  latencyMs: 0,
  feedMs: 0,
  closeAtEnd: false,
  actions: [
    { event: 0, do: 'market', buy: false, quantity: 1, offset: 0, force: 'GTC', postOnly: false },
    { event: 0, do: 'relative', buy: true, quantity: 1, offset: 0, force: 'GTC', postOnly: false },
  ],
};

test('an exit that waits for coins does not go out when the end of the run sets them free', async () => {
  const { events, state } = await watch(BLOCKED_AT_THE_END);
  const ends = events.flatMap((event) => (event.kind === 'orderExpired' ? [`${event.clientOrderId} ${event.reason}`] : []));
  expect(ends).toEqual(['test-s-1 endOfRun', 'test-s-3 endOfRun']);
  expect(state.portfolio.balance('BTC').frozen.toFixed()).toBe('0');
  expect(state.openOrders.size).toBe(0);
});

const holds = (feed: (typeof FEEDS)[number], check: (random: RandomRun) => Promise<void>) =>
  fc.assert(fc.asyncProperty(randomRun(feed), check), { numRuns: RUNS });

describe.each(FEEDS)('over random %ss', (feed) => {
  test('the ledger entries of each asset sum to its balance, to the last digit', async () => {
    await holds(feed, async (random) => {
      const { events, state } = await watch(random);
      for (const { asset, total } of state.portfolio.balances.values()) {
        const entries = events.flatMap((event) =>
          event.kind === 'balanceChanged' && event.entry?.asset === asset ? [event.entry.amount] : [],
        );
        expect(sum(entries).toFixed()).toBe(total.toFixed());
      }
    });
  });

  test('the frozen amount equals the reserves of the open orders, after every turn, and is zero at the end', async () => {
    await holds(feed, async (given) => {
      const random = { ...given, latencyMs: 0, feedMs: 0 };
      const { state } = await watch(random, (now) => {
        const { USDT, BTC } = reserved(now);
        expect(now.portfolio.balance('USDT').frozen.toFixed()).toBe(random.kind === 'spot' ? USDT.toFixed() : '0');
        expect(now.portfolio.balance('BTC').frozen.toFixed()).toBe(random.kind === 'spot' ? BTC.toFixed() : '0');
      });
      for (const { frozen, total } of state.portfolio.balances.values()) {
        expect(frozen.toFixed()).toBe('0');
        if (random.kind === 'spot') expect(total.isNegative()).toBe(false);
      }
      expect(state.openOrders.size).toBe(0);
    });
  });

  test('no order fills more than was ordered, and no limit order worse than its limit', async () => {
    await holds(feed, async (random) => {
      const { fills, requests } = await watch(random);
      for (const [clientOrderId, { steps, quoteQuantity, priceTicks, side }] of requests) {
        const own = fills.filter((fill) => fill.clientOrderId === clientOrderId);
        if (steps !== undefined) expect(own.reduce((total, fill) => total + fill.steps, 0)).toBeLessThanOrEqual(steps);
        if (quoteQuantity !== undefined) expect(sum(own.map(({ notional }) => notional)).lessThanOrEqualTo(quoteQuantity)).toBe(true);
        if (priceTicks !== undefined)
          expect(own.filter((fill) => (side === 'buy' ? fill.priceTicks > priceTicks : fill.priceTicks < priceTicks))).toEqual([]);
      }
    });
  });

  test('the quantity of one event is never taken twice', async () => {
    await holds(feed, async (random) => {
      const watched = await watch(random);
      const { fills, market } = watched;
      for (const event of market.values()) {
        const own = fills.filter((fill) => pricing(watched, fill) === event);
        const taken = (side?: 'buy' | 'sell') =>
          own.reduce((total, fill) => total + (side === undefined || fill.side === side ? fill.steps : 0), 0);
        if (event.kind === 'trade' && feed === 'trade') expect(taken()).toBeLessThanOrEqual(event.steps);
        if (event.kind === 'quote' && feed === 'quote') {
          expect(taken('buy')).toBeLessThanOrEqual(event.askSteps);
          expect(taken('sell')).toBeLessThanOrEqual(event.bidSteps);
        }
        if (event.kind === 'bar' && random.fills.barVolumeShare !== undefined) {
          expect(taken()).toBeLessThanOrEqual(Math.floor(event.volume * 10 * random.fills.barVolumeShare + 1e-9));
        }
      }
    });
  });

  test('no fill is priced by older data than its strategy had seen, or has a time before its order', async () => {
    await holds(feed, async (random) => {
      const watched = await watch(random);
      const sentAt = new Map(
        watched.events.flatMap((event) => (event.kind === 'orderSubmitted' ? [[event.clientOrderId, event.time] as const] : [])),
      );
      for (const fill of watched.fills) {
        expect(fill.pricedSequence).toBeGreaterThanOrEqual(watched.requests.get(fill.clientOrderId)!.seenSequence);
        expect(fill.pricedSequence).toBeGreaterThanOrEqual(fill.decidedSequence);
        expect(fill.time).toBeGreaterThanOrEqual(sentAt.get(fill.clientOrderId)!);
        expect(fill.time).toBeGreaterThanOrEqual(fill.pricedTime);
      }
    });
  });

  test('a resting order never fills before the price has reached it by the limit rule', async () => {
    await holds(feed, async (random) => {
      const watched = await watch(random);
      const beyond = penetrationTicks(fillSettings(random.fills).limit);
      for (const fill of watched.fills.filter(({ liquidity }) => liquidity === 'maker')) {
        const { side, priceTicks } = watched.requests.get(fill.clientOrderId)!;
        const [lowest, highest] = rangeOf(pricing(watched, fill));
        if (side === 'buy') expect(lowest).toBeLessThanOrEqual(priceTicks! - beyond);
        else expect(highest).toBeGreaterThanOrEqual(priceTicks! + beyond);
      }
    });
  });

  test('without slippage every fill is inside the range of its price data, except for limits that an open passed', async () => {
    await holds(feed, async (random) => {
      const watched = await watch(random);
      for (const fill of watched.fills) {
        const event = pricing(watched, fill);
        if (fill.liquidity === 'maker' && (event.kind !== 'bar' || random.fills.gapFill === 'limit')) continue;
        // An open that is beyond by fewer ticks than the limit rule asks fills nothing: what fills later in that bar is at its limit.
        const { priceTicks } = watched.requests.get(fill.clientOrderId)!;
        if (event.kind === 'bar' && fill.priceTicks === priceTicks && isBeyond(event.openTicks, fill)) continue;
        const [lowest, highest] = rangeOf(event);
        // Where quotes stand, takers meet them, whatever was traded last.
        if (feed === 'quote and trade') continue;
        expect(fill.priceTicks).toBeGreaterThanOrEqual(lowest);
        expect(fill.priceTicks).toBeLessThanOrEqual(highest);
      }
    });
  });

  test('equity is the balances and the positions at their marks, after every turn', async () => {
    await holds(feed, async (random) => {
      const traded = planOf(random).sources[0]!.instrument;
      await watch(random, (state, events) => {
        const { markTicks } = state.market(traded);
        const net = fillsOf(events).reduce((total, { side, steps }) => total + (side === 'buy' ? steps : -steps), 0);
        const base = random.kind === 'spot' ? state.portfolio.balance('BTC').total : traded.step.toDecimal(net);
        const worth = Number.isNaN(markTicks) ? ZERO : base.times(traded.tick.toDecimal(markTicks));
        expect(state.portfolio.exactEquity().toFixed()).toBe(state.portfolio.balance('USDT').total.plus(worth).toFixed());
      });
    });
  });

  test('the same run leaves the same event log', async () => {
    await holds(feed, async (random) => {
      expect((await watch(random)).sha256).toBe((await watch(random)).sha256);
    });
  });
});

/** What the open orders at the venue may still need, by asset: the rules of the spot account, written again. */
function reserved(state: ReadonlyState): { USDT: Decimal; BTC: Decimal } {
  let USDT = ZERO;
  let BTC = ZERO;
  for (const { request, held, filledSteps, filledNotional } of state.openOrders.values()) {
    if (held) continue;
    const { side, priceTicks, steps = 0, quoteQuantity, instrument } = request;
    const left = instrument.step.toDecimal(steps - filledSteps);
    if (side === 'sell') BTC = BTC.plus(left);
    else if (quoteQuantity !== undefined) USDT = USDT.plus(quoteQuantity.minus(filledNotional));
    else if (priceTicks !== undefined) USDT = USDT.plus(left.times(instrument.tick.toDecimal(priceTicks)));
  }
  return { USDT, BTC };
}

/** Whether a price is better than that of a fill, for the one who fills. */
function isBeyond(ticks: number, { side, priceTicks }: Fill): boolean {
  return side === 'buy' ? ticks < priceTicks : ticks > priceTicks;
}

/** The lowest price at which something could be bought and the highest at which something could be sold. */
function rangeOf(event: MarketEvent): [lowest: number, highest: number] {
  switch (event.kind) {
    case 'bar':
      return [event.lowTicks, event.highTicks];
    case 'quote':
      return [Math.min(event.askTicks, event.bidTicks), Math.max(event.askTicks, event.bidTicks)];
    case 'trade':
      return [event.priceTicks, event.priceTicks];
    case 'ticker':
      return [event.lastTicks, event.lastTicks];
    case 'depth':
    case 'mark':
    case 'funding':
      throw new Error(`a ${event.kind} prices no fill`);
  }
}
