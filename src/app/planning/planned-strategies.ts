import { neededIntervals } from '../../engine/strategies/moments.ts';
import { type BarInterval, WEEK_STARTS } from '../../model/bar-interval.ts';
import { TidegateError } from '../../model/errors.ts';
import type { MarketEventKind, PriceEventKind } from '../../model/market-events.ts';
import { isChoice, type RunMode, type Strategy, type StrategyNeeds, signalNames } from '../../strategy/strategy.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { CLASS_PREFIX } from '../config/reading/object-tree.ts';
import { placed } from '../config/reading/problems.ts';
import type { ConfigPath } from '../config/reading/tree.ts';
import { hashSources } from '../loader/bundle-strategy.ts';
import {
  completedParams,
  constructed,
  isStrategy,
  type LoadedStrategy,
  loadStrategyClass,
  parseParams,
  refuseHiddenMethods,
  requireSchema,
  type StrategyClass,
} from '../loader/load-strategy.ts';
import { strategyDoubts } from '../loader/strategy-doubts.ts';
import { kindText } from './recorded-data.ts';
import type { PlannedStrategy } from './run-plans.ts';

/** Market data other than prices that a futures account receives: marks and funding. */
export type FuturesEventKind = Exclude<MarketEventKind, PriceEventKind>;

/** The market data that one strategy class needs: by its `needs` and by its hooks. */
export interface FeedNeeds {
  readonly id: string;
  readonly symbols: readonly string[];
  /** The symbols whose prices it receives and which it does not trade. */
  readonly references?: readonly string[] | undefined;
  readonly kinds: readonly PriceEventKind[];
  readonly futuresKinds: readonly FuturesEventKind[];
  /** Bar intervals; the first is the default of `history`. */
  readonly intervals: readonly BarInterval[];
  readonly history: number;
  /** The names of `needs.signals`; without it, the strategy receives all signals. */
  readonly signals?: readonly string[] | undefined;
  /** The class has `onSignal`. */
  readonly hasSignalHook?: boolean | undefined;
  /** Which of the choices of the class this is, from 1, and how many there are; absent if it leaves none. */
  readonly choice?: { readonly number: number; readonly of: number } | undefined;
}

/** The symbols whose market data a strategy receives: those that it trades, then its references. */
export function receivedSymbols({ symbols, references = [] }: Pick<FeedNeeds, 'symbols' | 'references'>): readonly string[] {
  return [...symbols, ...references];
}

/** Whether a run has the data of one choice of needs. */
export type HasData = (needs: FeedNeeds) => boolean | Promise<boolean>;

/** The kinds of market data that a bot can have. Bars are built from tickers. */
export const BOT_KINDS: readonly string[] = ['bar', 'ticker', 'mark'];

/** A bot has what the exchange's API has. */
export const botHasData: HasData = ({ kinds, futuresKinds }) => [...kinds, ...futuresKinds].every((kind) => BOT_KINDS.includes(kind));

/** The code of one strategy as it was loaded. */
export interface StrategyCode extends Pick<LoadedStrategy, 'entry' | 'sources' | 'sourceHash'> {
  readonly id: string;
}

/** The strategies of a config, the data that each needs, and their code. */
export interface PlannedStrategies {
  readonly strategies: PlannedStrategy[];
  readonly needs: FeedNeeds[];
  readonly code: StrategyCode[];
  /** The effective parameters of each, in a form that can be read again. */
  readonly params: Readonly<Record<string, unknown>>[];
  /** Mistakes in the classes that are nearly certain. */
  readonly warnings: string[];
}

/**
 * Loads the strategies of a config, checks their parameters, and finds the data that each needs.
 * @param hasData whether the run has the data of a choice of needs. It is called only if a class leaves a choice.
 * @throws TidegateError STRATEGY_NOT_FOUND, STRATEGY_LOAD_FAILED, STRATEGY_PARAMS_INVALID.
 */
