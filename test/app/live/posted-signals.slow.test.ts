import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { botFolder } from '../../../src/app/planning/bot-folder.ts';
import { journalAt } from '../../../src/journal/journal-reader.ts';
import type { AccountEvent } from '../../../src/model/account-events.ts';
import { Random } from '../../../src/model/random.ts';
import { launch as launchKilled, type Running } from '../../kills/processes.ts';
import { ROOT } from '../../support/cli.ts';
import { until } from '../../support/until.ts';
import { botWorkspace } from './bot-process.ts';

const TOKEN = 'the-token-of-this-test';
const STRATEGY = `import { place, type Signal, Strategy } from 'tidegate';

/** One order for each third signal of a sender, with its number as tag. */
export class Witness extends Strategy {
  static needs = { tickers: true, signals: 'preds' };
  onSignal({ values }: Signal) {
    if (Number(values.n) % 3 === 0) return place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', quantity: '0.001', price: '30000', timeInForce: 'IOC', tag: String(values.from) + values.n });
  }
}
`;
const PAPER = `paper: { prices: { recording: sample, use: bar }, dir: ./runs, warmup: cold, visibilityLagMs: 500, poll: { tickerMs: 50, accountMs: 200, staleMs: 60000 }, post: { port: 0 } }
signals: { preds: { post: true } }`;
/** The recording begins then. */
const START = Date.UTC(2025, 0, 1);

function workspace() {
  const work = botWorkspace(PAPER);
  writeFileSync(work.path('once.ts'), STRATEGY);
  const folder = botFolder(work.path('runs'), 'once', 'paper');
  return { ...work, folder, file: folder.signals('preds') };
}

type Workspace = ReturnType<typeof workspace>;

/** A bot that dies in the commit of its journal that `TIDEGATE_DIE` names, if it is given. */
function start({ config }: Workspace, die?: object): Running & { readonly port: Promise<string | undefined> } {
  const flags = die === undefined ? [] : ['--import', pathToFileURL(join(ROOT, 'test/kills/die-at.mjs')).href];
  const env = { TIDEGATE_SIGNALS_TOKEN: TOKEN, ...(die && { TIDEGATE_DIE: JSON.stringify(die) }) };
  const running = launchKilled(ROOT, ['paper', config], { flags, env });
  let out = '';
  const port = new Promise<string | undefined>((resolve) => {
    running.child.stdout!.on('data', (part: Buffer) => {
      out += part.toString();
      const found = /"url":"http:\/\/127\.0\.0\.1:(\d+)\/signals\/preds"/.exec(out)?.[1];
      if (found !== undefined) resolve(found);
    });
    running.ended.then(() => resolve(undefined));
  });
  return { ...running, port };
}

/** Sends a body. @param cut ends the connection before the reply. @returns the status of the reply; undefined without one. */
function post(port: string, body: string, cut = false): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const sent = request({ host: '127.0.0.1', port, method: 'POST', path: '/signals/preds', headers, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    });
    sent.once('close', () => resolve(undefined));
    sent.on('error', () => resolve(undefined));
    sent.end(body, () => cut && sent.destroy());
  });
}

const line = (from: string, n: number) => `${JSON.stringify({ time: START + n, from, n })}\n`;

/** Deaths in the commits around a signal, and at any time, with and without the engine's first turn. */
const DEATHS: readonly ({ readonly kind: string; readonly when: string; readonly nth: number } | { readonly afterMs: number })[] = [
  { kind: 'signalReceived', when: 'before', nth: 1 },
  { kind: 'signalReceived', when: 'after', nth: 1 },
  { kind: 'memory', when: 'after', nth: 1 },
  { kind: 'signalReceived', when: 'before', nth: 4 },
  { afterMs: 30 },
  { kind: 'request', when: 'before', nth: 2 },
  { kind: 'request', when: 'after', nth: 1 },
  { afterMs: 1_500 },
  { kind: 'reply', when: 'before', nth: 1 },
  { afterMs: 900 },
];
/** Set `POSTED_LIVES` for more lives. */
const LIVES = Number(process.env.POSTED_LIVES ?? DEATHS.length);

test('rows that come while a bot starts for the first time are delivered after its first prices, also if it was killed then', async () => {
  const work = workspace();
  const first = start(work);
  const port = await first.port;
  for (let status: number | undefined; status !== 200; ) status = await post(port!, line('post', 3) + line('post', 6));
  first.child.kill('SIGKILL');
  await first.ended;
  const again = work.launch('paper', { TIDEGATE_SIGNALS_TOKEN: TOKEN });
  expect(await again.said('ready')).toMatchObject({ resumed: false, differences: 0 });
  await again.line(({ msg, tag }) => msg === 'orderSubmitted' && tag === 'post3');
  await again.line(({ msg, tag }) => msg === 'orderSubmitted' && tag === 'post6');
  expect(again.lines.filter(({ msg }) => msg === 'orderDenied')).toEqual([]);
  const { signals } = await work.status();
  expect(signals).toMatchObject({ names: ['preds'], written: 0, duplicates: 0, refused: 0, lastTime: null });
  expect((await work.run(['status', work.config])).stdout).toMatch(
    /^signals +http:\/\/127\.0\.0\.1:\d+\/signals\/preds: rows written 0; /m,
  );
  // One row of two hours later, and one that is due.
  await post(new URL(signals!.url).port, line('post', 7_200_000) + line('post', 7));
  const until = START + 7_200_000;
  const { waitingSignals, health } = await work.status();
  expect(waitingSignals).toEqual([{ name: 'preds', rows: 2, until }]);
  expect(health.filter(({ subject }) => subject === 'signals preds')).toEqual([
    {
      ...{ subject: 'signals preds', symbol: '', condition: 'waiting' },
      reason: '2 rows, the first until 2025-01-01T02:00:00Z: is its time right? Rows after it wait for it',
    },
  ]);
  expect((await work.run(['status', work.config])).stdout).toMatch(
    /^signals waiting +preds: 2 rows, the first until 2025-01-01T02:00:00Z$/m,
  );
  expect((await work.run(['stop', work.config])).stdout).toContain('stopping');
  expect(await again.exit).toBe(0);
});

