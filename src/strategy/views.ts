import { distinctUntilChanged, map, type Observable } from 'rxjs';
import { type Decimal, ZERO } from '../model/decimal.ts';
import type { ReadonlyDepthBook, ReadonlyLadder } from '../model/depth-book.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Bar, Quote } from '../model/market-events.ts';
import type { Side } from '../model/order.ts';
import { leverageOf } from '../state/margin-book.ts';
import type { ReadonlyMarket, ReadonlyPosition, ReadonlyState } from '../state/state.ts';

interface BalanceView {
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

/** How the requests of a run stand. */
export interface RequestsView {
  /** Orders and cancels that wait to be sent. */
  readonly queued: number;
  /** How long the oldest of them has waited, in ms; 0 where none waits. */
  readonly oldestWaitMs: number;
  /** How much of what the limits leave to orders is free, from 0 (the next one waits) to 1 (all of it). */
  readonly free: number;
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

/** What stands at one price. */
export interface Level {
  readonly price: number;
  readonly quantity: number;
  /** The same in whole ticks and steps, for exact work. */
  readonly ticks: number;
  readonly steps: number;
}

/** A recorded order book as it stands now: a view, which moves with it. Own orders are no part of it. */
export class BookView {
  constructor(
    private readonly instrument: Instrument,
    private readonly book: ReadonlyDepthBook,
  ) {}

  /** Best prices in ticks; `NaN` while a side is empty. */
  get bidTicks(): number {
    return this.book.bids.bestTicks;
  }
  get askTicks(): number {
    return this.book.asks.bestTicks;
  }
  /** Best prices; `NaN` while a side is empty. */
  get bid(): number {
    return this.instrument.tick.toNumber(this.bidTicks);
  }
  get ask(): number {
    return this.instrument.tick.toNumber(this.askTicks);
  }
  /** The middle of both; `NaN` while a side is empty. */
  get mid(): number {
    return this.instrument.tick.toNumber(this.book.midTicks);
  }
  /** What stands at the best prices. */
  get bidQuantity(): number {
    return this.instrument.step.toNumber(this.stepsAt('buy', this.bidTicks));
  }
  get askQuantity(): number {
    return this.instrument.step.toNumber(this.stepsAt('sell', this.askTicks));
  }

  /** Steps that stand at a price among the bids (`buy`) or asks (`sell`); 0 where nothing does. */
  stepsAt(side: Side, ticks: number): number {
    return this.#side(side).stepsAt(ticks);
  }

  /** The best levels of a side, best first: at most `most`. */
  levels(side: Side, most: number): Level[] {
    const ladder = this.#side(side);
    const { tick, step } = this.instrument;
    const found: Level[] = [];
    for (let ticks = ladder.bestTicks; found.length < most && !Number.isNaN(ticks); ticks = ladder.next(ticks)) {
      const steps = ladder.stepsAt(ticks);
      found.push({ price: tick.toNumber(ticks), quantity: step.toNumber(steps), ticks, steps });
    }
    return found;
  }

  #side(side: Side): ReadonlyLadder {
    return side === 'buy' ? this.book.bids : this.book.asks;
  }
}

/**
 * A position as plain numbers, as it stood when it was asked for; `quantity` is never negative, `side` says which
 * way. The figures from money are worked out only when asked for: most hooks look at the quantity alone. Those that
 * hang on prices are of the moment at which they are read.
 */
export class PositionView {
  readonly #market: Pick<ReadonlyMarket, 'mark' | 'instrument'>;
  readonly #cost: Decimal;
  readonly #realizedProfit: Decimal;
  readonly #steps: number;

  /** @param steps signed whole steps; on spot the account's are the balance's, not the fold of fills. */
  constructor(market: Pick<ReadonlyMarket, 'mark' | 'instrument'>, { cost, realizedProfit }: Money, steps: number) {
    this.#market = market;
    this.#cost = cost;
    this.#realizedProfit = realizedProfit;
    this.#steps = steps;
  }

