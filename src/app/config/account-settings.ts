import { Decimal } from '../../model/decimal.ts';
import type { MarginSettings } from '../../model/margin.ts';
import type { Config, SoundSections } from './schema/schema.ts';

/** The symbols of the config that strategies refer to and that no strategy trades. */
function referredTo({ strategies = [] }: SoundSections): ReadonlySet<string> {
  const traded = new Set(strategies.flatMap(({ symbols }) => symbols));
  return new Set(strategies.flatMap(({ references = [] }) => references).filter((symbol) => !traded.has(symbol)));
}

/** The quote assets of the instruments, in the order of the file. Those of references alone do not count. */
export function quotesOf(config: SoundSections): string[] {
  const references = referredTo(config);
  const symbols = Object.keys(config.instruments ?? {}).filter((symbol) => !references.has(symbol));
  return [...new Set(symbols.map((symbol) => symbol.split('-')[1]!))];
}

/** The currency of equity; `undefined` if the config names none and the instruments have several quote assets. */
export function accountCurrency(config: SoundSections): string | undefined {
  const quotes = quotesOf(config);
  return config.account?.currency ?? (quotes.length === 1 ? quotes[0] : undefined);
}

/**
 * The spot instrument whose price, or its inverse, converts an asset into the currency. A symbol that strategies only refer to converts
 * nothing, unless no other instrument gives the price.
 */
export function conversionSymbol(asset: string, currency: string, config: SoundSections): string | undefined {
  const references = referredTo(config);
  const symbols = Object.keys(config.instruments ?? {});
  const find = (among: readonly string[]) => [`${asset}-${currency}`, `${currency}-${asset}`].find((symbol) => among.includes(symbol));
  return find(symbols.filter((symbol) => !references.has(symbol))) ?? find(symbols);
}

/** The symbols whose price converts the account's assets into its currency, by asset: those of its balances and of what it trades. */
export function conversions(config: SoundSections): Map<string, string> {
  const { account, strategies = [] } = config;
  const currency = accountCurrency(config);
  if (account === undefined || currency === undefined) return new Map();
  const traded = strategies.flatMap((strategy) => strategy.symbols.map((symbol) => symbol.split('-')));
  const assets = [
    ...Object.keys(account.balances),
    ...Object.keys(account.spot ?? {}),
    ...traded.flatMap(([base, quote, suffix]) => (suffix === undefined ? [base!, quote!] : [quote!])),
  ];
  return new Map(
    assets.flatMap((asset): [string, string][] => {
      const symbol = asset === currency ? undefined : conversionSymbol(asset, currency, config);
      return symbol === undefined ? [] : [[asset, symbol]];
    }),
  );
}

/**
 * The symbols that are references only: strategies refer to them, none trades them, and they value nothing in the account. Nothing of the
 * account depends on them.
 */
export function referenceSymbols(config: SoundSections): ReadonlySet<string> {
  const valuing = new Set(config.account?.kind === 'netting' ? [] : conversions(config).values());
  return new Set([...referredTo(config)].filter((symbol) => !valuing.has(symbol)));
}

type AccountMargin = NonNullable<Config['account']['margin']>;
type OwnMargin = NonNullable<NonNullable<Config['instruments'][string]['contract']>['margin']>;

/** The margin settings of one contract: each from the first of `nearest` that has it, else from the account. */
export function marginSettings(all: AccountMargin, ...nearest: readonly (OwnMargin | undefined)[]): MarginSettings {
  const set = <K extends keyof AccountMargin>(name: K) => nearest.find((own) => own?.[name] !== undefined)?.[name] ?? all[name];
  const leverage = set('leverage');
  const { long, short } = typeof leverage === 'string' ? { long: leverage, short: leverage } : leverage;
  return {
    mode: set('mode'),
    separated: set('separated'),
    longLeverage: new Decimal(long),
    shortLeverage: new Decimal(short),
    autoAppend: set('autoAppend'),
  };
}
