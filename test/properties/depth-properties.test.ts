import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { NettingAccount } from '../../src/matching/accounts/netting-account.ts';
import { MatchingEngine } from '../../src/matching/matching-engine.ts';
import type { FillSettings } from '../../src/matching/settings.ts';
import type { VenueEvent } from '../../src/model/account-events.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { DepthBook } from '../../src/model/depth-book.ts';
import type { Fill } from '../../src/model/fill.ts';
import { Depth, Trade } from '../../src/model/market-events.ts';
import type { Side } from '../../src/model/order.ts';
import { fillSettings, instrument, order } from '../builders.ts';

const RUNS = 200;
const MIDDLE = 100;
const traded = instrument({ makerFee: '0', takerFee: '0' });

/** A market that does anything, and orders that ask for anything. */
const happening = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('change' as const),
      levels: fc.uniqueArray(fc.tuple(fc.integer({ min: -6, max: 6 }), fc.integer({ min: 0, max: 9 })), {
        minLength: 1,
        maxLength: 6,
        selector: ([distance]) => distance,
      }),
      snapshot: fc.integer({ min: 0, max: 9 }).map((die) => die === 0),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('trade' as const),
      ticks: fc.integer({ min: MIDDLE - 7, max: MIDDLE + 7 }),
      steps: fc.integer({ min: 1, max: 12 }),
      side: fc.constantFrom<Side | undefined>('buy', 'sell', undefined),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('order' as const),
      side: fc.constantFrom<Side>('buy', 'sell'),
      ticks: fc.option(fc.integer({ min: MIDDLE - 7, max: MIDDLE + 7 }), { nil: undefined }),
      steps: fc.integer({ min: 1, max: 12 }),
      timeInForce: fc.constantFrom('GTC' as const, 'IOC' as const, 'FOK' as const),
      postOnly: fc.boolean(),
    }),
  },
);
const settings = fc.record({
  limit: fc.constantFrom<FillSettings['limit']>(
    'touch',
    'strictCross',
    { queue: 'riskAverse' },
    { queue: 'power', exponent: 2 },
    { queue: 'log' },
  ),
  restingBy: fc.constantFrom<FillSettings['restingBy']>('both', 'trades'),
});
const market = fc.array(happening, { minLength: 20, maxLength: 80 });
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

interface Life {
  readonly fills: readonly Fill[];
  readonly events: readonly VenueEvent[];
  readonly trades: ReadonlyMap<number, Trade>;
  /** The recorded book after each sequence. */
  readonly asked: ReadonlyMap<number, { readonly bid: number; readonly ask: number }>;
  /** Every quantity that a level had, with the sequence from which on: by side of the level and price. */
  readonly levels: ReadonlyMap<string, readonly { readonly from: number; readonly steps: number }[]>;
}

