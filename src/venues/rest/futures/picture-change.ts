import { type Decimal, ZERO } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { LedgerReason } from '../../../model/ledger.ts';
import { type AccountPicture, type CollateralFigures, collateralKey, type PositionFigures, SHARED, walletOf } from './account-picture.ts';
import { solveClose } from './solve-close.ts';

/** What was traded on one side of a position, in sums. */
export interface Traded {
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
}

/** Orders that may have opened what was closed again before anybody looked. */
export interface HiddenOpening {
  readonly symbol: string;
  readonly steps: number;
  /** Worth about this much, in quote. */
  readonly estimate: Decimal;
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

type Opener = (positionSide: 'long' | 'short', value: Decimal) => readonly HiddenOpening[];

/**
 * What happened between two pictures of an account, to the last digit.
 *
 * - A listed position says everything by its sums.
 * - One that is listed no more is flat: its size is that of the earlier picture, its money what the collateral moved
 *   beyond the listed ones. Several at once share that by their values.
 * - An isolated margin that is gone with its position says nothing: what the wallet gained beyond all else is its close.
 */
export function changeBetween(
  before: AccountPicture,
  now: AccountPicture,
  instruments: ReadonlyMap<string, Instrument>,
  openersOf: Opener,
): PictureChange {
  const listed = now.positions.map((position) =>
    grown(
      before.positions.find(({ id }) => id === position.id),
      position,
    ),
  );
  const gone = before.positions.filter(({ id, state }) => state === 'listed' && !now.positions.some((other) => other.id === id));
  const sides: SideChange[] = [...listed];
  const units: SideChange[] = [];
  const parted: SideChange[] = [];
  const owners = new Map<SideChange, PositionFigures>();
  let hidden = false;
  for (const { key } of now.collaterals) {
    const moved = (name: keyof CollateralFigures) => sumOf(now, name, key).minus(sumOf(before, name, key));
    for (const positionSide of ['long', 'short'] as const) {
      const mine = listed.filter((side, index) => side.positionSide === positionSide && collateralKey(now.positions[index]!) === key);
      const names = positionSide === 'long' ? (['openLong', 'closeLong'] as const) : (['openShort', 'closeShort'] as const);
      const [opened, closed] = names.map((name) => moved(name).abs()) as [Decimal, Decimal];
      const open = mine.reduce((sum, side) => sum.minus(side.opened.value), opened);
      const close = mine.reduce((sum, side) => sum.minus(side.closed.value), closed);
      const found = gone.filter((position) => position.positionSide === positionSide && collateralKey(position) === key);
      const here = found.map((position) => {
        const unit = flattened(position);
        owners.set(unit, position);
        return unit;
      });
      if (!open.isZero()) {
        const openers = openersOf(positionSide, open);
        if (openers.length === 0) hidden = true;
        addHidden(here, openers, open, positionSide);
      }
      shareOut(
        close,
        here,
        ({ cost }) => cost,
        (unit, part) => {
          unit.closed.value = part;
        },
      );
      units.push(...here);
    }
  }
  for (const position of gone) {
    if (now.collaterals.some(({ key }) => key === collateralKey(position))) continue;
    const unit = flattened(position);
    owners.set(unit, position);
    parted.push(unit);
  }
  sides.push(...units);
  const kept = now.collaterals.map(({ key }) => key);
  const total = (name: keyof CollateralFigures) =>
    kept.reduce((sum, key) => sum.plus(sumOf(now, name, key)).minus(sumOf(before, name, key)), ZERO);
  const fees = sides.reduce(
    (sum, { opened, closed }) => sum.minus(opened.fee).minus(closed.fee),
    total('fee').plus(total('feeIncome')).negated(),
  );
  const tradings = units.flatMap(({ opened, closed }) => [opened, closed]);
  shareOut(
    fees,
    tradings,
    ({ value }) => value,
    (part, share) => {
      part.fee = share;
    },
  );
  const forced = sides.reduce(
    (sum, side) => sum.minus(side.liquidationFee),
    total('liquidationFee').plus(total('liquidationFeeIncome')).negated(),
  );
  shareOut(
    forced,
    units,
    ({ closed }) => closed.value,
    (unit, share) => {
      unit.liquidationFee = share;
    },
  );
  const funding = sides.reduce((sum, side) => sum.minus(side.funding), total('funding'));
  shareOut(
    funding,
    [...units, ...parted],
    ({ cost }) => cost,
    (unit, share) => {
      unit.funding = share;
    },
  );
  sides.push(...parted);
  const external = externalOf(before, now, kept);
  let rest = walletOf(now).minus(walletOf(before));
  for (const { amount } of external) rest = rest.minus(amount);
  for (const side of sides) if (!parted.includes(side)) rest = rest.minus(moneyOf(side));
  for (const side of parted) rest = rest.minus(side.funding);
  const net = rest;
  shareOut(
    net,
    parted,
    ({ cost }) => cost,
    (unit, share) => {
      solveClose(unit, share, instruments.get(unit.symbol));
      rest = rest.minus(moneyOf(unit).minus(unit.funding));
    },
  );
  const guessed = units.length + parted.length > 1 || units.some(({ opened }) => opened.steps > 0);
  return { sides: sides.filter(isSome), external, rest, hidden, base: withGone(before, now, owners, guessed) };
}

/** What a change brought to the wallet. */
export function moneyOf({ positionSide, opened, closed, cost, funding, liquidationFee }: SideChange): Decimal {
  const profit = positionSide === 'long' ? closed.value.minus(cost) : cost.minus(closed.value);
  return profit.minus(opened.fee).minus(closed.fee).plus(funding).minus(liquidationFee);
}

function isSome({ opened, closed, funding, liquidationFee }: SideChange): boolean {
  return (
    opened.steps > 0 ||
    closed.steps > 0 ||
    !opened.value.isZero() ||
    !closed.value.isZero() ||
    !funding.isZero() ||
    !liquidationFee.isZero()
  );
}

function grown(before: PositionFigures | undefined, now: PositionFigures): SideChange {
  // Sums that were a guess tell nothing of what came after: it was flat, and what is open came since.
  const fresh = before?.state === 'guessed';
  const was = (name: 'openedSteps' | 'closedSteps') => before?.[name] ?? 0;
  const sum = (name: 'openedValue' | 'openedFee' | 'closedValue' | 'closedFee' | 'funding' | 'liquidationFee') =>
    now[name].minus(before?.[name] ?? ZERO);
  const opened = fresh
    ? { steps: now.steps, value: now.openValue, fee: now.openFee }
    : { steps: now.openedSteps - was('openedSteps'), value: sum('openedValue'), fee: sum('openedFee') };
  const closed = fresh
    ? { steps: 0, value: ZERO, fee: ZERO }
    : { steps: now.closedSteps - was('closedSteps'), value: sum('closedValue'), fee: sum('closedFee') };
  return {
    ...namesOf(now),
    heldBefore: before?.steps ?? 0,
    valueBefore: before?.openValue ?? ZERO,
    opened,
    closed,
    cost: opened.value.minus(now.openValue).plus(before?.openValue ?? ZERO),
    funding: fresh ? ZERO : sum('funding'),
    liquidationFee: fresh ? ZERO : sum('liquidationFee'),
  };
}

function flattened(position: PositionFigures): SideChange {
  return {
    ...namesOf(position),
    heldBefore: position.steps,
    valueBefore: position.openValue,
    opened: { steps: 0, value: ZERO, fee: ZERO },
    closed: { steps: position.steps, value: ZERO, fee: ZERO },
    cost: position.openValue,
    funding: ZERO,
    liquidationFee: ZERO,
  };
}

function namesOf({ symbol, positionSide, orderId }: PositionFigures) {
  return { symbol, positionSide, orderId };
}

function addHidden(units: SideChange[], openers: readonly HiddenOpening[], value: Decimal, positionSide: 'long' | 'short'): void {
  const shares = openers.map((opener) => ({ opener, value: ZERO }));
  shareOut(
    value,
    shares,
    ({ opener }) => opener.estimate,
    (share, part) => {
      share.value = part;
    },
  );
  for (const { opener, value: part } of shares) {
    let unit = units.find(({ symbol, orderId }) => symbol === opener.symbol && orderId === '');
    if (unit === undefined) {
      unit = {
        symbol: opener.symbol,
        positionSide,
        orderId: '',
        heldBefore: 0,
        valueBefore: ZERO,
        opened: { steps: 0, value: ZERO, fee: ZERO },
        closed: { steps: 0, value: ZERO, fee: ZERO },
        cost: ZERO,
        funding: ZERO,
        liquidationFee: ZERO,
      };
      units.push(unit);
    }
    unit.opened.steps += opener.steps;
    unit.opened.value = unit.opened.value.plus(part);
    unit.closed.steps += opener.steps;
    unit.cost = unit.cost.plus(part);
  }
}

/** Splits an amount by weight to 18 places; the last gets the rest, so that nothing is lost. */
function shareOut<T>(amount: Decimal, among: readonly T[], weight: (one: T) => Decimal, give: (one: T, share: Decimal) => void): void {
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

function sumOf({ collaterals }: AccountPicture, name: keyof CollateralFigures, key: string): Decimal {
  return (collaterals.find((collateral) => collateral.key === key)?.[name] as Decimal | undefined) ?? ZERO;
}

function externalOf(before: AccountPicture, now: AccountPicture, keys: readonly string[]): PictureChange['external'] {
  const found: { reason: LedgerReason; amount: Decimal }[] = [];
  const add = (reason: LedgerReason, amount: Decimal) => {
    if (!amount.isZero()) found.push({ reason, amount });
  };
  for (const key of keys) {
    const moved = (name: keyof CollateralFigures) => sumOf(now, name, key).minus(sumOf(before, name, key));
    add('deposit', moved('deposit').plus(moved('withdraw')));
    // What the insurance fund pays comes in as a transfer does, and brings the wallet from below zero to it.
    const into = moved('transferIn');
    const standing = now.positions.filter((position) => collateralKey(position) === key);
    const cash = standing.reduce(
      (sum, { positionSide, openValue }) => (positionSide === 'long' ? sum.plus(openValue) : sum.minus(openValue)),
      sumOf(now, 'amount', key),
    );
    const lacked = cash.minus(into).negated();
    const insured = lacked.isPositive() && key === SHARED ? minOf(into, lacked) : key === SHARED ? ZERO : into;
    add('insurance', insured);
    add('transfer', into.minus(insured).plus(moved('transferOut')));
  }
  return found;
}

function minOf(a: Decimal, b: Decimal): Decimal {
  return a.lessThan(b) ? a : b;
}

function withGone(
  before: AccountPicture,
  now: AccountPicture,
  owners: ReadonlyMap<SideChange, PositionFigures>,
  guessed: boolean,
): AccountPicture {
  const old = before.positions.filter(({ id, state }) => state !== 'listed' && !now.positions.some((other) => other.id === id));
  const fresh = [...owners].flatMap(([{ opened, closed, funding, liquidationFee }, position]): PositionFigures[] => {
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
  const replaced = old.filter(
    (one) => !fresh.some(({ symbol, positionSide }) => symbol === one.symbol && positionSide === one.positionSide),
  );
  return { ...now, positions: [...now.positions, ...replaced, ...fresh] };
}
