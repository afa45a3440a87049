import { Decimal, ratioOf, ZERO } from '../model/decimal.ts';
import type { ReadonlyDepthBook, ReadonlyLadder } from '../model/depth-book.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Bar, Quote } from '../model/market-events.ts';
import type { Side } from '../model/order.ts';
import { leverageOf } from '../state/margin-book.ts';
import { fundsInOrders } from '../state/order-needs.ts';
import type { ReadonlyMarket, ReadonlyPosition, ReadonlyState } from '../state/state.ts';

/** The balance of one asset in one wallet, in that asset. */
export interface BalanceView {
  readonly total: number;
  /** The total less what open orders need, those that were approved at this instant included; never negative. */
  readonly available: number;
  /** The same as `available`: the word of `margin()`. */
  readonly free: number;
  readonly frozen: number;
}

/** The state of one collateral currency of a futures account, in that currency. */
export interface MarginView {
  /** Collateral and unrealised profit. */
  readonly equity: number;
  /** Margin of positions and of opening orders. */
  readonly used: number;
  /** The collateral that opening orders may still use. */
  readonly free: number;
  /** The same as `free`: the word of `balance()`. */
  readonly available: number;
  /** Maintenance margin of all positions: they are liquidated when shared equity falls to it. */
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

  /** The currency of equity. */
  get currency(): string {
    return this.state.portfolio.currency;
  }
  /** The value of everything in the account, at the newest prices. */
  get equity(): number {
    return this.state.portfolio.equity;
  }
  /** The present fall from the highest equity, as a fraction. */
  get drawdown(): number {
    return this.state.portfolio.drawdown.current;
  }

  /** The balance of the wallet from which the account trades; with futures, `spot` names the other one. */
  balance(asset: string, wallet?: 'spot' | 'futures'): BalanceView {
    const { total, frozen, wallet: of } = this.state.portfolio.balance(asset, wallet);
    const reported = total.minus(frozen);
    // An order needs its funds from its approval on; the venue reports them as frozen later.
    const isSpot = of === 'spot' && this.state.account.kind !== 'netting';
    const unreserved = isSpot
      ? total.minus(fundsInOrders(this.state, asset, 'buy')).minus(fundsInOrders(this.state, asset, 'sell'))
      : reported;
    const available = Decimal.max(ZERO, Decimal.min(reported, unreserved)).toNumber();
    return { total: total.toNumber(), available, free: available, frozen: frozen.toNumber() };
  }

  /** The margin of a futures account in a currency: its own unless another is given. */
  margin(currency = this.currency): MarginView {
    const { equity, used, free, maintenance } = this.state.margin.figures(currency);
    return {
      equity: equity.toNumber(),
      used: used.toNumber(),
      free: free.toNumber(),
      available: free.toNumber(),
      maintenance: maintenance.toNumber(),
      use: shareOf(used, equity),
    };
  }

  /**
   * The account's position: on spot, the whole balance rounded down to the step; for futures the given side,
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

/** The state of the requests of a run. */
export interface RequestsView {
  /** Orders and cancels that wait to be sent. */
  readonly queued: number;
  /** How long the oldest of them has waited, in ms; 0 if none waits. */
  readonly oldestWaitMs: number;
  /** Free share of the limits for orders, from 0 (the next one waits) to 1 (all of it). */
  readonly free: number;
}

/** The newest prices of one symbol; `undefined` before the first. */
export interface MarketView {
  /** The price that values positions: the mark price while it is fresh, else the last price. */
  readonly mark: number | undefined;
  /** The last price: ticker, close or trade, or the middle of the quote. */
  readonly last: number | undefined;
  readonly bar: Bar | undefined;
  readonly quote: Quote | undefined;
  /** The present order book, if the run has depth data. */
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

/** One price of the book with its quantity. */
export interface Level {
  readonly price: number;
  readonly quantity: number;
  /** The same in whole ticks and steps, for exact work. */
  readonly ticks: number;
  readonly steps: number;
}

/** The present state of a recorded order book: a view, which changes with it. Own orders are not in it. */
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
  /** The quantities at the best prices. */
  get bidQuantity(): number {
    return this.instrument.step.toNumber(this.stepsAt('buy', this.bidTicks));
  }
  get askQuantity(): number {
    return this.instrument.step.toNumber(this.stepsAt('sell', this.askTicks));
  }

  /** Steps at a price among the bids (`buy`) or asks (`sell`); 0 if there are none. */
  stepsAt(side: Side, ticks: number): number {
    return this.#side(side).stepsAt(ticks);
  }

  /** The best levels of a side, best first: at most `most`. */
  levels(side: Side, most: number): Level[] {
    const { tick, step } = this.instrument;
    const found: Level[] = [];
    for (const { ticks, steps } of this.#walk(side)) {
      if (found.length >= most) break;
      found.push({ price: tick.toNumber(ticks), quantity: step.toNumber(steps), ticks, steps });
    }
    return found;
  }

  /**
   * The micro-price: each best price weighted by the quantity of the other side, between bid and ask
   * (Stoikov, "The micro-price", 2018, its first approximation). `NaN` while a side is empty. Cost: two lookups.
   */
  get microprice(): number {
    const { bidQuantity, askQuantity } = this;
    return (this.bid * askQuantity + this.ask * bidQuantity) / (bidQuantity + askQuantity);
  }

