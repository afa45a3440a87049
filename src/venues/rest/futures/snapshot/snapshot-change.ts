import { Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import type { LedgerReason } from '../../../../model/ledger.ts';
import { type CollateralChange, closersOf, feeOf, liquidationFeeOf, settleSunk, shareFees, together } from '../sums/share-fees.ts';
import { fitOpenings, shareCloses, solveClose } from '../sums/sizes.ts';
import {
  type AccountSnapshot,
  type CollateralFigures,
  collateralKey,
  isSame,
  type PositionFigures,
  SHARED,
  walletOf,
} from './account-snapshot.ts';
import {
  addHidden,
  type HiddenOpening,
  isSome,
  moneyOf,
  type SideChange,
  type SnapshotChange,
  shareOut,
  unchanged,
  withGone,
} from './side-change.ts';

/** A sum of one collateral; zero if there is none. */
function sumOf({ collaterals }: AccountSnapshot, name: keyof CollateralFigures, key: string): Decimal {
  return (collaterals.find((collateral) => collateral.key === key)?.[name] as Decimal | undefined) ?? ZERO;
}

/**
 * Money that was added or removed without a trade, on these collaterals: deposits, transfers, and payments of the insurance fund.
 * @param sunk isolated positions that lost more than their margin, and whose sums the shared collateral has taken over.
 */
export function externalMoves(
  before: AccountSnapshot,
  now: AccountSnapshot,
  keys: readonly string[],
  sunk: boolean,
): SnapshotChange['external'] {
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

/** The payment of the insurance fund: it arrives like a transfer, and brings the wallet from below zero to zero. */
function insuranceOn(before: AccountSnapshot, now: AccountSnapshot, key: string, sunk: boolean): Decimal {
  const into = sumOf(now, 'transferIn', key).minus(sumOf(before, 'transferIn', key));
  if (key !== SHARED || sunk) return into;
  const lacked = walletOn(now, key).minus(into).negated();
  return lacked.isPositive() ? Decimal.min(into, lacked) : ZERO;
}

/** Cash of one collateral, plus the cost of its open longs, minus the proceeds of its open shorts. */
function walletOn(snapshot: AccountSnapshot, key: string): Decimal {
  return snapshot.positions
    .filter((position) => collateralKey(position) === key)
    .reduce(
      (sum, { positionSide, openValue }) => (positionSide === 'long' ? sum.plus(openValue) : sum.minus(openValue)),
      sumOf(snapshot, 'amount', key),
    );
}

type TrackedPosition = [SideChange, PositionFigures];

interface Followings {
  /** Positions whose earlier sums are known. */
  readonly exact: readonly TrackedPosition[];
  /** All others: their open part is new since then, and their other trades were not seen. */
  readonly found: readonly TrackedPosition[];
  /** Those with known sums that were not listed before. */
  readonly relisted: readonly SideChange[];
}

/**
 * The changes of the positions that the later snapshot lists. If the earlier snapshot does not list one, its sums
 * are those of its last listing, unless it has opened more since than its collateral shows as opened in all.
 * Then something unseen was opened on it that was attributed to another position.
 * @param groupOf the collateral that has the position's sums; `undefined` if none has them any more.
 * @param openedOn value opened on a side of a collateral, in quote.
 */
function followed(
  before: AccountSnapshot,
  now: AccountSnapshot,
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
  const exact: TrackedPosition[] = [];
  const found: TrackedPosition[] = [];
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

/** Value opened on a position's side and collateral beyond the known positions; zero if there are no others. */
function unlistedValue(snapshot: AccountSnapshot, { positionSide, ...position }: PositionFigures): Decimal {
  const key = collateralKey(position);
  return snapshot.positions
    .filter((one) => one.positionSide === positionSide && collateralKey(one) === key)
    .reduce((sum, one) => sum.minus(one.openedValue), sumOf(snapshot, positionSide === 'long' ? 'openLong' : 'openShort', key).abs());
}

/** The change of a listed position whose earlier sums are known. */
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

/** The change of a listed position that was flat, with unknown earlier sums. */
function risen(now: PositionFigures): SideChange {
  return { ...unchanged(now), opened: { steps: now.steps, value: now.openValue, fee: now.openFee } };
}

/**
 * The earlier snapshot, with new names for separated positions that were closed and opened again since: the new
 * position has the id of the old one, and so has its isolated margin, but the sums of both start again.
 */
function renamedReborn(before: AccountSnapshot, now: AccountSnapshot): AccountSnapshot {
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

/** Positions opened and closed again between two snapshots. */
export interface Unseen {
  readonly positionSide: 'long' | 'short';
  /** In quote. */
  readonly value: Decimal;
  /** Steps whose opening was seen, by contract, except those of `followed`. */
  readonly seen: ReadonlyMap<string, number>;
  /** Exchange's ids of orders whose own separated position both snapshots list: it shows all their openings. */
  readonly followed: ReadonlySet<string>;
  /** Contracts of which both snapshots list the only position on this side, which shows all openings there. */
  readonly listed: ReadonlySet<string>;
  /** The exchange may have closed a part of it. */
  readonly forced: boolean;
}

/** @returns the orders that may have opened it; none if that is not known yet. */
type Opener = (unseen: Unseen) => readonly HiddenOpening[];

/**
 * The exact changes between two snapshots of an account.
 *
 * - A listed position with known earlier sums: its sums show everything.
 * - A position that is not listed any more is flat: its size is that of the earlier snapshot.
 * - A listed position that was not listed before, and has unknown earlier sums, was flat: its open part is new.
 * - The remaining change of the collateral was opened and closed between the snapshots (or closed by positions
 *   that are not listed any more). Several of them share it by value: no record shows more.
 * - If an isolated margin is gone with its position, the shared collateral has taken over its sums. If it has not,
 *   they are lost: the unexplained gain of the wallet is then its close.
 */
export function changeBetween(
  earlier: AccountSnapshot,
  now: AccountSnapshot,
  instruments: ReadonlyMap<string, Instrument>,
  openersOf: Opener,
): SnapshotChange {
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

/** Sums of a position that is not separated continue for the life of the account. */
function listedOn(before: AccountSnapshot, now: AccountSnapshot, positionSide: 'long' | 'short'): ReadonlySet<string> {
  const isListed = (one: PositionFigures) => before.positions.some((prior) => prior.state === 'listed' && isSame(prior, one));
  const both = now.positions.filter((one) => one.positionSide === positionSide && one.orderId === '' && isListed(one));
  return new Set(both.map(({ symbol }) => symbol));
}

/** The sums of collaterals that are gone are included in those of the shared one: sums of an account never shrink. */
function takesOver(before: AccountSnapshot, now: AccountSnapshot, retired: readonly string[]): boolean {
  return (['openLong', 'openShort'] as const).every((name) => {
    const were = [SHARED, ...retired].reduce((sum, key) => sum.plus(sumOf(before, name, key)), ZERO);
    return sumOf(now, name, SHARED).abs().greaterThanOrEqualTo(were.abs());
  });
}

/** An isolated position lost more than its margin, including the margin of unseen openings. */
function isSunk(side: SideChange, { margin, leverage }: PositionFigures): boolean {
  return moneyOf(side).plus(margin).plus(side.opened.value.div(leverage)).isNegative();
}

/** The same, found by sums: of several closed positions only the total is known, and own orders may have closed a part of one. */
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
