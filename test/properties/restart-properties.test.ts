import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Subject } from 'rxjs';
import { simulate } from '../../src/app/wiring/simulation.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { ResumeOptions } from '../../src/engine/engine-parts.ts';
import { ClientIds } from '../../src/engine/orders/client-ids.ts';
import { OrderBuilder } from '../../src/engine/orders/order-builder.ts';
import { eventText, intentText } from '../../src/journal/event-log.ts';
import type { AccountEvent, VenueEvent } from '../../src/model/account-events.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { Instrument } from '../../src/model/instrument.ts';
import type { MarketEvent } from '../../src/model/market-events.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { FeedItem } from '../../src/ports/market-feed.ts';
import { RiskGate } from '../../src/risk/gate.ts';
import { resumeState } from '../../src/state/apply.ts';
import { State } from '../../src/state/state.ts';
import { plan } from '../builders.ts';
import { planOf, type RandomRun, randomRun } from './random-runs.ts';

/** As a journal gives things back: equal, and nothing shared but the instruments. */
function copied<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Instrument) return value;
  if (value instanceof Decimal) return new Decimal(value) as T;
  if (Array.isArray(value)) return value.map(copied) as T;
  const copy = Object.create(Object.getPrototypeOf(value)) as Record<string, unknown>;
  for (const [key, one] of Object.entries(value)) if (key !== 'kind' || !(key in copy)) copy[key] = copied(one);
  return copy as T;
}

/** One run over a random case; at every item of the feed in `cuts` the engine is thrown away and another goes on. */
async function outcome(random: RandomRun, cuts: ReadonlySet<number>) {
  const made = plan({ ...planOf(random), closeAtEnd: false });
  const simulation = simulate(made);
  const { clock, venue } = simulation;
  clock.advanceTo(simulation.timeline.startTime);
  const lines: string[] = [];
  const remembered: (MarketEvent | AccountEvent)[] = [];
  const runs: Promise<void>[] = [];
  let ids = new ClientIds(made.name);

  const start = (resume?: ResumeOptions) => {
    const state = new State(made.instruments, ['s'], made.account);
    if (resume !== undefined) resumeState(state, copied(remembered));
    ids = new ClientIds(made.name, { from: ids.nextNumber });
    const told$ = new Subject<VenueEvent>();
    // What an engine waits for ends with it.
    const life = { over: false };
    const mortal: Clock = {
      now: () => clock.now(),
      schedule: (time, callback) =>
        clock.schedule(time, () => {
          if (!life.over) callback();
        }),
    };
    const door = {
      capabilities: venue.capabilities,
      events$: told$,
      submit: venue.submit.bind(venue),
      cancel: venue.cancel.bind(venue),
      watchHeld: venue.watchHeld.bind(venue),
    };
    const [strategy] = made.strategies;
    const engine = new Engine({
      state,
      strategies: [
        strategy!.create({
          id: 's',
          symbols: strategy!.symbols,
          params: {},
          state,
          log: made.log,
          now: () => clock.now(),
          history: () => [],
        }),
      ],
      gate: new RiskGate({ state, limits: made.limits }),
      builder: new OrderBuilder(state, door.capabilities, ids, made.marketBuyCollar),
      venue: door,
      clock: mortal,
      journal: {
        intent: (sequence, time, id, intent) => lines.push(`${sequence} ${time} ${intentText(id, intent)}`),
        event: (sequence, event) => {
          lines.push(`${sequence} ${event.time} ${eventText(event)}`);
          remembered.push(event);
        },
        commit() {},
      },
      bars: made.bars,
      exitsWaitForNextBar: false,
      closeAtEnd: made.closeAtEnd,
      resume,
    });
    engine.market$.subscribe((event) => remembered.push(event));
    return { engine, state, told$, items$: new Subject<FeedItem>(), life };
  };

  let now = start();
  venue.events$.subscribe((event) => now.told$.next(event));
  venue.deposit('spot', made.balances);
  runs.push(now.engine.run({ events$: now.items$ }));
  let count = 0;
  let ended = false;
  let failure: { readonly error: unknown } | undefined;
  const failed = (error: unknown) => {
    failure ??= { error };
  };
  const take = (item: FeedItem) => {
    try {
      now.items$.next(item);
      // Between turns: what the venue tells before the next item is for whoever is there then.
      if (item.kind === 'ending') ended = true;
      if (!cuts.has(count++) || ended) return;
      const held = copied(now.engine.snapshot());
      now.items$.complete();
      now.life.over = true;
      now = start({ held, saves: new Map() });
      runs.push(now.engine.run({ events$: now.items$ }));
    } catch (error) {
      failed(error);
    }
  };
  simulation.feed.events$.subscribe({
    next: (item) => {
      if (item.kind !== 'quotes' && item.kind !== 'mergedRun') take(item);
      // One by one, so that every quote may be the last before a cut.
      else for (let quote = item.nextQuote(); quote !== undefined; quote = item.nextQuote()) take(quote);
    },
    error: failed,
  });
  now.items$.complete();
  await Promise.all(runs);
  if (failure !== undefined) throw failure.error;
  const { state } = now;
  const { portfolio } = state;
  return {
    lines,
    sequence: state.sequence,
    open: [...state.openOrders.keys()],
    ended: [...state.endedOrders.values()].map(({ clientOrderId, status, filledSteps }) => `${clientOrderId} ${status} ${filledSteps}`),
    balances: [...portfolio.balances.values()].map(({ asset, total, frozen }) => `${asset} ${total.toFixed()} ${frozen.toFixed()}`),
    own: state.instruments.map((instrument) => state.books.get('s')!.position(instrument, 'net').steps),
    equity: portfolio.exactEquity().toFixed(),
    drawdown: portfolio.drawdown.depth,
  };
}

test.each(['ticker', 'quote', 'trade'] as const)(
  'a run over %ss that is stopped and resumed anywhere goes on as if it never was',
  async (feed) => {
    const everywhere = Array.from({ length: 200 }, (_, index) => index);
    const cuts = fc.oneof(fc.constant(everywhere), fc.uniqueArray(fc.integer({ min: 0, max: 45 }), { minLength: 1, maxLength: 3 }));
    await fc.assert(
      fc.asyncProperty(randomRun(feed), cuts, async (random, at) => {
        expect(await outcome(random, new Set(at))).toEqual(await outcome(random, new Set()));
      }),
      { numRuns: 150 },
    );
  },
);
