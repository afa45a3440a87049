import { expect, test } from '@jest/globals';
import { strategyDoubts } from '../../../src/app/loader/strategy-doubts.ts';
import { Strategy } from '../../../src/strategy/strategy.ts';

const BARS = { intervals: [60_000] };

test.each([
  ['onCandle', 'onBar'],
  ['onKline', 'onBar'],
  ['onTick', 'onTicker'],
  ['onTrades', 'onTrade'],
  ['onFil', 'onFill'],
  ['onbar', 'onBar'],
])('a method named %s is probably meant as the hook %s', (name, hook) => {
  class Mine extends Strategy {
    onStart() {}
  }
  Object.defineProperty(Mine.prototype, name, { value() {} });
  expect(strategyDoubts('s', Mine, { intervals: [] })).toEqual([
    `strategy "s": its method ${name} is never called: Tidegate has no such hook (did you mean ${hook}?)`,
  ]);
});

test('a method that the class itself calls, one unlike any hook, and real hooks are no mistake', () => {
  class Mine extends Strategy {
    onBar() {
      this.onCandle();
    }
    onCandle() {}
    onBreakout() {}
    onFill() {}
  }
  expect(strategyDoubts('s', Mine, BARS)).toEqual([]);
});

const UNREAD = 'strategy "s": needs.bars is set, but nothing receives bars: add onBar, or remove needs.bars';

test('bars that nothing reads are a mistake, also if the method that should read them is misspelt', () => {
  class Deaf extends Strategy {
    onFill() {}
  }
  expect(strategyDoubts('s', Deaf, BARS)).toEqual([UNREAD]);
  expect(strategyDoubts('s', Deaf, { intervals: [] })).toEqual([]);
  class Misspelt extends Strategy {
    onCandle() {}
  }
  expect(strategyDoubts('s', Misspelt, BARS)).toEqual([
    'strategy "s": its method onCandle is never called: Tidegate has no such hook (did you mean onBar?)',
  ]);
});

test('bars are read by hooks, streams, indicators and history, also by those of a base class, and an order of onStart needs prices', () => {
  class Base extends Strategy {
    onBars() {}
  }
  class Derived extends Base {}
  class Streams extends Strategy {
    override intents$ = () => undefined as never;
  }
  class Asks extends Strategy {
    onFill() {
      this.bars('BTC-USDT', '1m', 3);
    }
  }
  class Indicates extends Strategy {
    sma = this.indicator({ update: () => 1 } as never, {} as never);
  }
  class Holds extends Strategy {
    onStart() {}
  }
  for (const Class of [Derived, Streams, Asks, Indicates, Holds]) expect(strategyDoubts('s', Class, BARS)).toEqual([]);
});
