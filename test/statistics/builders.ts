import { Decimal, ZERO } from '../../src/model/decimal.ts';
import { Fill } from '../../src/model/fill.ts';
import { Instrument } from '../../src/model/instrument.ts';
import type { PositionSide, Side } from '../../src/model/order.ts';
import { FillColumns, type FillNote } from '../../src/statistics/fill-columns.ts';
import type { FundingRecord, FuturesRecord, RunRecord } from '../../src/statistics/run-record.ts';
import { type ClosedTrade, isLiquidation, type OpenTrade } from '../../src/statistics/trades/trade.ts';
import { tradesOf } from '../../src/statistics/trades/trade-builder.ts';
import { plainTrade } from '../../src/statistics/trades/trade-columns.ts';

export const DAY_MS = 86_400_000;
export const SPOT = new Instrument(0, { symbol: 'BTC-USDT', tickSize: '0.01', stepSize: '0.01' });
export const OTHER = new Instrument(1, { symbol: 'ETH-USDT', tickSize: '0.01', stepSize: '0.01' });
export const PERP = new Instrument(2, { symbol: 'BTC-USDT-PERP', tickSize: '0.01', stepSize: '0.01' });
export const OTHER_PERP = new Instrument(3, { symbol: 'ETH-USDT-PERP', tickSize: '0.01', stepSize: '0.01' });
export const ETH_BTC_PERP = new Instrument(4, { symbol: 'ETH-BTC-PERP', tickSize: '0.0001', stepSize: '0.01' });

interface FillParts {
  readonly side: Side;
  readonly quantity: string;
  readonly price: string;
  readonly fee?: string;
  readonly feeAsset?: string;
  readonly time?: number;
  readonly tag?: string;
  readonly strategyId?: string;
  readonly clientOrderId?: string;
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
    parts.clientOrderId ?? 'c',
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

/** A strategy's share of a liquidation, as the engine makes it. */
export function liquidated(parts: FillParts): Fill {
  return fill({ ...parts, tag: 'liquidation', clientOrderId: 'liq-7-s' });
}

interface ChargeParts {
  readonly instrument: Instrument;
  readonly positionSide: 'long' | 'short';
  readonly steps: number;
  /** What the account gained, in quote. */
  readonly amount: string;
  readonly fillsBefore: number;
}

/** A funding charge; rate and mark price are not looked at. */
export function charge({ instrument, positionSide, steps, amount, fillsBefore }: ChargeParts): FundingRecord {
  const at = { time: 0, instrument, positionSide, steps, rate: new Decimal('0.0001'), markPrice: new Decimal(100) };
  return { charged: { kind: 'fundingCharged', ...at, amount: new Decimal(amount) }, fillsBefore };
}

/** A futures account that saw neither funding nor a liquidation. */
export function futuresRecord(parts: Partial<FuturesRecord>): FuturesRecord {
  return {
    strategyIds: ['s', 'a', 'b', 'c'],
    funding: [],
    liquidations: [],
    insurancePaid: ZERO,
    maxLeverage: 0,
    maxMarginUse: 0,
    leveragedUse: { marginUse: 0, leverage: 0 },
    ...parts,
  };
}

/** What tests record with fills; a fill that is not in it is one of a `signal` or of a liquidation. */
export type Notes = ReadonlyMap<Fill, FillNote>;

/** Rates of fills and of charges. */
export type Rates = ReadonlyMap<Fill | FundingRecord['charged'] | FuturesRecord['liquidations'][number], Decimal>;

/** Fills in columns. */
export function recorded(fills: readonly Fill[], notes: Notes = new Map(), rates: Rates = new Map()): FillColumns {
  const columns = new FillColumns();
  for (const one of fills) {
    const note = notes.get(one) ?? { reason: isLiquidation(one) ? 'liquidation' : 'signal', range: undefined };
    columns.add(one, { ...note, rate: rates.get(one) });
  }
  return columns;
}

export type RecordParts = Partial<Omit<RunRecord, 'fills' | 'rates'>> & {
  readonly fills?: readonly Fill[];
  readonly notes?: Notes;
  readonly rates?: Rates;
};

/** A run of a day that did nothing, starting at the epoch with 1,000. */
export function runRecord({ fills = [], notes, rates = new Map(), ...parts }: RecordParts = {}): RunRecord {
  return {
    currency: 'USDT',
    from: 0,
    to: DAY_MS,
    startEquity: new Decimal(1000),
    finalEquity: new Decimal(1000),
    equity: [],
    dayEquity: [],
    drawdown: {
      depth: 0,
      peakEquity: Number.NaN,
      troughEquity: Number.NaN,
      peakTime: 0,
      troughTime: 0,
      recoveredTime: undefined,
      longestMs: 0,
    },
    timeInMarketMs: 0,
    fills: recorded(fills, notes, rates),
    lastRanges: new Map(),
    marketVolumes: new Map(),
    totalFees: ZERO,
    annualDays: 365,
    rates: rates as RunRecord['rates'],
    benchmark: undefined,
    futures: undefined,
    ...parts,
  };
}

/** The trades of a run as plain objects. */
export function plainTrades(record: RunRecord): { closed: ClosedTrade[]; open: readonly OpenTrade[] } {
  const { closed, open } = tradesOf(record);
  return { closed: Array.from(closed, plainTrade), open };
}

/** The last equities of consecutive UTC days, the first of them 1970-01-01. */
export function dayEquities(...equities: (number | string)[]): RunRecord['dayEquity'] {
  return equities.map((equity, index) => ({ time: (index + 1) * DAY_MS, equity: new Decimal(equity) }));
}
