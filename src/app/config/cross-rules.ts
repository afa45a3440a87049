import { Decimal } from '../../model/decimal.ts';
import { suggestion } from '../../model/nearest.ts';
import { accountCurrency, conversionSymbol, quotesOf, referenceSymbols } from './account-settings.ts';
import { futuresRules } from './futures-rules.ts';
import { aboutKey, aboutValue, type Complaint } from './reading/problems.ts';
import type { ConfigPath } from './reading/tree.ts';
import type { PublicTickersConfig } from './schema/fields.ts';
import type { SoundSections } from './schema/schema.ts';
import { searchRules } from './search-rules.ts';

/** Checks the rules between settings, which a schema of single values cannot express. */
export function crossRules(config: SoundSections): Complaint[] {
  const rules = [
    accountRules,
    futuresRules,
    instrumentRules,
    strategyRules,
    riskRules,
    currencyRules,
    periodRules,
    polledRules,
    recordedLatencyRules,
    latencyModelRules,
    benchmarkRules,
    publicPricesRules,
    searchRules,
  ];
  return rules.flatMap((rule) => rule(config));
}

function accountRules(config: SoundSections): Complaint[] {
  const { account, instruments, backtest } = config;
  const found: Complaint[] = [];
  if (account?.kind === 'netting' && backtest?.profile === 'exchange') {
    found.push(aboutValue(['backtest', 'profile'], 'expected full with a netting account: the exchange has no netting accounts'));
  }
  if (account?.kind === 'spot') {
    const references = referenceSymbols(config);
    for (const symbol of Object.keys(instruments ?? {}).filter((name) => name.endsWith('-PERP') && !references.has(name))) {
      const remedy = 'set account.kind to futures, or list it only in `references` of strategies';
      found.push(aboutKey(['instruments', symbol], `a spot account cannot trade a futures instrument: ${remedy}`));
    }
  }
  return found;
}

/** Every asset that an account can hold needs a price in the currency of its equity. */
function currencyRules(config: SoundSections): Complaint[] {
  const { account, instruments } = config;
  if (account === undefined || instruments === undefined) return [];
  const quotes = quotesOf(config);
  const currency = accountCurrency(config);
  if (currency === undefined) {
    const text = `missing: the instruments are quoted in ${quotes.join(' and ')}; set the one in which equity is computed`;
    return [aboutKey(['account', 'currency'], text)];
  }
  if (account.kind === 'netting') {
    const references = referenceSymbols(config);
    const others = Object.keys(instruments).filter((symbol) => symbol.split('-')[1] !== currency && !references.has(symbol));
    const text = `a netting account has only one currency, ${currency}: remove what is quoted in another`;
    return [
      ...others.map((symbol) => aboutKey(['instruments', symbol], text)),
      ...unpriced(['account', 'balances'], account.balances, currency, {}),
    ];
  }
  return [
    ...unpriced(['account', 'balances'], account.balances, currency, config),
    ...unpriced(['account', 'spot'], account.spot ?? {}, currency, config),
    ...tradedRules(config, currency),
  ];
}

function unpriced(path: ConfigPath, balances: Readonly<Record<string, string>>, currency: string, config: SoundSections): Complaint[] {
  return Object.keys(balances)
    .filter((asset) => asset !== currency && conversionSymbol(asset, currency, config) === undefined)
    .map((asset) => aboutKey([...path, asset], `${unpricedText(asset, currency)}, or remove this balance`));
}

/** A spot trade leaves its base or its quote in the account. */
function tradedRules(config: SoundSections, currency: string): Complaint[] {
  const { strategies = [], instruments = {} } = config;
  return strategies.flatMap((strategy, index) =>
    strategy.symbols.flatMap((symbol, place) => {
      const [base = '', quote = '', suffix] = symbol.split('-');
      if (suffix !== undefined || !(symbol in instruments)) return [];
      const asset = [base, quote].find((one) => one !== currency && conversionSymbol(one, currency, config) === undefined);
      return asset === undefined
        ? []
        : [aboutValue(['strategies', index, 'symbols', place], `${asset} is traded here, but ${unpricedText(asset, currency)}`)];
    }),
  );
}

