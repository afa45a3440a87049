import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { initialMargin, type MarginPosition, type MarginSettings, shareOf } from '../../model/margin.ts';
import type { Collateral } from './collateral.ts';
import type { ContractBook } from './contract-book.ts';
import type { PositionRecord } from './records.ts';

/** The margin of a position. */
export interface PositionMargin {
  readonly isolated: boolean;
  readonly collateral: Collateral;
  /** No open position uses it. */
  readonly empty: boolean;
  /** The position was opened, or is flat. */
  follow(position: FuturesPosition): void;
}

/** The part of a fill that concerns one position. */
export interface Part {
  readonly steps: number;
  readonly notional: Decimal;
  readonly fee: Decimal;
}

/** Time and order of an event of a position. */
export interface Stamp {
  readonly time: number;
  readonly sequence: number;
}

/** One position of a futures account: the open part, and the sums over its whole life. */
export class FuturesPosition implements MarginPosition {
  steps = 0;
  openValue: Decimal = ZERO;
  /** Margin of the open part at its leverage. */
  initialMargin: Decimal = ZERO;
  /** Quantity and open value as doubles. */
  quantityNumber = 0;
  openValueNumber = 0;
  #openFee: Decimal = ZERO;
  #funding: Decimal = ZERO;
  #openedSteps = 0;
  #openedValue: Decimal = ZERO;
  #openedFee: Decimal = ZERO;
  #closedSteps = 0;
  #closedValue: Decimal = ZERO;
  #closedFee: Decimal = ZERO;
  #fundingSum: Decimal = ZERO;
  #liquidationFee: Decimal = ZERO;
  #updated: Stamp;

  constructor(
    readonly positionId: string,
    readonly book: ContractBook,
    readonly positionSide: 'long' | 'short',
    private settings: MarginSettings,
    readonly margin: PositionMargin,
    private readonly created: Stamp,
  ) {
    this.#updated = created;
  }

  get instrument(): Instrument {
    return this.book.instrument;
  }

  /** In separated mode: the order that opened it. */
  get openOrderId(): string | undefined {
    return this.settings.separated ? this.positionId : undefined;
  }

  get leverage(): Decimal {
    return this.positionSide === 'long' ? this.settings.longLeverage : this.settings.shortLeverage;
  }

  open({ steps, notional, fee }: Part, stamp: Stamp): void {
    this.#openFee = this.#openFee.plus(fee);
    this.#openedSteps += steps;
    this.#openedValue = this.#openedValue.plus(notional);
    this.#openedFee = this.#openedFee.plus(fee);
    this.#set(this.steps + steps, this.openValue.plus(notional), stamp);
  }

  /** @returns the profit: for a long, the proceeds less its share of the open value; for a short, the reverse. */
  close({ steps, notional, fee }: Part, liquidation: boolean, stamp: Stamp): Decimal {
    const cost = shareOf(this.openValue, steps, this.steps);
    this.#openFee = this.#openFee.minus(shareOf(this.#openFee, steps, this.steps));
    this.#funding = this.#funding.minus(shareOf(this.#funding, steps, this.steps));
    this.#closedSteps += steps;
    this.#closedValue = this.#closedValue.plus(notional);
    if (liquidation) this.#liquidationFee = this.#liquidationFee.plus(fee);
    else this.#closedFee = this.#closedFee.plus(fee);
    this.#set(this.steps - steps, this.openValue.minus(cost), stamp);
    return this.positionSide === 'long' ? notional.minus(cost) : cost.minus(notional);
  }

  /** The leverage of its contract was set: the margin of the open part changes. */
  relever(settings: MarginSettings): void {
    this.settings = settings;
    this.initialMargin = initialMargin(this.openValue, this.leverage);
  }

  /** Adds received (or, if negative, paid) funding. */
  fund(amount: Decimal, stamp: Stamp): void {
    this.#funding = this.#funding.plus(amount);
    this.#fundingSum = this.#fundingSum.plus(amount);
    this.#updated = stamp;
  }

  record(): PositionRecord {
    const { settings, positionId, created, instrument, margin } = this;
    const { step } = instrument;
    return {
      positionId,
      instrument,
      positionSide: this.positionSide,
      mode: settings.mode,
      separated: settings.separated,
      openOrderId: this.openOrderId,
      leverage: this.leverage,
      autoAppend: settings.autoAppend,
      steps: this.steps,
      quantity: step.toDecimal(this.steps),
      openValue: this.openValue,
      openFee: this.#openFee,
      funding: this.#funding,
      isolatedMargin: margin.isolated ? margin.collateral.wallet : ZERO,
      cumulative: {
        openQuantity: step.toDecimal(this.#openedSteps),
        openValue: this.#openedValue,
        openFee: this.#openedFee,
        closeQuantity: step.toDecimal(this.#closedSteps),
        closeValue: this.#closedValue,
        closeFee: this.#closedFee,
        funding: this.#fundingSum,
        liquidationFee: this.#liquidationFee,
      },
      createdSequence: created.sequence,
      updatedSequence: this.#updated.sequence,
      createdTime: created.time,
      updatedTime: this.#updated.time,
    };
  }

  #set(steps: number, openValue: Decimal, stamp: Stamp): void {
    this.steps = steps;
    this.openValue = openValue;
    this.initialMargin = initialMargin(openValue, this.leverage);
    this.quantityNumber = this.instrument.step.toNumber(steps);
    this.openValueNumber = openValue.toNumber();
    this.#updated = stamp;
    this.margin.follow(this);
  }
}
