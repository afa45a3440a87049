import type { Decimal } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { State } from '../../../state/state.ts';
import type { EndPrices } from '../../../statistics/comparison/compared-run.ts';
import type { Config } from '../../config/schema/schema.ts';
import { BenchmarkRecorder } from '../recorders/benchmark-recorder.ts';

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

/** What `report.benchmark` asks for: nothing, one instrument of the config, or all that the strategies trade in equal parts. */
export function benchmarkOf({ report, strategies }: Config, instruments: readonly Instrument[]): BenchmarkRecorder {
  const { benchmark } = report;
  if (benchmark === 'none') return new BenchmarkRecorder('none', []);
  const traded = strategies.flatMap(({ symbols }) => symbols);
  const wanted = benchmark === 'buyAndHold' ? traded : [benchmark];
  const held = instruments.filter(({ symbol }) => wanted.includes(symbol));
  const parts = held.length > 1 ? ' in equal parts' : '';
  const names = held.length > MOST_NAMES ? `${held.length} symbols` : held.map(({ symbol }) => symbol).join(', ');
  return new BenchmarkRecorder(`buy and hold ${names}${parts}`, held);
}

/** More symbols than this are counted rather than named. */
const MOST_NAMES = 4;
