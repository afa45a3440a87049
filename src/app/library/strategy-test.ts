import { existsSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { type AccountEvent, isOrderEvent, type NamedOrderEvent, type OrderNames } from '../../model/account-events.ts';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import type { Journal } from '../../ports/journal.ts';
import type { LogLine } from '../../ports/log.ts';
import { type GoldenFigures, goldenFigures, keepFigures } from '../backtest/results/golden.ts';
import type { RunOptions } from '../backtest/run-backtest.ts';
import { isStrategy, type StrategyClass as LoadedClass, loadStrategyClass } from '../loader/load-strategy.ts';
import type { RecordedData } from '../planning/recorded-data.ts';
import { backtestOf } from './backtest.ts';
import { barLength, HAND_FED, handFedData, symbolsOf } from './hand-fed.ts';
import { type OptionForms, requireOptions } from './library-error.ts';
import type { BacktestResult } from './run-result.ts';
import type { Decision, StrategyClass, StrategyTest, StrategyTestResult } from './strategy-test-types.ts';

/** 2025-01-01, in epoch ms. */
const START = 1_735_689_600_000;
const SYMBOL = 'BTC-USDT';
const BALANCE = '100000';
/** Decimal places of the default tick and step; finer rows make them finer. */
const [TICK_PLACES, STEP_PLACES] = [2, 5];

const TEST_OPTIONS: OptionForms<StrategyTest> = {
  ...{ bars: true, quotes: true, trades: true, tickers: true, depth: true, marks: true, funding: true, signals: true },
  ...{ params: true, interval: true, history: true, start: true, balances: true, config: true },
};

/**
 * Runs a strategy over prices that a test has written by hand, with the engine, the risk module and the simulator of a backtest, and returns
 * what it did. Nothing is read from or written to the disk. The defaults: symbol `BTC-USDT`, spot, no fees, 100,000 of quote, the profile
 * `full`, and the fill rules of a backtest: a market order that is decided at the close of a bar fills at the next open.
 *
 * ```ts
 * import { type Bar, place, Strategy } from 'tidegate';
 * import { testStrategy } from 'tidegate/testing';
 *
 * class Dip extends Strategy {
 *   static needs = { bars: '1m' };
 *   onBar({ symbol, open, close }: Bar) {
 *     if (close < open) return place({ symbol, side: 'buy', type: 'market', quantity: 2 });
 *   }
 * }
 *
 * const run = await testStrategy(Dip, { bars: [100, [100, 100, 98, 99], 97] });
 * console.log(run.intents.length, run.fills[0]?.price); // 1 97
 * console.log(run.account.balances); // { USDT: '99806', BTC: '2' }
 * ```
 *
 * @param strategy the class, or the path of its file.
 * @throws TidegateError DATA_INVALID naming a wrong row, CONFIG_INVALID for a wrong setting, STRATEGY_PARAMS_INVALID. `RunFailed` if the
 * strategy threw: `result` has everything until then.
 */
export async function testStrategy(strategy: StrategyClass | string, test: StrategyTest): Promise<StrategyTestResult> {
  requireOptions('testStrategy', test, TEST_OPTIONS);
  const Class = typeof strategy === 'string' ? await classOf(strategy) : strategy;
  if (typeof Class !== 'function')
    throw new TidegateError('USAGE', `testStrategy: expected the class of a strategy or the path of its file, not ${String(Class)}`);
  const { start = START, history = 0, interval = intervalOf(Class, test.params) } = test;
  const from = typeof start === 'number' ? start : new Date(start).getTime();
  if (!Number.isFinite(from)) throw new TidegateError('CONFIG_INVALID', `start: expected a time, not ${JSON.stringify(start)}`);
  if (!Number.isSafeInteger(history) || history < 0)
    throw new TidegateError('CONFIG_INVALID', `history: expected a whole number of bars of at least 0, not ${String(history)}`);
  if (test.config !== undefined && !isMap(test.config))
    throw new TidegateError('CONFIG_INVALID', `config: expected an object of settings, not ${String(test.config)}`);
  const data = handFedData(test, { start: from, interval, symbol: SYMBOL });
  const notes = new Notes();
  const first = from + history * barLength(interval);
  const config = configOf(Class, test, data, first);
  const more: Pick<RunOptions, 'data' | 'journal'> = { data, journal: notes };
  const result = await backtestOf(config, { plots: true, onLog: (line) => notes.log.push(line) }, more);
  const { finalEquity: equity, finalBalances: balances, finalPositions: positions } = result.summary;
  return {
    intents: notes.decisions.map(({ intent }) => intent),
    decisions: notes.decisions,
    orderEvents: notes.orderEvents,
    denials: notes.orderEvents.flatMap((event) => (event.kind === 'orderDenied' ? [event.reason] : [])),
    fills: [...result.fills],
    trades: [...result.trades],
    account: { equity, balances, positions },
    log: notes.log,
    result,
  };
}

async function classOf(file: string): Promise<StrategyClass> {
  // The environment is the caller's, so it stays as it is.
  const loaded = await loadStrategyClass(file, undefined, { isStrategy, keepsSecrets: true });
  return loaded.StrategyClass as unknown as StrategyClass;
}

/** The first bar interval that a class needs with these parameters. */
function intervalOf(Class: StrategyClass, given: unknown): string {
  const { needs: declared, params } = Class as Pick<LoadedClass, 'needs' | 'params'>;
  const needs = typeof declared === 'function' ? declared((params?.safeParse(given ?? {}).data ?? {}) as never, 'backtest') : declared;
  const [first] = typeof needs === 'object' && needs !== null && 'bars' in needs ? [needs.bars ?? []].flat() : [];
  return first ?? '1m';
}

type Settings = Readonly<Record<string, unknown>>;

function configOf(Class: StrategyClass, test: StrategyTest, data: RecordedData, from: number): Settings {
  const { config = {}, balances, params } = test;
  for (const key of ['strategies', 'dataDir'])
    if (config[key] !== undefined) throw new TidegateError('CONFIG_INVALID', `config.${key}: a test sets it itself; remove it`);
  const symbols = symbolsOf(test, SYMBOL);
  const quote = symbols[0]!.split('-')[1]!;
  const places = (symbol: string, decimals: 'priceDecimals' | 'quantityDecimals', least: number) =>
    Math.max(least, ...data.series.filter(({ meta }) => meta.symbol === symbol).map(({ meta }) => meta[decimals]));
  const gridOf = (symbol: string) => ({
    tickSize: powerText(places(symbol, 'priceDecimals', TICK_PLACES)),
    stepSize: powerText(places(symbol, 'quantityDecimals', STEP_PLACES)),
  });
  const defaults = {
    name: 'test',
    account: { kind: symbols.every((symbol) => symbol.endsWith('-PERP')) ? 'futures' : 'spot' },
    instruments: Object.fromEntries(symbols.map((symbol) => [symbol, gridOf(symbol)])),
    signals: Object.fromEntries(Object.keys(test.signals ?? {}).map((name) => [name, {}])),
    strategies: [{ id: 'test', use: Class, symbols, ...(params !== undefined && { params }) }],
    backtest: { data: [HAND_FED], from: isoTime(from), profile: 'full' },
  };
  const merged = mergedOver(defaults, config);
  const account = merged.account as Settings;
  return account.balances === undefined || balances !== undefined
    ? { ...merged, account: { ...account, balances: balances ?? { [quote]: BALANCE } } }
    : merged;
}

/** `10^-places` as decimal text. */
function powerText(places: number): string {
  return places === 0 ? '1' : `0.${'0'.repeat(places - 1)}1`;
}

/** Maps are merged, everything else is replaced. */
function mergedOver(base: Settings, over: Settings): Settings {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const below = merged[key];
    merged[key] = isMap(below) && isMap(value) ? mergedOver(below, value) : value;
  }
  return merged;
}

