import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { cancel, type Intents, place } from '../../../../src/index.ts';
import { Strategy } from '../../../../src/strategy/strategy.ts';
import { marginSettings } from '../../../builders.ts';
import { type Life, World } from '../../../faults/world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const folder = temporaryFolder('turn-commits');
let life: Life | undefined;
afterEach(() => life?.journal.close());

/** Leaves a bid far below the first price, and moves it at the second. */
class Mover extends Strategy {
  static override needs = { tickers: true };
  #prices = 0;
  onTicker({ symbol }: { symbol: string }): Intents {
    if (symbol !== 'BTC-USDT') return undefined;
    this.#prices++;
    const bid = (tag: string, price: string) => place({ symbol, side: 'buy', type: 'limit', quantity: '0.01', price, tag });
    if (this.#prices === 1) return bid('first', '50000');
    return this.#prices === 2 ? [cancel({ tag: 'first' }), bid('second', '50100')] : undefined;
  }

  override save(): unknown {
    return { prices: this.#prices };
  }
}

test('one commit makes a turn and its first request durable; a second request of the turn has its own', async () => {
  const world = new World({
    seed: 1,
    markets: { kind: 'spot', lists: { keepTerminalOrders: false, keepFlatPositions: false }, margin: marginSettings(), deposit: '0' },
    faults: {},
    journal: join(folder, 'one.journal'),
    bot: { strategies: [{ id: 's', symbols: ['BTC-USDT'], params: undefined, create: (context) => new Mover(context) }] },
  });
  world.core.act('price', ['trade', 0, 6_000_000, 100, 1]);
  world.core.act('price', ['trade', 1, 300_000, 100, 1]);
  life = world.start();
  const { journal } = life;
  /** Kinds of the records of each commit that wrote any; a request is its operation. */
  const commits: string[][] = [];
  const more = journal.beforeCommit;
  let from = 1;
  journal.beforeCommit = () => {
    more?.();
    const records = [...journal.records(from)];
    from += records.length;
    commits.push(records.map(({ kind, value }) => (kind === 'request' ? (value as { operation: string }).operation : kind)));
  };
  await world.clock.runTo(world.clock.now() + 3_000);
  world.core.act('price', ['trade', 0, 6_010_000, 100, 1]);
  await world.clock.runTo(world.clock.now() + 3_000);
  const watched = ['intent', 'batchOrders', 'cancelOrder'];
  const written = commits.map((kinds) => kinds.filter((kind) => watched.includes(kind))).filter((kinds) => kinds.length > 0);
  expect(written).toEqual([['intent', 'batchOrders'], ['intent', 'intent', 'cancelOrder'], ['batchOrders']]);
});
