import { Decimal } from '../../model/decimal.ts';
import type { MarginSettings } from '../../model/margin.ts';
import type { Config } from './schema.ts';

type AccountMargin = NonNullable<Config['account']['margin']>;
type OwnMargin = NonNullable<NonNullable<Config['instruments'][string]['contract']>['margin']>;

/** The margin settings of one contract: its own, or else those of the account. */
export function marginSettings(account: AccountMargin, own: OwnMargin = {}): MarginSettings {
  const leverage = own.leverage ?? account.leverage;
  const { long, short } = typeof leverage === 'string' ? { long: leverage, short: leverage } : leverage;
  return {
    mode: own.mode ?? account.mode,
    separated: own.separated ?? account.separated,
    longLeverage: new Decimal(long),
    shortLeverage: new Decimal(short),
    autoAppend: own.autoAppend ?? account.autoAppend,
  };
}
