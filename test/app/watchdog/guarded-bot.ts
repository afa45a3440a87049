import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { Credentials } from '../../../src/exchange/client/credentials.ts';
import { ExchangeClient } from '../../../src/exchange/client/exchange-client.ts';
import { WeightBudget } from '../../../src/exchange/client/weight-budget.ts';
import { SystemClock } from '../../../src/venues/rest/real-clock.ts';
import { type Line, launch, type Running } from '../live/bot-process.ts';

/** Longer than a busy machine keeps a living bot from its heartbeat, short enough for a test. */
export const AFTER_MS = 5_000;
export const PERP = 'cmt_btcusdt';

const INSTRUMENTS = `instruments:
  BTC-USDT: { tickSize: "0.01", stepSize: "0.0001", makerFee: "0.001", takerFee: "0.001" }
  BTC-USDT-PERP:
    tickSize: "0.1"
    stepSize: "0.0001"
    makerFee: "0.0002"
    takerFee: "0.0006"
    contract: { maintenance: "0.005" }
`;

/** At its first price of each: buys, and leaves a bid far below; of contracts a stop, too, which waits at the exchange. Then buys at each new price, where told. */
const STRATEGY = `import { type Fill, type Intents, place, protect, Strategy, type Ticker, z } from 'tidegate';
export class Both extends Strategy<typeof Both.params> {
  static params = z.object({ eager: z.boolean().default(false) });
  static needs = { tickers: true };
  seen: string[] = [];
  save() { return this.seen; }
  restore(saved: string[]) { this.seen = saved; }
  onTicker({ symbol, last }: Ticker): Intents {
    const more = place({ symbol, side: 'buy', type: 'market', quantity: '0.001', tag: 'more' });
    if (this.seen.includes(symbol)) return this.params.eager && symbol === 'BTC-USDT' ? more : undefined;
    this.seen.push(symbol);
    return [
      place({ symbol, side: 'buy', type: 'market', quantity: '0.01', tag: 'in' }),
      place({ symbol, side: 'buy', type: 'limit', quantity: '0.02', price: (last * 0.9).toFixed(1), tag: 'far' }),
    ];
  }
  onFill({ instrument, tag, priceTicks }: Fill): Intents {
    if (tag !== 'in' || instrument.contract === undefined) return undefined;
    return protect({ symbol: instrument.symbol, side: 'sell', quantity: '0.01', stopLoss: (priceTicks * 0.08).toFixed(1) });
  }
}
`;

export interface World {
  readonly exchange: Running;
  /** Keys of the bot's account, as its environment has them. */
  readonly env: Readonly<Record<string, string>>;
  readonly client: ExchangeClient;
  readonly config: string;
  path(...parts: string[]): string;
  launch(command: 'live' | 'watchdog', ...set: string[]): Running;
  price(price: string): Promise<void>;
  /** What is open at the exchange, by its own account: futures orders, and what open spot orders have frozen. */
  standing(): Promise<{ readonly futures: number; readonly frozen: string }>;
  /** Sizes that the account holds there. */
  held(): Promise<{ readonly BTC: string; readonly long: string }>;
}

const ends: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(ends.map((end) => end())));

/** A local exchange in a process of its own, and the config of a bot that trades spot and futures there. */
export async function world(folder: string, more = ''): Promise<World> {
  const path = (...parts: string[]) => join(folder, ...parts);
  writeFileSync(
    path('exchange.yaml'),
    `name: local
${INSTRUMENTS}accounts:
  - { name: bot, balances: { spot: { USDT: "100000", BTC: "1" }, futures: { USDT: "100000" } } }
fills: { limit: touch }
limits: { ipWeight: 0, uidWeight: 0, actionsPerSecond: 0 }
ports: { control: 0 }
`,
  );
  const exchange = launch(['exchange', path('exchange.yaml'), '--json']);
  const listing: Line = await exchange.line(() => true);
  const { key, secret, passphrase } = listing.accounts[0];
  const config = path('bot.yaml');
  writeFileSync(path('both.ts'), STRATEGY);
  writeFileSync(
    config,
    `name: both
account: { kind: futures, currency: USDT, balances: { USDT: "100000" }, spot: { USDT: "100000", BTC: "1" } }
${INSTRUMENTS}strategies:
  - { id: one, file: ./both.ts, symbols: [BTC-USDT, BTC-USDT-PERP] }
backtest: { data: [none] }
live:
  enabled: true
  spotBaseUrl: "${listing.spot}"
  contractBaseUrl: "${listing.futures}"
  dir: ./runs
  visibilityLagMs: 300
  poll: { tickerMs: 100, accountMs: 100, lookupMs: 500 }
  watchdog: { afterMs: ${AFTER_MS} }
${more}`,
  );
  const clock = new SystemClock();
  const settings = { spotBaseUrl: listing.spot, contractBaseUrl: listing.futures };
  const budget = new WeightBudget(clock, { ipWeight: 1e9, uidWeight: 1e9, actionsPerSecond: 1e9 });
  const client = new ExchangeClient({
    clock,
    budget,
    credentials: new Credentials({ key, secret, passphrase }),
    random: () => 0,
    settings,
  });
  ends.push(() => client.close());
  const env = { TIDEGATE_API_KEY: key, TIDEGATE_API_SECRET: secret, TIDEGATE_API_PASSPHRASE: passphrase };
  return {
    exchange,
    env,
    client,
    config,
    path,
    launch: (command, ...set) => launch([command, config, ...set.flatMap((one) => ['--set', one])], env),
    async price(price) {
      for (const symbol of ['BTC-USDT', 'BTC-USDT-PERP']) {
        const request = { method: 'POST', body: JSON.stringify({ symbol, price }), headers: { 'content-type': 'application/json' } };
        const reply = await fetch(`${listing.control}/control/price`, request);
        if (!reply.ok) throw new Error(`no price: ${await reply.text()}`);
      }
    },
    async standing() {
      const orders = await client.futuresOrders({ symbol: PERP });
      const frozen = (await client.accountAssets()).filter((one) => Number(one.frozen) !== 0);
      return {
        futures: orders.filter(({ status }) => !/filled|cancell?ed/.test(status)).length,
        frozen: frozen.map((one) => one.coinName).join(),
      };
    },
    async held() {
      const assets = await client.accountAssets();
      const positions = await client.singlePosition({ symbol: PERP });
      const long = positions.find(({ side }) => side === 'LONG')?.size ?? '0';
      return { BTC: assets.find(({ coinName }) => coinName === 'BTC')!.equity, long };
    },
  };
}
