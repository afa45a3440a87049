import { ItemColumn, MadeRows, MoneyColumn, NumberColumn, type Rows } from '../../model/columns.ts';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { ClosedTrade, RoundTrip } from './trade.ts';

/** The facts that closed trades of one kind share. */
type Terms = Pick<ClosedTrade, 'strategyId' | 'symbol' | 'side' | 'tag' | 'exitTag' | 'exitReason' | 'liquidated'> & {
  /** Whether quote is another currency than the run's. */
  readonly converted: boolean;
};

/** A closed trade as its sums; all other figures are computed from them. Notionals are in quote, other money is in the run's currency. */
export interface TradeFigures
  extends Omit<Terms, 'converted'>,
    Pick<
      ClosedTrade,
      'group' | 'entryTime' | 'exitTime' | 'maxQuantity' | 'fees' | 'funding' | 'fills' | 'pathFills' | 'mae' | 'mfe' | 'netProfit'
    > {
  /** How much earlier than `entryTime` the entry can have happened, in ms. */
  readonly early: number;
  readonly entryQuantity: Decimal;
  readonly entryNotional: Decimal;
  readonly exitQuantity: Decimal;
  readonly exitNotional: Decimal;
  /** Absent if quote is the run's currency: then the notionals are the worth. */
  readonly worth: Pick<ClosedTrade, 'entryValue' | 'volume'> | undefined;
}

interface Columns {
  readonly terms: ItemColumn<Terms>;
  readonly entryTime: NumberColumn;
  readonly exitTime: NumberColumn;
  readonly early: NumberColumn;
  readonly fills: NumberColumn;
  readonly pathFills: NumberColumn;
  readonly entryQuantity: MoneyColumn;
  readonly entryNotional: MoneyColumn;
  readonly exitQuantity: MoneyColumn;
  readonly exitNotional: MoneyColumn;
  readonly maxQuantity: MoneyColumn;
  /** Zero unless the trade is converted; also `volume`. */
  readonly entryValue: MoneyColumn;
  readonly volume: MoneyColumn;
  readonly fees: MoneyColumn;
  readonly funding: MoneyColumn;
  readonly mae: MoneyColumn;
  readonly mfe: MoneyColumn;
  readonly netProfit: MoneyColumn;
  /** By index, of those that have one. */
  readonly groups: Map<number, string>;
}

/** One index of the columns. */
class Row implements RoundTrip {
  readonly #columns: Columns;
  readonly #index: number;
  readonly #terms: Terms;

  constructor(columns: Columns, index: number) {
    this.#columns = columns;
    this.#index = index;
    this.#terms = columns.terms.at(index);
  }

  get strategyId() {
    return this.#terms.strategyId;
  }
  get symbol() {
    return this.#terms.symbol;
  }
  get side() {
    return this.#terms.side;
  }
  get tag() {
    return this.#terms.tag;
  }
  get group() {
    return this.#columns.groups.get(this.#index);
  }
  get entryTime() {
    return this.#columns.entryTime.at(this.#index);
  }
  get entryQuantity() {
    return this.#columns.entryQuantity.at(this.#index);
  }
  get exitQuantity() {
    return this.#columns.exitQuantity.at(this.#index);
  }
  get entryNotional() {
    return this.#columns.entryNotional.at(this.#index);
  }
  get exitNotional() {
    return this.#columns.exitNotional.at(this.#index);
  }
  get entryPrice() {
    return this.entryNotional.div(this.entryQuantity);
  }
  get maxQuantity() {
    return this.#columns.maxQuantity.at(this.#index);
  }
  get entryValue() {
    return this.#entryValues.at(this.#index);
  }
  get volume() {
    if (this.#terms.converted) return this.#columns.volume.at(this.#index);
    return this.#columns.entryNotional.at(this.#index).plus(this.#columns.exitNotional.at(this.#index));
  }
  get fees() {
    return this.#columns.fees.at(this.#index);
  }
  get funding() {
    return this.#columns.funding.at(this.#index);
  }
  get fills() {
    return this.#columns.fills.at(this.#index);
  }
  get pathFills() {
    return this.#columns.pathFills.at(this.#index);
  }
  get mae() {
    return this.#columns.mae.at(this.#index);
  }
  get mfe() {
    return this.#columns.mfe.at(this.#index);
  }
  get maeShare() {
    return this.#columns.mae.ratioAt(this.#index, this.#entryValues);
  }
  get mfeShare() {
    return this.#columns.mfe.ratioAt(this.#index, this.#entryValues);
  }
  get exitTag() {
    return this.#terms.exitTag;
  }
  get exitReason() {
    return this.#terms.exitReason;
  }
  get exitTime() {
    return this.#columns.exitTime.at(this.#index);
  }
  get exitPrice() {
    return this.exitNotional.div(this.exitQuantity);
  }
  get liquidated() {
    return this.#terms.liquidated;
  }
  get profitBeforeCosts() {
    return this.netProfit.plus(this.fees).minus(this.funding);
  }
  get netProfit() {
    return this.#columns.netProfit.at(this.#index);
  }
  get returnOnEntry() {
    return this.#columns.netProfit.ratioAt(this.#index, this.#entryValues);
  }
  get holdingMs() {
    return this.exitTime - this.entryTime || this.#columns.early.at(this.#index);
  }
  get #entryValues() {
    return this.#terms.converted ? this.#columns.entryValue : this.#columns.entryNotional;
  }
}

