import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a run of kills takes place. */
export interface Place {
  /** Of the project: its built program is what is killed. */
  readonly root: string;
  /** For files of the run. */
  readonly folder: string;
  readonly seed: number;
}

const SPOT = '{ tickSize: "0.01", stepSize: "0.0001", makerFee: "0.001", takerFee: "0.0015" }';
const INSTRUMENTS = `instruments:
  BTC-USDT: ${SPOT}
  ETH-USDT: ${SPOT}
`;

const ORDERS = 'operations: [batchOrders, cancelOrder]';
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
];

/** @returns the exchange's config file: synthetic prices some twenty times faster than they would be. */
export function writeExchange({ folder, seed }: Place): string {
  const path = join(folder, 'exchange.yaml');
  writeFileSync(
    path,
    `name: kills
prices: { speed: 20, synthetic: { seed: ${seed}, start: { BTC-USDT: "60000", ETH-USDT: "3000" } } }
${INSTRUMENTS}accounts:
  - { name: bot, balances: { spot: { USDT: "1000000", BTC: "1", ETH: "10" } } }
fills: { limit: touch, halfSpreadTicks: 1 }
limits: { ipWeight: 0, uidWeight: 0, actionsPerSecond: 0 }
faults: { seed: ${seed}, visibilityLagMs: 300, rules: [${FAULTS.join(', ')}] }
ports: { control: 0 }
`,
  );
  return path;
}

/** @returns the bot's config file. It asks as fast as one process answers; what it cannot explain stops it. */
export function writeBot({ root, folder, seed }: Place, spotBaseUrl: string): string {
  const path = join(folder, 'bot.yaml');
  writeFileSync(
    path,
    `name: kills
account: { kind: spot, currency: USDT, balances: { USDT: "1000000" } }
${INSTRUMENTS}strategies:
  - { id: trader, file: ${JSON.stringify(join(root, 'test/kills/trader.ts'))}, symbols: [BTC-USDT, ETH-USDT], params: { seed: ${seed} } }
backtest: { data: [none] }
live:
  enabled: true
  spotBaseUrl: ${spotBaseUrl}
  dir: ./bots
  poll: { tickerMs: 60, accountMs: 150, lookupMs: 2000, staleMs: 5000 }
  visibilityLagMs: 1000
  unexplained: halt
  graceMs: 60000
  budget: { ipWeight: 1000000, uidWeight: 1000000, actionsPerSecond: 1000000 }
`,
  );
  return path;
}
