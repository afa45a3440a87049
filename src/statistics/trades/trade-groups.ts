import { NumberColumn } from '../../model/columns.ts';
import { Decimal, ExactSum, toDouble, ZERO } from '../../model/decimal.ts';
import { quantileOfSorted } from '../returns/moments.ts';
import { type ClosedTrade, isLoss, isWin } from './trade.ts';

type FoldedFigure = 'netProfit' | 'fees' | 'funding' | 'volume' | 'entryValue' | 'mae' | 'mfe' | 'returnOnEntry' | 'holdingMs' | 'fills';

/** A closed trade whose figures were read once, for all that adds them up. */
export interface FoldedTrade
  extends Pick<ClosedTrade, FoldedFigure | 'strategyId' | 'symbol' | 'side' | 'tag' | 'exitReason' | 'exitTime'> {
  /** 1 for a win, -1 for a loss, 0 for neither. */
  readonly sign: number;
}

export function foldedTrade(trade: ClosedTrade): FoldedTrade {
  const { strategyId, symbol, side, tag, exitReason, exitTime, netProfit, fees, funding, volume, entryValue, mae, mfe } = trade;
  const { returnOnEntry, holdingMs, fills } = trade;
  const sign = isWin({ netProfit }) ? 1 : isLoss({ netProfit }) ? -1 : 0;
  return {
    strategyId,
    symbol,
    side,
    tag,
    exitReason,
    exitTime,
    netProfit,
    fees,
    funding,
    volume,
    entryValue,
    mae,
    mfe,
    returnOnEntry,
    holdingMs,
    fills,
    sign,
  };
}

/** Sums and extremes of a group of closed trades. */
export class TradeGroup {
  length = 0;
  /** The largest and the smallest net profit; zero if all are below or above it. */
  mostProfit: Decimal = ZERO;
  leastProfit: Decimal = ZERO;
  /** Extremes of the net profits as shares of the entries. */
  mostReturn = Number.NEGATIVE_INFINITY;
  leastReturn = Number.POSITIVE_INFINITY;
  mostHoldingMs = Number.NEGATIVE_INFINITY;
  leastHoldingMs = Number.POSITIVE_INFINITY;
  #returns = 0;
  #holdingMs = 0;
  readonly #netProfit = new ExactSum();
  readonly #entryValue = new ExactSum();
  readonly #fees = new ExactSum();
  readonly #funding = new ExactSum();

  /** @param holdings the holding times of its trades, in ms, in order of size. */
  constructor(private readonly holdings: () => Float64Array) {}

  add({ netProfit, returnOnEntry, holdingMs, entryValue, fees, funding }: FoldedTrade): void {
    this.length++;
    if (netProfit.gt(this.mostProfit)) this.mostProfit = netProfit;
    if (netProfit.lt(this.leastProfit)) this.leastProfit = netProfit;
    this.mostReturn = Math.max(this.mostReturn, returnOnEntry);
    this.leastReturn = Math.min(this.leastReturn, returnOnEntry);
    this.mostHoldingMs = Math.max(this.mostHoldingMs, holdingMs);
    this.leastHoldingMs = Math.min(this.leastHoldingMs, holdingMs);
    this.#returns += returnOnEntry;
    this.#holdingMs += holdingMs;
    this.#netProfit.add(netProfit);
    this.#entryValue.add(entryValue);
    this.#fees.add(fees);
    this.#funding.add(funding);
  }

  get netProfit(): Decimal {
    return this.#netProfit.total;
  }
  get entryValue(): Decimal {
    return this.#entryValue.total;
  }
  get fees(): Decimal {
    return this.#fees.total;
  }
  get funding(): Decimal {
    return this.#funding.total;
  }
  get meanReturn(): number {
    return this.#returns / this.length;
  }
  get meanHoldingMs(): number {
    return this.#holdingMs / this.length;
  }
  get medianHoldingMs(): number {
    return quantileOfSorted(this.holdings(), 0.5);
  }
}

/** Falls of the running sum of net profits, which begins with zero; money in the run's currency. */
interface Falls {
  /** By the sums after each exit; at least 0. */
  readonly deepest: Decimal;
  /** The same, where each trade also counts its worst unrealised result, as if it had been the only one open. */
  readonly deepestInside: Decimal;
  /** The longest time from the exit at a peak to the exit that reached it again, or to the last exit. */
  readonly longestMs: number;
}

/** Sums and extremes of the results that trades had while they were open. */
interface Excursions {
  readonly mae: Decimal;
  readonly mfe: Decimal;
  readonly leastMae: Decimal;
  readonly mostMfe: Decimal;
  /** The part of the best unrealised result that trades lost until they ended: MFE less profit before costs. */
  readonly givenBack: Decimal;
  readonly mostGivenBack: Decimal;
}

/** The figures of closed trades that statistics use. */
export interface TradeGroups {
  readonly all: TradeGroup;
  /** Trades with a net profit above zero, and below; a net profit of exactly zero is neither. */
  readonly wins: TradeGroup;
  readonly losses: TradeGroup;
  readonly longs: TradeGroup;
  readonly shorts: TradeGroup;
  /** The number of wins among the trades of each side. */
  readonly longWins: number;
  readonly shortWins: number;
  /** Net profits as doubles, in order of exit. */
  readonly profits: Float64Array;
  readonly falls: Falls;
  readonly excursions: Excursions;
}

