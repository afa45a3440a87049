import { type Decimal, ZERO } from '../model/decimal.ts';
import { type MarginPosition, type MarginSettings, maintenanceMargin, marginLeft } from '../model/margin.ts';
import type { Position } from '../model/position.ts';

/** A position of a side: the whole, or in separated mode one of several. */
export interface SidePosition extends MarginPosition {
  /** The venue's id of the opening order in separated mode. */
  readonly orderId: string | undefined;
}

/** One side of a contract as its margin arithmetic sees it; steps and open value are of its positions together. */
export interface MarginSide extends MarginPosition {
  readonly settings: MarginSettings;
  /** Margin of its own; zero where it stands on the shared collateral. */
  readonly isolatedMargin: Decimal;
  readonly mark: Decimal;
  /** One, or of separated mode one an opening order: the tiers are of each one's value. */
  readonly positions: readonly SidePosition[];
}

/** Positions of one contract that stand and fall together, and the collateral that does not move with its mark. */
export interface Standing {
  readonly positions: readonly MarginPosition[];
  readonly collateral: Decimal;
}

/** Maintenance margin of a side at its mark. */
export function maintenanceOf({ positions, mark }: MarginSide): Decimal {
  return positions.reduce((sum, position) => sum.plus(maintenanceMargin(position, mark)), ZERO);
}

/**
 * What a side's price of liquidation is reckoned from. Isolated: its positions and its margin. Shared: the positions of
 * both sides of the contract, as one mark moves them; and the shared collateral, with what shared positions in other
 * contracts have gained at their marks and less what they need for maintenance.
 *
 * @param others all open sides on the currency; the side itself may be among them.
 */
export function standingOf(side: MarginSide, others: readonly MarginSide[], sharedCollateral: Decimal): Standing {
  if (side.settings.mode === 'isolated') return { positions: side.positions, collateral: side.isolatedMargin };
  const positions: MarginPosition[] = [...side.positions];
  let collateral = sharedCollateral;
  for (const other of others) {
    if (other.settings.mode === 'isolated') continue;
    if (other.instrument !== side.instrument) collateral = marginLeft(other.positions, other.mark, collateral);
    else if (other.positionSide !== side.positionSide) positions.push(...other.positions);
  }
  return { positions, collateral };
}

/**
 * The positions of a side that a holder has by its own orders. Closes take the venue's oldest position, whoever opened
 * it: a holder of more than is left of its own stands on all of them.
 */
export function positionsOf({ positions }: MarginSide, holder: Pick<Position, 'parts' | 'steps'>): readonly SidePosition[] {
  const ids = new Set(holder.parts.map(({ orderId }) => orderId));
  const own = positions.filter(({ orderId }) => ids.has(orderId));
  const steps = own.reduce((sum, position) => sum + position.steps, 0);
  return steps < Math.abs(holder.steps) ? positions : own;
}
