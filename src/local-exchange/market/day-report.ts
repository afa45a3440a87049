import type { PayloadOf } from '../../exchange/operations/operations.ts';
import { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';

/** What another exchange says of its last 24 hours; `undefined` is what it does not tell. */
export interface DayReport {
  readonly instrument: Instrument;
  readonly open: Decimal | undefined;
  readonly high: Decimal | undefined;
  readonly low: Decimal | undefined;
  /** Epoch ms. */
  readonly highTime: number | undefined;
  readonly lowTime: number | undefined;
  readonly trades: number | undefined;
  /** In base. */
  readonly size: Decimal | undefined;
  /** In quote. */
  readonly value: Decimal | undefined;
}

export function spotReport(instrument: Instrument, ticker: PayloadOf<'ticker'>): DayReport {
  const { trades, highTime, lowTime } = ticker;
  return {
    instrument,
    open: price(ticker.open),
    high: price(ticker.high),
    low: price(ticker.low),
    highTime,
    lowTime,
    trades,
    size: told(ticker.size),
    value: told(ticker.value),
  };
}

/** A contract's ticker has no open but the change from it, and counts no trades. */
export function futuresReport(instrument: Instrument, ticker: PayloadOf<'futuresTicker'>): DayReport {
  const change = told(ticker.priceChangePercent);
  const open = change === undefined || change.lessThanOrEqualTo(-1) ? undefined : new Decimal(ticker.last).div(change.plus(1));
  return {
    instrument,
    open: open?.toNearest(instrument.tick.text),
    high: price(ticker.high_24h),
    low: price(ticker.low_24h),
    highTime: undefined,
    lowTime: undefined,
    trades: undefined,
    size: told(ticker.base_volume),
    value: told(ticker.volume_24h),
  };
}

/** Exchanges that know no price say 0. */
function price(text: string | undefined): Decimal | undefined {
  const found = told(text);
  return found?.greaterThan(0) ? found : undefined;
}

function told(text: string | undefined): Decimal | undefined {
  return text === undefined || text === '' ? undefined : new Decimal(text);
}
