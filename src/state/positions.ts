import { TidegateError } from '../model/errors.ts';
import type { Instrument } from '../model/instrument.ts';
import type { PositionSide } from '../model/order.ts';
import { Position, SeparatedPosition } from '../model/position.ts';
import { marginOf } from './margin-of.ts';
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

  /** One net position; or of a contract on margin two: long and short. */
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
