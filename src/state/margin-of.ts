import { Decimal } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { MarginSettings } from '../model/margin.ts';
import type { PortfolioOptions } from './portfolio.ts';

const UNLEVERAGED: MarginSettings = {
  mode: 'shared',
  separated: false,
  longLeverage: new Decimal(1),
  shortLeverage: new Decimal(1),
  autoAppend: false,
};

/**
 * The margin settings of an instrument; `undefined` for what stands on no margin: spot, and all of a netting account.
 * What has settings is held long and short side by side.
 */
export function marginOf({ kind, margin }: PortfolioOptions, instrument: Instrument): MarginSettings | undefined {
  if (kind !== 'futures' || instrument.kind !== 'futures') return undefined;
  return margin?.get(instrument.symbol) ?? UNLEVERAGED;
}
