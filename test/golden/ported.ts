import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { simulateRun } from '../../src/app/backtest/simulate-run.ts';
import { loadConfig } from '../../src/app/config/load-config.ts';
import { dataSynth } from '../../src/app/data/resample-synth.ts';
import { planBacktest } from '../../src/app/planning/plan-backtest.ts';
import { SILENT } from '../../src/app/planning/run-plans.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { Fill } from '../../src/model/fill.ts';
import type { MarketEvent } from '../../src/model/market-events.ts';
import { ROOT } from '../support/cli.ts';
import { CollectedTables } from '../support/collected-tables.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The strategies of other frameworks: a config each in configs/ported. */
export const PORTED = readdirSync(join(ROOT, 'configs/ported')).map((file) => file.replace(/\.yaml$/, ''));

/** The recording `twenty` as the command in the configs that use it makes it. */
const TWENTY = {
  name: 'twenty',
  seed: '20',
  from: '2025-01-01',
  bars: '5d',
  interval: '1h',
  instrument: Array.from({ length: 20 }, (_, index) => `C${String(index + 1).padStart(2, '0')}-USDT:0.001:100`),
};

export interface PortedRun {
  readonly fills: readonly Fill[];
  readonly orders: CollectedTables['orders'];
  readonly refusals: CollectedTables['refusals'];
  /** The market events of the runs whose rules are computed again from them. */
  readonly events: readonly MarketEvent[];
  /** The part of it that the golden file keeps. */
  readonly figures: object;
}

let twenty: string | undefined;

const isOfTwenty = (name: string) => name === 'band-dip' || name === 'momentum-ranking';

async function dataOf(name: string): Promise<string> {
  if (!isOfTwenty(name)) return join(ROOT, 'data');
  if (twenty === undefined) {
    twenty = temporaryFolder();
    await dataSynth({ ...TWENTY, dataDir: twenty }, () => {});
  }
  return twenty;
}

/** Runs a ported strategy in this process. */
export async function portedRun(name: string): Promise<PortedRun> {
  const loaded = loadConfig(join(ROOT, 'configs/ported', `${name}.yaml`), { set: [`dataDir=${await dataOf(name)}`] });
  const { plan } = await planBacktest(loaded, SILENT);
  const tables = new CollectedTables();
  const events: MarketEvent[] = [];
  const keep = (engine: Engine) => engine.market$.subscribe((event) => events.push(event));
  const observe = name === 'momentum-ranking' || name === 'basis-maker' ? keep : () => {};
  const { state, eventLogSha256, marketEvents, failure } = await simulateRun(plan, { tables: [tables], observe });
  if (failure !== undefined) throw failure.error;
  const { orders, fills, refusals } = tables;
  const denied: Record<string, number> = {};
  for (const { reason } of refusals) denied[reason.code] = (denied[reason.code] ?? 0) + 1;
  const shown = ({ time, symbol, side, quantity, price, tag, ref }: Fill) => [new Date(time).toISOString(), symbol, side, quantity, price, tag, ref].join(' ').trim();
  const figures = {
    marketEvents,
    orders: orders.length,
    fills: fills.length,
    denied,
    finalEquity: state.portfolio.exactEquity().toFixed(),
    eventLogSha256,
    firstFills: fills.slice(0, 3).map(shown),
    lastFills: fills.slice(-3).map(shown),
  };
  return { fills, orders, refusals, events, figures };
}
