import { join } from 'node:path';
import { afterEach, expect, jest, test } from '@jest/globals';
import { Rearming } from '../../src/engine/held/rearming.ts';
import { BotJournal } from '../../src/journal/bot-journal.ts';
import { FillWindow } from '../../src/venues/reconcile/fill-window.ts';
import { Fills } from '../../src/venues/reconcile/fills.ts';
import { OrderLife } from '../../src/venues/reconcile/order-life.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runSeed } from './drive.ts';

// Each rule that the bot rests on, broken: the seeds that pass with it must find out.
const SEEDS = 30;
const folder = temporaryFolder('faults');

afterEach(() => {
  jest.restoreAllMocks();
});

/** The first seed that something is wrong with; `undefined` where nothing is. */
async function firstWrong(): Promise<number | undefined> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    // What a broken rule throws outside any turn counts as well.
    const found = await runSeed(seed, join(folder, `${seed}.journal`), { only: 'spot' }).catch((error: unknown) => ({
      wrong: [String(error)],
    }));
    if (found.wrong.length > 0) return seed;
  }
  return undefined;
}

test('the journal is written after the request instead of before', async () => {
  const { commit } = BotJournal.prototype;
  let commits = 0;
  jest.spyOn(BotJournal.prototype, 'commit').mockImplementation(function (this: BotJournal) {
    commits++;
    if (commits % 20 === 0) commit.call(this);
  });
  expect(await firstWrong()).toBeDefined();
});

test('a fill record counts however often it is read', async () => {
  jest.spyOn(Fills.prototype, 'isNews').mockImplementation((_, order) => {
    // Nor is it compared with the fills that have counted.
    order.fillIds.clear();
    return true;
  });
  // What is left of an order bounds what counts twice: a poll that finds it again in part shows it.
  jest.spyOn(FillWindow.prototype, 'has').mockReturnValue(false);
  jest.spyOn(FillWindow.prototype, 'countedAs').mockReturnValue(undefined);
  expect(await firstWrong()).toBeDefined();
});

test('a request without an answer counts as refused', async () => {
  const { rejected } = OrderLife.prototype;
  jest.spyOn(OrderLife.prototype, 'outcomeUnknown').mockImplementation(function (this: OrderLife, order) {
    if (order.phase === 'sending') rejected.call(this, order, { code: 'neverSent', message: 'taken for granted' });
  });
  expect(await firstWrong()).toBeDefined();
});

test('an exit that is refused for now is forgotten', async () => {
  jest.spyOn(Rearming.prototype, 'refused').mockReturnValue(false);
  expect(await firstWrong()).toBeDefined();
});
