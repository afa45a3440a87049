import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { readKnown } from '../../../../src/app/live/bot/journal-history.ts';
import { pendingCommands, WaitingBot } from '../../../../src/app/live/bot/waiting-bot.ts';
import { BotJournal } from '../../../../src/journal/bot-journal.ts';
import { marginSettings } from '../../../builders.ts';
import { replayed, wrongInReplay } from '../../../faults/replayed.ts';
import { type Life, World } from '../../../faults/world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const folder = temporaryFolder('pending-commands');
let worlds = 0;
const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

/** A bot that has traded for a while, and is gone. */
async function stoppedWorld(): Promise<World> {
  const world = new World({
    seed: 3,
    markets: { kind: 'spot', lists: { keepTerminalOrders: false, keepFlatPositions: false }, margin: marginSettings(), deposit: '0' },
    faults: {},
    journal: join(folder, `${worlds++}.journal`),
  });
  world.core.act('price', ['trade', 0, 6_000_000, 100, 1]);
  world.core.act('price', ['trade', 1, 300_000, 100, 1]);
  const life = begin(world);
  await pass(world, 30_000);
  world.kill(life);
  return world;
}

function begin(world: World): Life {
  const life = world.start();
  opened.push(life.journal);
  return life;
}

function journalOf(world: World): BotJournal {
  const { journal: path } = world.options;
  const journal = BotJournal.open(path, { bot: 'bot', now: () => world.clock.now(), instruments: world.instruments });
  opened.push(journal);
  return journal;
}

const pass = (world: World, ms: number) => world.clock.runTo(world.clock.now() + ms);

const kill = (flatten: boolean, reason: string) => ({ kind: 'command', command: 'kill', flatten, reason });

test('a kill before the first turn is durable at once, and no finding of the start is', async () => {
  const world = await stoppedWorld();
  const before = journalOf(world);
  const records = [...before.records()].length;
  before.close();
  const life = begin(world);
  await pass(world, 5);
  life.bot.kill(true, 'enough');
  world.kill(life);
  const journal = journalOf(world);
  expect([...journal.records()].slice(records).map(({ kind }) => kind)).toEqual(['note', 'event']);
  expect(readKnown(world.plan, journal).state.latches.get('kill')).toMatchObject({ rule: 'kill', reason: 'enough', flatten: true });
  expect(pendingCommands(journal)).toEqual([kill(true, 'enough')]);
});

test('it is carried out in the first turns, and a replay finds all of it again', async () => {
  const world = await stoppedWorld();
  const life = begin(world);
  await pass(world, 5);
  life.bot.kill(true, 'enough');
  await pass(world, 60_000);
  const { state } = life.bot;
  expect([state.latches.has('kill'), state.openOrders.size]).toEqual([true, 0]);
  expect(state.instruments.map((one) => state.books.get('random')!.position(one, 'net').steps)).toEqual([0, 0]);
  life.bot.stop();
  await pass(world, 5_000);
  expect([life.over, life.failure, pendingCommands(life.journal)]).toEqual([true, undefined, []]);
  life.journal.close();
  const result = await replayed(world.options.journal, world.plan);
  expect(wrongInReplay(result)).toEqual([]);
  expect(result.runs.map(({ end }) => end)).toEqual(['cut', 'stopped']);
});

test('commands that wait for their bot are durable at once, a kill latches at once, and they are carried out in order after a restart', async () => {
  const world = await stoppedWorld();
  const journal = journalOf(world);
  const waiting = new WaitingBot(world.plan, journal, world.clock);
  waiting.kill(true, 'one');
  waiting.reset();
  waiting.reduce('less');
  expect(waiting.state.latches.get('kill')).toMatchObject({ reason: 'one', flatten: true });
  journal.close();
  const life = begin(world);
  expect(pendingCommands(life.journal)).toEqual([
    kill(true, 'one'),
    { kind: 'command', command: 'reset' },
    { kind: 'command', command: 'reduce', reason: 'less' },
  ]);
  await pass(world, 60_000);
  expect([[...life.bot.state.latches.keys()], pendingCommands(life.journal)]).toEqual([['reduce'], []]);
});

test('commands that were not carried out remain for the next start', async () => {
  const world = await stoppedWorld();
  const life = begin(world);
  await pass(world, 5);
  life.bot.reduce('less');
  world.kill(life);
  const next = begin(world);
  await pass(world, 60_000);
  expect([[...next.bot.state.latches.keys()], pendingCommands(next.journal)]).toEqual([['reduce'], []]);
});
