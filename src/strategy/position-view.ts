import type { Decimal } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import { leverageOf } from '../state/margin-book.ts';
import type { ReadonlyMarket, ReadonlyPosition, ReadonlyState } from '../state/state.ts';

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
