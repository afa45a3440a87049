import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { MarketView } from './market-view.ts';

const DAY_MS = 86_400_000;

/** The 24 hours of a ticker, in money and epoch ms. */
export interface ShownDay {
  readonly open: Decimal;
  readonly close: Decimal;
  readonly high: Decimal;
  readonly highTime: number;
  readonly low: Decimal;
  readonly lowTime: number;
  readonly trades: number;
  /** In base. */
  readonly size: Decimal;
  /** In quote. */
  readonly value: Decimal;
  readonly startTime: number;
  readonly endTime: number;
}

/**
 * What was seen here, and what the exchange that prices come from says of the time before: its open, the further of both
 * extremes, and its trades with those of this exchange's own accounts. `undefined` before the first price.
 */
export function shownDay({ day, instrument, report }: MarketView, now: number): ShownDay | undefined {
  const seen = day.summary(now);
  if (seen === undefined) return undefined;
  const { tick, step } = instrument;
  const own: ShownDay = {
    ...seen,
    open: tick.toDecimal(seen.open),
    close: tick.toDecimal(seen.close),
    high: tick.toDecimal(seen.high),
    low: tick.toDecimal(seen.low),
    size: step.toDecimal(seen.steps),
  };
  if (report === undefined || report.time < now - DAY_MS) return own;
  const { open, high, highTime, low, lowTime, trades, size, value } = report;
  return {
    ...own,
    open: open ?? own.open,
    ...(high?.greaterThan(own.high) ? { high, highTime: highTime ?? own.startTime } : {}),
    ...(low?.lessThan(own.low) ? { low, lowTime: lowTime ?? own.startTime } : {}),
    trades: own.trades + (trades ?? 0),
    size: own.size.plus(size ?? ZERO),
    value: own.value.plus(value ?? ZERO),
  };
}
