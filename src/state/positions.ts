import { Decimal } from '../model/decimal.ts';
import { TidegateError } from '../model/errors.ts';
import type { Instrument } from '../model/instrument.ts';
import type { MarginSettings } from '../model/margin.ts';
import type { PositionSide } from '../model/order.ts';
import { Position, SeparatedPosition } from '../model/position.ts';
import type { PortfolioOptions } from './portfolio.ts';

/** The positions of one holder (the account, or one strategy) in all instruments of the run. */
export class Positions {
  readonly #sides: readonly (readonly Position[])[];

  constructor(instruments: readonly Instrument[], account: PortfolioOptions) {
    this.#sides = instruments.map((instrument) => {
      const margin = marginOf(account, instrument);
      if (margin === undefined) return [new Position()];
      return margin.separated ? [new SeparatedPosition(), new SeparatedPosition()] : [new Position(), new Position()];
    });
  }

  /** One net position; for a contract with margin two: long and short. */
  sides({ index }: Instrument): readonly Position[] {
    return this.#sides[index]!;
  }

  /** @throws TidegateError INVARIANT_BROKEN for a side that the account does not have of this instrument. */
  position(instrument: Instrument, side: PositionSide): Position {
    const sides = this.#sides[instrument.index]!;
    const position = sides[side === 'short' ? 1 : 0];
    if (position !== undefined && (side === 'net') === (sides.length === 1)) return position;
    throw new TidegateError('INVARIANT_BROKEN', `broken invariant: there is no ${side} position of ${instrument.symbol} in this account`);
  }
}

/** The positions of one strategy: the result of its own fills and of its share of the funding. */
export class StrategyBook extends Positions {
  constructor(
    readonly strategyId: string,
    instruments: readonly Instrument[],
    account: PortfolioOptions,
  ) {
    super(instruments, account);
  }
}

const UNLEVERAGED: MarginSettings = {
  mode: 'shared',
  separated: false,
  longLeverage: new Decimal(1),
  shortLeverage: new Decimal(1),
  autoAppend: false,
};

/**
 * The margin settings of an instrument; `undefined` for symbols without margin: spot, and everything on a netting account. An instrument
 * with settings has a long and a short side.
 */
export function marginOf({ kind, margin }: PortfolioOptions, instrument: Instrument): MarginSettings | undefined {
  if (kind !== 'futures' || instrument.kind !== 'futures') return undefined;
  return margin?.get(instrument.symbol) ?? UNLEVERAGED;
}
