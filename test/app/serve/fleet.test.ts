import { get } from 'node:http';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { SeenBot } from '../../../src/app/fleet/bot-state.ts';
import type { Fleet } from '../../../src/app/serve/api/bot-schemas.ts';
import { FleetWatch } from '../../../src/app/serve/fleet/fleet-watch.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { until } from '../../support/until.ts';
import { answering, type Serving, serving, silent } from './serving.ts';

interface Event {
  readonly id: string;
  readonly name: string;
  readonly data: Fleet & { readonly gone?: readonly string[] };
}

/** The stream of events of a viewer. */
function follow(server: Serving, since?: string) {
  const events: Event[] = [];
  const state = { status: 0, ended: false, headers: {} as Record<string, unknown>, events, close: () => {} };
  const headers = { authorization: `Bearer ${server.tokens.viewer}`, ...(since !== undefined && { 'last-event-id': since }) };
  const request = get(`${server.url}/api/events`, { headers }, (answer) => {
    state.status = answer.statusCode!;
    state.headers = answer.headers;
    let text = '';
    answer.setEncoding('utf8');
    answer.on('close', () => {
      state.ended = true;
    });
    answer.on('error', () => {});
    answer.on('data', (part: string) => {
      text += part;
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const [, id, name, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? [];
        if (data !== undefined) events.push({ id: id!, name: name!, data: JSON.parse(data) });
      }
    });
  });
  request.on('error', () => {});
  state.close = () => void request.destroy();
  return state;
}

const money = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((cents) => new Decimal(cents).div(100).toFixed());
/** Bots of spot and futures, in several currencies; some do not answer now, some never did, some have no price yet. */
const fleets = fc.array(
  fc.record({
    mode: fc.constantFrom('paper' as const, 'live' as const),
    currency: fc.constantFrom('USDT', 'USD', 'BTC'),
    equity: fc.oneof({ weight: 8, arbitrary: money }, fc.constant('NaN')),
    today: money,
    positions: fc.constantFrom({}, { 'BTC-USDT': '1' }, { 'BTC-USDT-SWAP:long': '2', 'BTC-USDT-SWAP:short': '1' }),
    life: fc.constantFrom('answers', 'has fallen silent', 'was never seen'),
  }),
  { maxLength: 12 },
);

test('every total is the sum of the rows shown that are counted; old figures stay in their rows with their time, and in no total', async () => {
  await fc.assert(
    fc.asyncProperty(fleets, async (drawn) => {
      const server = await serving(() => bots);
      const answers = ({ life }: (typeof drawn)[number]) => life !== 'was never seen';
      let bots: readonly SeenBot[] = drawn.map((one, index) => (answers(one) ? answering(`b${index}`, one) : silent(`b${index}`)));
      await server.as('viewer', '/api/fleet');
      server.time += 5_000;
      bots = bots.map((bot, index) => (drawn[index]!.life === 'has fallen silent' ? silentOf(bot) : bot));
      const fleet: Fleet = (await server.as('viewer', '/api/fleet')).json;
      expect(fleet.bots).toHaveLength(drawn.length);
      for (const [index, { life, equity }] of drawn.entries()) {
        const { figures, isCounted } = fleet.bots[index]!;
        const isKnown = life !== 'was never seen' && equity !== 'NaN';
        expect(isCounted).toBe(isKnown && life === 'answers');
        expect(figures?.equity).toBe(isKnown ? equity : undefined);
        if (isKnown) expect(server.time - figures!.time).toBe(life === 'answers' ? 0 : 5_000);
      }
      const counted = fleet.bots.filter(({ isCounted }) => isCounted);
      expect(fleet.totals.reduce((sum, { bots: count }) => sum + count, 0)).toBe(counted.length);
      for (const { mode, currency, bots: count, equity, today } of fleet.totals) {
        const own = counted.filter((row) => row.mode === mode && row.figures!.currency === currency);
        const sum = (figure: 'equity' | 'today') => own.reduce((all, row) => all.plus(row.figures![figure]), new Decimal(0)).toFixed();
        expect([count, equity, today]).toEqual([own.length, sum('equity'), sum('today')]);
      }
    }),
    { numRuns: 30 },
  );
});

function silentOf(bot: SeenBot): SeenBot {
  const { status: _, ...rest } = bot;
  return { ...rest, state: 'unreachable', why: 'no reply' };
}

test('bots are asked once in a period, however many pages look and follow, and not at all while there is none', async () => {
  let looks = 0;
  const lookAt = async () => {
    looks++;
    return { bots: [answering('one')] };
  };
  const server = await serving(() => [], {}, { watch: { lookAt, everyMs: 20 } });
  await Promise.all(Array.from({ length: 40 }, () => server.as('viewer', '/api/fleet')));
  expect(looks).toBe(1);
  const streams = Array.from({ length: 20 }, () => follow(server));
  await until(
    () => streams,
    (all) => all.every(({ events }) => events.length === 1),
  );
  // The clock of the test stands: no period has passed.
  expect(looks).toBe(1);
  server.time += 20;
  await until(
    () => streams,
    (all) => all.every(({ events }) => events.length === 2),
  );
  expect(looks).toBe(2);
  for (const one of streams) one.close();
});

