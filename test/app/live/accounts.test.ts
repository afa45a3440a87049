import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { type BotWorkspace, botWorkspace, launch, type Running } from './bot-process.ts';
import { type WallExchange, wallExchange } from './wall-exchange.ts';

/** Buys once, with a stop 10 % below that the engine holds. */
const GUARDED = `import { type Intents, place, Strategy, type Ticker } from 'tidegate';

export class Guarded extends Strategy {
  static needs = { tickers: true };
  done = false;
  save() { return { done: this.done }; }
  restore(saved: { done: boolean }) { this.done = saved.done; }
  onTicker({ symbol, last }: Ticker): Intents {
    if (this.done) return undefined;
    this.done = true;
    const long = symbol.endsWith('-PERP') ? { positionSide: 'long' as const } : {};
    return place({ symbol, side: 'buy', type: 'market', quantity: '0.01', exits: { stopLoss: last * 0.9 }, ...long });
  }
}
`;
const ACCOUNTS = [
  { name: 'bot', balances: { spot: { USDT: '100000' }, futures: { USDT: '100000' } } },
  { name: 'other', balances: { spot: { USDT: '50000', BTC: '1' }, futures: { USDT: '50000' } } },
];
const FUTURES = `account: { kind: futures, balances: { USDT: "100000" }, margin: { mode: shared, leverage: 10 } }
instruments:
  BTC-USDT-PERP: { tickSize: "0.1", stepSize: "0.0001", makerFee: "0.0002", takerFee: "0.0006", contract: { value: "0.000001", tiers: [{ maintenance: "0.005" }], liquidationFee: "0.001" } }
`;

/** @param symbol what is traded. */
function guarded(local: WallExchange, symbol: 'BTC-USDT' | 'BTC-USDT-PERP', more = ''): BotWorkspace {
  const work = botWorkspace(local.section(`, onStop: keep${more}`));
  writeFileSync(work.path('once.ts'), GUARDED);
  const text = readFileSync(work.config, 'utf8').replace('"0.00001"', '"0.0001"').replace('[BTC-USDT]', `[${symbol}]`);
  const futures = text.replace(/account: .*\n/, '').replace(/instruments:\n.*\n/, FUTURES);
  writeFileSync(work.config, symbol === 'BTC-USDT' ? text : futures);
  return work;
}

function envOf(local: WallExchange, name: string): Record<string, string> {
  const { key, secret, passphrase } = local.account(name);
  return { TIDEGATE_API_KEY: key, TIDEGATE_API_SECRET: secret, TIDEGATE_API_PASSPHRASE: passphrase };
}

const filled = (bot: Running) => bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);

async function ended(bot: Running, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  bot.child.kill(signal);
  await bot.exit;
}

/** Gives the account of the bot a second key. @returns its environment. */
function rotated(local: WallExchange): Record<string, string> {
  const { accounts } = local.exchange.exchange;
  const { key } = local.account('bot');
  const find = accounts.withKey.bind(accounts);
  accounts.withKey = (asked) => find(asked === 'rotated-key' ? key : asked);
  return { ...envOf(local, 'bot'), TIDEGATE_API_KEY: 'rotated-key' };
}

describe.each([['BTC-USDT'], ['BTC-USDT-PERP']] as const)('the account of a journal, %s', (symbol) => {
  test('a key of another account is refused before anything is sent, and doctor says so', async () => {
    const local = await wallExchange({ accounts: ACCOUNTS });
    local.price(symbol, '60000');
    const work = guarded(local, symbol);
    const bot = work.launch('live', local.env);
    await filled(bot);
    await ended(bot);
    const other = local.exchange.exchange.accounts.named('other')!;
    const wrong = work.launch('live', envOf(local, 'other'));
    expect(await wrong.exit).toBe(2);
    expect(wrong.stderr()).toContain('error ACCOUNT_DIFFERS');
    expect(wrong.stderr()).toContain('--new-account');
    expect(wrong.lines.some(({ msg }) => msg === 'ready')).toBe(false);
    expect(other.orders.all).toEqual([]);
    const asked = ['doctor', work.config, '--mode', 'live', '--only', 'account', '--json'];
    const found = async (env: Record<string, string>, code: number) =>
      JSON.parse((await work.run(asked, { env, code })).stdout).checks.at(-1) as { status: string; found: string };
    expect(await found(envOf(local, 'other'), 8)).toMatchObject({ id: 'account', status: 'failed' });
    expect(await found({ ...local.env }, 0)).toMatchObject({ id: 'account', status: 'ok' });

    const again = work.launch('live', local.env);
    expect(await again.said('ready')).toMatchObject({ resumed: true, differences: 0 });
    await ended(again);
    const said = readFileSync(work.path('runs', 'once-live', 'journal.sqlite')).toString('latin1');
    for (const secret of [...Object.values(envOf(local, 'bot')), ...Object.values(envOf(local, 'other'))])
      expect(said).not.toContain(secret);
  });

  test('with --new-account the journal of the other account is put aside, and a new one begins; once, and not again', async () => {
    const local = await wallExchange({ accounts: ACCOUNTS });
    local.price(symbol, '60000');
    const work = guarded(local, symbol);
    const bot = work.launch('live', local.env);
    await filled(bot);
    await ended(bot);
    const files = () => readdirSync(work.path('runs', 'once-live')).filter((name) => name.endsWith('.sqlite'));
    for (const resumed of [false, true]) {
      const moved = launch(['live', work.config, '--new-account'], envOf(local, 'other'));
      expect(await moved.said('ready')).toMatchObject({ resumed });
      if (!resumed) await filled(moved);
      await ended(moved);
      expect(files()).toHaveLength(2);
    }
    expect(local.exchange.exchange.accounts.named('other')!.orders.all.filter(({ fills }) => fills.length > 0)).toHaveLength(1);
  });

  test('a new key of the same account goes on with the journal', async () => {
    const local = await wallExchange({ accounts: ACCOUNTS });
    local.price(symbol, '60000');
    const work = guarded(local, symbol);
    const bot = work.launch('live', local.env);
    await filled(bot);
    await ended(bot);
    const env = rotated(local);
    for (let start = 0; start < 2; start++) {
      const again = work.launch('live', env);
      expect(await again.said('ready')).toMatchObject({ resumed: true, differences: 0 });
      await ended(again);
    }
  });
});