/** The closed trades of a run in order of exit: some 40 to 100 bytes each. */
export class TradeColumns implements Rows<RoundTrip> {
  readonly #columns: Columns = {
    terms: new ItemColumn(keyOf),
    entryTime: new NumberColumn(),
    exitTime: new NumberColumn(),
    early: new NumberColumn(),
    fills: new NumberColumn(),
    pathFills: new NumberColumn(),
    entryQuantity: new MoneyColumn(),
    entryNotional: new MoneyColumn(),
    exitQuantity: new MoneyColumn(),
    exitNotional: new MoneyColumn(),
    maxQuantity: new MoneyColumn(),
    entryValue: new MoneyColumn(),
    volume: new MoneyColumn(),
    fees: new MoneyColumn(),
    funding: new MoneyColumn(),
    mae: new MoneyColumn(),
    mfe: new MoneyColumn(),
    netProfit: new MoneyColumn(),
    groups: new Map(),
  };

  /** Whether a trade has a group. */
  get grouped(): boolean {
    return this.#columns.groups.size > 0;
  }

  get length(): number {
    return this.#columns.terms.length;
  }

  at(index: number): RoundTrip | undefined {
    return this.#rows().at(index);
  }

  [Symbol.iterator](): Iterator<RoundTrip> {
    return this.#rows()[Symbol.iterator]();
  }

  add(trade: TradeFigures): void {
    const { strategyId, symbol, side, tag, exitTag, exitReason, liquidated, worth } = trade;
    const columns = this.#columns;
    columns.terms.push({ strategyId, symbol, side, tag, exitTag, exitReason, liquidated, converted: worth !== undefined });
    columns.entryTime.push(trade.entryTime);
    columns.exitTime.push(trade.exitTime);
    columns.early.push(trade.early);
    columns.fills.push(trade.fills);
    columns.pathFills.push(trade.pathFills);
    columns.entryQuantity.push(trade.entryQuantity);
    columns.entryNotional.push(trade.entryNotional);
    columns.exitQuantity.push(trade.exitQuantity);
    columns.exitNotional.push(trade.exitNotional);
    columns.maxQuantity.push(trade.maxQuantity);
    columns.entryValue.push(worth?.entryValue ?? ZERO);
    columns.volume.push(worth?.volume ?? ZERO);
    columns.fees.push(trade.fees);
    columns.funding.push(trade.funding);
    columns.mae.push(trade.mae);
    columns.mfe.push(trade.mfe);
    columns.netProfit.push(trade.netProfit);
    if (trade.group !== undefined) columns.groups.set(this.length - 1, trade.group);
  }

  #rows(): MadeRows<RoundTrip> {
    return new MadeRows(this.length, (index) => new Row(this.#columns, index));
  }
}

function keyOf({ strategyId, symbol, side, tag, exitTag, exitReason, liquidated, converted }: Terms): string {
  return JSON.stringify([strategyId, symbol, side, tag, exitTag, exitReason, liquidated, converted]);
}

/** The figures of a trade as one plain object, for JSON. */
export function plainTrade(trade: ClosedTrade): ClosedTrade {
  const { strategyId, symbol, side, tag, entryTime, entryPrice, maxQuantity, entryValue, volume, fees, funding, fills, pathFills } = trade;
  const { mae, mfe, maeShare, mfeShare, exitTag, exitReason, exitTime, exitPrice, liquidated, profitBeforeCosts, netProfit } = trade;
  const { returnOnEntry, holdingMs, group } = trade;
  return {
    ...(group !== undefined && { group }),
    ...{ strategyId, symbol, side, tag, entryTime, entryPrice, maxQuantity, entryValue, volume, fees, funding, fills, pathFills },
    ...{ mae, mfe, maeShare, mfeShare, exitTag, exitReason, exitTime, exitPrice, liquidated, profitBeforeCosts, netProfit },
    ...{ returnOnEntry, holdingMs },
  };
}
