import type { ConfigPath } from '../reading/config-path.ts';
import { aboutValue, type Complaint } from '../reading/issue-text.ts';
import type { PublicTickersConfig } from '../schema/fields.ts';
import type { SoundSections } from './sound-sections.ts';

/** Rules about the public prices of a paper bot. */
export function publicPricesRules({ paper, instruments = {} }: SoundSections): Complaint[] {
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
