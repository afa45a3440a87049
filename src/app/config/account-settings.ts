import { Decimal } from '../../model/decimal.ts';
import type { MarginSettings } from '../../model/margin.ts';
import type { Config, SoundSections } from './schema/schema.ts';

/** The assets that the instruments are quoted in, in the order of the file. */
export function quotesOf(instruments: SoundSections['instruments'] = {}): string[] {
  return [...new Set(Object.keys(instruments).map((symbol) => symbol.split('-')[1]!))];
}

/** What equity is counted in; `undefined` where the config does not say and the instruments have several quotes. */
export function accountCurrency({ account, instruments }: SoundSections): string | undefined {
  const quotes = quotesOf(instruments);
  return account?.currency ?? (quotes.length === 1 ? quotes[0] : undefined);
}

/** The spot instrument whose price turns an asset into the currency, directly or by its inverse. */
export function conversionSymbol(asset: string, currency: string, symbols: readonly string[]): string | undefined {
  return [`${asset}-${currency}`, `${currency}-${asset}`].find((symbol) => symbols.includes(symbol));
}

type AccountMargin = NonNullable<Config['account']['margin']>;
type OwnMargin = NonNullable<NonNullable<Config['instruments'][string]['contract']>['margin']>;

/** The margin settings of one contract: what is set for it, nearest first, or else that of all contracts. */
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
