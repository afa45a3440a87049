import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { LedgerReason } from '../../../../model/ledger.ts';
import { type AccountSnapshot, isSame, type PositionFigures } from './account-snapshot.ts';

/** The trades on one side of a position, as sums. */
interface Traded {
  steps: number;
  value: Decimal;
  fee: Decimal;
}

/** The change of one position (or of one that was opened and closed between two snapshots). */
export interface SideChange {
  readonly symbol: string;
  readonly positionSide: 'long' | 'short';
  /** The opening order's id if positions are separated, else empty. */
  readonly orderId: string;
  /** Steps held before. */
  readonly heldBefore: number;
  readonly valueBefore: Decimal;
  readonly opened: Traded;
  readonly closed: Traded;
  /** Open value that the closes removed: their value beyond it is profit. */
  cost: Decimal;
  funding: Decimal;
  liquidationFee: Decimal;
  /** The insurance fund paid for its collateral. */
  insured: boolean;
  /** Steps of the closes that the exchange made, if the sums of all closes of the collateral show it. */
  forcedSteps: number | undefined;
  /** The sums allow other splits between own and forced closes. */
  guessed: boolean;
}

export interface SnapshotChange {
  readonly sides: readonly SideChange[];
  /** Money that no trade moved. */
  readonly external: readonly { readonly reason: LedgerReason; readonly amount: Decimal }[];
  /** The unexplained rest; zero if everything is explained. */
  readonly rest: Decimal;
  /** Value opened and closed between the snapshots, in quote, that cannot be attributed to orders yet. */
  readonly hidden: boolean;
  /** The later snapshot, plus the known figures of positions that it does not list. */
  readonly base: AccountSnapshot;
}

type Named = Pick<PositionFigures, 'symbol' | 'positionSide'> & { readonly orderId?: string };

/** A change without trades. */
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

/** The money that a change added to the wallet. */
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

/** Splits an amount by weight to 18 places. The last one gets the remainder, so that the total is exact. */
export function shareOut<T>(
  amount: Decimal,
  among: readonly T[],
  weight: (one: T) => Decimal,
  give: (one: T, share: Decimal) => void,
): void {
  let left = amount;
  let weights = among.reduce((sum, one) => sum.plus(weight(one)), ZERO);
  // Zero weights get nothing, unless all are zero.
  const takers = weights.isZero() ? among : among.filter((one) => !weight(one).isZero());
  takers.forEach((one, index) => {
    const own = weight(one);
    const share = index === takers.length - 1 ? left : weights.isZero() ? ZERO : left.times(own).div(weights).toDecimalPlaces(18);
    weights = weights.minus(own);
    left = left.minus(share);
    give(one, share);
  });
}

/** Orders that may have opened a position that was closed again between two snapshots. */
export interface HiddenOpening {
  readonly symbol: string;
  /** The exchange's id of the order, if it was a single one: a separated position has it. */
  readonly orderId?: string;
  readonly steps: number;
  /** At least this many of these steps are certain, as lists have shown them. 0 by default. */
  readonly shown?: number;
  /** Approximate value of all of them, in quote. */
  readonly estimate: Decimal;
}

/** Adds these openings, and the closes of them, to the changes of their positions. */
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
 * The later snapshot, plus positions that it does not list and that may be listed again, as far as they are known. If a position
 * was gone before, and something unseen was opened on it since, its sums are unknown.
 * @param left changes of positions that are not listed any more. @param guessed their sums are shares of common ones.
 * @param unseen changes of positions that neither snapshot lists.
 */
export function withGone(
  before: AccountSnapshot,
  now: AccountSnapshot,
  left: readonly (readonly [SideChange, PositionFigures])[],
  guessed: boolean,
  unseen: readonly SideChange[],
): AccountSnapshot {
  const isTouched = ({ symbol, positionSide }: PositionFigures) =>
    unseen.some((side) => side.symbol === symbol && side.positionSide === positionSide);
  const old = before.positions
    .filter((one) => one.state !== 'listed' && !now.positions.some((other) => isSame(other, one)))
    .map((one): PositionFigures => (isTouched(one) ? { ...one, state: 'guessed' } : one));
  const gone = left.flatMap(([{ opened, closed, funding, liquidationFee }, position]): PositionFigures[] => {
    // A separated position is never listed again.
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