test('a stream begins with all bots, goes on with changed rows, and after a break with what was missed', async () => {
  let bots: readonly SeenBot[] = [answering('one'), answering('two')];
  const server = await serving(() => bots, {}, { watch: { lookAt: async () => ({ bots }), everyMs: 10 } });
  const change = async (next: readonly SeenBot[], count: number, stream = first) => {
    bots = next;
    server.time += 10;
    await until(
      () => stream.events,
      ({ length }) => length >= count,
    );
  };
  const first = follow(server);
  await until(
    () => first.events,
    ({ length }) => length === 1,
  );
  expect(first.headers).toMatchObject({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
  await change([answering('one', { equity: '7' }), silent('two')], 2);
  const [all, changed] = first.events;
  expect([all?.name, all?.data.bots.length]).toEqual(['fleet', 2]);
  expect(changed?.data.bots.map(({ name, state }) => [name, state])).toEqual([
    ['one', 'ready'],
    ['two', 'unreachable'],
  ]);
  expect(changed?.data.totals).toEqual([{ mode: 'paper', currency: 'USDT', bots: 1, equity: '7', today: '1.5' }]);
  await change([answering('one', { equity: '7' })], 3);
  expect(first.events[2]?.data.gone).toEqual([all?.data.bots[1]?.id]);
  first.close();
  // One that has the first two gets the third; one that comes from another process of the server gets all.
  const again = follow(server, changed?.id);
  await until(
    () => again.events,
    ({ length }) => length >= 1,
  );
  expect(again.events[0]).toEqual(first.events[2]);
  const stranger = follow(server, 'another-1');
  await until(
    () => stranger.events,
    ({ length }) => length >= 1,
  );
  expect(stranger.events[0]?.name).toBe('fleet');
});

test('streams are bounded in number, and one that ends makes room', async () => {
  const server = await serving(() => [answering('one')], {}, { streams: { all: 3, of: 2 } });
  const [first, second] = [follow(server), follow(server)];
  await until(
    () => [first, second],
    (all) => all.every(({ status }) => status === 200),
  );
  expect(await server.as('viewer', '/api/events')).toMatchObject({ status: 503, json: { error: { code: 'TOO_MANY_STREAMS' } } });
  first.close();
  await until(
    async () => {
      const next = follow(server);
      await until(
        () => next,
        ({ status }) => status !== 0,
      );
      if (next.status !== 200) next.close();
      return next.status;
    },
    (status) => status === 200,
  );
});

test('a bot of another version whose status has another form is a row without figures, and what it says beyond the form is left out', async () => {
  const { status, ...other } = answering('old');
  const secret = { ...status!, latches: [{ ...{ rule: 'kill', time: 1, reason: '<script>' }, token: 'word-s' }] };
  const broken = { ...other, status: { ...status!, latches: undefined } } as unknown as SeenBot;
  const watch = new FleetWatch({
    paths: ['.'],
    now: () => 1,
    lookAt: async () => ({ bots: [broken, { ...answering('new'), status: secret }] }),
  });
  const { fleet } = await watch.look();
  expect(fleet.bots[0]).toMatchObject({ name: 'old', figures: null, isCounted: false, why: expect.stringContaining('this version') });
  const server = await serving(() => [{ ...answering('new'), status: secret }]);
  const { text, headers } = await server.as('viewer', '/api/fleet');
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(text).toContain('<script>');
  expect(text).not.toContain('word-s');
});

test('the metrics have the state of every bot, figures of those that answer alone, and names as text', async () => {
  const name = 'a"b\\c\nd';
  const server = await serving(() => [answering('one', { equity: '7.5' }), silent(name)]);
  const { text, headers } = await server.as('viewer', '/metrics');
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = text.split('\n');
  const of = (start: string) => lines.filter((line) => line.startsWith(start)).map((line) => line.replace(/id="\w+",/, ''));
  expect(of('tidegate_bot_equity{')).toEqual(['tidegate_bot_equity{bot="one",mode="paper",currency="USDT"} 7.5']);
  const states = of('tidegate_bot_state{').filter((line) => line.endsWith(' 1'));
  expect(states).toEqual([
    'tidegate_bot_state{bot="one",mode="paper",state="ready"} 1',
    'tidegate_bot_state{bot="a\\"b\\\\c\\nd",mode="paper",state="unreachable"} 1',
  ]);
  expect((await server.send('/metrics')).status).toBe(401);
});
