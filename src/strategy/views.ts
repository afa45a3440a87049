import { type Decimal, ZERO } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Bar, Quote } from '../model/market-events.ts';
import type { ReadonlyMarket, ReadonlyState } from '../state/state.ts';
import { BookView, contractView, PositionView } from './position-view.ts';

export interface BalanceView {
  readonly total: number;
  readonly available: number;
  readonly frozen: number;
}

/** How one collateral currency of a futures account stands, in that currency. */
export interface MarginView {
  /** Collateral and unrealised profit. */
  readonly equity: number;
  /** Margin of positions and of opening orders. */
  readonly used: number;
  /** What opening orders may still use. */
  readonly free: number;
  /** Maintenance margin of all positions: where shared equity falls to it, they are liquidated. */
  readonly maintenance: number;
  /** `used / equity`. */
  readonly use: number;
}

/** The newest prices of one symbol; `undefined` before the first. */
export interface MarketView {
  /** What positions are valued at: the mark price while it is fresh, else the last price. */
  readonly mark: number | undefined;
  /** The last price: ticker, close or trade, or the middle of the quote. */
  readonly last: number | undefined;
  readonly bar: Bar | undefined;
  readonly quote: Quote | undefined;
  /** The order book as it stands now, where depth feeds the run. */
  readonly book: BookView | undefined;
  /** The newest funding rate that was settled, of perpetuals. */
  readonly fundingRate: number | undefined;
}

export function marketView({ instrument, mark, last, bar, quote, book, fundingRate }: ReadonlyMarket): MarketView {
  return {
    mark: Number.isNaN(mark) ? undefined : mark,
    last: Number.isNaN(last) ? undefined : last,
    bar,
    quote,
    book: book && new BookView(instrument, book),
    fundingRate,
  };
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

  /** Of the wallet that the account trades from; beside futures, `spot` names the other. */
  balance(asset: string, wallet?: 'spot' | 'futures'): BalanceView {
    const { total, frozen } = this.state.portfolio.balance(asset, wallet);
    return { total: total.toNumber(), available: total.minus(frozen).toNumber(), frozen: frozen.toNumber() };
  }

  /** The margin of a futures account that stands on a currency: the account's own unless another is named. */
  margin(currency = this.currency): MarginView {
    const { equity, used, free, maintenance } = this.state.margin.figures(currency);
    return {
      equity: equity.toNumber(),
      used: used.toNumber(),
      free: free.toNumber(),
      maintenance: maintenance.toNumber(),
      use: shareOf(used, equity),
    };
  }

  /**
   * The account's position: on spot, the whole balance floored to the step; of a contract on margin the side named,
   * else the one that is open, else the net of both.
   */
  position(symbol: string, positionSide?: 'long' | 'short'): PositionView {
    const instrument = this.instrument(symbol);
    const sides = this.state.sides(instrument);
    if (sides.length > 1) return contractView(this.state, instrument, sides, positionSide);
    return new PositionView(this.state.market(instrument), sides[0]!, this.state.heldSteps(instrument));
  }
}

/** Without anything used, nothing is used, whatever the equity. */
function shareOf(used: Decimal, equity: Decimal): number {
  return used.equals(ZERO) ? 0 : used.div(equity).toNumber();
}
