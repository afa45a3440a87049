import { ItemColumn, MadeRows, MoneyColumn, NumberColumn, type Rows } from '../model/columns.ts';
import { type Decimal, ZERO } from '../model/decimal.ts';
import type { Fill } from '../model/fill.ts';
import { type FillReason, isLiquidation, type PriceRange } from './trades/trade.ts';

/** Additional data about a fill. */
export interface FillNote {
  readonly reason: FillReason;
  /** Prices of its instrument since the fill before it, while something of it was held; absent without prices. */
  readonly range: PriceRange | undefined;
  /** The fill, or what became of its exits, depends on the assumed path inside a bar. */
  readonly onPath?: boolean | undefined;
  /** Worth of one unit of quote in the run's currency at the fill; absent if quote is that currency. */
  readonly rate?: Decimal | undefined;
  /** For a fill inside a bar: the earliest time at which it can have happened; absent where its time is exact. */
  readonly since?: number | undefined;
  /** The strategy's own name of the order, where the fill does not have it. */
  readonly ref?: string | undefined;
  /** The group of the order, where the fill does not have it. */
  readonly group?: string | undefined;
}

/** The facts that fills of one kind share. */
type Terms = Pick<Fill, 'strategyId' | 'instrument' | 'side' | 'positionSide' | 'feeAsset' | 'liquidity' | 'tag'> & {
  readonly reason: FillReason;
  /** A strategy's share of a position that the venue closed for lack of margin. */
  readonly liquidated: boolean;
  /** It filled at the open of a bar: at midnight it belongs to the day that begins. */
  readonly atOpen: boolean;
  readonly converted: boolean;
};

/** A fill as statistics read it. */
export interface RecordedFill
  extends Omit<Terms, 'converted'>,
    Omit<FillNote, 'ref' | 'group'>,
    Pick<Fill, 'ref' | 'group' | 'symbol' | 'priceTicks' | 'steps' | 'price' | 'quantity' | 'notional' | 'fee' | 'time' | 'pricedTime'> {}

/** One index of the columns. */
class Row implements RecordedFill {
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
  get instrument() {
    return this.#terms.instrument;
  }
  get symbol() {
    return this.#terms.instrument.symbol;
  }
  get side() {
    return this.#terms.side;
  }
  get positionSide() {
    return this.#terms.positionSide;
  }
  get feeAsset() {
    return this.#terms.feeAsset;
  }
  get liquidity() {
    return this.#terms.liquidity;
  }
  get tag() {
    return this.#terms.tag;
  }
  get reason() {
    return this.#terms.reason;
  }
  get liquidated() {
    return this.#terms.liquidated;
  }
  get atOpen() {
    return this.#terms.atOpen;
  }
  get ref() {
    return this.#columns.refs.get(this.#index) ?? '';
  }
  get group() {
    return this.#columns.groups.get(this.#index) ?? '';
  }
  get time() {
    return this.#columns.time.at(this.#index);
  }
  get pricedTime() {
    return this.time - this.#columns.age.at(this.#index);
  }
  get since() {
    return this.time - this.#columns.early.at(this.#index);
  }
  get priceTicks() {
    return this.#columns.priceTicks.at(this.#index);
  }
  get price() {
    return this.instrument.tick.toNumber(this.priceTicks);
  }
  get steps() {
    return this.#columns.steps.at(this.#index);
  }
  get quantity() {
    return this.instrument.step.toNumber(this.steps);
  }
  get notional() {
    const other = this.#columns.otherNotional.at(this.#index);
    return other.isZero() ? this.instrument.notional(this.priceTicks, this.steps) : other;
  }
  get fee() {
    return this.#columns.fee.at(this.#index);
  }
  get rate() {
    return this.#terms.converted ? this.#columns.rate.at(this.#index) : undefined;
  }
  get range() {
    const twiceLow = this.#columns.twiceLow.at(this.#index);
    if (Number.isNaN(twiceLow)) return undefined;
    return { lowTicks: twiceLow / 2, highTicks: this.#columns.twiceHigh.at(this.#index) / 2 };
  }
  get onPath() {
    return this.#columns.onPath.at(this.#index) === 1;
  }
}

interface Columns {
  readonly terms: ItemColumn<Terms>;
  readonly time: NumberColumn;
  /** How long before the fill its price was known, in ms. */
  readonly age: NumberColumn;
  /** How much earlier than its time it can have happened, in ms. */
  readonly early: NumberColumn;
  readonly priceTicks: NumberColumn;
  readonly steps: NumberColumn;
  /** The notional if it is not price times quantity, else zero. */
  readonly otherNotional: MoneyColumn;
  readonly fee: MoneyColumn;
  /** Zero where nothing is converted. */
  readonly rate: MoneyColumn;
  /** Twice the range, which has halves between a bid and an ask; `NaN` without one. */
  readonly twiceLow: NumberColumn;
  readonly twiceHigh: NumberColumn;
  readonly onPath: NumberColumn;
  /** By index, of those that have one. */
  readonly refs: Map<number, string>;
  readonly groups: Map<number, string>;
}

/** The fills of a run in order of time: some 20 to 50 bytes each. */
export class FillColumns implements Rows<RecordedFill> {
  readonly #columns: Columns = {
    terms: new ItemColumn(keyOf),
    time: new NumberColumn(),
    age: new NumberColumn(),
    early: new NumberColumn(),
    priceTicks: new NumberColumn(),
    steps: new NumberColumn(),
    otherNotional: new MoneyColumn(),
    fee: new MoneyColumn(),
    rate: new MoneyColumn(),
    twiceLow: new NumberColumn(),
    twiceHigh: new NumberColumn(),
    onPath: new NumberColumn(),
    refs: new Map(),
    groups: new Map(),
  };
  #exact = true;

