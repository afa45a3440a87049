import { type Decimal, ZERO } from '../model/decimal.ts';
import type { Execution } from '../model/position.ts';
import { DayLoss, Drawdown } from './drawdown.ts';
import type { MarketState } from './market-state.ts';
import { type Conversion, Valuation } from './valuation.ts';

/** Called for each market event after its price is in the state, and for the first event after each midnight. */
export interface PriceWatcher {
  observe(index: number, time: number): void;
  advance?(time: number): void;
}

/**
 * The equity of one strategy in the account's currency: its capital plus its own fills, fees and funding, open positions at their marks.
 * Computed only where a limit of the strategy needs it.
 */
export class OwnEquity implements PriceWatcher {
  readonly drawdown = new Drawdown(() => this.equity);
  readonly day = new DayLoss(() => this.equity);
  /** As a double; `NaN` until everything it holds has a price. */
  equity = Number.NaN;
  /** Called at market events at which equity cannot be computed, though it was known before or every asset has a price. */
  onUnknown: (() => void) | undefined;
  readonly #valuation: Valuation;
  readonly #cash = new Map<string, Decimal>();
  readonly #steps: Float64Array;
  #stale = true;
  #funded = false;
  #isKnown = false;
  #start = ZERO;

  /** @param capital the starting capital; without it, the account's first equity. */
  constructor(
    private readonly conversion: Conversion,
    markets: readonly MarketState[],
    private readonly startEquity: () => Decimal | undefined,
    private readonly capital?: Decimal,
  ) {
    this.#valuation = new Valuation(conversion, markets, () => true);
    this.#steps = new Float64Array(markets.length);
  }

  onFill({ instrument, side, steps, notional, fee, feeAsset }: Execution): void {
    const { index, quote } = instrument;
    this.#steps[index]! += side === 'buy' ? steps : -steps;
    this.#valuation.setPosition(index, this.#steps[index]!, ZERO);
    this.#pay(quote, side === 'buy' ? notional.negated() : notional);
    if (!fee.isZero()) this.#pay(feeAsset, fee.negated());
    this.#value();
  }

  /** @param amount received; negative where it was paid. */
  onFunding(asset: string, amount: Decimal): void {
    this.#pay(asset, amount);
    this.#value();
  }

  observe(index: number, time: number): void {
    if (!this.#stale && this.#valuation.moves[index] === 0) return;
    if (!this.#fund()) return;
    if (this.#stale) this.#valuation.refresh();
    this.equity = this.#valuation.equity();
    this.#stale = !Number.isFinite(this.equity);
    if (this.#stale) {
      if (this.#isKnown || !this.exactEquity().isFinite()) this.onUnknown?.();
      return;
    }
    this.#isKnown = true;
    this.drawdown.observe(time, this.equity);
    this.day.observe(time, this.equity);
  }

  advance(time: number): void {
    this.day.advance(time);
  }

  /** The profit of its own trades so far, open positions at their marks. */
  profit(): Decimal {
    if (!this.#fund()) return ZERO;
    return this.#valuation.exactEquity().minus(this.#start);
  }

  /** Exact; assets without a price count as zero. */
  exactEquity(): Decimal {
    this.#fund();
    return this.#valuation.exactEquity();
  }

  /** Equity now includes the fill or payment. Drawdowns and their limits are checked at the next market event. */
  #value(): void {
    if (!this.#fund()) return;
    this.#valuation.refresh();
    this.equity = this.#valuation.equity();
  }

  /** @returns false while the starting equity is unknown. */
  #fund(): boolean {
    if (this.#funded) return true;
    const capital = this.capital ?? this.startEquity();
    if (capital === undefined) return false;
    this.#funded = true;
    this.#start = capital;
    this.#pay(this.conversion.currency, capital);
    return true;
  }

  #pay(asset: string, amount: Decimal): void {
    const total = (this.#cash.get(asset) ?? ZERO).plus(amount);
    this.#cash.set(asset, total);
    this.#valuation.setAsset(asset, total);
    this.#stale = true;
  }
}
