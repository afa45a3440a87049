import type { Decimal } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Bar, Quote } from '../model/market-events.ts';
import type { MarketState } from '../state/market-state.ts';
import type { ReadonlyState } from '../state/state.ts';

/** A position as plain numbers; `quantity` is never negative, `side` says which way. */
export interface PositionView {
  readonly side: 'long' | 'short' | 'flat';
  /** Base units, whole steps. */
  readonly quantity: number;
  /** Average entry price in quote, 0 when flat. */
  readonly averagePrice: number;
  /** Gained by closing so far, in quote, fees apart. */
  readonly realizedProfit: number;
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

export function positionView(instrument: Instrument, steps: number, cost: Decimal, realizedProfit: Decimal): PositionView {
  const quantity = instrument.step.toNumber(Math.abs(steps));
  return {
    side: steps > 0 ? 'long' : steps < 0 ? 'short' : 'flat',
    quantity,
    averagePrice: steps === 0 ? 0 : cost.toNumber() / quantity,
    realizedProfit: realizedProfit.toNumber(),
  };
}

export function marketView({ markTicks, mark, bar, quote }: MarketState): MarketView {
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
    const net = this.state.positions[instrument.index]!;
    return positionView(instrument, this.state.heldSteps(instrument), net.cost, net.realizedProfit);
  }
}
