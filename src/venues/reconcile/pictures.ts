import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { SeenPicture, SeenPosition } from './records.ts';

// Pictures of a futures account: sums over the positions of one side, of which separated margin has several.

export type PositionSide = 'long' | 'short';
export const SIDES: readonly PositionSide[] = ['long', 'short'];

/** A side of which the exchange has another number of steps than records explain. */
export interface Differing {
  readonly instrument: Instrument;
  readonly positionSide: PositionSide;
  readonly more: number;
}

/** A side of a contract, as text. */
export function keyOf({ symbol }: Instrument, side: PositionSide): string {
  return `${symbol} ${side}`;
}

function positionsOf({ positions }: SeenPicture, instrument: Instrument, side: PositionSide): SeenPosition[] {
  return positions.filter((one) => one.instrument === instrument && one.positionSide === side);
}

export function stepsIn(picture: SeenPicture, instrument: Instrument, side: PositionSide): number {
  return positionsOf(picture, instrument, side).reduce((sum, { steps }) => sum + steps, 0);
}

export function valueIn(picture: SeenPicture, instrument: Instrument, side: PositionSide): Decimal {
  return positionsOf(picture, instrument, side).reduce((sum, { openValue }) => sum.plus(openValue), ZERO);
}

/** The side whose funding has grown by this amount between two pictures. */
export function chargedSide(
  instrument: Instrument,
  amount: Decimal,
  before: SeenPicture | undefined,
  now: SeenPicture,
): PositionSide | undefined {
  const sumOf = (picture: SeenPicture | undefined, side: PositionSide) =>
    (picture === undefined ? [] : positionsOf(picture, instrument, side)).reduce((sum, { funding }) => sum.plus(funding), ZERO);
  return SIDES.find((side) => sumOf(now, side).minus(sumOf(before, side)).equals(amount));
}
