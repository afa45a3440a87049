import { Decimal } from '../../model/decimal.ts';
import type { Liquidity } from '../../model/fill.ts';
import type { ChargedFill, FeeModel } from '../../ports/models.ts';
import type { OrderFunds } from '../accounts/ledger.ts';
import type { FillSettings } from '../settings.ts';
import { answerOf, madeModel, type OwnModel } from './own-model.ts';

/** The size of a fill in the asset of its fee. */
export interface FeeBase {
  readonly amount: Decimal;
  readonly feeAsset: string;
}

/** The fees of a run: by the rates of the instruments, or by a model of the user. */
export function feesOf({ fee }: Pick<FillSettings, 'fee'>): FeeModel {
  return fee === undefined ? RATES : new CheckedFees(fee);
}

const RATES: FeeModel = {
  fee: ({ amount, liquidity, makerFee, takerFee }) => amount.times(liquidity === 'maker' ? makerFee : takerFee),
};

/** A fill whose fee is not yet known. */
export class UnchargedFill implements ChargedFill {
  readonly amount: Decimal;
  readonly feeAsset: string;
  readonly #request: OrderFunds['request'];

  constructor(
    request: OrderFunds['request'],
    { amount, feeAsset }: FeeBase,
    readonly priceTicks: number,
    readonly steps: number,
    readonly notional: Decimal,
    readonly liquidity: Liquidity,
    readonly time: number,
  ) {
    this.#request = request;
    this.amount = amount;
    this.feeAsset = feeAsset;
  }

  get symbol(): string {
    return this.#request.instrument.symbol;
  }

  get side(): ChargedFill['side'] {
    return this.#request.side;
  }

  get quantity(): Decimal {
    return this.#request.instrument.step.toDecimal(this.steps);
  }

  get makerFee(): Decimal {
    return this.#request.instrument.makerFee;
  }

  get takerFee(): Decimal {
    return this.#request.instrument.takerFee;
  }
}

/** A model of the user whose answers are checked. */
class CheckedFees implements FeeModel {
  readonly #model: FeeModel;

  constructor(private readonly own: OwnModel<FeeModel>) {
    this.#model = madeModel(own);
  }

  fee(fill: ChargedFill): Decimal {
    return answerOf(
      this.own,
      `fee(${fill.side} ${fill.steps} steps of ${fill.symbol} at ${fill.priceTicks} ticks as ${fill.liquidity})`,
      () => this.#model.fee(fill),
      (fee) => isFee(fee, fill),
      `a Decimal of at most ${MOST_PLACES} places, smaller than ${fill.amount.toFixed()} ${fill.feeAsset}`,
    );
  }
}

/** The most decimal places of a fee: with more, sums of balances would not be exact. */
const MOST_PLACES = 30;

/** Whether a model may answer this for a fill. */
export function isFee(fee: unknown, { amount }: Pick<ChargedFill, 'amount'>): boolean {
  return Decimal.isDecimal(fee) && fee.isFinite() && fee.decimalPlaces() <= MOST_PLACES && fee.abs().lessThan(amount);
}
