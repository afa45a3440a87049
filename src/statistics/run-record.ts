import type { FundingCharged, PositionLiquidated } from '../model/account-events.ts';
import { Decimal } from '../model/decimal.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import { MONEY_PLACES } from '../model/margin.ts';
import type { FillNote, PriceRange } from './trades/trade.ts';

/** One sample of the equity curve. */
export interface EquityPoint {
  /** Epoch ms. */
  readonly time: number;
  readonly equity: Decimal;
  /** Share below the highest equity so far: 0 at a peak, 0.25 a quarter below it. */
  readonly drawdown: number;
  /** Value of all positions, both sides counted, in the run's currency; over equity it is the leverage. */
  readonly exposure: number;
  /** The same with shorts counted below zero. */
  readonly netExposure: number;
}

/** The last equity of one UTC day that had market data. */
export interface DayEquity {
  /** The day's END: the next UTC midnight, epoch ms. */
  readonly time: number;
  readonly equity: Decimal;
}

/** The deepest fall of equity from a peak, and the longest time spent below one, over every market event. */
interface Drawdown {
  /** Share of the peak lost at the trough, in [0, 1]; above 1 when equity went negative. */
  readonly depth: number;
  /** Equity at the peak and at the trough of the deepest fall; `NaN` without one. */
  readonly peakEquity: number;
  readonly troughEquity: number;
  /** Epoch ms of the peak, the trough, and the first return to the peak, all of the deepest fall. */
  readonly peakTime: number;
  readonly troughTime: number;
  readonly recoveredTime: number | undefined;
  /** The longest time below a peak, of any fall; one still open runs to the end of the run. */
  readonly longestMs: number;
}

/**
 * What one unit of quote was worth in the run's currency when a fill, a funding charge or a liquidation
 * happened, by the thing itself. Whatever is not in it was in the run's currency already.
 */
export type CurrencyRates = ReadonlyMap<Fill | FundingCharged | PositionLiquidated, Decimal>;

/** A funding charge and its place among the run's fills. */
export interface FundingRecord {
  readonly charged: FundingCharged;
  /** How many of the run's fills came before it. */
  readonly fillsBefore: number;
}

/** What the run is measured against: the value of a holding that began with the run's starting equity. */
export interface Benchmark {
  readonly label: string;
  /** One value for each point of the run's `equity`. */
  readonly equity: readonly number[];
  /** One value for each of the run's `dayEquity`. */
  readonly dayEquity: readonly number[];
}

/** Below this leverage, all of the collateral may be in use without danger. */
export const LEVERAGED = 2;

/** How much margin was in use at one moment, and the leverage then; both 0 where there was no such moment. */
export interface LeveragedUse {
  readonly marginUse: number;
  readonly leverage: number;
}

/** What a run on a futures account leaves behind besides. */
export interface FuturesRecord {
  /** In the order of the config, in which funding is shared out. */
  readonly strategyIds: readonly string[];
  /** In order of time. */
  readonly funding: readonly FundingRecord[];
  /** In order of time. */
  readonly liquidations: readonly PositionLiquidated[];
  /** What the insurance fund paid for losses beyond the collateral, in the run's currency. */
  readonly insurancePaid: Decimal;
  /** The most that was seen of `value of the futures positions / equity`; 0 without a position. */
  readonly maxLeverage: number;
  /** The most that was seen, of any collateral, of `margin of positions and opening orders / equity of that collateral`. */
  readonly maxMarginUse: number;
  /** The most of it that was seen at a leverage of `LEVERAGED` or more. */
  readonly leveragedUse: LeveragedUse;
}

/** What a run leaves behind for the statistics. Money is in `currency`. */
export interface RunRecord {
  readonly currency: string;
  /** Epoch ms of the first and of the last market event. */
  readonly from: number;
  readonly to: number;
  readonly startEquity: Decimal;
  readonly finalEquity: Decimal;
  /** One point per `report.equityEvery`, in order of time. */
  readonly equity: readonly EquityPoint[];
  /** One entry per UTC day with market data, in order; the first and the last day may be partial. */
  readonly dayEquity: readonly DayEquity[];
  readonly drawdown: Drawdown;
  /** Time during which any position was open. */
  readonly timeInMarketMs: number;
  /** In order of time. */
  readonly fills: readonly Fill[];
  /** By fill. */
  readonly notes: ReadonlyMap<Fill, FillNote>;
  /** Prices since the last fill of each instrument of which something is held at the end. */
  readonly lastRanges: ReadonlyMap<Instrument, PriceRange>;
  /**
   * What the market traded, in quote, by instrument and UTC day (its END, epoch ms): the sum of price x quantity over
   * public trades, or of close x volume over bars. Instruments whose data tell no volume are not in it.
   */
  readonly marketVolumes: ReadonlyMap<Instrument, ReadonlyMap<number, number>>;
  readonly totalFees: Decimal;
  /** Days a year for annualising: 365 for markets that never close, 252 for stocks. */
  readonly annualDays: number;
  readonly rates: CurrencyRates;
  /** Absent where the config wants none, or where nothing of it was priced. */
  readonly benchmark: Benchmark | undefined;
  /** Of futures accounts alone. */
  readonly futures: FuturesRecord | undefined;
}

/** An amount of quote in the run's currency: as it is without a rate, else rounded to 18 places (half to even). */
export function worthOf(amount: Decimal, rate: Decimal | undefined): Decimal {
  return rate === undefined ? amount : amount.times(rate).toDecimalPlaces(MONEY_PLACES, Decimal.ROUND_HALF_EVEN);
}

/** A fill's fee in the run's currency; one in base counts at the fill's price. */
export function feeWorth(fill: Fill, rate: Decimal | undefined): Decimal {
  const { instrument, fee, feeAsset, priceTicks } = fill;
  return worthOf(feeAsset === instrument.base ? fee.times(instrument.tick.toDecimal(priceTicks)) : fee, rate);
}
