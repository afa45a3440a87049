import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import { type AccountPicture, isSame, type PositionFigures } from './account-picture.ts';
import { type SideChange, shareOut, unchanged } from './side-change.ts';

/** Orders that may have opened what was closed again before anybody looked. */
export interface HiddenOpening {
  readonly symbol: string;
  /** The exchange's id of the one order that it was, where it was one: a separated position bears it. */
  readonly orderId?: string;
  readonly steps: number;
  /** Of these, at least so many: lists have shown them. None where left out. */
  readonly shown?: number;
  /** All of them are worth about this much, in quote. */
  readonly estimate: Decimal;
}

/** Adds what these opened, and what closed it again, to the changes of their positions. */
export function addHidden(units: SideChange[], openers: readonly HiddenOpening[], value: Decimal, positionSide: 'long' | 'short'): void {
  shareOut(
    value,
    openers,
    ({ estimate }) => estimate,
    ({ symbol, orderId, steps }, part) => {
      let unit = units.find((one) => one.symbol === symbol && (one.orderId === '' || one.orderId === orderId));
      if (unit === undefined) {
        unit = unchanged({ symbol, positionSide });
        units.push(unit);
      }
      unit.opened.steps += steps;
      unit.opened.value = unit.opened.value.plus(part);
      unit.closed.steps += steps;
      unit.cost = unit.cost.plus(part);
    },
  );
}

/**
 * The later picture, with those positions that it does not list but that may come back, as far as they are known: of one that
 * was gone before, and that something was opened on unseen since, the sums are not known any more.
 * @param left changes of positions that are listed no more. @param guessed their sums are shares of a common one.
 * @param unseen changes of what neither picture lists.
 */
export function withGone(
  before: AccountPicture,
  now: AccountPicture,
  left: readonly (readonly [SideChange, PositionFigures])[],
  guessed: boolean,
  unseen: readonly SideChange[],
): AccountPicture {
  const isTouched = ({ symbol, positionSide }: PositionFigures) =>
    unseen.some((side) => side.symbol === symbol && side.positionSide === positionSide);
  const old = before.positions
    .filter((one) => one.state !== 'listed' && !now.positions.some((other) => isSame(other, one)))
    .map((one): PositionFigures => (isTouched(one) ? { ...one, state: 'guessed' } : one));
  const gone = left.flatMap(([{ opened, closed, funding, liquidationFee }, position]): PositionFigures[] => {
    // A separated position never comes back.
    if (position.orderId !== '') return [];
    return [
      {
        ...position,
        steps: 0,
        openValue: ZERO,
        openFee: ZERO,
        margin: ZERO,
        openedSteps: position.openedSteps + opened.steps,
        openedValue: position.openedValue.plus(opened.value),
        openedFee: position.openedFee.plus(opened.fee),
        closedSteps: position.closedSteps + closed.steps,
        closedValue: position.closedValue.plus(closed.value),
        closedFee: position.closedFee.plus(closed.fee),
        funding: position.funding.plus(funding),
        liquidationFee: position.liquidationFee.plus(liquidationFee),
        state: guessed ? 'guessed' : 'gone',
      },
    ];
  });
  return { ...now, positions: [...now.positions, ...old, ...gone] };
}