/** Adds closed trades up, one after the other in order of exit. */
export class GroupFold implements TradeGroups {
  readonly all = new TradeGroup(() => this.#sortedHoldings(() => true));
  readonly wins = new TradeGroup(() => this.#sortedHoldings((sign) => sign > 0));
  readonly losses = new TradeGroup(() => this.#sortedHoldings((sign) => sign < 0));
  readonly longs = new TradeGroup(() => this.#sortedHoldings((_, isLong) => isLong));
  readonly shorts = new TradeGroup(() => this.#sortedHoldings((_, isLong) => !isLong));
  longWins = 0;
  shortWins = 0;
  /** The sum of entry value times holding time, in ms. */
  worthHeld = 0;
  readonly falls = new RunningFalls();
  readonly excursions = new RunningExcursions();
  #profits = new Float64Array(16);
  /** Holding times of all trades in order of exit, in ms: one list for all groups. */
  readonly #holdings = new NumberColumn();
  /** Twice the sign of the net profit, and one more for a long trade. */
  readonly #kinds = new NumberColumn();
  /** One list for the medians of all groups: there may be a million trades. */
  #sorted = new Float64Array(0);

  get profits(): Float64Array {
    return this.#profits.subarray(0, this.all.length);
  }

  add(trade: FoldedTrade): void {
    const { side, exitTime, netProfit, fees, funding, entryValue, holdingMs, mae, mfe, sign } = trade;
    if (this.all.length === this.#profits.length) this.#grow();
    this.#profits[this.all.length] = toDouble(netProfit);
    this.#holdings.push(holdingMs);
    this.#kinds.push(2 * sign + (side === 'long' ? 1 : 0));
    this.all.add(trade);
    (side === 'long' ? this.longs : this.shorts).add(trade);
    if (sign !== 0) (sign > 0 ? this.wins : this.losses).add(trade);
    if (sign > 0) side === 'long' ? this.longWins++ : this.shortWins++;
    this.worthHeld += toDouble(entryValue) * holdingMs;
    this.falls.add(netProfit, mae, exitTime);
    this.excursions.add(mae, mfe, mfe.minus(netProfit.plus(fees).minus(funding)));
  }

  #grow(): void {
    const before = this.#profits;
    this.#profits = new Float64Array(2 * before.length);
    this.#profits.set(before);
  }

  /** A list that is valid until the next call. */
  #sortedHoldings(isIn: (sign: number, isLong: boolean) => boolean): Float64Array {
    if (this.#sorted.length < this.#holdings.length) this.#sorted = new Float64Array(this.#holdings.length);
    let count = 0;
    for (let at = 0; at < this.#holdings.length; at++) {
      const kind = this.#kinds.at(at);
      if (isIn(Math.floor(kind / 2), kind % 2 !== 0)) this.#sorted[count++] = this.#holdings.at(at);
    }
    return this.#sorted.subarray(0, count).sort();
  }
}

class RunningFalls implements Falls {
  deepest: Decimal = ZERO;
  longestMs = 0;
  #sum: Decimal = ZERO;
  #peak: Decimal = ZERO;
  #peakTime = Number.NaN;
  #inside: Decimal = ZERO;

  get deepestInside(): Decimal {
    return Decimal.max(this.#inside, this.deepest);
  }

  add(netProfit: Decimal, mae: Decimal, exitTime: number): void {
    if (Number.isNaN(this.#peakTime)) this.#peakTime = exitTime;
    const inside = this.#peak.minus(this.#sum).minus(mae);
    if (inside.gt(this.#inside)) this.#inside = inside;
    this.#sum = this.#sum.plus(netProfit);
    const fall = this.#peak.minus(this.#sum);
    if (fall.gt(this.deepest)) this.deepest = fall;
    this.longestMs = Math.max(this.longestMs, exitTime - this.#peakTime);
    if (!fall.isPositive() || fall.isZero()) [this.#peak, this.#peakTime] = [this.#sum, exitTime];
  }
}

class RunningExcursions implements Excursions {
  leastMae: Decimal = ZERO;
  mostMfe: Decimal = ZERO;
  readonly #mae = new ExactSum();
  readonly #mfe = new ExactSum();
  readonly #givenBack = new ExactSum();
  #mostGivenBack: Decimal | undefined;

  get mae(): Decimal {
    return this.#mae.total;
  }
  get mfe(): Decimal {
    return this.#mfe.total;
  }
  get givenBack(): Decimal {
    return this.#givenBack.total;
  }
  get mostGivenBack(): Decimal {
    return this.#mostGivenBack ?? ZERO;
  }

  add(mae: Decimal, mfe: Decimal, givenBack: Decimal): void {
    if (mae.lt(this.leastMae)) this.leastMae = mae;
    if (mfe.gt(this.mostMfe)) this.mostMfe = mfe;
    if (this.#mostGivenBack === undefined || givenBack.gt(this.#mostGivenBack)) this.#mostGivenBack = givenBack;
    this.#mae.add(mae);
    this.#mfe.add(mfe);
    this.#givenBack.add(givenBack);
  }
}
