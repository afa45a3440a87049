import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { launch } from './bot-process.ts';
import { ACCOUNTS, ended, envOf, filled, guarded } from './guarded.ts';
import { type WallExchange, wallExchange } from './wall-exchange.ts';

/** Gives the account of the bot a second key. @returns its environment. */
function rotated(local: WallExchange): Record<string, string> {
  const { accounts } = local.exchange.exchange;
  const { key } = local.account('bot');
  const find = accounts.withKey.bind(accounts);
  accounts.withKey = (asked) => find(asked === 'rotated-key' ? key : asked);
  return { ...envOf(local, 'bot'), TIDEGATE_API_KEY: 'rotated-key' };
}

describe.each([['BTC-USDT'], ['BTC-USDT-PERP']] as const)('the account of a journal, %s', (symbol) => {
  test('a key of another account is refused before anything is sent, and doctor reports it', async () => {
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

  test('a new key of the same account continues with the journal', async () => {
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
