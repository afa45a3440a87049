import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { MarginSettings } from '../../model/margin.ts';
import type { ContractBook } from './contract-book.ts';
import { FuturesPosition, type Stamp } from './futures-position.ts';
import { MarginPool } from './margin-pool.ts';
import type { Purse } from './purse.ts';

/**
 * One side of one contract in an account. Combined: one position, which stays when it is flat. Separated: one for
 * each opening order, gone when it is flat.
 */
export class ContractSide {
  /** Oldest first. */
  readonly positions: FuturesPosition[] = [];
  /** Value of the orders that work to open it. */
  ordered: Decimal = ZERO;
  /** The isolated margin that was told last. */
  toldMargin: Decimal = ZERO;

  constructor(
    readonly book: ContractBook,
    readonly positionSide: 'long' | 'short',
    readonly settings: MarginSettings,
    readonly purse: Purse,
  ) {}

  get steps(): number {
    let steps = 0;
    for (const position of this.positions) steps += position.steps;
    return steps;
  }

  get leverage(): Decimal {
    return this.positionSide === 'long' ? this.settings.longLeverage : this.settings.shortLeverage;
  }

  get isolated(): boolean {
    return this.settings.mode === 'isolated';
  }

  /** Isolated margin of its positions together. */
  get margin(): Decimal {
    return this.positions.reduce((sum, { margin }) => (margin.isolated ? sum.plus(margin.collateral.wallet) : sum), ZERO);
  }

  /** The isolated margin of each separated position, by its id. */
  get marginParts(): ReadonlyMap<string, Decimal> | undefined {
    if (!this.settings.separated) return undefined;
    return new Map(this.positions.map(({ positionId, margin }) => [positionId, margin.collateral.wallet]));
  }

  /** Value of the position that an order for this much would lead to, open orders included. */
  valueWith(ordered: Decimal): Decimal {
    if (this.settings.separated) return ordered;
    const held = this.steps;
    const together = this.ordered.plus(ordered);
    return held === 0 ? together : together.plus(this.book.instrument.step.toDecimal(held).times(this.book.prices.exact));
  }

  /** The position that a fill of this order opens or adds to. */
  toOpen(orderId: string, stamp: Stamp): FuturesPosition {
    const { settings, purse, book, positionSide } = this;
    const known = settings.separated ? this.positions.find(({ positionId }) => positionId === orderId) : this.positions[0];
    if (known !== undefined) return known;
    const margin = this.isolated ? new MarginPool(true) : purse.shared;
    const position = new FuturesPosition(orderId, book, positionSide, settings, margin, stamp);
    if (this.isolated) purse.isolated.set(orderId, margin);
    this.positions.push(position);
    return position;
  }

  /** Lets go of what is flat, where positions are separated. */
  drop(position: FuturesPosition, time: number): void {
    if (!this.settings.separated || position.steps > 0) return;
    this.positions.splice(this.positions.indexOf(position), 1);
    this.purse.retire(position.positionId, time);
  }
}
