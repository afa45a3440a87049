import { nearest } from '../../model/nearest.ts';
import { Strategy } from '../../strategy/strategy.ts';

const HOOKS = [
  ...[
    'onStart',
    'onTicker',
    'onQuote',
    'onDepth',
    'onTrade',
    'onBar',
    'onBars',
    'onMark',
    'onFunding',
    'onTimer',
    'onSignal',
    'onOrder',
    'onFill',
  ],
  ...['onStop', 'intents$'],
];

/** Names of hooks in other frameworks, in small letters. */
const FOREIGN: Readonly<Record<string, string>> = {
  oncandle: 'onBar',
  oncandles: 'onBars',
  onkline: 'onBar',
  onklines: 'onBars',
  onohlcv: 'onBar',
  ontick: 'onTicker',
  onbook: 'onDepth',
  onorderbook: 'onDepth',
  onorderbookupdate: 'onDepth',
  onorderfilled: 'onFill',
  onfilled: 'onFill',
  onexecution: 'onFill',
  ontradeexecuted: 'onFill',
  onorderupdate: 'onOrder',
  onorderstatus: 'onOrder',
  oninit: 'onStart',
  onend: 'onStop',
};

/** A name that reads like a hook: `onCandle`, `onbar`, `intent$`. */
const HOOK_LIKE = /^on[A-Za-z]|\$$/;
/** A read of bars other than by `onBar`. */
const READS_BARS = /\bintents\$|\bthis\.(?:history|bars|indicator|market)\b/;

type StrategyClass = { readonly prototype: Strategy };

/**
 * Mistakes in a class that are nearly certain, as warnings: a method that looks like a misspelt hook, which nothing calls, and bars that
 * are needed but that nothing reads.
 * @param needs the intervals of bars that the class needs in this run.
 */
export function strategyDoubts(id: string, Class: StrategyClass, { intervals }: { readonly intervals: readonly unknown[] }): string[] {
  const prototypes = ownPrototypes(Class);
  const source = prototypes.map((prototype) => String(prototype.constructor)).join('\n');
  const names = [...new Set(prototypes.flatMap((prototype) => Object.getOwnPropertyNames(prototype)))];
  const misspelt = names.flatMap((name) => {
    const hook = meantHook(name);
    return hook === undefined || source.includes(`.${name}`) ? [] : [{ name, hook }];
  });
  const texts = misspelt.map(
    ({ name, hook }) => `strategy "${id}": its method ${name} is never called: Tidegate has no such hook (did you mean ${hook}?)`,
  );
  const explained = misspelt.some(({ hook }) => hook === 'onBar' || hook === 'onBars');
  if (intervals.length > 0 && !explained && !readsBars(names, source))
    texts.push(`strategy "${id}": needs.bars is set, but nothing receives bars: add onBar, or remove needs.bars`);
  return texts;
}

/** The prototypes of a class and its base classes, without that of `Strategy`. */
function ownPrototypes({ prototype }: StrategyClass): object[] {
  const found: object[] = [];
  for (let at: object | null = prototype; at !== null && at !== Strategy.prototype; at = Object.getPrototypeOf(at)) found.push(at);
  return found;
}

function meantHook(name: string): string | undefined {
  if (!HOOK_LIKE.test(name) || HOOKS.includes(name)) return undefined;
  return FOREIGN[name.toLowerCase()] ?? nearest(name, HOOKS);
}

/** An order that is placed at the start, by a timer or on a signal needs prices, so bars may be needed for these alone. */
function readsBars(names: readonly string[], source: string): boolean {
  return (
    ['onBar', 'onBars', 'onStart', 'onTimer', 'onSignal'].some((hook) => names.includes(hook)) ||
    READS_BARS.test(source) ||
    /\bonBars?\b/.test(source)
  );
}