  /**
   * How much more is bid than asked, from -1 (only asks) to 1 (only bids): `(bids - asks) / (bids + asks)` of the quantities in the best
   * `levels` of each side, or of those within a percentage of the middle. `NaN` while a side is empty. Cost: one lookup a level.
   */
  imbalance(within: number | { readonly percent: number }): number {
    if (Number.isNaN(this.mid)) return Number.NaN;
    const [bids, asks] =
      typeof within === 'number'
        ? [this.#stepsOf('buy', within), this.#stepsOf('sell', within)]
        : [this.#stepsWithin('buy', within.percent), this.#stepsWithin('sell', within.percent)];
    return bids + asks === 0 ? 0 : (bids - asks) / (bids + asks);
  }

  /** The quantities within a percentage of the middle, in base units: 0.1 is a thousandth. Cost: one lookup a level. */
  depthWithin(percent: number): { readonly bid: number; readonly ask: number } {
    const { step } = this.instrument;
    return { bid: step.toNumber(this.#stepsWithin('buy', percent)), ask: step.toNumber(this.#stepsWithin('sell', percent)) };
  }

  /**
   * The average price of a market order of this side and quantity (base units) if it took the present book alone; `NaN` if the book has
   * less. Cost: one lookup a level that it takes.
   */
  priceFor(side: Side, quantity: number): number {
    const { tick, step } = this.instrument;
    const wanted = step.floor(quantity) ?? 0;
    let [left, paid] = [wanted, 0];
    for (const { ticks, steps } of this.#walk(side === 'buy' ? 'sell' : 'buy')) {
      const taken = Math.min(left, steps);
      paid += taken * ticks;
      left -= taken;
      if (left === 0) return tick.toNumber(paid / wanted);
    }
    return Number.NaN;
  }

  #stepsOf(side: Side, levels: number): number {
    let [sum, count] = [0, 0];
    for (const { steps } of this.#walk(side)) {
      if (++count > levels) break;
      sum += steps;
    }
    return sum;
  }

  #stepsWithin(side: Side, percent: number): number {
    const farthest = (this.book.midTicks * percent) / 100;
    let sum = 0;
    for (const { ticks, steps } of this.#walk(side)) {
      if (!(Math.abs(ticks - this.book.midTicks) <= farthest)) break;
      sum += steps;
    }
    return sum;
  }

  /** The levels of a side, best first. */
  *#walk(side: Side): Generator<{ readonly ticks: number; readonly steps: number }> {
    const ladder = this.#side(side);
    for (let ticks = ladder.bestTicks; !Number.isNaN(ticks); ticks = ladder.next(ticks)) yield { ticks, steps: ladder.stepsAt(ticks) };
  }

  #side(side: Side): ReadonlyLadder {
    return side === 'buy' ? this.book.bids : this.book.asks;
  }
}

/**
 * A position as plain numbers at the moment of the call. `quantity` is never negative; `side` gives the
 * direction. Figures of money are computed only when read: most hooks use only the quantity. Figures that
 * depend on prices use those of the moment at which they are read.
 */
export class PositionView {
  readonly #market: Pick<ReadonlyMarket, 'mark' | 'instrument'>;
  readonly #cost: Decimal;
  readonly #realizedProfit: Decimal;
  readonly #steps: number;
  readonly #firstTicks: number;

  /** @param steps signed whole steps; on spot the account's are those of the balance, not the sum of fills. */
  constructor(market: Pick<ReadonlyMarket, 'mark' | 'instrument'>, { cost, realizedProfit, firstTicks }: Money, steps: number) {
    this.#market = market;
    this.#cost = cost;
    this.#realizedProfit = realizedProfit;
    this.#steps = steps;
    this.#firstTicks = firstTicks;
  }

  get side(): 'long' | 'short' | 'flat' {
    return this.#steps > 0 ? 'long' : this.#steps < 0 ? 'short' : 'flat';
  }
  /** Base units, whole steps. */
  get quantity(): number {
    return this.#market.instrument.step.toNumber(Math.abs(this.#steps));
  }
  /** Average entry price in quote, 0 if flat. */
  get averagePrice(): number {
    return this.#steps === 0 ? 0 : ratioOf(this.#cost, this.#market.instrument.step.toDecimal(Math.abs(this.#steps)));
  }
  /** Price of the fill that opened it from flat, 0 if flat: later fills do not change it. */
  get firstPrice(): number {
    return this.#steps === 0 ? 0 : this.#market.instrument.tick.toNumber(this.#firstTicks);
  }
  /** Profit of closes so far, in quote, without fees and funding. */
  get realizedProfit(): number {
    return this.#realizedProfit.toNumber();
  }
  /** Profit of a close at the mark, in quote; 0 if flat. */
  get unrealizedProfit(): number {
    if (this.#steps === 0) return 0;
    const worth = this.quantity * this.#market.mark;
    return this.#steps > 0 ? worth - this.#cost.toNumber() : this.#cost.toNumber() - worth;
  }
  /** Funding received so far (negative: paid), in quote; only futures have it. */
  get funding(): number {
    return 0;
  }
  /** Futures only, else `undefined`. */
  get leverage(): number | undefined {
    return undefined;
  }
  /**
   * The mark price at which the venue liquidates a side of a contract on margin, with all other contracts as they are now;
   * `undefined` if no price does. For separated isolated positions: the nearest of those that the holder's orders
   * opened; else it is the account's.
   */
  get liquidationPrice(): number | undefined {
    return undefined;
  }
}

/** The same for a contract on margin. */
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

type Money = Pick<ReadonlyPosition, 'cost' | 'realizedProfit' | 'firstTicks'>;
/** The owner of an open side. */
type Holder = Pick<ReadonlyPosition, 'parts' | 'steps'>;

/**
 * The position of a contract on margin: the given side, else the open one, else both as one: the
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
  return new ContractView(
    state,
    instrument,
    { cost, realizedProfit, funding: long.funding.plus(short.funding), firstTicks: larger.firstTicks },
    steps,
    larger,
  );
}

function viewOf(state: ReadonlyState, instrument: Instrument, position: ReadonlyPosition): PositionView {
  return new ContractView(state, instrument, position, position.steps, position);
}
