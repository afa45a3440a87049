import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { intervalText } from '../../../model/interval.ts';
import type { Bar } from '../../../model/market-events.ts';
import { isoTime } from '../../../model/time-text.ts';
import type { BacktestPlan } from '../backtest-plan.ts';
import { barsBefore } from './bar-history.ts';
import type { FeedNeeds } from './data-use.ts';
import type { RecordedData } from './recorded-data.ts';

/** The bars before the start that each strategy asked for, and what is missing of them. */
export function historyReader(
  needs: readonly FeedNeeds[],
  instruments: readonly Instrument[],
  data: RecordedData,
  from: number,
): { readonly history: BacktestPlan['history']; readonly missing: readonly string[] } {
  const bars = new Map<string, readonly Bar[]>();
  const missing: string[] = [];
  for (const { id, symbols, intervals, history } of needs.filter((one) => one.history > 0)) {
    for (const instrument of instruments.filter(({ symbol }) => symbols.includes(symbol))) {
      for (const interval of intervals) {
        const found = data.has(instrument.symbol, 'bar')
          ? barsBefore(instrument, data.open(data.find(instrument.symbol, 'bar', [interval]), instrument), interval, from, history)
          : [];
        bars.set(`${id}/${instrument.symbol}/${interval}`, found);
        if (found.length >= history) continue;
        missing.push(
          `strategy "${id}" needs ${history} bars of ${intervalText(interval)} of ${instrument.symbol} before ${isoTime(from)}; there are ${found.length}`,
        );
      }
    }
  }
  const read: BacktestPlan['history'] = (id, symbol, interval) => {
    const own = needs.find((one) => one.id === id);
    return bars.get(`${id}/${symbol}/${interval ?? own?.intervals[0]}`) ?? [];
  };
  return { history: read, missing };
}

/** @throws TidegateError DATA_NOT_FOUND for the first thing missing, unless the config says that strategies may start cold. */
export function requireHistory(missing: readonly string[], warmup: 'require' | 'cold'): void {
  if (warmup === 'require' && missing[0] !== undefined)
    throw new TidegateError('DATA_NOT_FOUND', `${missing[0]} (start later, or say \`warmup: cold\`)`);
}
