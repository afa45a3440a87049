import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { INSTRUMENTS, launch, type Running, STRATEGY } from '../live/bot-process.ts';
import { type WallExchange, wallExchange } from '../live/wall-exchange.ts';

let exchange: WallExchange;
beforeAll(async () => {
  exchange = await wallExchange();
});

interface Workplace {
  readonly config: string;
  readonly folder: string;
  record(...more: string[]): Running;
  coverage(): { end: string; polls: number; rows: number; gaps: { symbols: string[]; reason: string }[] }[];
}

/** A folder with a config that records BTC-USDT five times a second. @param record more of its section. */
function workplace(record = ''): Workplace {
  const folder = temporaryFolder('record');
  const config = join(folder, 'configs.yaml');
  const text = `name: recorder
dataDir: ./data
live: { spotBaseUrl: "${exchange.exchange.spot}", contractBaseUrl: "${exchange.exchange.futures}" }
record: { name: mine, everyMs: 200${record} }
`;
  writeFileSync(config, text);
  const path = join(folder, 'data/mine/.recording/coverage.jsonl');
  return {
    config,
    folder,
    record: (...more) => launch(['record', config, '--polls', ...more]),
    coverage: () =>
      readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}

/** Waits for a first poll, changes the price, and waits until a poll after that is on disk. */
async function priced(recorder: Running, symbol: string, price: string): Promise<void> {
  await recorder.line(({ poll }) => poll !== undefined);
  exchange.price(symbol, price);
  const now = Date.now();
  await recorder.line(({ poll }) => poll > now + 200);
}

async function stopped(recorder: Running): Promise<void> {
  recorder.child.kill('SIGTERM');
  expect(await recorder.exit).toBe(0);
}

test('its log can be replayed at once, before it rotates; SIGTERM ends it with 0 and keeps everything', async () => {
  const { folder, record, coverage } = workplace(', symbols: [BTC-USDT], rotate: 24h');
  exchange.price('BTC-USDT', '100');
  const recorder = record();
  for (const price of ['101.5', '99.25']) await priced(recorder, 'BTC-USDT', price);
  const bot = `name: replay
dataDir: ./data
account: { kind: spot, balances: { USDT: "100000" } }
${INSTRUMENTS}strategies: [{ id: one, file: ./once.ts, symbols: [BTC-USDT] }]
backtest: { data: [mine] }
`;
  const args = ['backtest', 'replay.yaml', '--json', '--quiet'];
  const { stdout } = await runCli(folder, args, { files: { 'replay.yaml': bot, 'once.ts': STRATEGY } });
  expect(JSON.parse(stdout)).toMatchObject({ error: null, marketEvents: 3, orders: 2 });
  expect((await runCli(folder, ['data', 'list'])).stdout).toMatch(/BTC-USDT ticker +3/);
  await priced(recorder, 'BTC-USDT', '102.12');
  await stopped(recorder);
  await runCli(folder, ['data', 'export', 'mine', '--out', 'mine.csv']);
  const prices = readFileSync(join(folder, 'mine.csv'), 'utf8').trimEnd().split('\n').slice(1);
  expect(prices.map((line) => line.split(',')[1])).toEqual(['100', '101.5', '99.25', '102.12']);
  expect(coverage().at(-1)).toMatchObject({ end: 'stopped' });
  expect(coverage().flatMap(({ gaps }) => gaps)).toEqual([]);
  expect(coverage().reduce((sum, { polls }) => sum + polls, 0)).toBe(recorder.lines.filter(({ poll }) => poll !== undefined).length);
});

test('contracts also have their marks, and a symbol that the exchange does not list is a gap with its reason', async () => {
  const { folder, record, coverage } = workplace(', symbols: [BTC-USDT-PERP, XRP-USDT]');
  exchange.price('BTC-USDT-PERP', '100.5');
  const recorder = record();
  const listed = async () => (await runCli(folder, ['data', 'list'])).stdout.match(/[A-Z-]+ (ticker|mark) +\d/g);
  await priced(recorder, 'BTC-USDT-PERP', '101');
  // On a busy machine a poll may end without the reply for a contract, and the next one has it.
  while ((await listed())?.[0] !== 'BTC-USDT-PERP ticker     2') await priced(recorder, 'BTC-USDT-PERP', '101');
  await stopped(recorder);
  expect(await listed()).toEqual(['BTC-USDT-PERP ticker     2', expect.stringMatching(/^BTC-USDT-PERP mark +\d$/)]);
  expect(coverage()[0]!.gaps).toMatchObject([{ symbols: ['XRP-USDT'], reason: expect.stringContaining('unknown trading pair') }]);
});

test('after kill -9 it continues: every acknowledged poll is there, and the time between is a gap', async () => {
  const { record, coverage } = workplace(', symbols: [BTC-USDT]');
  exchange.price('BTC-USDT', '100');
  const killed = record();
  await priced(killed, 'BTC-USDT', '101');
  killed.child.kill('SIGKILL');
  await killed.exit;
  const acknowledged = killed.lines.filter(({ poll }) => poll !== undefined).length;
  const again = record();
  await priced(again, 'BTC-USDT', '102');
  await stopped(again);
  const [first, second] = coverage();
  expect(first).toMatchObject({ end: 'cut', rows: 2 });
  expect(first!.polls).toBeGreaterThanOrEqual(acknowledged);
  expect(second!.gaps).toMatchObject([{ symbols: ['BTC-USDT'], reason: 'the recorder was cut off: killed, or without power' }]);
});

test('two recorders of one recording refuse each other', async () => {
  const { config, folder, record } = workplace(', symbols: [BTC-USDT]');
  const first = record();
  await first.said('ready');
  const { stderr } = await runCli(folder, ['record', config], { code: 3 });
  expect(stderr).toContain('error RECORDING_IN_USE: recording "mine" is being recorded by another process');
  await stopped(first);
  const after = record();
  await after.said('ready');
  await stopped(after);
});

test.each<[what: string, set: string, said: string]>([
  ['no symbols at all', 'record.everyMs=300', 'record: missing: set record.symbols'],
  ['a symbol that is none', 'record.symbols=[btc]', 'expected a symbol such as BTC-USDT'],
  ['a rotation that is none', 'record.rotate=2d', 'record.rotate: expected an interval of 1s to 1d'],
])('%s is refused with 2', async (_, set, said) => {
  const { config, folder } = workplace();
  const { stderr } = await runCli(folder, ['record', config, '--set', set], { code: 2 });
  expect(stderr).toContain('error CONFIG_INVALID');
  expect(stderr).toContain(said);
});

test('a missing base URL is refused with 2, and the message names the symbol', async () => {
  const { config, folder } = workplace(', symbols: [BTC-USDT, BTC-USDT-PERP]');
  const { stderr } = await runCli(folder, ['record', config, '--set', 'live.contractBaseUrl=null'], { code: 2 });
  expect(stderr).toContain('live.contractBaseUrl: missing: the price of BTC-USDT-PERP is requested there');
});
