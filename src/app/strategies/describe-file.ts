import { readFileSync } from 'node:fs';
import { TidegateError } from '../../model/errors.ts';
import { loadModule } from '../loader/load-module.ts';
import { isStrategy, type StrategyClass } from '../loader/load-strategy.ts';
import { choicesOf, feedNeeds } from '../planning/planned-strategies.ts';
import { type Parameter, parametersOf } from './parameters.ts';

/** The description of a class in `tidegate strategies`. */
export interface StrategyDescription {
  /** The exported name. */
  readonly name: string;
  readonly file: string;
  /** The first sentence of its doc comment. */
  readonly summary: string;
  readonly needs: {
    readonly bars: readonly string[];
    /** The number of bars of each interval before the start. */
    readonly history: number;
    /** Other data, from flags and hooks: quotes, trades, tickers, marks, funding. */
    readonly data: readonly string[];
  };
  readonly parameters: readonly Parameter[];
}

/** The strategy classes of one file, in the order of their names; a class under two names counts once. @throws TidegateError */
export async function describeFile(file: string): Promise<StrategyDescription[]> {
  const { exports, files } = await loadModule(file);
  const classes = new Map<StrategyClass, string>();
  // The own name of a class comes before `default`.
  for (const name of Object.keys(exports).sort((a, b) => Number(a === 'default') - Number(b === 'default'))) {
    const candidate = exports[name];
    if (isStrategy(candidate) && !classes.has(candidate)) classes.set(candidate, name);
  }
  const texts = files.map((source) => readFileSync(source, 'utf8'));
  return [...classes].map(([Class, name]) => describe(Class, name, file, texts));
}

function describe(Class: StrategyClass, name: string, file: string, texts: readonly string[]): StrategyDescription {
  const {
    needs: [preferred],
    isOpen,
  } = choicesOf(name, Class, 'backtest', defaultsOf(Class));
  const { kinds, futuresKinds, history } = feedNeeds(name, [], preferred, isOpen ? {} : Class.prototype);
  const data = [...kinds, ...futuresKinds].filter((kind) => kind !== 'bar').map((kind) => (kind === 'funding' ? kind : `${kind}s`));
  const { bars = [], weekStart } = preferred ?? {};
  const intervals = [bars].flat().map((text) => (weekStart === 'monday' && text.endsWith('w') ? `${text} from Monday` : text));
  const needs = { bars: intervals, history, data };
  return { name, file, summary: docLine(name === 'default' ? Class.name : name, texts), needs, parameters: described(Class, name, file) };
}

/** The parameters of a class without any given; a required one is absent. */
function defaultsOf({ params }: StrategyClass): unknown {
  return params?.safeParse({}).data ?? {};
}

function described({ params }: StrategyClass, name: string, file: string): Parameter[] {
  try {
    return parametersOf(params);
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new TidegateError('STRATEGY_LOAD_FAILED', `${file}: the parameters of ${name} are not a zod schema that can be listed: ${text}`, {
      cause,
    });
  }
}

/**
 * The first sentence of the doc comment on a class, searched in the texts of the files; empty without one.
 */
export function docLine(name: string, texts: readonly string[]): string {
  const head = new RegExp(
    String.raw`/\*\*((?:(?!\*/)[^])*)\*/\s*(?:@[^\n]*\s+)*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+${name.replaceAll('$', '\\$')}\b`,
  );
  const comment = texts.map((text) => head.exec(text)?.[1]).find((found) => found !== undefined) ?? '';
  const [paragraph = ''] = comment
    .replace(/^[ \t]*\*?[ \t]?/gm, '')
    .trim()
    .split(/\n\s*\n/);
  const line = paragraph.replace(/\s+/g, ' ');
  return /^.*?\.(?= \p{Lu}|$)/u.exec(line)?.[0] ?? line;
}
