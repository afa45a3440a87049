import { Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import type { LedgerReason } from '../../../../model/ledger.ts';
import { type CollateralChange, closersOf, feeOf, liquidationFeeOf, settleSunk, shareFees, together } from '../sums/share-fees.ts';
import { fitOpenings, shareCloses, solveClose } from '../sums/sizes.ts';
import {
  type AccountPicture,
  type CollateralFigures,
  collateralKey,
  isSame,
  type PositionFigures,
  SHARED,
  walletOf,
} from './account-picture.ts';
import {
  addHidden,
  type HiddenOpening,
  isSome,
  moneyOf,
  type PictureChange,
  type SideChange,
  shareOut,
  unchanged,
  withGone,
} from './side-change.ts';

/** A sum of one collateral; zero where there is none. */
function sumOf({ collaterals }: AccountPicture, name: keyof CollateralFigures, key: string): Decimal {
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
function insuranceOn(before: AccountPicture, now: AccountPicture, key: string, sunk: boolean): Decimal {
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
function followed(
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
function renamedReborn(before: AccountPicture, now: AccountPicture): AccountPicture {
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

/** What was opened and closed again between two pictures. */
export interface Unseen {
  readonly positionSide: 'long' | 'short';
  /** In quote. */
  readonly value: Decimal;
  /** Steps that were opened in sight, by contract, but for those of `followed`. */
  readonly seen: ReadonlyMap<string, number>;
  /** Exchange's ids of orders whose own separated position both pictures list: it says all that they opened. */
  readonly followed: ReadonlySet<string>;
  /** Contracts of which both pictures list the one position on this side, which says all that was opened there. */
  readonly listed: ReadonlySet<string>;
  /** The exchange may have closed some of it. */
  readonly forced: boolean;
}

/** @returns whose it may be; nobody's where that cannot be said yet. */
type Opener = (unseen: Unseen) => readonly HiddenOpening[];

/**
 * What happened between two pictures of an account, to the last digit.
 *
 * - A position that is listed, and whose sums before are known, says everything by its sums.
 * - One that is listed no more is flat: its size is that of the earlier picture.
 * - One that was not listed, and whose sums then nobody knows, was flat: what is open of it came since.
 * - What the collateral moved beyond all that was opened and closed between the pictures (or by the positions that are
 *   listed no more). Several such share it by their values: no record says more.
 * - An isolated margin that is gone with its position has its sums taken over by the shared collateral. Where it has not,
 *   it says nothing: what the wallet gained beyond all else is its close.
 */
export function changeBetween(
  earlier: AccountPicture,
  now: AccountPicture,
  instruments: ReadonlyMap<string, Instrument>,
  openersOf: Opener,
): PictureChange {
  const before = renamedReborn(earlier, now);
  const kept = now.collaterals.map(({ key }) => key);
  const retired = before.collaterals.map(({ key }) => key).filter((key) => !kept.includes(key));
  const absorbs = retired.length > 0 && takesOver(before, now, retired);
  const moved = (name: keyof CollateralFigures, key: string) => {
    const own = sumOf(now, name, key).minus(sumOf(before, name, key));
    return key === SHARED && absorbs ? retired.reduce((sum, gone) => sum.minus(sumOf(before, name, gone)), own) : own;
  };
  const groupOf = (position: PositionFigures) => {
    const key = collateralKey(position);
    return kept.includes(key) ? key : absorbs ? SHARED : undefined;
  };

  const openedOn = (positionSide: 'long' | 'short', key: string) => moved(positionSide === 'long' ? 'openLong' : 'openShort', key).abs();
  const { exact, found, relisted } = followed(before, now, groupOf, openedOn);
  const left = before.positions
    .filter((one) => one.state === 'listed' && !now.positions.some((other) => isSame(other, one)))
    .map((position): [SideChange, PositionFigures] => [flattened(position), position]);
  const parted = left.filter(([, position]) => groupOf(position) === undefined).map(([unit]) => unit);

  const paidFor = (key: string) => moved('liquidationFee', key).plus(moved('liquidationFeeIncome', key)).negated();
  const forced = kept.some((key) => !paidFor(key).isZero() || moved('transferIn', key).greaterThan(ZERO)) || parted.length > 0;
  const own = new Set(
    now.positions.filter((one) => one.orderId !== '' && before.positions.some((prior) => isSame(prior, one))).map(({ orderId }) => orderId),
  );

  const changes: CollateralChange[] = [];
  let hidden = false;
  let turned = false;
  for (const key of kept) {
    const known = exact.filter(([, position]) => groupOf(position) === key).map(([side]) => side);
    const units: SideChange[] = [];
    for (const positionSide of ['long', 'short'] as const) {
      const of = (all: readonly [SideChange, PositionFigures][]) =>
        all.filter(([side, position]) => side.positionSide === positionSide && groupOf(position) === key).map(([side]) => side);
      const long = positionSide === 'long';
      const listed = of(exact);
      const here = [...of(left), ...of(found)];
      const open = [...listed, ...here].reduce((sum, side) => sum.minus(side.opened.value), openedOn(positionSide, key));
      const close = listed.reduce((sum, side) => sum.minus(side.closed.value), moved(long ? 'closeLong' : 'closeShort', key).abs());
      if (open.greaterThan(ZERO)) {
        const seen = openedBy([...exact, ...found], positionSide, own);
        const chosen = openersOf({ positionSide, value: open, seen, followed: own, listed: listedOn(before, now, positionSide), forced });
        const openers = fitOpenings(chosen, here, open, close, instruments);
        turned = true;
        if (openers.length === 0) hidden = true;
        addHidden(here, openers, open, positionSide);
      }
      const closers = here.filter(({ closed }) => closed.steps > 0);
      shareCloses(
        close,
        closers,
        listed.reduce((sum, side) => sum.minus(side.liquidationFee), paidFor(key)),
        instruments,
      );
      units.push(...here);
    }
    changes.push({ sides: [...known, ...units], units, moved: (name) => moved(name, key) });
  }
  const alone = left.filter(([, position]) => retired.includes(collateralKey(position)));
  const sunk = alone.some(([side, position]) => isSunk(side, position)) || isSettledAsSunk(together(changes), alone, instruments);
  for (const [index, key] of kept.entries()) {
    const insured = !insuranceOn(before, now, key, sunk).isZero();
    for (const side of changes[index]!.sides) side.insured = insured;
  }
  shareFees(changes, parted, relisted, instruments);
  const sides = [...exact.map(([side]) => side), ...changes.flatMap(({ units }) => units)];
  const external = externalMoves(before, now, kept, sunk);
  let rest = walletOf(now).minus(walletOf(before));
  for (const { amount } of external) rest = rest.minus(amount);
  for (const side of sides) rest = rest.minus(moneyOf(side));
  for (const side of parted) rest = rest.minus(side.funding);
  shareOut(
    rest,
    parted,
    ({ cost }) => cost,
    (unit, share) => {
      solveClose(unit, share, instruments.get(unit.symbol));
      rest = rest.minus(moneyOf(unit).minus(unit.funding));
    },
  );
  const guessed = turned || left.length > 1;
  const unseen = changes.flatMap(({ units }) => units);
  const base = withGone(before, now, left, guessed, unseen);
  return { sides: [...sides, ...parted].filter(isSome), external, rest, hidden, base };
}

/** @param own orders whose openings do not count. */
function openedBy(
  sides: readonly (readonly [SideChange, unknown])[],
  positionSide: 'long' | 'short',
  own: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const steps = new Map<string, number>();
  for (const [side] of sides)
    if (side.positionSide === positionSide && !own.has(side.orderId))
      steps.set(side.symbol, (steps.get(side.symbol) ?? 0) + side.opened.steps);
  return steps;
}

/** Sums of a position that is nobody's own go on for as long as the account. */
function listedOn(before: AccountPicture, now: AccountPicture, positionSide: 'long' | 'short'): ReadonlySet<string> {
  const isListed = (one: PositionFigures) => before.positions.some((prior) => prior.state === 'listed' && isSame(prior, one));
  const both = now.positions.filter((one) => one.positionSide === positionSide && one.orderId === '' && isListed(one));
  return new Set(both.map(({ symbol }) => symbol));
}

/** The sums of collaterals that are gone stand in those of the shared one: no sum of an account shrinks. */
function takesOver(before: AccountPicture, now: AccountPicture, retired: readonly string[]): boolean {
  return (['openLong', 'openShort'] as const).every((name) => {
    const were = [SHARED, ...retired].reduce((sum, key) => sum.plus(sumOf(before, name, key)), ZERO);
    return sumOf(now, name, SHARED).abs().greaterThanOrEqualTo(were.abs());
  });
}

/** An isolated position lost more than its margin, that of what was opened on it unseen included. */
function isSunk(side: SideChange, { margin, leverage }: PositionFigures): boolean {
  return moneyOf(side).plus(margin).plus(side.opened.value.div(leverage)).isNegative();
}

/** The same found by sums: of several that are gone only what all of them brought is known, and of one we may have closed a part. */
function isSettledAsSunk(
  change: CollateralChange,
  retired: readonly (readonly [SideChange, PositionFigures])[],
  instruments: ReadonlyMap<string, Instrument>,
): boolean {
  const transferIn = change.moved('transferIn');
  const closers = closersOf(change);
  if (!transferIn.greaterThan(ZERO) || !liquidationFeeOf(change).isZero() || closers.length === 0) return false;
  if (change.units.some(({ opened }) => opened.steps > 0)) return false;
  const candidates = retired.flatMap(([side, { margin }]) => (closers.includes(side) ? [{ side, margin }] : []));
  return settleSunk(closers, candidates, { fee: feeOf(change), transferIn, funding: change.moved('funding') }, instruments);
}

function flattened(position: PositionFigures): SideChange {
  return {
    ...unchanged(position, position.steps, position.openValue),
    closed: { steps: position.steps, value: ZERO, fee: ZERO },
    cost: position.openValue,
  };
}
