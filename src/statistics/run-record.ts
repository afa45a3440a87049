import type { FundingCharged, PositionLiquidated } from '../model/account-events.ts';
import type { Rows } from '../model/columns.ts';
import { Decimal } from '../model/decimal.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import { MONEY_PLACES } from '../model/margin.ts';
import type { RecordedFill } from './fill-columns.ts';
import type { PriceRange, TradeRule } from './trades/trade.ts';

/** One sample of the equity curve. */
export interface EquityPoint {
  /** Epoch ms. */
  readonly time: number;
  readonly equity: Decimal;
  /** Share below the highest equity so far: 0 at a peak, 0.25 a quarter below it. */
  readonly drawdown: number;
  /** Value of all positions, both sides counted, in the run's currency; over equity it is the leverage. */
  readonly exposure: number;
  /** The same, with shorts as negative values. */
  readonly netExposure: number;
}

/** The last equity of one day that had market data. */
export interface DayEquity {
  /** The day's END: the next midnight in `dayZone`, epoch ms. */
  readonly time: number;
  readonly equity: Decimal;
  /** No position was open on this day, and nothing was traded; what its equity did is no result of the strategy. */
  readonly idle?: boolean | undefined;
}

/** The first market event at which equity was zero or less, and the price that made it so. */
export interface Ruin {
  /** Epoch ms. */
  readonly time: number;
  readonly symbol: string;
  readonly price: number;
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
 * The worth of one unit of quote in the run's currency at a funding charge or a liquidation. Those that are not in it are in the run's
 * currency already. Fills have their own rates.
 */
export type CurrencyRates = ReadonlyMap<FundingCharged | PositionLiquidated, Decimal>;

/** A funding charge and its place among the run's fills. */
export interface FundingRecord {
  readonly charged: FundingCharged;
  /** How many of the run's fills came before it. */
  readonly fillsBefore: number;
}

/** The holding with which the run is compared. It starts with the run's starting equity. */
export interface Benchmark {
  readonly label: string;
  /** One value for each point of the run's `equity`. */
  readonly equity: readonly number[];
  /** One value for each of the run's `dayEquity`. */
  readonly dayEquity: readonly number[];
}

/** Below this leverage, using all of the collateral is no danger. */
export const LEVERAGED = 2;

/** The use of margin at one time, and the leverage then; both 0 where there was no such time. */
export interface LeveragedUse {
  readonly marginUse: number;
  readonly leverage: number;
}

/** Additional records of a run on a futures account. */
export interface FuturesRecord {
  /** In the order of the config, in which funding is shared out. */
  readonly strategyIds: readonly string[];
  /** In order of time. */
  readonly funding: readonly FundingRecord[];
  /** In order of time. */
  readonly liquidations: readonly PositionLiquidated[];
  /** The amount that the insurance fund paid for losses beyond the collateral, in the run's currency. */
  readonly insurancePaid: Decimal;
  /** The highest value of `value of the futures positions / equity`; 0 without a position. */
  readonly maxLeverage: number;
  /** The highest value, for any collateral, of `margin of positions and opening orders / equity of that collateral`. */
  readonly maxMarginUse: number;
  /** The highest use of margin at a leverage of `LEVERAGED` or more. */
  readonly leveragedUse: LeveragedUse;
}

/** The record of a run from which statistics are computed. Money is in `currency`. */
export interface RunRecord {
  readonly currency: string;
  /** Epoch ms of the first and of the last market event. */
  readonly from: number;
  readonly to: number;
  readonly startEquity: Decimal;
  readonly finalEquity: Decimal;
  /** One point per `report.equityEvery`, in order of time. */
  readonly equity: readonly EquityPoint[];
  /** One entry per day with market data, in order; the first and the last day may be partial. */
  readonly dayEquity: readonly DayEquity[];
  /** The time zone in which days end; UTC where it is absent. */
  readonly dayZone?: string | undefined;
  /** Absent while equity stayed above zero. */
  readonly ruin?: Ruin | undefined;
  readonly drawdown: Drawdown;
  /** Time during which any position was open. */
  readonly timeInMarketMs: number;
  /** In order of time. */
  readonly fills: Rows<RecordedFill>;
  /** How fills make trades; `flat` where it is absent. */
  readonly tradeRule?: TradeRule | undefined;
  /** Prices since the last fill, for each instrument with a holding at the end. */
  readonly lastRanges: ReadonlyMap<Instrument, PriceRange>;
  /**
   * The market's volume in quote, by instrument and day (its END, epoch ms): the sum of price x quantity over public trades, or of
   * close x volume over bars. Instruments whose data have no volume have no entry.
   */
  readonly marketVolumes: ReadonlyMap<Instrument, ReadonlyMap<number, number>>;
  readonly totalFees: Decimal;
  /** Daily returns a year, for volatility and ratios: 365 for markets that never close, 252 for stocks. */
  readonly annualDays: number;
  readonly rates: CurrencyRates;
  /** Absent where the config switches it off, or where none of it had a price. */
  readonly benchmark: Benchmark | undefined;
  /** Only for futures accounts. */
  readonly futures: FuturesRecord | undefined;
}

/** An amount of quote in the run's currency: as it is without a rate, else rounded to 18 places (half to even). */
export function worthOf(amount: Decimal, rate: Decimal | undefined): Decimal {
  return rate === undefined ? amount : amount.times(rate).toDecimalPlaces(MONEY_PLACES, Decimal.ROUND_HALF_EVEN);
}

/** A fill's fee in the run's currency; one in base counts at the fill's price. */
export function feeWorth(
  { instrument, fee, feeAsset, priceTicks }: Pick<Fill, 'instrument' | 'fee' | 'feeAsset' | 'priceTicks'>,
  rate: Decimal | undefined,
): Decimal {
  return worthOf(feeAsset === instrument.base ? fee.times(instrument.tick.toDecimal(priceTicks)) : fee, rate);
}
