import { Decimal } from '../../model/decimal.ts';
import { suggestion } from '../base/nearest.ts';
import { accountCurrency, conversionSymbol, quotesOf } from './account-settings.ts';
import { futuresRules } from './futures-rules.ts';
import { aboutKey, aboutValue, type Complaint } from './reading/problems.ts';
import type { ConfigPath } from './reading/tree.ts';
import type { PublicTickersConfig } from './schema/fields.ts';
import type { SoundSections } from './schema/schema.ts';

/** What a schema of single values cannot say: rules between settings. */
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
    benchmarkRules,
    publicPricesRules,
  ];
  return rules.flatMap((rule) => rule(config));
}

function accountRules({ account, instruments, backtest }: SoundSections): Complaint[] {
  const found: Complaint[] = [];
  if (account?.kind === 'netting' && backtest?.profile === 'exchange') {
    found.push(aboutValue(['backtest', 'profile'], 'a netting account is always simulated with `full`: the exchange has none'));
  }
  if (account?.kind === 'spot') {
    for (const symbol of Object.keys(instruments ?? {}).filter((name) => name.endsWith('-PERP'))) {
      found.push(aboutKey(['instruments', symbol], 'a spot account cannot trade a futures instrument: use account.kind futures'));
    }
  }
  return found;
}

/** What an account may hold must have a price in the currency that its equity is counted in. */
function currencyRules(config: SoundSections): Complaint[] {
  const { account, instruments } = config;
  if (account === undefined || instruments === undefined) return [];
  const quotes = quotesOf(instruments);
  const currency = accountCurrency(config);
  if (currency === undefined) {
    const text = `the instruments are quoted in ${quotes.join(' and ')}: say which of them equity is counted in`;
    return [aboutKey(['account', 'currency'], text)];
  }
  if (account.kind === 'netting') {
    const others = Object.keys(instruments).filter((symbol) => symbol.split('-')[1] !== currency);
    const text = `a netting account keeps one currency, ${currency}`;
    return [
      ...others.map((symbol) => aboutKey(['instruments', symbol], text)),
      ...unpriced(['account', 'balances'], account.balances, currency, []),
    ];
  }
  const symbols = Object.keys(instruments);
  return [
    ...unpriced(['account', 'balances'], account.balances, currency, symbols),
    ...unpriced(['account', 'spot'], account.spot ?? {}, currency, symbols),
    ...tradedRules(config, currency, symbols),
  ];
}

function unpriced(path: ConfigPath, balances: Readonly<Record<string, string>>, currency: string, symbols: readonly string[]): Complaint[] {
  return Object.keys(balances)
    .filter((asset) => asset !== currency && conversionSymbol(asset, currency, symbols) === undefined)
    .map((asset) => aboutKey([...path, asset], `${unpricedText(asset, currency)}, or leave it out`));
}

/** A spot trade leaves its base or its quote in the account. */
function tradedRules({ strategies = [] }: SoundSections, currency: string, symbols: readonly string[]): Complaint[] {
  return strategies.flatMap((strategy, index) =>
    strategy.symbols.flatMap((symbol, place) => {
      const [base = '', quote = '', suffix] = symbol.split('-');
      if (suffix !== undefined || !symbols.includes(symbol)) return [];
      const asset = [base, quote].find((one) => one !== currency && conversionSymbol(one, currency, symbols) === undefined);
      return asset === undefined
        ? []
        : [aboutValue(['strategies', index, 'symbols', place], `${asset} is traded here, but ${unpricedText(asset, currency)}`)];
    }),
  );
}

function unpricedText(asset: string, currency: string): string {
  return `nothing prices it in ${currency}: add an instrument ${asset}-${currency}`;
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
  return strategies.flatMap(({ id, symbols }, index) => {
    const first = strategies.findIndex((other) => other.id === id);
    const found =
      first < index ? [aboutValue(['strategies', index, 'id'], `expected a name of its own: strategies[${first}] is "${id}" already`)] : [];
    symbols.forEach((symbol, place) => {
      const path = ['strategies', index, 'symbols', place];
      if (known.length > 0 && !known.includes(symbol)) found.push(aboutValue(path, `no such instrument${suggestion(symbol, known)}`));
      else if (symbols.indexOf(symbol) < place) found.push(aboutValue(path, `${symbol} stands here twice`));
    });
    return found;
  });
}

/** Limits name instruments and strategies of the config. */
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

/** Nothing is known while the section that would name it has errors of its own. */
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

/** A poller has tickers alone, and what it sees comes late by the looking: legs of latency beside that are none of its own. */
function polledRules({ backtest }: SoundSections): Complaint[] {
  if (backtest?.observation !== 'polled') return [];
  const found: Complaint[] = [];
  const kinds = backtest.use === undefined ? [] : [backtest.use].flat();
  if (kinds.some((kind) => kind !== 'ticker')) {
    found.push(
      aboutValue(
        ['backtest', 'use'],
        'expected ticker: with `observation: polled` the data are tickers, as the exchange tells nothing else',
      ),
    );
  }
  for (const leg of ['feedMs', ...ORDER_LEGS] as const) {
    if (backtest.latency[leg] === 0) continue;
    found.push(aboutValue(['backtest', 'latency', leg], 'expected 0: with `observation: polled` what is late is late by the polling'));
  }
  if (backtest.limits !== 'none') {
    found.push(aboutValue(['backtest', 'limits'], 'expected none: limits are not simulated with `observation: polled`'));
  }
  for (const key of ['recorded', 'overload'] as const) {
    if (backtest.latency[key] === undefined) continue;
    found.push(aboutKey(['backtest', 'latency', key], 'is not simulated with `observation: polled`'));
  }
  return found;
}

/** Recorded rows tell of every leg of an order: what is set beside them would never be used. */
function recordedLatencyRules({ backtest }: SoundSections): Complaint[] {
  if (backtest?.latency.recorded === undefined) return [];
  return ORDER_LEGS.filter((leg) => backtest.latency[leg] !== 0).map((leg) =>
    aboutValue(['backtest', 'latency', leg], 'expected 0 beside `recorded`, whose rows say how long this takes'),
  );
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

/** Each base URL that the price of an instrument is asked at has to be there. @param path of `exchange`. */
export function lackingUrls(path: ConfigPath, exchange: PublicTickersConfig | undefined, symbols: readonly string[]): Complaint[] {
  if (exchange === undefined) return [];
  const lacking = (key: 'spotBaseUrl' | 'contractBaseUrl', symbol: string | undefined) =>
    symbol === undefined || exchange[key] !== undefined
      ? []
      : [aboutValue([...path, key], `missing: the price of ${symbol} is asked there`)];
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