  get length(): number {
    return this.#columns.time.length;
  }

  /** False if a fill's notional is not price times quantity: a poller can combine several fills to one. */
  get atPrices(): boolean {
    return this.#exact;
  }

  at(index: number): RecordedFill | undefined {
    return this.#rows().at(index);
  }

  [Symbol.iterator](): Iterator<RecordedFill> {
    return this.#rows()[Symbol.iterator]();
  }

  /** @returns its index. */
  add(fill: Fill, { reason, range, onPath = false, rate, since = fill.time, ref = fill.ref, group = fill.group }: FillNote): number {
    const { instrument, time, priceTicks, steps, notional } = fill;
    const columns = this.#columns;
    // One literal: an object that is spread into another costs microseconds in this place.
    columns.terms.push({
      strategyId: fill.strategyId,
      instrument,
      side: fill.side,
      positionSide: fill.positionSide,
      feeAsset: fill.feeAsset,
      liquidity: fill.liquidity,
      tag: fill.tag,
      reason,
      liquidated: isLiquidation(fill),
      atOpen: fill.leg === 'open',
      converted: rate !== undefined,
    });
    columns.time.push(time);
    columns.age.push(time - fill.pricedTime);
    columns.early.push(time - since);
    columns.priceTicks.push(priceTicks);
    columns.steps.push(steps);
    const atPrice = notional.eq(instrument.notional(priceTicks, steps));
    if (!atPrice) this.#exact = false;
    columns.otherNotional.push(atPrice ? ZERO : notional);
    columns.fee.push(fill.fee);
    columns.rate.push(rate ?? ZERO);
    columns.twiceLow.push(range === undefined ? Number.NaN : range.lowTicks * 2);
    columns.twiceHigh.push(range === undefined ? Number.NaN : range.highTicks * 2);
    columns.onPath.push(onPath ? 1 : 0);
    if (ref !== '') columns.refs.set(this.length - 1, ref);
    if (group !== '') columns.groups.set(this.length - 1, group);
    return this.length - 1;
  }

  /** The fill depends on the assumed path. */
  markPath(index: number): void {
    this.#columns.onPath.set(index, 1);
  }

  /** Its rate became known after it. */
  setRate(index: number, rate: Decimal): void {
    this.#columns.rate.set(index, rate);
  }

  #rows(): MadeRows<RecordedFill> {
    return new MadeRows(this.length, (index) => new Row(this.#columns, index));
  }
}

function keyOf(terms: Terms): string {
  const { strategyId, instrument, side, positionSide, feeAsset, liquidity, tag } = terms;
  return `${strategyId}/${instrument.index}/${side}/${positionSide}/${feeAsset}/${liquidity}/${terms.reason}/${terms.liquidated}/${terms.atOpen}/${terms.converted}/${tag}`;
}