function isMap(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Writes down what happens in a run. */
class Notes implements Journal {
  readonly decisions: Decision[] = [];
  readonly orderEvents: NamedOrderEvent[] = [];
  readonly log: LogLine[] = [];
  readonly #names = new Map<string, OrderNames>();

  intent(_sequence: number, time: number, _strategyId: string, intent: Decision['intent']): void {
    this.decisions.push({ time, intent });
  }

  event(_sequence: number, event: AccountEvent): void {
    if (!isOrderEvent(event)) return;
    if (event.kind === 'orderDenied') {
      this.orderEvents.push({ ...event, side: event.side, ref: event.ref ?? '', group: event.group ?? '' });
      return;
    }
    if (event.kind === 'orderSubmitted') {
      const { strategyId, instrument, side, tag, ref = '', group = '' } = event.request;
      this.#names.set(event.clientOrderId, { strategyId, symbol: instrument.symbol, side, tag, ref, group });
    }
    this.orderEvents.push({ ...event, ...this.#names.get(event.clientOrderId)! });
  }

  commit(): void {}
}

/**
 * A golden test: compares the figures of a run with those that an earlier run has kept in a JSON file. Equal data, config and code give equal
 * figures, to the last byte of the event log. Without the file, the figures are kept. `RENEW_GOLDEN=1` in the environment keeps those of today.
 *
 * ```ts
 * import { type Bar, place, Strategy } from 'tidegate';
 * import { checkGolden, testStrategy } from 'tidegate/testing';
 *
 * class Always extends Strategy {
 *   static needs = { bars: '1m' };
 *   onBar({ symbol }: Bar) {
 *     return place({ symbol, side: 'buy', type: 'market', quantity: '0.1' });
 *   }
 * }
 *
 * const run = await testStrategy(Always, { bars: [100, 101, 102] });
 * console.log(checkGolden('golden/always.json', run)); // kept
 * console.log(checkGolden('golden/always.json', run)); // same
 * ```
 *
 * @param file path of the JSON file; its folder is made.
 * @param run the result of `testStrategy`, or of `backtest` of `tidegate/run`.
 * @returns `kept` if the file was written, `same` if nothing has changed.
 * @throws Error with each figure that has changed, before and now. TidegateError DATA_INVALID for a file with other content, DATA_NOT_FOUND
 * for a missing file where `CI` is set, USAGE if `run` is no result.
 */
export function checkGolden(file: string, run: StrategyTestResult | BacktestResult): 'kept' | 'same' {
  const summary = (run as Partial<StrategyTestResult>)?.result?.summary ?? (run as Partial<BacktestResult>)?.summary;
  if (summary === undefined) {
    const given = run instanceof Promise ? 'a promise: await it' : String(run);
    throw new TidegateError('USAGE', `checkGolden: expected the result of testStrategy or of backtest, not ${given}`);
  }
  const now = goldenFigures(summary);
  const isRenewed = process.env.RENEW_GOLDEN === '1';
  if (isRenewed || !existsSync(file)) {
    if (!isRenewed && isBuildServer()) throw new TidegateError('DATA_NOT_FOUND', `${file}: ${NO_GOLDEN}`);
    keepFigures(file, now);
    return 'kept';
  }
  const before = kept(file);
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])] as (keyof GoldenFigures)[];
  const changed = keys.filter((key) => !isDeepStrictEqual(before[key], now[key]));
  if (changed.length === 0) return 'same';
  const lines = changed.map((key) => `  ${key}: ${JSON.stringify(before[key])} is now ${JSON.stringify(now[key])}`);
  throw new Error(`the run differs from ${file}:\n${lines.join('\n')}\nIf the change is wanted, run again with RENEW_GOLDEN=1`);
}

const NO_GOLDEN = 'there are no golden figures; run the test once on your machine (without the variable CI), and commit the file';

/** Build servers set `CI`. A file that is missing there was not committed, so nothing would be compared. */
function isBuildServer(): boolean {
  return !['', '0', 'false'].includes(process.env.CI ?? '');
}

function kept(file: string): Partial<GoldenFigures> {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isMap(parsed)) return parsed;
  } catch {
    // Reported below, like other content.
  }
  throw new TidegateError('DATA_INVALID', `${file}: expected a JSON object with the figures of a run`);
}
