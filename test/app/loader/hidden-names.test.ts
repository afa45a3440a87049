import { expect, test } from '@jest/globals';
import { constructed, refuseHiddenMethods, type StrategyClass } from '../../../src/app/loader/load-strategy.ts';
import type { ReadonlyState } from '../../../src/state/state.ts';
import { Strategy, type StrategyContext } from '../../../src/strategy/strategy.ts';

const state = { books: new Map(), instruments: [] } as unknown as ReadonlyState;
const log = { debug() {}, info() {}, warn() {} };
const context: StrategyContext = { id: 'mine', params: {}, symbols: [], state, log, now: () => 0, history: () => [] };

// The author's own code is not type-checked when it is loaded, so that these classes must get past the compiler too.
const Loose = Strategy as unknown as new (context: StrategyContext) => object;
const create = (Class: unknown) => () => constructed(Class as StrategyClass, context);
const load = (Class: unknown) => () => refuseHiddenMethods('mine', Class as StrategyClass);

test('a strategy with names of its own is constructed', () => {
  class Mine extends Loose {
    count = 0;
    onBar() {}
    helper() {}
  }
  expect(load(Mine)).not.toThrow();
  expect(create(Mine)()).toBeInstanceOf(Mine);
});

test.each<[string, unknown]>([
  [
    'state',
    class extends Loose {
      state = 'idle';
    },
  ],
  [
    'now',
    class extends Loose {
      now = 5;
    },
  ],
  [
    'position',
    class extends Loose {
      position = 0;
    },
  ],
  [
    'id',
    class extends Loose {
      id = 7;
    },
  ],
  [
    'symbols',
    class extends Loose {
      symbols = ['BTC-USDT'];
    },
  ],
  [
    'params',
    class extends Loose {
      params = { fast: 3 };
    },
  ],
  [
    'account',
    class extends Loose {
      account = 'main';
    },
  ],
  [
    'log',
    class extends Loose {
      log = [] as string[];
    },
  ],
])('a field that hides "%s" is refused by name', (name, Class) => {
  expect(create(Class)).toThrow(
    expect.objectContaining({ code: 'STRATEGY_LOAD_FAILED', message: expect.stringContaining(`strategy "mine": its own "${name}" hides`) }),
  );
});

test('several are named at once', () => {
  class Two extends Loose {
    orders = 1;
    log = 2;
  }
  expect(create(Two)).toThrow(/its own "orders", "log" hide/);
});

test.each<[string, unknown]>([
  [
    'market',
    class extends Loose {
      market() {}
    },
  ],
  [
    'state',
    class extends Loose {
      get state() {
        return 1;
      }
    },
  ],
  [
    'history',
    class extends class extends Loose {
      history() {}
    } {},
  ],
  [
    'log',
    class extends Loose {
      log() {}
    },
  ],
])('a method or getter that hides "%s" is refused at load, also one of a base class of the author', (name, Class) => {
  expect(load(Class)).toThrow(
    expect.objectContaining({ code: 'STRATEGY_LOAD_FAILED', message: expect.stringContaining(`its own "${name}" hides`) }),
  );
});