function unpricedText(asset: string, currency: string): string {
  return `no instrument gives its price in ${currency}: add an instrument ${asset}-${currency}`;
}

function instrumentRules({ instruments = {} }: SoundSections): Complaint[] {
  const symbols = Object.keys(instruments);
  return symbols.flatMap((symbol) => {
    const { minQuantity, maxQuantity, minNotional, maxNotional } = instruments[symbol] ?? {};
    return [
      ...ordered(symbol, 'minQuantity', minQuantity, 'maxQuantity', maxQuantity),
      ...ordered(symbol, 'minNotional', minNotional, 'maxNotional', maxNotional),
    ];
  });
}

function ordered(symbol: string, low: string, least: string | undefined, high: string, most: string | undefined): Complaint[] {
  if (least === undefined || most === undefined || new Decimal(least).lte(most)) return [];
  return [aboutValue(['instruments', symbol, low], `expected at most ${high} (${most}), not ${least}`)];
}

function strategyRules({ strategies = [], instruments }: SoundSections): Complaint[] {
  const known = Object.keys(instruments ?? {});
  return strategies.flatMap(({ id, symbols, references = [] }, index) => {
    const first = strategies.findIndex((other) => other.id === id);
    const found =
      first < index ? [aboutValue(['strategies', index, 'id'], `expected a unique name: strategies[${first}] is already "${id}"`)] : [];
    const listed = (key: 'symbols' | 'references', of: readonly string[]) =>
      of.forEach((symbol, place) => {
        const path = ['strategies', index, key, place];
        if (known.length > 0 && !known.includes(symbol)) found.push(aboutValue(path, `no such instrument${suggestion(symbol, known)}`));
        else if (of.indexOf(symbol) < place) found.push(aboutValue(path, `${symbol} is listed twice`));
        else if (key === 'references' && symbols.includes(symbol))
          found.push(aboutValue(path, `the strategy trades ${symbol}, and so receives its prices: remove it here`));
      });
    listed('symbols', symbols);
    listed('references', references);
    return found;
  });
}

/** Limits may only name instruments and strategies of the config. */
function riskRules({ risk, instruments, strategies }: SoundSections): Complaint[] {
  if (risk === undefined) return [];
  const symbols = Object.keys(instruments ?? {});
  const positions: [path: ConfigPath, limits: object][] = [
    [['risk', 'positions'], risk.positions],
    ...Object.entries(risk.strategies).map(([id, own]): [ConfigPath, object] => [['risk', 'strategies', id, 'positions'], own.positions]),
  ];
  const ids = (strategies ?? []).map(({ id }) => id);
  return [
    ...positions.flatMap(([path, limits]) => unknownNames(path, limits, symbols, 'instrument')),
    ...unknownNames(['risk', 'strategies'], risk.strategies, ids, 'strategy'),
  ];
}

/** Checks nothing if `known` is empty: then the section that defines the names has errors of its own. */
function unknownNames(path: ConfigPath, named: object, known: readonly string[], what: string): Complaint[] {
  if (known.length === 0) return [];
  return Object.keys(named)
    .filter((name) => !known.includes(name))
    .map((name) => aboutKey([...path, name], `no such ${what}${suggestion(name, known)}`));
}

function periodRules({ backtest }: SoundSections): Complaint[] {
  if (backtest?.from === undefined || backtest.to === undefined || backtest.from < backtest.to) return [];
  return [aboutValue(['backtest', 'to'], 'expected a time after backtest.from')];
}

const ORDER_LEGS = ['entryMs', 'responseMs', 'cancelMs'] as const;