function live(happenings: readonly Happening[], rules: Partial<FillSettings>): Life {
  const events: VenueEvent[] = [];
  const matching = new MatchingEngine({
    instruments: [traded],
    onBars: false,
    settings: fillSettings(rules),
    held: { opens: () => false, next: () => Number.NaN } as never,
    pause: () => {},
  });
  const account = new NettingAccount((event) => events.push(event));
  matching.addAccount(account);
  account.deposit(0, 'spot', 'USDT', new Decimal(1_000_000));
  const book = new DepthBook();
  const trades = new Map<number, Trade>();
  const asked = new Map<number, { bid: number; ask: number }>();
  const levels = new Map<string, { from: number; steps: number }[]>();
  let orders = 0;
  happenings.forEach((what, index) => {
    const sequence = index + 1;
    if (what.does === 'change') {
      // Bids below the middle, asks above it: a book that crosses itself is no book.
      const bids = what.levels.filter(([distance]) => distance < 0);
      const asks = what.levels.filter(([distance]) => distance > 0);
      const sided = (own: typeof bids) => ({ ticks: own.map(([distance]) => MIDDLE + distance), steps: own.map(([, steps]) => steps) });
      const depth = new Depth(traded, sequence, sequence, what.snapshot, sided(bids), sided(asks));
      book.apply(depth);
      for (const side of [book.bids, book.asks]) {
        for (let ticks = MIDDLE - 7; ticks <= MIDDLE + 7; ticks++) {
          const known = levels.get(`${side.side}${ticks}`) ?? [];
          if ((known.at(-1)?.steps ?? 0) !== side.stepsAt(ticks)) known.push({ from: sequence, steps: side.stepsAt(ticks) });
          levels.set(`${side.side}${ticks}`, known);
        }
      }
      matching.onDepth(depth);
    } else if (what.does === 'trade') {
      const trade = new Trade(traded, sequence, sequence, what.ticks, what.steps, what.side);
      trades.set(sequence, trade);
      matching.onTrade(trade);
    } else {
      const { side, ticks, steps, timeInForce, postOnly } = what;
      const request = {
        clientOrderId: `o${++orders}`,
        instrument: traded,
        side,
        priceTicks: ticks,
        steps,
        timeInForce,
        postOnly: postOnly && ticks !== undefined,
      };
      matching.submit(account, order(request), sequence);
    }
    asked.set(sequence, { bid: book.bids.bestTicks, ask: book.asks.bestTicks });
  });
  const fills = events.flatMap((event) => (event.kind === 'orderFilled' ? [event.fill] : []));
  return { fills, events, trades, asked, levels };
}

const lives = (check: (life: Life, rules: Partial<FillSettings>) => void) =>
  fc.assert(
    fc.property(market, settings, (happenings, rules) => check(live(happenings, rules), rules)),
    { numRuns: RUNS },
  );

test('makers never have more of a trade than its size', () => {
  lives(({ fills, trades }) => {
    for (const [sequence, { steps }] of trades) {
      const own = fills.filter(
        ({ liquidity, pricedSequence, time }) => liquidity === 'maker' && pricedSequence === sequence && time === sequence,
      );
      expect(own.reduce((sum, fill) => sum + fill.steps, 0)).toBeLessThanOrEqual(steps);
    }
  });
});

test('takers never take more of a level than it has, as long as it is unchanged', () => {
  lives(({ fills, levels }) => {
    for (const [level, known] of levels) {
      known.forEach(({ from, steps }, index) => {
        const until = known[index + 1]?.from ?? Number.POSITIVE_INFINITY;
        const taken = fills.filter(
          ({ liquidity, time, side, priceTicks }) =>
            liquidity === 'taker' && time >= from && time < until && level === `${side === 'buy' ? 'sell' : 'buy'}${priceTicks}`,
        );
        expect(taken.reduce((sum, fill) => sum + fill.steps, 0)).toBeLessThanOrEqual(steps);
      });
    }
  });
});

test('a resting order never fills before its limit is touched', () => {
  lives(({ fills, trades, asked }) => {
    for (const { liquidity, side, priceTicks, pricedSequence } of fills) {
      if (liquidity !== 'maker') continue;
      const trade = trades.get(pricedSequence);
      const { bid, ask } = asked.get(pricedSequence)!;
      const met = trade === undefined ? (side === 'buy' ? ask : bid) : trade.priceTicks;
      expect(side === 'buy' ? met <= priceTicks : met >= priceTicks).toBe(true);
    }
  });
});

test('with `restingBy: trades` no change of a book fills a resting order', () => {
  lives(({ fills, trades }, { restingBy }) => {
    if (restingBy !== 'trades') return;
    for (const { liquidity, pricedSequence } of fills) if (liquidity === 'maker') expect(trades.has(pricedSequence)).toBe(true);
  });
});

test('the same market and orders have the same life', () => {
  fc.assert(
    fc.property(market, settings, (happenings, rules) => {
      expect(live(happenings, rules).events).toEqual(live(happenings, rules).events);
    }),
    { numRuns: 50 },
  );
});
