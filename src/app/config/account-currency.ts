import type { SoundSections } from './rules/sound-sections.ts';

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