/** A poller receives only tickers, and its delay comes from polling: other data and further latency cannot be set. */
function polledRules({ backtest }: SoundSections): Complaint[] {
  if (backtest?.observation !== 'polled') return [];
  const found: Complaint[] = [];
  const kinds = backtest.use === undefined ? [] : [backtest.use].flat();
  if (kinds.some((kind) => kind !== 'ticker')) {
    found.push(
      aboutValue(['backtest', 'use'], 'expected ticker: with `observation: polled` the bot polls tickers, the only prices of the exchange'),
    );
  }
  for (const leg of ['feedMs', ...ORDER_LEGS] as const) {
    if (backtest.latency[leg] === 0) continue;
    found.push(aboutValue(['backtest', 'latency', leg], 'expected 0: with `observation: polled` the delay comes from backtest.pollMs'));
  }
  if (backtest.limits !== 'none') {
    found.push(aboutValue(['backtest', 'limits'], 'expected none: limits are not simulated with `observation: polled`'));
  }
  for (const key of ['recorded', 'model', 'overload'] as const) {
    if (backtest.latency[key] === undefined) continue;
    found.push(aboutKey(['backtest', 'latency', key], 'is not simulated with `observation: polled`: remove it'));
  }
  return found;
}

/** Recorded rows have every leg of an order, so a constant for a leg would have no effect. */
function recordedLatencyRules({ backtest }: SoundSections): Complaint[] {
  if (backtest?.latency.recorded === undefined) return [];
  return ORDER_LEGS.filter((leg) => backtest.latency[leg] !== 0).map((leg) =>
    aboutValue(['backtest', 'latency', leg], 'expected 0 with `recorded`: its rows have this latency'),
  );
}

/** A model decides about every leg, so another setting of a leg would have no effect. */
function latencyModelRules({ backtest }: SoundSections): Complaint[] {
  if (backtest?.latency.model === undefined) return [];
  const legs = (['feedMs', ...ORDER_LEGS] as const).filter((leg) => backtest.latency[leg] !== 0);
  return [
    ...legs.map((leg) => aboutValue(['backtest', 'latency', leg], 'expected 0 with `model`, which decides about every delay')),
    ...(backtest.latency.recorded === undefined
      ? []
      : [
          aboutKey(['backtest', 'latency', 'recorded'], 'cannot be used with `model`, which decides about every delay: remove one of them'),
        ]),
  ];
}

function benchmarkRules({ report, instruments = {} }: SoundSections): Complaint[] {
  const known = ['buyAndHold', 'none', ...Object.keys(instruments)];
  if (report === undefined || known.length === 2 || known.includes(report.benchmark)) return [];
  const wanted = 'expected buyAndHold, none or a symbol of `instruments`';
  return [aboutValue(['report', 'benchmark'], `${wanted}, not "${report.benchmark}"${suggestion(report.benchmark, known)}`)];
}

/** Rules about the public prices of a paper bot. */
function publicPricesRules({ paper, instruments = {} }: SoundSections): Complaint[] {
  return lackingUrls(['paper', 'prices', 'exchange'], paper?.prices.exchange, Object.keys(instruments));
}

/** Reports each base URL that is missing although the price of an instrument is requested there. @param path of `exchange`. */
export function lackingUrls(path: ConfigPath, exchange: PublicTickersConfig | undefined, symbols: readonly string[]): Complaint[] {
  if (exchange === undefined) return [];
  const lacking = (key: 'spotBaseUrl' | 'contractBaseUrl', symbol: string | undefined) =>
    symbol === undefined || exchange[key] !== undefined
      ? []
      : [aboutValue([...path, key], `missing: the price of ${symbol} is requested there`)];
  return [
    ...lacking(
      'spotBaseUrl',
      symbols.find((symbol) => !symbol.endsWith('-PERP')),
    ),
    ...lacking(
      'contractBaseUrl',
      symbols.find((symbol) => symbol.endsWith('-PERP')),
    ),
  ];
}
