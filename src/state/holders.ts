import type { Instrument } from '../model/instrument.ts';
import type { PositionSide } from '../model/order.ts';
import type { Position } from '../model/position.ts';
import type { State } from './state.ts';

/** A strategy that holds something of a side. */
export interface Holder {
  readonly strategyId: string;
  readonly position: Position;
  /** Never negative. */
  readonly steps: number;
}

/** The strategies that hold a side of a contract, in the order of the config; those that it no longer has come last. */
export function holdersOf(state: State, instrument: Instrument, side: PositionSide): Holder[] {
  return [...state.books.values(), ...state.formerBooks.values()].flatMap((book) => {
    const position = book.position(instrument, side);
    const steps = side === 'short' ? -position.steps : position.steps;
    return steps > 0 ? [{ strategyId: book.strategyId, position, steps }] : [];
  });
}
