import { Decimal, ZERO } from '../../../../model/decimal.ts';
import type { LedgerReason } from '../../../../model/ledger.ts';
import { type AccountPicture, type CollateralFigures, collateralKey, isSame, type PositionFigures, SHARED } from './account-picture.ts';
import { type PictureChange, type SideChange, unchanged } from './side-change.ts';

/** A sum of one collateral; zero where there is none. */
export function sumOf({ collaterals }: AccountPicture, name: keyof CollateralFigures, key: string): Decimal {
  return (collaterals.find((collateral) => collateral.key === key)?.[name] as Decimal | undefined) ?? ZERO;
}

/**
 * Money that came or went without a trade, on these collaterals: deposits, transfers, and what the insurance fund paid.
 * @param sunk isolated positions whose sums the shared collateral has taken over lost more than their margin.
 */
export function externalMoves(
  before: AccountPicture,
  now: AccountPicture,
  keys: readonly string[],
  sunk: boolean,
): PictureChange['external'] {
  const found: { reason: LedgerReason; amount: Decimal }[] = [];
  const add = (reason: LedgerReason, amount: Decimal) => {
    if (!amount.isZero()) found.push({ reason, amount });
  };
  for (const key of keys) {
    const moved = (name: keyof CollateralFigures) => sumOf(now, name, key).minus(sumOf(before, name, key));
    add('deposit', moved('deposit').plus(moved('withdraw')));
    const insured = insuranceOn(before, now, key, sunk);
    add('insurance', insured);
    add('transfer', moved('transferIn').minus(insured).plus(moved('transferOut')));
  }
  return found;
}

/** What the insurance fund paid: it comes in as a transfer does, and brings the wallet from below zero to it. */
export function insuranceOn(before: AccountPicture, now: AccountPicture, key: string, sunk: boolean): Decimal {
  const into = sumOf(now, 'transferIn', key).minus(sumOf(before, 'transferIn', key));
  if (key !== SHARED || sunk) return into;
  const lacked = walletOn(now, key).minus(into).negated();
  return lacked.isPositive() ? Decimal.min(into, lacked) : ZERO;
}

/** Cash of one collateral with what its open positions were paid with (shorts: brought). */
function walletOn(picture: AccountPicture, key: string): Decimal {
  return picture.positions
    .filter((position) => collateralKey(position) === key)
    .reduce(
      (sum, { positionSide, openValue }) => (positionSide === 'long' ? sum.plus(openValue) : sum.minus(openValue)),
      sumOf(picture, 'amount', key),
    );
}

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

/**
 * The earlier picture, in which separated positions that were closed and opened again since bear names of their own: the new
 * one has the old one's id, and so has its isolated margin, but the sums of both begin anew.
 */
export function renamedReborn(before: AccountPicture, now: AccountPicture): AccountPicture {
  const names = new Map<string, string>();
  for (const { id, born, orderId } of before.positions) {
    if (orderId !== '' && now.positions.some((one) => one.id === id && one.born !== born)) names.set(id, `${id} ${born}`);
  }
  if (names.size === 0) return before;
  return {
    ...before,
    positions: before.positions.map((one) => ({ ...one, id: names.get(one.id) ?? one.id })),
    collaterals: before.collaterals.map((one) => ({ ...one, key: names.get(one.key) ?? one.key })),
  };
}
