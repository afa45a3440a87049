import { Decimal, ZERO } from '../../src/model/decimal.ts';
import { Fill } from '../../src/model/fill.ts';
import { Instrument } from '../../src/model/instrument.ts';
import type { PositionSide, Side } from '../../src/model/order.ts';
import type { RunRecord, ValueOf } from '../../src/statistics/run-record.ts';

export const DAY_MS = 86_400_000;
export const SPOT = new Instrument(0, { symbol: 'BTC-USDT', tickSize: '0.01', stepSize: '0.01' });
export const OTHER = new Instrument(1, { symbol: 'ETH-USDT', tickSize: '0.01', stepSize: '0.01' });
export const PERP = new Instrument(2, { symbol: 'BTC-USDT-PERP', tickSize: '0.01', stepSize: '0.01' });

interface FillParts {
  readonly side: Side;
  readonly quantity: string;
  readonly price: string;
  readonly fee?: string;
  readonly feeAsset?: string;
  readonly time?: number;
  readonly tag?: string;
  readonly strategyId?: string;
  readonly instrument?: Instrument;
  readonly positionSide?: PositionSide;
}

/** A fill on BTC-USDT spot by strategy `s`, without a fee unless given one (in quote by default). */
export function fill(parts: FillParts): Fill {
  const instrument = parts.instrument ?? SPOT;
  const ticks = instrument.tick.snap(parts.price, 'down') ?? Number.NaN;
  const steps = instrument.step.snap(parts.quantity, 'down') ?? Number.NaN;
  return new Fill(
    'f',
    'o',
    'c',
    parts.strategyId ?? 's',
    instrument,
    parts.side,
    parts.positionSide ?? 'net',
    ticks,
    steps,
    instrument.notional(ticks, steps),
    new Decimal(parts.fee ?? '0'),
    parts.feeAsset ?? instrument.quote,
    'taker',
    parts.tag ?? '',
    parts.time ?? 0,
    0,
    0,
    0,
  );
}

/** Quote at par, base at the fill's price: what the app supplies. */
export const worthOf: ValueOf = (asset, amount, { instrument, priceTicks }) =>
  asset === instrument.base ? amount.times(instrument.tick.toDecimal(priceTicks)) : amount;

/** A run of a day that did nothing, starting at the epoch with 1,000. */
export function runRecord(parts: Partial<Omit<RunRecord, 'valueOf'>> = {}): RunRecord {
  return {
    currency: 'USDT',
    from: 0,
    to: DAY_MS,
    startEquity: new Decimal(1000),
    finalEquity: new Decimal(1000),
    equity: [],
    dayEquity: [],
    drawdown: { depth: 0, peakTime: 0, troughTime: 0, recoveredTime: undefined, longestMs: 0 },
    timeInMarketMs: 0,
    fills: [],
    totalFees: ZERO,
    annualDays: 365,
    valueOf: worthOf,
    ...parts,
  };
}

/** The last equities of consecutive UTC days, the first of them 1970-01-01. */
export function dayEquities(...equities: (number | string)[]): RunRecord['dayEquity'] {
  return equities.map((equity, index) => ({ time: (index + 1) * DAY_MS, equity: new Decimal(equity) }));
}
