import { readFileSync, writeFileSync } from 'node:fs';
import { type BotWorkspace, botWorkspace, type Running } from './bot-process.ts';
import type { WallExchange } from './wall-exchange.ts';

/** Buys once, with a stop 10 % below: on spot the engine holds it. */
const GUARDED = `import { type Intents, place, Strategy, type Ticker } from 'tidegate';

export class Guarded extends Strategy {
  static needs = { tickers: true };
  done = false;
  save() { return { done: this.done }; }
  restore(saved: { done: boolean }) { this.done = saved.done; }
  onTicker({ symbol, last }: Ticker): Intents {
    if (this.done || last > 70000) return undefined;
    this.done = true;
    const long = symbol.endsWith('-PERP') ? { positionSide: 'long' as const } : {};
    return place({ symbol, side: 'buy', type: 'market', quantity: '0.01', exits: { stopLoss: last * 0.9 }, ...long });
  }
}
`;
const FUTURES = `account: { kind: futures, balances: { USDT: "100000" }, margin: { mode: shared, leverage: 10 } }
instruments:
  BTC-USDT-PERP: { tickSize: "0.1", stepSize: "0.0001", makerFee: "0.0002", takerFee: "0.0006", contract: { value: "0.000001", tiers: [{ maintenance: "0.005" }], liquidationFee: "0.001" } }
`;

/** The bot's account, and one of somebody else; both hold coins of their own. */
export const ACCOUNTS = [
  { name: 'bot', balances: { spot: { USDT: '100000', BTC: '1' }, futures: { USDT: '100000' } } },
  { name: 'other', balances: { spot: { USDT: '50000', BTC: '1' }, futures: { USDT: '50000' } } },
];

export type Traded = 'BTC-USDT' | 'BTC-USDT-PERP';

/** A bot that buys once, below 70,000. @param more of its `live` section. */
export function guarded(local: WallExchange, symbol: Traded, more = ''): BotWorkspace {
  const work = botWorkspace(local.section(`, onStop: keep${more}`));
  writeFileSync(work.path('once.ts'), GUARDED);
  const text = readFileSync(work.config, 'utf8').replace('"0.00001"', '"0.0001"').replace('[BTC-USDT]', `[${symbol}]`);
  const futures = text.replace(/account: .*\n/, '').replace(/instruments:\n.*\n/, FUTURES);
  writeFileSync(work.config, symbol === 'BTC-USDT' ? text : futures);
  return work;
}

export function envOf(local: WallExchange, name: string): Record<string, string> {
  const { key, secret, passphrase } = local.account(name);
  return { TIDEGATE_API_KEY: key, TIDEGATE_API_SECRET: secret, TIDEGATE_API_PASSPHRASE: passphrase };
}

export const filled = (bot: Running) => bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);

export async function ended(bot: Running, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  bot.child.kill(signal);
  await bot.exit;
}
