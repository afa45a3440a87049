import { availableParallelism } from 'node:os';
import { Decimal } from '../../model/decimal.ts';
import { isoTime } from '../../model/time.ts';
import type { RobustnessRow } from '../../report/robustness-text.ts';
import { Study } from '../../search/study.ts';
import { completeInstruments } from '../config/complete-instruments.ts';
import { readConfig } from '../config/load-config.ts';
import type { Config } from '../config/schema/schema.ts';
import type { SpacedSearch } from '../config/schema/search-schema.ts';
import { trialSettings } from '../search/apply-trial.ts';
import { dimensionsOf } from '../search/search-plan.ts';
import { inConfigFolder } from '../search/setting-paths.ts';
import { errorOf } from '../search/trial-ground.ts';
import { TrialPool } from '../search/trial-pool.ts';
import type { PlanReply, RunReply, TrialTerms } from '../search/worker-protocol.ts';

const DAY_MS = 86_400_000;
/** The part of its days by which the start is moved. */
const MOVES = [0.1, 0.25] as const;
/** The step of a parameter that may have any value of its range, as a share of the range. */
const STEP = 0.05;

/** A run that differs from the judged one in one thing. */
interface Variation {
  readonly name: string;
  /** As in `--set`. */
  readonly set: readonly string[];
}

/**
 * Runs a trial again, as it is and with one thing changed at a time, as backtests.
 * @param workers threads; default: one for each core.
 * @throws TidegateError of the trial as it is; a variation that fails has its reason in its row.
 */
export async function robustnessOf(study: string, trial: number, workers = availableParallelism()): Promise<RobustnessRow[]> {
  const { config: configPath, set, own, steps } = readTrial(study, trial);
  const pool = new TrialPool({ workers });
  try {
    const terms: TrialTerms = { configPath, embedded: false, set, shared: {} };
    const plan = await pool.run({ kind: 'plan', terms, set: own });
    if (plan.kind !== 'plan') throw errorOf(plan);
    const base = await pool.run({ kind: 'run', terms, set: own });
    if (base.kind !== 'run') throw errorOf(base);
    const read = readConfig(configPath, { set: [...set, ...own], env: process.env });
    const { config } = read.check(await completeInstruments(read.value));
    const variations = [...changesOf(config, plan, base.returns.length), ...steps];
    const rows = variations.map(async ({ name, set: changed }) => {
      const end = await pool.run({ kind: 'run', terms, set: [...own, ...changed] });
      return end.kind === 'run' ? rowOf(name, end) : { name, reason: errorOf(end).message };
    });
    return [rowOf('as it is', base), ...(await Promise.all(rows))];
  } finally {
    await pool.close();
  }
}

function rowOf(name: string, { statistics }: RunReply): RobustnessRow {
  const { totalReturn = null, sharpe = null, maxDrawdown = null, trades = null } = statistics;
  return { name, totalReturn, sharpe, maxDrawdown, trades };
}

/** The config and the settings of a trial, and its neighbors: each parameter a step down and up. */
function readTrial(folder: string, number: number) {
  const study = Study.open(folder);
  try {
    const { trial, config, set, own } = trialSettings(study, number);
    const paths = study.terms.paths as Readonly<Record<string, string>>;
    const steps = dimensionsOf(study.terms.search as SpacedSearch).flatMap((dimension, place): Variation[] => {
      if (!dimension.ordered) return [];
      const at = trial.point[place]!;
      const isIn = (one: number) => one >= 0 && (dimension.count === undefined ? one < 1 : one < dimension.count);
      const by = dimension.count === undefined ? STEP : 1;
      return [at - by, at + by].filter(isIn).map((one) => ({
        name: `${dimension.name} ${dimension.text(one)}`,
        set: [`${paths[dimension.name]}=${dimension.text(one)}`],
      }));
    });
    return { config, set, own: own.map((one) => inConfigFolder(one, config)), steps };
  } finally {
    study.close();
  }
}

/** The changes of start, costs, delays, fills and symbols that this config allows. @param days of daily returns. */
function changesOf(config: Config, { from, barMs }: PlanReply, days: number): Variation[] {
  const { latency, fills, observation } = config.backtest;
  const moved = MOVES.map((share): Variation => {
    const later = Math.max(1, Math.floor(share * days));
    return { name: `start ${later} days later`, set: [`backtest.from=${isoTime(from + later * DAY_MS)}`] };
  });
  const delays = Object.entries(latency).filter(
    (one): one is [string, number] => typeof one[1] === 'number' && /Ms$/.test(one[0]) && one[1] > 0,
  );
  const doubled = delays.map(([key, ms]) => `backtest.latency.${key}=${2 * ms}`);
  // Recorded delays and models replace the others; a polling bot's delay is that of its polls.
  const isFixed = latency.recorded === undefined && latency.model === undefined && observation === 'events';
  const { entryMs } = latency;
  const later = barMs === undefined || typeof entryMs !== 'number' ? [] : [`backtest.latency.entryMs=${entryMs + barMs}`];
  const usesBars = typeof fills.path === 'string' && barMs !== undefined;
  return [
    ...moved,
    ...ifAny('costs doubled', costs(config)),
    ...(isFixed ? [...ifAny('delays doubled', doubled), ...ifAny('orders one bar later', later)] : []),
    ...(usesBars ? (['worst', 'best'] as const).map((path) => ({ name: `path ${path}`, set: [`backtest.fills.path=${path}`] })) : []),
    ...(typeof fills.limit === 'string'
      ? (['strictCross', 'touch'] as const).map((limit) => ({ name: `limit ${limit}`, set: [`backtest.fills.limit=${limit}`] }))
      : []),
    ...withoutSymbols(config),
  ];
}

function ifAny(name: string, set: readonly string[]): Variation[] {
  return set.length === 0 ? [] : [{ name, set }];
}

/** Fees, slippage and spread twice; a rebate stays as it is. Models of fees and of slippage stay too. */
function costs({ instruments, backtest: { fills } }: Config): string[] {
  const fees = Object.entries(instruments).flatMap(([symbol, { makerFee, takerFee }]) =>
    Object.entries({ makerFee, takerFee }).flatMap(([key, fee]) => {
      const rate = new Decimal(fee);
      return rate.gt(0) ? [`instruments.${symbol}.${key}="${rate.times(2).toFixed()}"`] : [];
    }),
  );
  const more = (['slippageBps', 'halfSpreadTicks'] as const).flatMap((key) => {
    const value = Number(fills[key]);
    return value > 0 ? [`backtest.fills.${key}=${2 * value}`] : [];
  });
  return [...fees, ...more];
}

/** Each strategy with several symbols, without one of them. */
function withoutSymbols({ strategies }: Config): Variation[] {
  return strategies.flatMap(({ id, symbols }, place) =>
    symbols.length < 2
      ? []
      : [...new Set(symbols)].map((symbol) => ({
          name: `${id} without ${symbol}`,
          set: [`strategies.${place}.symbols=${JSON.stringify(symbols.filter((other) => other !== symbol))}`],
        })),
  );
}
