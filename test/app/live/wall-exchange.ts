import { afterAll } from '@jest/globals';
import type { ExchangeOptions } from '../../../src/local-exchange/options.ts';
import { SystemClock } from '../../../src/venues/rest/real-clock.ts';
import { type Local, startLocal } from '../../local-exchange/local.ts';

const open: Local[] = [];
afterAll(() => Promise.all(open.map((local) => local.close())));

export interface WallExchange extends Local {
  /** A bot's `live` section, in a flow map; more of it where given. */
  section(more?: string): string;
  /** With the keys of the account. */
  readonly env: Readonly<Record<string, string>>;
  /** What is behind the doors. */
  readonly behind: ReturnType<Local['exchange']['exchange']['accounts']['all']['at']> & object;
}

/** A local exchange of the test's own process, on the wall's time: bots are processes beside it, and it can be looked into. */
export async function wallExchange(options: Partial<ExchangeOptions> = {}): Promise<WallExchange> {
  const accounts = [{ name: 'bot', balances: { spot: { USDT: '100000' } } }];
  const local = await startLocal({ clock: new SystemClock(), accounts, ...options });
  open.push(local);
  const { key, secret, passphrase } = local.account('bot');
  const { spot, futures } = local.exchange;
  return {
    ...local,
    behind: local.exchange.exchange.accounts.all[0]!,
    env: { TIDEGATE_API_KEY: key, TIDEGATE_API_SECRET: secret, TIDEGATE_API_PASSPHRASE: passphrase },
    section: (more = '') =>
      `live: { enabled: true, spotBaseUrl: "${spot}", contractBaseUrl: "${futures}", dir: ./runs, visibilityLagMs: 500, poll: { tickerMs: 200, accountMs: 200, lookupMs: 500 }${more} }`,
  };
}
