import { accountCurrency, conversionSymbol, quotesOf } from '../account-currency.ts';
import { aboutKey, aboutValue, type Complaint } from '../reading/complaint.ts';
import type { ConfigPath } from '../reading/config-path.ts';
import type { SoundSections } from './sound-sections.ts';

/** What an account may hold must have a price in the currency that its equity is counted in. */
export function currencyRules(config: SoundSections): Complaint[] {
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
    .map((asset) => aboutKey([...path, asset], `${missing(asset, currency)}, or leave it out`));
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
        : [aboutValue(['strategies', index, 'symbols', place], `${asset} is traded here, but ${missing(asset, currency)}`)];
    }),
  );
}

function missing(asset: string, currency: string): string {
  return `nothing prices it in ${currency}: add an instrument ${asset}-${currency}`;
}
