import type { Decimal } from '../../../model/decimal.ts';
import type { State } from '../../../state/state.ts';
import type { EndPrices } from '../../../statistics/comparison/compared-run.ts';

/** What things are worth at the newest prices, in the account's currency: positions at their marks, assets at their rates. */
export function endPricesOf({ instruments, markets, portfolio, account }: State): EndPrices {
  const units = new Map<string, Decimal>();
  const rates = new Map<string, Decimal>();
  const setRate = (asset: string) => {
    const rate = portfolio.rateOf(asset);
    if (rate !== undefined) rates.set(asset, rate);
  };
  for (const asset of [portfolio.currency, ...[...portfolio.balances.values()].map((balance) => balance.asset)]) setRate(asset);
  for (const { symbol, base, quote, kind, index } of instruments) {
    setRate(base);
    setRate(quote);
    // What is held of it: a balance, which counts by the rate of its asset, or a position, which counts by its mark.
    const isPosition = account.kind === 'netting' || kind === 'futures';
    const rate = portfolio.rateOf(quote);
    const mark = markets[index]?.exactMark();
    const unit = isPosition ? mark !== undefined && rate !== undefined && mark.times(rate) : portfolio.rateOf(base);
    if (unit) units.set(symbol, unit);
  }
  return { units, rates };
}
