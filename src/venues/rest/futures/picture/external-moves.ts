import { Decimal, ZERO } from '../../../../model/decimal.ts';
import type { LedgerReason } from '../../../../model/ledger.ts';
import { type AccountPicture, type CollateralFigures, collateralKey, SHARED } from './account-picture.ts';
import type { PictureChange } from './side-change.ts';

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
