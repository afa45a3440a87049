import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Instrument } from '../../../src/model/instrument.ts';
import { type BotWorkspace, botWorkspace, type Line } from './bot-process.ts';
import { type WallExchange, wallExchange } from './wall-exchange.ts';

const SPEC = { symbol: 'BTC-USDT', tickSize: '0.01', stepSize: '0.00001', makerFee: '0.001', takerFee: '0.001' };

/** Buys once, with a stop loss 10 % below; it throws at the price 61234 and, where it is told to, as it starts. */
const strategyThat = (onStart: string) => `import { type Intents, place, Strategy, type Ticker } from 'tidegate';

export class Guarded extends Strategy {
  static needs = { tickers: true };
  done = false;
  save() { return { done: this.done }; }
  restore(saved: { done: boolean }) {
    this.done = saved.done;
    this.log.info('restored');
  }
  onStart() {
    this.log.info('started');
    ${onStart}
  }
  onTicker({ symbol, last }: Ticker): Intents {
    if (last === 61234) throw new Error('broken');
    if (this.done) return undefined;
    this.done = true;
    return place({ symbol, side: 'buy', type: 'market', quantity: '0.01', exits: { stopLoss: (last * 0.9).toFixed(2) } });
  }
}
`;

interface Scene {
  readonly local: WallExchange;
  readonly work: BotWorkspace;
  /** The lines of log.jsonl. */
  log(): Line[];
  coins(): string;
}

async function scene(more = ''): Promise<Scene> {
  const local = await wallExchange({ instruments: [new Instrument(0, SPEC)] });
  local.price('BTC-USDT', '60000');
  const work = botWorkspace(local.section(more));
  writeFileSync(work.path('once.ts'), strategyThat(''));
  const log = () =>
    readFileSync(work.path('runs', 'once-live', 'log.jsonl'), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return { local, work, log, coins: () => local.behind.wallets.spot.available('BTC').toFixed() };
}

async function guarded({ work, local }: Scene) {
  const bot = work.launch('live', local.env);
  await bot.line(({ msg, held }) => msg === 'orderAccepted' && held === true);
  // Between two turns: what the line says is in the journal.
  await work.status();
  return bot;
}

const POSITION = { strategyId: 'one', symbol: 'BTC-USDT', quantity: '0.00999' };
const ENDED = 'the bot ends with an error; positions are WITHOUT THEIR STOP until the next start';

test('an error of a strategy is a line of the log, with positions that lost their stop; the next start protects them again', async () => {
  const at = await scene();
  const bot = await guarded(at);
  at.local.price('BTC-USDT', '61234');
  expect(await bot.exit).toBe(4);
  expect(at.log().filter(({ level }) => level === 50)).toEqual([
    expect.objectContaining({ msg: ENDED, code: 'STRATEGY_THREW', positions: [{ ...POSITION, stops: ['54000'] }] }),
  ]);
  expect(at.log().at(-1).error).toContain('strategy "one" threw at ticker');
  expect(at.coins()).toBe('0.00999');
  at.local.price('BTC-USDT', '53000');
  const again = at.work.launch('live', at.local.env);
  await again.line(({ msg, side, complete }) => msg === 'orderFilled' && side === 'sell' && complete === true);
  expect(at.coins()).toBe('0');
  again.child.kill('SIGTERM');
  expect(await again.exit).toBe(0);
});

test('the ready message comes after restore and onStart, and not at all if one of them throws', async () => {
  const at = await scene();
  const bot = await guarded(at);
  bot.child.kill('SIGKILL');
  await bot.exit;
  const again = at.work.launch('live', at.local.env);
  await again.said('ready');
  const said = again.lines.map(({ msg }) => msg);
  expect(said.filter((msg) => ['restored', 'started', 'ready'].includes(msg))).toEqual(['restored', 'started', 'ready']);
  again.child.kill('SIGKILL');
  await again.exit;
  writeFileSync(at.work.path('once.ts'), strategyThat("throw new Error('no');"));
  const broken = at.work.launch('live', at.local.env);
  expect(await broken.exit).toBe(4);
  expect(broken.lines.filter(({ msg }) => msg === 'ready')).toEqual([]);
  expect(at.log().at(-1)).toMatchObject({ msg: ENDED, positions: [{ ...POSITION, stops: ['54000'] }] });
});

test.each([
  ['keep', 'held stops DO NOT WORK until the next start', ['54000']],
  ['cancel', 'positions have no stop', []],
])('a stop with onStop: %s says which positions nothing guards from now on', async (onStop, msg, stops) => {
  const at = await scene(`, onStop: ${onStop}`);
  const bot = await guarded(at);
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
  expect(at.log().filter(({ level, msg: said }) => level === 40 && said === msg)).toMatchObject([
    { onStop, positions: [{ ...POSITION, stops }] },
  ]);
});
