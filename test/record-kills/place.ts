import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const RECORDING = 'killed';
export const SYMBOLS = ['BTC-USDT', 'ETH-USDT'] as const;
/** Between two polls, in ms. */
const EVERY_MS = 20;

const INSTRUMENT = '{ tickSize: "0.01", stepSize: "0.0001" }';
/** Of the tickers: no answer, half an answer, a late one, and refusals. */
const FAULTS = [
  '{ fault: dropReply, chance: 0.03 }',
  '{ fault: failBefore, chance: 0.05 }',
  '{ fault: truncated, chance: 0.03 }',
  '{ fault: malformed, chance: 0.03 }',
  '{ fault: delay, chance: 0.1, ms: [20, 200] }',
];

/** @returns the exchange's config file: synthetic prices that change at most polls. */
export function writeExchange(folder: string, seed: number): string {
  const path = join(folder, 'exchange.yaml');
  const instruments = SYMBOLS.map((symbol) => `  ${symbol}: ${INSTRUMENT}\n`).join('');
  writeFileSync(
    path,
    `name: record-kills
prices: { speed: 60, synthetic: { seed: ${seed}, start: { BTC-USDT: "60000", ETH-USDT: "3000" } } }
instruments:
${instruments}accounts: [{ name: nobody, balances: { spot: { USDT: "1" } } }]
limits: { ipWeight: 0, uidWeight: 0, actionsPerSecond: 0 }
faults: { seed: ${seed}, rules: [${FAULTS.join(', ')}] }
`,
  );
  return path;
}

/** @returns the recorder's config file: it asks as fast as one process answers, and makes parts every second. */
export function writeRecorder(folder: string, spotBaseUrl: string): string {
  const path = join(folder, 'recorder.yaml');
  writeFileSync(
    path,
    `name: record-kills
dataDir: ./data
live: { spotBaseUrl: "${spotBaseUrl}", budget: { ipWeight: 1000000, uidWeight: 1000000 } }
record: { name: ${RECORDING}, symbols: [${SYMBOLS.join(', ')}], everyMs: ${EVERY_MS}, rotate: 1s }
`,
  );
  return path;
}
