import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { Ticker } from '../../../../src/model/market-events.ts';
import { place } from '../../../../src/strategy/intents.ts';
import { type Intents, Strategy } from '../../../../src/strategy/strategy.ts';
import { marginSettings } from '../../../builders.ts';
import { replayed, wrongInReplay } from '../../../faults/replayed.ts';
import { type Life, World } from '../../../faults/world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const folder = temporaryFolder('restored-held');
let worlds = 0;
const opened: Life[] = [];
afterEach(() => {
  for (const life of opened.splice(0)) if (!life.clock.dead) life.journal.close();
});

const symbol = 'BTC-USDT';

/** Buys 0.02 at its first price, and has a stop sell half of it. */
class HalfGuarded extends Strategy {
  #done = false;
  override onTicker(ticker: Ticker): Intents {
    if (ticker.symbol !== symbol || this.#done) return undefined;
    this.#done = true;
    if (this.position(symbol).quantity > 0) return undefined;
    return [
      place({ symbol, side: 'buy', type: 'market', quantity: '0.02' }),
      place({ symbol, side: 'sell', type: 'stop', stopPrice: 59_000, quantity: '0.01' }),
    ];
  }
  save(): unknown {
    return this.#done;
  }
  restore(saved: unknown): void {
    this.#done = saved as boolean;
  }
}

const ENDS = ['', '-wal', '-shm', '.mark'];

test.each(['refused', 'answered'] as const)(
  'a held stop that a lost run has sent is no second order (a repeated id is %s)',
  async (repeatedId) => {
    const journal = join(folder, `${worlds++}.journal`);
    const strategies = [
      {
        id: 'half',
        symbols: [symbol],
        params: {},
        create: (context: ConstructorParameters<typeof HalfGuarded>[0]) => new HalfGuarded(context),
      },
    ];
    const world = new World({
      seed: 5,
      markets: { kind: 'spot', lists: { keepTerminalOrders: false, keepFlatPositions: false }, margin: marginSettings(), deposit: '0' },
      faults: {},
      behaviour: { repeatedId },
      journal,
      bot: { strategies },
    });
    const prices = async (ticks: number) => {
      for (let second = 0; second < 15; second++) {
        world.core.act('price', ['trade', 0, ticks, 1_000, 1]);
        world.core.act('price', ['trade', 1, 300_000, 1_000, 1]);
        await world.clock.runTo(world.clock.now() + 1_000);
      }
    };
    const start = () => {
      const life = world.start();
      opened.push(life);
      return life;
    };
    const copy = (from: string, to: string) => {
      for (const end of ENDS) {
        rmSync(`${to}${end}`, { force: true });
        if (existsSync(`${from}${end}`)) copyFileSync(`${from}${end}`, `${to}${end}`);
      }
    };
    const [first] = [start(), await prices(6_000_000)];
    world.kill(first);
    copy(journal, `${journal}.backup`);
    const [second] = [start(), await prices(5_850_000)];
    world.kill(second);
    copy(`${journal}.backup`, journal);

    const [third] = [start(), await prices(6_000_000)];
    const sold = () => world.account.orders.all.filter(({ request }) => request.side === 'sell').map(({ clientOrderId }) => clientOrderId);
    const holds = () => third.bot.state.bookOf('half').position(third.bot.state.instruments[0]!, 'net').steps;
    const { order } = third.bot.state;
    expect([sold().length, holds(), order.call(third.bot.state, sold()[0]!)?.status]).toEqual([1, 99, 'filled']);
    third.bot.reset();
    await prices(5_850_000);
    expect([sold().length, holds()]).toEqual([1, 99]);
    for (const { name } of world.core.exchange.coins) {
      const here = third.bot.state.portfolio.balance(name, 'spot').total;
      expect([name, here.toFixed()]).toEqual([name, world.account.spot.ledger.balance(name).total.toFixed()]);
    }
    third.bot.stop();
    await prices(5_850_000);
    third.journal.close();
    expect(wrongInReplay(await replayed(journal, world.plan))).toEqual([]);
  },
);
