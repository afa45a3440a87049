import { Decimal } from '../../model/decimal.ts';
import type { MarginSettings } from '../../model/margin.ts';
import type { Config } from './schema/schema.ts';

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
