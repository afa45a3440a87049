import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { VenueEvent } from '../../../src/model/account-events.ts';
import type { VenueMemory } from '../../../src/ports/journal.ts';
import { PossibleEvents } from '../../../src/venues/rest/possible-events.ts';
import { RestVenue } from '../../../src/venues/rest/rest-venue.ts';
import { TurnMemory } from '../../../src/venues/rest/turn-memory.ts';
import { T0 } from '../../builders.ts';
import { INSTRUMENTS, type Local, startLocal } from '../../local-exchange/local.ts';

/** The memory of a journal, and what was written to it. */
class Stored implements VenueMemory {
  readonly written: string[] = [];
  readonly #values = new Map<string, unknown>();

  remember(key: string, value: unknown): void {
    this.written.push(key);
    this.#values.set(key, value);
  }
  recall(key: string): unknown {
    return this.#values.get(key);
  }
  request(operation: string): void {
    this.written.push(`request ${operation}`);
  }
  reply(operation: string): void {
    this.written.push(`reply ${operation}`);
  }
}

describe('what belongs to a turn', () => {
  test('is recalled at once, and is written when it is stored', () => {
    const journal = new Stored();
    journal.remember('a', 'of an earlier run');
    const memory = new TurnMemory(journal);
    memory.remember('a', 1);
    memory.remember('b', 2);
    memory.remember('a', 3);
    expect([memory.recall('a'), memory.recall('b'), journal.recall('a'), journal.recall('b')]).toEqual([
      3,
      2,
      'of an earlier run',
      undefined,
    ]);
    memory.store();
    memory.store();
    expect(journal.written).toEqual(['a', 'a', 'b']);
    expect([journal.recall('a'), memory.recall('a'), journal.recall('b')]).toEqual([3, 3, 2]);
  });

  test('is recalled as nothing where it was removed, before the journal knows', () => {
    const journal = new Stored();
    journal.remember('a', 1);
    const memory = new TurnMemory(journal);
    memory.remember('a', undefined);
    expect([memory.recall('a'), journal.recall('a')]).toEqual([undefined, 1]);
  });

  test('holds up no request and no reply', () => {
    const journal = new Stored();
    const memory = new TurnMemory(journal);
    memory.remember('a', 1);
    memory.request('cancelOrder', ['x'], {});
    memory.reply('cancelOrder', ['x'], 'done', {});
    expect(journal.written).toEqual(['request cancelOrder', 'reply cancelOrder']);
  });
});

let local: Local | undefined;
afterEach(() => local?.close());

test('a start that is held stores nothing before its events are reported', async () => {
  local = await startLocal();
  const journal = new Stored();
  const venue = new RestVenue({
    client: local.client('guest'),
    capabilities: { marketData: [], marketBuyByQuantity: true, futuresTriggers: true, batchLimit: 10 },
    instruments: INSTRUMENTS,
    clock: local.clock,
    memory: journal,
    log: { debug() {}, info() {}, warn() {} },
    isOwn: () => false,
    orderOf: () => undefined,
  });
  const applied = jest.spyOn(PossibleEvents.prototype, 'applied');
  const events: VenueEvent[] = [];
  venue.events$.subscribe((event) => events.push(event));
  const none = new Map();
  const nothing = { again: false, orders: [], balances: none, frozen: none, fillIds: none, lastTime: T0, halts: none };
  venue.hold();
  venue.resume({ spot: nothing, futures: nothing });
  await venue.open();
  venue.remember();
  expect([events, journal.written]).toEqual([[], []]);
  // A turn of prices: the run has none of the collected events after it.
  venue.turnEnded();
  expect(applied).not.toHaveBeenCalled();
  venue.release();
  venue.turnEnded();
  expect(applied).toHaveBeenCalledTimes(1);
  expect(events.map(({ kind }) => kind)).toContain('balanceChanged');
  expect(journal.written).toEqual([]);
  venue.remember();
  expect(journal.written).toContain('futures.money');
});