export async function plannedStrategies(loaded: LoadedConfig, mode: RunMode, hasData: HasData = botHasData): Promise<PlannedStrategies> {
  const strategies: PlannedStrategy[] = [];
  const needs: FeedNeeds[] = [];
  const code: StrategyCode[] = [];
  const completed: PlannedStrategies['params'] = [];
  const warnings: string[] = [];
  for (const [index, { id, file, export: exportName, symbols, references, params }] of loaded.config.strategies.entries()) {
    const given = loaded.classes.get(file);
    const {
      StrategyClass: loadedClass,
      entry,
      sources,
      sourceHash,
    } = given === undefined
      ? await placed(
          loaded,
          (error) => codePath(index, error),
          () => loadStrategyClass(file, exportName, { isStrategy, keepsSecrets: loaded.embedded }),
        )
      : givenClass(id, file, given);
    const Class = loadedClass as StrategyClass;
    refuseHiddenMethods(id, Class);
    const path = ['strategies', index, 'params'];
    requireSchema(Class.params, path);
    const written = Class.params === undefined ? params : ((loaded.valueAs(Class.params, path) ?? params) as typeof params);
    const checked = parseParams(Class.params, written, { path, locate: loaded.locate, written: loaded.written });
    const create: PlannedStrategy['create'] = (context) => constructed(Class, context);
    const files = given === undefined ? [...sources.keys()] : [];
    const choices = choicesOf(id, Class, mode, checked);
    const each = choices.needs.map((one) => ({ ...feedNeeds(id, symbols, one, choices.isOpen ? {} : Class.prototype), references }));
    const chosen = await firstWithData(each, hasData);
    const needed = choices.isOpen
      ? { needs: choices.needs[chosen] }
      : typeof Class.needs === 'function' && { needs: withHooks(choices.needs[0], each[0]!) };
    strategies.push({ id, symbols, references, params: checked, schema: Class.params, create, source: sourceHash, files, ...needed });
    completed.push(completedParams(Class.params, written, checked));
    code.push({ id, entry, sources, sourceHash });
    needs.push(choices.isOpen ? { ...each[chosen]!, choice: { number: chosen + 1, of: each.length } } : each[chosen]!);
    warnings.push(...strategyDoubts(id, Class, each[chosen]!));
  }
  return { strategies, needs, code, params: completed, warnings };
}

/** The setting that an error about the file of a strategy is about; undefined for an error of its code. */
function codePath(index: number, { code, message }: TidegateError): ConfigPath | undefined {
  if (code === 'STRATEGY_NOT_FOUND') return message.startsWith(CLASS_PREFIX) ? undefined : ['strategies', index, 'file'];
  return /: (no export |the export )"/.test(message) ? ['strategies', index, 'export'] : undefined;
}

/** A class that code gives to the run. Its source is the text of the class. @throws TidegateError STRATEGY_LOAD_FAILED */
function givenClass(id: string, file: string, given: unknown): Omit<LoadedStrategy, 'name'> {
  if (!isStrategy(given)) {
    const text = `strategy "${id}": ${file.slice(CLASS_PREFIX.length)} does not extend Strategy of the \`tidegate\` that runs it`;
    throw new TidegateError('STRATEGY_LOAD_FAILED', `${text}: import both from one installed package`);
  }
  const sources = new Map([[file, String(given)]]);
  return { StrategyClass: given, entry: file, sources, sourceHash: hashSources(sources, '') };
}

/**
 * The needs of a class with its parameters in a mode, in order of preference. `isOpen`: the class leaves a choice, so hooks do not show
 * needs. A function that takes the parameters alone and returns one object leaves none.
 * @throws TidegateError STRATEGY_LOAD_FAILED if `needs` is neither an object nor a list of these.
 */
export function choicesOf(
  id: string,
  { needs: declared }: Pick<StrategyClass, 'needs'>,
  mode: RunMode,
  params: unknown,
): { readonly needs: readonly (StrategyNeeds | undefined)[]; readonly isOpen: boolean } {
  const needs = typeof declared === 'function' ? neededWith(id, declared, mode, params) : declared;
  const list = isChoice(needs) ? needs : [needs];
  const isOpen = isChoice(needs) || (typeof declared === 'function' && declared.length > 1);
  const isChecked = isOpen || typeof declared === 'function';
  if (isChecked && (list.length === 0 || list.some((one) => typeof one !== 'object' || one === null))) {
    const from = typeof declared === 'function' ? `needs(params, "${mode}") returned` : 'needs is';
    throw new TidegateError(
      'STRATEGY_LOAD_FAILED',
      `strategy "${id}": ${from} ${JSON.stringify(needs) ?? 'nothing'}; expected an object such as { quotes: true }, or a list of these`,
    );
  }
  return { needs: list, isOpen };
}

type NeedsFunction = Extract<StrategyClass['needs'], (...given: never) => unknown>;

/** The needs that the function of a class returns. @throws TidegateError STRATEGY_LOAD_FAILED if it throws. */
function neededWith(id: string, declared: NeedsFunction, mode: RunMode, params: unknown): ReturnType<NeedsFunction> {
  try {
    return declared(params as never, mode);
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new TidegateError('STRATEGY_LOAD_FAILED', `strategy "${id}": needs(params, "${mode}") threw: ${text}`, { cause });
  }
}

/** Needs by parameters with the kinds that hooks show: a run that knows the needs of a strategy delivers nothing else. */
function withHooks(needs: StrategyNeeds | undefined, { kinds, futuresKinds }: FeedNeeds): StrategyNeeds {
  const has = (kind: MarketEventKind) => [...kinds, ...futuresKinds].includes(kind as never);
  const prices = { depth: has('depth'), quotes: has('quote'), trades: has('trade'), tickers: has('ticker') };
  return { ...needs, ...prices, marks: has('mark'), funding: has('funding') };
}

/** The first needs whose data the run has. Without any, the last: the error about them names what is missing. */
async function firstWithData(each: readonly FeedNeeds[], hasData: HasData): Promise<number> {
  for (let index = 0; index < each.length - 1; index++) if (await hasData(each[index]!)) return index;
  return each.length - 1;
}

