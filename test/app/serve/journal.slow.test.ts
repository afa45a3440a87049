import { statSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { lookAtBots } from '../../../src/app/fleet/list-bots.ts';
import { JournalViews } from '../../../src/app/serve/journal/journal-views.ts';
import { BotJournal } from '../../../src/journal/bot-journal.ts';
import { INSTRUMENTS } from '../../journal/arbitrary.ts';
import { newPath } from '../../journal/builders.ts';
import { until } from '../../support/until.ts';
import { botWorkspace } from '../live/bot-process.ts';
import { serving } from './serving.ts';

const PAPER = 'paper: { prices: { recording: sample, speed: 5 }, dir: ./runs, poll: { staleMs: 60000 } }';

test('orders, fills, latches, equity and profit by day from the journal of a bot are those that the bot reports', async () => {
  const work = botWorkspace(PAPER);
  const bot = work.launch('paper');
  await bot.said('ready');
  await bot.line(({ msg, tag }) => msg === 'orderSubmitted' && tag === 'far');
  const watch = { lookAt: (found: Parameters<typeof lookAtBots>[0]) => lookAtBots(found, Date.now()), everyMs: 1_000 };
  let time = Date.now();
  const server = await serving(() => [], {}, { watch, now: () => time }, [work.path()]);
  const [{ id }] = (await server.as('viewer', '/api/fleet')).json.bots;
  const of = async (what: string) => {
    time += 2_000;
    return (await server.as('viewer', `/api/bots/${id}/${what}`)).json;
  };
  // The bot runs, and both of its orders are known.
  const running = await until(
    () => of('orders'),
    ({ orders }) => orders?.[0]?.state === 'open' && orders[1]?.state === 'filled',
  );
  const [far, market] = running.orders;
  expect(far).toMatchObject({ type: 'limit', side: 'buy', quantity: '0.02', filled: '0', tag: 'far', symbol: 'BTC-USDT', strategy: 'one' });
  expect(market).toMatchObject({ type: 'market', side: 'buy', quantity: '0.01', filled: '0.01', tag: 'in' });
  expect(market.life.map(({ kind }: { kind: string }) => kind)).toEqual(['orderSubmitted', 'orderAccepted', 'orderFilled']);

  // Flat, its figures stand still.
  await work.run(['kill', work.config, '--flatten', '--reason', 'test']);
  const status = await work.status();
  const series = await until(
    () => of('series'),
    ({ days }) => days?.at(-1)?.fills === 2,
  );
  expect(series).toMatchObject({ trouble: null, isWhole: true, currency: 'USDT', total: status.profit.total });
  expect(series.equity.at(-1)).toBe(Number(status.equity));
  expect(series.days.map(({ profit }: { profit: string }) => Number(profit)).reduce((a: number, b: number) => a + b)).toBeCloseTo(
    Number(series.total),
    8,
  );
  const fills = await of('fills?limit=1');
  expect(fills.fills).toHaveLength(1);
  const { fee, feeAsset, ...fill } = fills.fills[0];
  expect({ ...fill, fee: `${fee} ${feeAsset}` }).toMatchObject(status.lastFills[0]!);
  expect((await of('latches')).latches).toMatchObject([{ kind: 'set', rule: 'kill', reason: 'test' }]);
  expect((await of('orders')).orders.map(({ state }: { state: string }) => state)).toEqual(['filled', 'canceled', 'filled']);

  const explained = await of(`orders/${market.clientOrderId}/explain`);
  expect(explained).toMatchObject({ unit: 'record', strategy: 'one', orders: [{ clientOrderId: market.clientOrderId }] });
  expect(explained.steps.map(({ step }: { step: string }) => step)).toEqual(expect.arrayContaining(['intent', 'request', 'fill']));
  expect((await of('orders/--help/explain')).error).toMatchObject({ code: 'USAGE' });
  const log = await of('log?limit=3');
  expect(log.lines).toHaveLength(3);
  expect(log.lines.map(({ message }: { message: string }) => message).join()).toMatch(/killed|order/i);
  bot.child.kill('SIGTERM');
  await bot.exit;
  // It has ended: what it did is shown all the same.
  expect((await of('orders')).orders).toHaveLength(3);
});

test('a long journal shows its newest records before all were read; reading leaves no transaction open, and no open file', async () => {
  const path = newPath();
  const journal = BotJournal.open(path, { bot: 'b', now: () => 1000, instruments: INSTRUMENTS });
  const latch = (number: number) =>
    ({ kind: 'riskLatched', time: number, rule: 'reduce', drawdown: 0, limit: 0, reason: `number ${number}` }) as const;
  for (let number = 1; number <= 60_000; number++) {
    journal.event(0, latch(number));
    if (number % 5_000 === 0) journal.commit();
  }
  let time = 0;
  const view = new JournalViews(() => time).of(path);
  const first = await view.lists();
  expect(first.lists.latches(1)[0]?.reason).toBe('number 60000');
  const whole = await until(
    async () => {
      time += 2_000;
      return view.lists();
    },
    ({ reading }) => reading.isWhole,
  );
  expect(whole.reading).toMatchObject({ lastId: 60_000, trouble: null });
  expect(whole.lists.latches(9_999)).toHaveLength(2_000);
  journal.event(0, latch(60_001));
  journal.commit();
  // The bot merges its log: this fails while a reader has a transaction.
  journal.close();
  expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  time += 2_000;
  expect((await view.lists()).lists.latches(1)[0]?.reason).toBe('number 60001');
});
