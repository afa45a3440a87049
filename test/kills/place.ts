import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExchangeListing } from './processes.ts';

/** Where a run of kills takes place. */
export interface Place {
  /** Of the project: its built program is what is killed. */
  readonly root: string;
  /** For files of the run. */
  readonly folder: string;
  readonly seed: number;
  readonly markets: KillMarkets;
}

/** What is traded: spot pairs, contracts, or both. */
export const KILL_MARKETS = ['spot', 'futures', 'both'] as const;
export type KillMarkets = (typeof KILL_MARKETS)[number];

const SPOT = '{ tickSize: "0.01", stepSize: "0.0001", makerFee: "0.001", takerFee: "0.0015" }';
const PERP =
  '{ tickSize: "0.1", stepSize: "0.0001", makerFee: "0.0002", takerFee: "0.0006", contract: { value: "0.000001", tiers: [{ maintenance: "0.005" }], liquidationFee: "0.001" } }';
const PAIRS = [
  ['BTC-USDT', SPOT],
  ['ETH-USDT', SPOT],
] as const;
const CONTRACTS = [
  ['BTC-USDT-PERP', PERP],
  ['ETH-USDT-PERP', PERP],
] as const;

function traded(markets: KillMarkets): readonly (readonly [symbol: string, terms: string])[] {
  return [...(markets === 'futures' ? [] : PAIRS), ...(markets === 'spot' ? [] : CONTRACTS)];
}

function instruments(markets: KillMarkets): string {
  return `instruments:\n${traded(markets)
    .map(([symbol, terms]) => `  ${symbol}: ${terms}\n`)
    .join('')}`;
}

const ORDERS = 'operations: [batchOrders, cancelOrder, triggerOrder, cancelFuturesOrder]';
/**
 * What goes wrong, all the time that the strategy trades: most of it with orders. A delayed one may arrive when its bot is
 * dead, or in its next life. Reads fail less often, or no bot would get beyond its start.
 */
const FAULTS = [
  `{ fault: drop, chance: 0.03, ${ORDERS} }`,
  `{ fault: dropReply, chance: 0.05, ${ORDERS} }`,
  `{ fault: failBefore, chance: 0.03, ${ORDERS} }`,
  `{ fault: failAfter, chance: 0.04, ${ORDERS} }`,
  `{ fault: malformed, chance: 0.03, ${ORDERS} }`,
  `{ fault: duplicate, chance: 0.04, ${ORDERS} }`,
  `{ fault: delay, chance: 0.1, ms: [20, 3000], ${ORDERS} }`,
  '{ fault: dropReply, chance: 0.01 }',
  '{ fault: failBefore, chance: 0.01 }',
  '{ fault: truncated, chance: 0.01 }',
  '{ fault: delay, chance: 0.02, ms: [20, 300] }',
  '{ fault: redirect, chance: 0.005 }',
  '{ fault: page, chance: 0.005 }',
  '{ fault: unlisted, chance: 0.005 }',
  '{ fault: reset, chance: 0.005 }',
  '{ fault: wrongLength, chance: 0.005 }',
  '{ fault: oversized, chance: 0.002 }',
  // With the lag, no older than the bot reckons with.
  '{ fault: stale, chance: 0.05, ms: [0, 600], operations: [orderInfo, fills, accountAssets, ticker] }',
];

/**
 * @returns the exchange's config file: synthetic prices some twenty times faster than they would be. Its lists keep futures
 * orders that are over, so that which order a fill was of is certain, and comparable.
 * @param rules of what goes wrong there.
 */
export function writeExchange({ folder, seed, markets }: Place, rules: readonly string[] = FAULTS): string {
  const path = join(folder, 'exchange.yaml');
  const starts = traded(markets)
    .map(([symbol]) => `${symbol}: "${symbol.startsWith('BTC') ? 60_000 : 3_000}"`)
    .join(', ');
  writeFileSync(
    path,
    `name: kills
prices: { speed: 20, synthetic: { seed: ${seed}, start: { ${starts} } } }
${instruments(markets)}accounts:
  - { name: bot, balances: { spot: { USDT: "1000000", BTC: "1", ETH: "10" }, futures: { USDT: "1000000" } } }
lists: { keepTerminalOrders: true, keepFlatPositions: true }
fills: { limit: touch, halfSpreadTicks: 1 }
limits: { ipWeight: 0, uidWeight: 0, actionsPerSecond: 0 }
faults: { seed: ${seed}, visibilityLagMs: 300, rules: [${rules.join(', ')}] }
ports: { control: 0 }
`,
  );
  return path;
}

/** An order in doubt would halt the bot after that. Lives that are shorter than the proof of its outcome keep it in doubt for long. */
const UNKNOWN_LIMIT_MS = 3_600_000;

/** @returns the bot's config file. It asks as fast as one process answers; what it cannot explain stops it. */
export function writeBot({ root, folder, seed, markets }: Place, { spot, futures }: Pick<ExchangeListing, 'spot' | 'futures'>): string {
  const path = join(folder, 'bot.yaml');
  const symbols = traded(markets).map(([symbol]) => symbol);
  const account =
    markets === 'spot'
      ? '{ kind: spot, currency: USDT, balances: { USDT: "1000000" } }'
      : `{ kind: futures, currency: USDT, balances: { USDT: "1000000" }${markets === 'both' ? ', spot: { USDT: "1000000" }' : ''} }`;
  writeFileSync(
    path,
    `name: kills
account: ${account}
${instruments(markets)}strategies:
  - { id: trader, file: ${JSON.stringify(join(root, 'test/kills/trader.ts'))}, symbols: [${symbols.join(', ')}], params: { seed: ${seed} } }
backtest: { data: [none] }
live:
  enabled: true
  spotBaseUrl: ${spot}
  contractBaseUrl: ${futures}
  dir: ./bots
  poll: { tickerMs: 60, accountMs: 150, lookupMs: 2000, staleMs: 5000 }
  visibilityLagMs: 1000
  unknownLimitMs: ${UNKNOWN_LIMIT_MS}
  unexplained: halt
  graceMs: 60000
  budget: { ipWeight: 1000000, uidWeight: 1000000, actionsPerSecond: 1000000 }
`,
  );
  return path;
}
