import { expect, test } from '@jest/globals';
import { JournalKeeper } from '../../../../src/app/live/bot/turn-journal.ts';
import type { BotJournal } from '../../../../src/journal/bot-journal.ts';
import { place } from '../../../../src/strategy/intents.ts';
import { FuturesBench } from '../../../engine/futures-bench.ts';

/** An engine whose journal writes down what each commit stores. */
function kept() {
  const bench = new FuturesBench();
  const stored: string[] = [];
  const journal = {
    beforeCommit: undefined as (() => void) | undefined,
    append: (kind: string) => void stored.push(kind),
    commit() {
      this.beforeCommit?.();
      stored.push('commit');
    },
  };
  const clock = { now: () => bench.time, schedule: () => () => {} };
  const keeper = new JournalKeeper(bench.engine, journal as unknown as BotJournal, clock, () => {}, {
    remember: () => void stored.push('memory'),
  });
  /** What was stored since the last look, without the changes of strategies. */
  const since = () => stored.splice(0).filter((one) => one === 'memory' || one === 'commit');
  return { bench, journal, keeper, since };
}

test('what the venue remembers is stored with the turn that takes the events to which it belongs, and with no commit before', () => {
  const { bench, journal, keeper, since } = kept();
  bench.price(100);
  bench.want(place({ symbol: 'BTC-USDT-PERP', side: 'buy', type: 'market', quantity: 10 }));
  keeper.afterTurn(() => {});
  expect(since()).toEqual(['memory', 'commit']);
  bench.together(() => {
    // The venue has reported a fill, and a request leaves before the engine's turn.
    bench.fill('s-1', 10, 100);
    journal.commit();
    expect(since()).toEqual(['commit']);
  });
  keeper.afterTurn(() => {});
  expect([bench.position('s'), since()]).toEqual([
    [10, 0],
    ['memory', 'commit'],
  ]);
});