test('every row that was answered is delivered once and in order, over kills of the bot and lost replies', async () => {
  const work = workspace();
  const random = new Random(Number(process.env.POSTED_SEED ?? 1), 'posted');
  let running = start(work);
  // From here on the file is there.
  expect(await running.port).toBeDefined();
  let over = false;
  let [answered, appended] = [0, 0];
  const poster = async () => {
    while (!over) {
      const count = Math.floor(random.between(1, 3));
      const body = Array.from({ length: count }, (_, index) => line('post', answered + 1 + index)).join('');
      for (let status: number | undefined; status !== 200; ) {
        const port = await running.port;
        status = port === undefined ? undefined : await post(port, body, !over && random.between(0, 4) < 1);
        await pause(random.between(100, 400));
      }
      answered += count;
    }
  };
  const appender = async () => {
    for (; !over; await pause(random.between(300, 1_200))) appendFileSync(work.file, line('file', ++appended));
  };
  const writers = Promise.all([poster(), appender()]);
  let inCommits = 0;
  for (let life = 0; life < LIVES; life++) {
    const death = DEATHS[life % DEATHS.length]!;
    running.child.kill('SIGKILL');
    await running.ended;
    running = start(work, 'kind' in death ? death : undefined);
    if ('afterMs' in death) await running.port.then(() => pause(death.afterMs));
    else if ((await running.ended).signal === 'SIGKILL') inCommits++;
  }
  running.child.kill('SIGKILL');
  await running.ended;
  running = start(work);
  expect(await running.ready).toBe(true);
  await until(
    () => answered,
    (count) => count > 2 * LIVES,
  );
  over = true;
  await writers;
  // All that is written is delivered before the bot stops.
  const lines = readFileSync(work.file, 'utf8').trimEnd().split('\n');
  await until(
    () => deliveredIn(work.folder.journal).length,
    (count) => count === lines.length,
  );
  running.child.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });

  const journal = journalAt(work.folder.journal);
  const [delivered, tags, kinds]: [string[], string[], string[]] = [[], [], []];
  for (const { kind, value } of journal.records()) {
    if (kind === 'intent') tags.push(String((value as { intent: { tag?: string } }).intent.tag));
    if (kind !== 'event') continue;
    const { event } = value as { event: AccountEvent };
    kinds.push(event.kind);
    if (event.kind === 'signalReceived') delivered.push(`${event.values.from}${event.values.n}`);
  }
  journal.close();
  const counted = (from: string, count: number) => Array.from({ length: count }, (_, index) => `${from}${index + 1}`);
  expect(delivered.filter((name) => name.startsWith('post'))).toEqual(counted('post', answered));
  expect(delivered.filter((name) => name.startsWith('file'))).toEqual(counted('file', appended));
  // The order of the file, and one intent for each.
  expect(delivered).toEqual(lines.map((text) => JSON.parse(text) as { from: string; n: number }).map(({ from, n }) => `${from}${n}`));
  const thirds = delivered.filter((name) => Number(name.slice(4)) % 3 === 0);
  expect(tags).toEqual(thirds);
  expect(kinds.filter((kind) => kind === 'orderSubmitted').length + kinds.filter((kind) => kind === 'orderDenied').length).toBe(
    thirds.length,
  );
  const arrived = arrivals(readFileSync(join(work.folder.path, 'exchange.state'), 'utf8'));
  expect(new Set(arrived).size).toBe(arrived.length);
  expect(arrived.length).toBeGreaterThan(LIVES / 2);
  expect(inCommits).toBe(Array.from({ length: LIVES }, (_, life) => DEATHS[life % DEATHS.length]!).filter((one) => 'kind' in one).length);

  const replay = await work.run(['replay', work.folder.path]);
  expect(replay.stdout).toContain('IDENTICAL: every intent, denial, event and request, and the state at every point');
  expect(replay.stdout).not.toContain('earlier Tidegate');
});

/** The signals in a journal, also while its bot writes it. */
function deliveredIn(path: string): AccountEvent[] {
  const journal = journalAt(path);
  try {
    const events = [...journal.records()].flatMap(({ kind, value }) =>
      kind === 'event' ? [(value as { event: AccountEvent }).event] : [],
    );
    return events.filter(({ kind }) => kind === 'signalReceived');
  } finally {
    journal.close();
  }
}

/** The client ids of orders that arrived at the exchange, as often as they did. */
function arrivals(state: string): string[] {
  const [, ...lines] = state.trimEnd().split('\n');
  return lines.flatMap((text) => {
    const [, kind, { orders = [] }] = JSON.parse(text) as [number, string, { orders?: { clientOrderId: string }[] }];
    return kind === 'placeSpot' ? orders.map(({ clientOrderId }) => clientOrderId) : [];
  });
}
