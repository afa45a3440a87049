import { TidegateError } from '../../../model/errors.ts';
import { isoTime } from '../../../model/time-text.ts';
import type { Config } from '../../config/schema/schema.ts';
import type { FeedNeeds } from './data-use.ts';
import type { Fed } from './price-feed.ts';

const DAY_MS = 86_400_000;

/** When a run begins, and when its last price is known, both in epoch ms. */
export interface Period {
  readonly from: number;
  readonly lastPrice: number;
}

/**
 * The period of a run over these prices. Without `from`, it begins where every strategy's history is complete.
 * @throws TidegateError DATA_NOT_FOUND where some price has nothing in it.
 */
export function plannedPeriod({ backtest }: Config, needs: readonly FeedNeeds[], fed: readonly Fed[]): Period {
  const first = Math.max(...fed.map(({ series }) => series.meta.firstTime));
  const history = Math.max(...needs.map(({ history: count, intervals }) => count * Math.max(0, ...intervals)));
  const from =
    backtest.from ??
    (backtest.warmup === 'require' && history > 0 ? first + history : Math.min(...fed.map(({ series }) => series.meta.firstTime)));
  for (const { instrument, kind, series } of fed) {
    if (overlaps(series, from, backtest.to)) continue;
    throw new TidegateError(
      'DATA_NOT_FOUND',
      `no ${kind}s of ${instrument.symbol} between backtest.from and backtest.to: the recording has ${rangeText(series)}`,
    );
  }
  return { from, lastPrice: Math.max(...fed.map(({ series: { meta } }) => meta.lastTime + (meta.intervalMs ?? 0))) };
}

/** Whether a series has anything in [from, to). */
export function overlaps({ meta }: Fed['series'], from: number, to = Number.POSITIVE_INFINITY): boolean {
  return meta.lastTime >= from && meta.firstTime < to;
}

export function rangeText({ meta }: Fed['series']): string {
  return `${isoTime(meta.firstTime)} to ${isoTime(meta.lastTime)}`;
}

/** What should be known of the prices before a result is believed. */
export function priceWarnings({ backtest }: Config, fed: readonly Fed[], { lastPrice }: Period): string[] {
  const first = Math.max(...fed.map(({ series }) => series.meta.firstTime));
  const last = Math.min(...fed.map(({ series }) => series.meta.lastTime));
  const warnings: string[] = [];
  if (backtest.from !== undefined && backtest.from < first) warnings.push(`the data begins at ${isoTime(first)}, after backtest.from`);
  if (backtest.to !== undefined && Number.isFinite(last) && backtest.to > last + DAY_MS)
    warnings.push(`the data ends at ${isoTime(last)}, before backtest.to`);
  const end = Math.min(lastPrice, backtest.to ?? lastPrice);
  for (const { kind, series } of fed) {
    const { symbol, synthetic, lastTime, intervalMs = 0 } = series.meta;
    const known = lastTime + intervalMs;
    if (known < end - DAY_MS) warnings.push(`${symbol}: its ${kind}s end at ${isoTime(known)}, long before the run does`);
    if (synthetic !== undefined)
      warnings.push(`${symbol}: recording "${series.recording}" is synthetic: its results say nothing of a market`);
  }
  return warnings;
}
