import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Summary } from './summary.ts';

const FIGURES = ['from', 'to', 'orders', 'fills', 'denied', 'closedTrades', 'finalEquity', 'totalFees', 'eventLogSha256'] as const;

/** The figures of a run that a golden test keeps. `eventLogSha256` is the hash of all intents, orders, fills and ledger entries. */
export type GoldenFigures = Pick<Summary, (typeof FIGURES)[number]>;

export function goldenFigures(summary: Summary): GoldenFigures {
  return Object.fromEntries(FIGURES.map((key) => [key, summary[key]])) as GoldenFigures;
}

/** Keeps figures in a JSON file. Its folder is made. */
export function keepFigures(file: string, figures: GoldenFigures): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`);
}