  get side(): 'long' | 'short' | 'flat' {
    return this.#steps > 0 ? 'long' : this.#steps < 0 ? 'short' : 'flat';
  }
  /** Base units, whole steps. */
  get quantity(): number {
    return this.#market.instrument.step.toNumber(Math.abs(this.#steps));
  }
  /** Average entry price in quote, 0 when flat. */
  get averagePrice(): number {
    return this.#steps === 0 ? 0 : this.#cost.toNumber() / this.quantity;
  }
  /** Gained by closing so far, in quote, fees and funding apart. */
  get realizedProfit(): number {
    return this.#realizedProfit.toNumber();
  }
  /** What closing at the mark would gain, in quote; 0 when flat. */
  get unrealizedProfit(): number {
    if (this.#steps === 0) return 0;
    const worth = this.quantity * this.#market.mark;
    return this.#steps > 0 ? worth - this.#cost.toNumber() : this.#cost.toNumber() - worth;
  }
  /** Gained by funding so far (negative: paid), in quote; contracts on margin alone have any. */
  get funding(): number {
    return 0;
  }
  /** Of a contract on margin, else `undefined`. */
  get leverage(): number | undefined {
    return undefined;
  }
  /**
   * The mark price at which the venue liquidates a side of a contract on margin, as all other contracts stand;
   * `undefined` where none does it. Of separated isolated positions: the nearest of those that the holder's orders
   * opened; else it is the account's.
   */
  get liquidationPrice(): number | undefined {
    return undefined;
  }
}

/** The same of a contract on margin. */
class ContractView extends PositionView {
  readonly #state: ReadonlyState;
  readonly #instrument: Instrument;
  readonly #funding: Decimal;
  readonly #holder: Holder;

  constructor(
    state: ReadonlyState,
    instrument: Instrument,
    position: Money & Pick<ReadonlyPosition, 'funding'>,
    steps: number,
    holder: Holder,
  ) {
    super(state.market(instrument), position, steps);
    this.#state = state;
    this.#instrument = instrument;
    this.#funding = position.funding;
    this.#holder = holder;
  }

  override get funding(): number {
    return this.#funding.toNumber();
  }
  override get leverage(): number | undefined {
    const { side } = this;
    return side === 'flat' ? undefined : leverageOf(this.#state.margin.settings(this.#instrument)!, side).toNumber();
  }
  override get liquidationPrice(): number | undefined {
    const { side } = this;
    return side === 'flat' ? undefined : this.#state.margin.liquidationPrice(this.#instrument, side, this.#holder)?.toNumber();
  }
}

type Money = Pick<ReadonlyPosition, 'cost' | 'realizedProfit'>;
/** Of a side that is open. */
type Holder = Pick<ReadonlyPosition, 'parts' | 'steps'>;

/**
 * What is held of a contract on margin: the side that is named, else the one that is open, else both as one: the
 * larger less the smaller, at the larger one's average price.
 */
export function contractView(
  state: ReadonlyState,
  instrument: Instrument,
  sides: readonly ReadonlyPosition[],
  named: 'long' | 'short' | undefined,
): PositionView {
  const [long, short] = sides as [ReadonlyPosition, ReadonlyPosition];
  if (named !== undefined) return viewOf(state, instrument, named === 'long' ? long : short);
  if ((short.steps === 0) !== (long.steps === 0)) return viewOf(state, instrument, long.steps === 0 ? short : long);
  const steps = long.steps + short.steps;
  const larger = steps < 0 ? short : long;
  const cost = steps === 0 ? larger.cost : larger.cost.times(steps).div(larger.steps);
  const realizedProfit = long.realizedProfit.plus(short.realizedProfit);
  return new ContractView(state, instrument, { cost, realizedProfit, funding: long.funding.plus(short.funding) }, steps, larger);
}

function viewOf(state: ReadonlyState, instrument: Instrument, position: ReadonlyPosition): PositionView {
  return new ContractView(state, instrument, position, position.steps, position);
}

/** One part of the state as a stream that emits only when that part changes. */
export function select$<T>(state$: Observable<ReadonlyState>, part: (state: ReadonlyState) => T): Observable<T> {
  return state$.pipe(map(part), distinctUntilChanged());
}
