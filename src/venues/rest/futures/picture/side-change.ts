import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { LedgerReason } from '../../../../model/ledger.ts';
import { type AccountPicture, isSame, type PositionFigures } from './account-picture.ts';

/** What was traded on one side of a position, in sums. */
interface Traded {
  steps: number;
  value: Decimal;
  fee: Decimal;
}

/** What happened to one position (or to what was opened and closed between two pictures). */
export interface SideChange {
  readonly symbol: string;
  readonly positionSide: 'long' | 'short';
  /** The opening order's id where positions are separated, else empty. */
  readonly orderId: string;
  /** Held before. */
  readonly heldBefore: number;
  readonly valueBefore: Decimal;
  readonly opened: Traded;
  readonly closed: Traded;
  /** Open value that the closes took away: what they brought beyond it is profit. */
  cost: Decimal;
  funding: Decimal;
  liquidationFee: Decimal;
  /** The insurance fund paid for the collateral that it stood on. */
  insured: boolean;
  /** How much of what was closed the exchange closed, where the sums of all closes of the collateral say so. */
  forcedSteps: number | undefined;
  /** The sums fit other closings by us and by the exchange as well. */
  guessed: boolean;
}

export interface PictureChange {
  readonly sides: readonly SideChange[];
  /** Money that no trade moved. */
  readonly external: readonly { readonly reason: LedgerReason; readonly amount: Decimal }[];
  /** What is left when everything is taken together; zero where all is understood. */
  readonly rest: Decimal;
  /** Opened and closed between the pictures, in quote, and by which orders nobody could say yet. */
  readonly hidden: boolean;
  /** The later picture, with what is known of positions that it does not list. */
  readonly base: AccountPicture;
}

type Named = Pick<PositionFigures, 'symbol' | 'positionSide'> & { readonly orderId?: string };

/** Nothing traded yet. */
export function unchanged({ symbol, positionSide, orderId = '' }: Named, heldBefore = 0, valueBefore = ZERO): SideChange {
  return {
    symbol,
    positionSide,
    orderId,
    heldBefore,
    valueBefore,
    opened: { steps: 0, value: ZERO, fee: ZERO },
    closed: { steps: 0, value: ZERO, fee: ZERO },
    cost: ZERO,
    funding: ZERO,
    liquidationFee: ZERO,
    insured: false,
    forcedSteps: undefined,
    guessed: false,
  };
}

/** What a change brought to the wallet. */
export function moneyOf({ positionSide, opened, closed, cost, funding, liquidationFee }: SideChange): Decimal {
  const profit = positionSide === 'long' ? closed.value.minus(cost) : cost.minus(closed.value);
  return profit.minus(opened.fee).minus(closed.fee).plus(funding).minus(liquidationFee);
}

export function isSome({ opened, closed, funding, liquidationFee }: SideChange): boolean {
  return (
    opened.steps > 0 ||
    closed.steps > 0 ||
    !opened.value.isZero() ||
    !closed.value.isZero() ||
    !funding.isZero() ||
    !liquidationFee.isZero()
  );
}

/** Splits an amount by weight to 18 places; the last gets the rest, so that nothing is lost. */
export function shareOut<T>(
  amount: Decimal,
  among: readonly T[],
  weight: (one: T) => Decimal,
  give: (one: T, share: Decimal) => void,
): void {
  let left = amount;
  let weights = among.reduce((sum, one) => sum.plus(weight(one)), ZERO);
  // Weights of nothing get nothing, unless all are.
  const takers = weights.isZero() ? among : among.filter((one) => !weight(one).isZero());
  takers.forEach((one, index) => {
    const own = weight(one);
    const share = index === takers.length - 1 ? left : weights.isZero() ? ZERO : left.times(own).div(weights).toDecimalPlaces(18);
    weights = weights.minus(own);
    left = left.minus(share);
    give(one, share);
  });
}

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
