import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import { type AccountPicture, collateralKey, isSame, type PositionFigures } from './account-picture.ts';
import { sumOf } from './external-moves.ts';
import { type SideChange, unchanged } from './side-change.ts';

type Followed = [SideChange, PositionFigures];

interface Followings {
  /** Those whose sums before are known. */
  readonly exact: readonly Followed[];
  /** All others: what is open of them came since, and whatever else was traded on them nobody saw. */
  readonly found: readonly Followed[];
  /** Exact ones that were not listed before. */
  readonly relisted: readonly SideChange[];
}

/**
 * What happened to the positions that the later picture lists. The sums of one that the earlier picture does not list are
 * what they were when it was listed last, unless more was opened by them since than its collateral says was opened at all:
 * then something was opened on it unseen that was taken for another's.
 * @param groupOf the collateral that holds the sums of a position's; `undefined` where none does any more.
 * @param openedOn what was opened on a side of a collateral, in quote.
 */
export function followed(
  before: AccountPicture,
  now: AccountPicture,
  groupOf: (position: PositionFigures) => string | undefined,
  openedOn: (positionSide: 'long' | 'short', key: string) => Decimal,
): Followings {
  const all = now.positions.map((position) => {
    const prior = before.positions.find((one) => isSame(one, position));
    const known = prior === undefined ? position.orderId !== '' || unlistedValue(before, position).isZero() : prior.state !== 'guessed';
    return { position, prior, change: known ? grown(prior, position) : undefined };
  });
  const isTooMuch = (position: PositionFigures) => {
    const key = groupOf(position);
    const alike = all.filter((one) => one.position.positionSide === position.positionSide && groupOf(one.position) === key);
    const sum = alike.reduce((value, { change }) => value.plus(change?.opened.value ?? ZERO), ZERO);
    return key !== undefined && sum.greaterThan(openedOn(position.positionSide, key));
  };
  const exact: Followed[] = [];
  const found: Followed[] = [];
  const relisted: SideChange[] = [];
  for (const { position, prior, change } of all) {
    const sure = prior?.state === 'listed' || position.orderId !== '';
    if (change === undefined || (!sure && isTooMuch(position))) {
      found.push([risen(position), position]);
      continue;
    }
    exact.push([change, position]);
    if (prior?.state === 'gone') relisted.push(change);
  }
  return { exact, found, relisted };
}

/** What was ever opened on a position's side and collateral beyond the positions that are known: zero where there are no others. */
function unlistedValue(picture: AccountPicture, { positionSide, ...position }: PositionFigures): Decimal {
  const key = collateralKey(position);
  return picture.positions
    .filter((one) => one.positionSide === positionSide && collateralKey(one) === key)
    .reduce((sum, one) => sum.minus(one.openedValue), sumOf(picture, positionSide === 'long' ? 'openLong' : 'openShort', key).abs());
}

/** A listed position whose sums before are known. */
function grown(before: PositionFigures | undefined, now: PositionFigures): SideChange {
  const sum = (name: 'openedValue' | 'openedFee' | 'closedValue' | 'closedFee' | 'funding' | 'liquidationFee') =>
    now[name].minus(before?.[name] ?? ZERO);
  const opened = { steps: now.openedSteps - (before?.openedSteps ?? 0), value: sum('openedValue'), fee: sum('openedFee') };
  const closed = { steps: now.closedSteps - (before?.closedSteps ?? 0), value: sum('closedValue'), fee: sum('closedFee') };
  return {
    ...unchanged(now, before?.steps, before?.openValue),
    opened,
    closed,
    cost: opened.value.minus(now.openValue).plus(before?.openValue ?? ZERO),
    funding: sum('funding'),
    liquidationFee: sum('liquidationFee'),
  };
}

/** A listed position that was flat, and of whose sums then nothing is known. */
function risen(now: PositionFigures): SideChange {
  return { ...unchanged(now), opened: { steps: now.steps, value: now.openValue, fee: now.openFee } };
}