/** The chosen data in words, and which choice of the class it is. Empty if the class leaves none. */
export function choiceText({ id, kinds, futuresKinds, choice }: FeedNeeds): string {
  if (choice === undefined) return '';
  const data = [...kinds, ...futuresKinds].map(kindText).join(' and ');
  return `strategy "${id}" gets ${data}: choice ${choice.number} of ${choice.of} of its needs`;
}

/**
 * A line for each reference of a strategy with the data that the strategy gets, and a warning for each kind that it needs and that the run
 * does not have.
 * @param has whether the run has a kind of data of a symbol.
 */
export function referenceTexts(
  needs: readonly FeedNeeds[],
  has: (symbol: string, kind: MarketEventKind) => boolean,
): { readonly lines: string[]; readonly warnings: string[] } {
  const found = needs.flatMap(({ id, references = [], kinds, futuresKinds }) =>
    references.map((symbol) => {
      const wanted = [...kinds, ...futuresKinds];
      const received = wanted.filter((kind) => has(symbol, kind)).map(kindText);
      return { id, symbol, received, missing: wanted.filter((kind) => !has(symbol, kind)).map(kindText) };
    }),
  );
  return {
    lines: found.map(
      ({ id, symbol, received }) => `strategy "${id}" gets ${received.join(' and ') || 'prices'} of its reference ${symbol}`,
    ),
    warnings: found.flatMap(({ id, symbol, missing }) =>
      missing.length === 0 ? [] : [`strategy "${id}" gets no ${missing.join(' and no ')} of its reference ${symbol}: the run has none`],
    ),
  };
}

/** The strategies with the terms by which their symbols begin one by one, if `start` is `each` and they need history. */
export function joining(
  { strategies, needs }: Pick<PlannedStrategies, 'strategies' | 'needs'>,
  { start, warmup }: { readonly start: 'all' | 'each'; readonly warmup: 'require' | 'cold' },
): PlannedStrategy[] {
  return strategies.map((strategy, index) => {
    const { intervals, history } = needs[index]!;
    return start === 'all' || warmup === 'cold' || history === 0 ? strategy : { ...strategy, joins: { intervals, history } };
  });
}

/** `1mo`, `2 months`, `1q`, `1y`. */
const OTHER_CALENDARS = /^\d+ ?(?:mo(?:nths?)?|q(?:uarters?)?|y(?:ears?)?)$/i;

/** The market data that a class needs. @throws TidegateError STRATEGY_LOAD_FAILED for invalid or missing bar intervals. */
export function feedNeeds(
  id: string,
  symbols: readonly string[],
  needs: StrategyNeeds | undefined,
  prototype: Partial<Strategy>,
): FeedNeeds {
  const where = `strategy "${id}"`;
  const refuse = (text: string) => {
    throw new TidegateError('STRATEGY_LOAD_FAILED', `${where}: ${text}`);
  };
  const { weekStart = 'thursday' } = needs ?? {};
  if (!WEEK_STARTS.includes(weekStart)) refuse(`needs.weekStart: expected ${WEEK_STARTS.join(' or ')}, not ${JSON.stringify(weekStart)}`);
  const intervals = neededIntervals(needs);
  if (intervals.some(Number.isNaN)) {
    const hint = [needs?.bars ?? []].flat().some((text) => OTHER_CALENDARS.test(text)) ? '; a quarter is 3M, a year 12M' : '';
    refuse(`needs.bars: expected intervals such as 1m, 1h, 1d, 1w or 1M, not ${JSON.stringify(needs?.bars)}${hint}`);
  }
  const barHook = (['onBar', 'onBars'] as const).find((hook) => prototype[hook] !== undefined);
  if (barHook !== undefined && intervals.length === 0) {
    throw new TidegateError('STRATEGY_LOAD_FAILED', `${where} has ${barHook}, but no interval: add \`static needs = { bars: '1m' }\``);
  }
  const kinds: PriceEventKind[] = [];
  if (intervals.length > 0) kinds.push('bar');
  if (needs?.depth === true || prototype.onDepth !== undefined) kinds.push('depth');
  if (needs?.quotes === true || prototype.onQuote !== undefined) kinds.push('quote');
  if (needs?.trades === true || prototype.onTrade !== undefined) kinds.push('trade');
  if (needs?.tickers === true || prototype.onTicker !== undefined) kinds.push('ticker');
  const futuresKinds: FuturesEventKind[] = [];
  if (needs?.marks === true || prototype.onMark !== undefined) futuresKinds.push('mark');
  if (needs?.funding === true || prototype.onFunding !== undefined) futuresKinds.push('funding');
  const signals = signalNames(needs);
  if (signals?.some((name) => typeof name !== 'string'))
    refuse(`needs.signals: expected names of entries of \`signals\` in the config, not ${JSON.stringify(needs?.signals)}`);
  const hasSignalHook = prototype.onSignal !== undefined;
  return { id, symbols, kinds, futuresKinds, intervals, history: needs?.history ?? 0, signals, hasSignalHook };
}
