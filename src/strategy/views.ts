import type { Decimal } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Bar, Quote } from '../model/market-events.ts';
import type { ReadonlyMarket, ReadonlyPosition, ReadonlyState } from '../state/state.ts';

/**
 * A position as plain numbers, as it stood when it was asked for; `quantity` is never negative, `side` says which
 * way. The figures from money are worked out only when asked for: most hooks look at the quantity alone.
 */
export class PositionView {
  readonly #instrument: Instrument;
  readonly #cost: Decimal;
  readonly #realizedProfit: Decimal;
  readonly #steps: number;

  /** @param steps signed whole steps; on spot the account's are the balance's, not the fold of fills. */
  constructor(instrument: Instrument, position: ReadonlyPosition, steps: number) {
    this.#instrument = instrument;
    this.#cost = position.cost;
    this.#realizedProfit = position.realizedProfit;
    this.#steps = steps;
  }

  get side(): 'long' | 'short' | 'flat' {
    return this.#steps > 0 ? 'long' : this.#steps < 0 ? 'short' : 'flat';
  }
  /** Base units, whole steps. */
  get quantity(): number {
    return this.#instrument.step.toNumber(Math.abs(this.#steps));
  }
  /** Average entry price in quote, 0 when flat. */
  get averagePrice(): number {
    return this.#steps === 0 ? 0 : this.#cost.toNumber() / this.quantity;
  }
  /** Gained by closing so far, in quote, fees apart. */
  get realizedProfit(): number {
    return this.#realizedProfit.toNumber();
  }
}

export interface BalanceView {
  readonly total: number;
  readonly available: number;
  readonly frozen: number;
}

/** The newest prices of one symbol; `undefined` before the first. */
export interface MarketView {
  /** What positions are valued at: the last price, the close, or the middle of the quote. */
  readonly mark: number | undefined;
  readonly bar: Bar | undefined;
  readonly quote: Quote | undefined;
}

export function marketView({ markTicks, mark, bar, quote }: ReadonlyMarket): MarketView {
  return { mark: Number.isNaN(markTicks) ? undefined : mark, bar, quote };
}

/** The account that all strategies of the run share. */
export class AccountView {
  constructor(
    private readonly state: ReadonlyState,
    private readonly instrument: (symbol: string) => Instrument,
  ) {}

  /** The asset that equity is counted in. */
  get currency(): string {
    return this.state.portfolio.currency;
  }
  /** Everything the account holds, at the newest prices. */
  get equity(): number {
    return this.state.portfolio.equity;
  }
  /** The present fall from the highest equity, as a fraction. */
  get drawdown(): number {
    return this.state.portfolio.drawdown.current;
  }

  balance(asset: string): BalanceView {
    const { total, frozen } = this.state.portfolio.balance(asset);
    return { total: total.toNumber(), available: total.minus(frozen).toNumber(), frozen: frozen.toNumber() };
  }

  /** The account's net position: on spot, the whole balance floored to the step. */
  position(symbol: string): PositionView {
    const instrument = this.instrument(symbol);
    return new PositionView(instrument, this.state.positions[instrument.index]!, this.state.heldSteps(instrument));
  }
}
