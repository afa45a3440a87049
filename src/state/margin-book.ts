import type { MarginChanged } from '../model/account-events.ts';
import { Decimal, ZERO } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import {
  initialMargin,
  liquidationPrice,
  liquidationPriceAmong,
  type MarginPosition,
  type MarginSettings,
  maintenanceMargin,
  marginLeft,
  unrealizedProfit,
} from '../model/margin.ts';
import type { PositionSide } from '../model/order.ts';
import type { Position } from '../model/position.ts';
import type { MarketState } from './market-state.ts';
import type { Portfolio, PortfolioOptions } from './portfolio.ts';
import { marginOf, type Positions } from './positions.ts';

/** The margin figures of one collateral currency of a futures account, in that currency. */
interface MarginFigures {
  /** Collateral, isolated margins included, plus all unrealised profit. */
  readonly equity: Decimal;
  /** Margin of positions and opening orders, as the venue reports it. */
  readonly used: Decimal;
  /** The amount that opening orders may still use. */
  readonly free: Decimal;
  /** Maintenance margin of all positions. */
  readonly maintenance: Decimal;
}

/** A position of one side: the whole side, or in separated mode one of several. */
export interface SidePosition extends MarginPosition {
  /** The venue's id of the opening order in separated mode. */
  readonly orderId: string | undefined;
}

/** One side of a contract for the margin computation. Steps and open value are the sums of its positions. */
export interface MarginSide extends MarginPosition {
  readonly settings: MarginSettings;
  /** Its isolated margin; zero where it uses the shared collateral. */
  readonly isolatedMargin: Decimal;
  readonly mark: Decimal;
  /** One position, or in separated mode one per opening order. The risk tier depends on the value of each one. */
  readonly positions: readonly SidePosition[];
}

const SIDES = ['long', 'short'] as const;
type ContractSide = (typeof SIDES)[number];

/** The margin half of a futures account: settings, isolated margins, and the figures that are computed from positions and marks. */
export class MarginBook {
  /** The isolated margin of each side as the venue last reported it: two entries per instrument, by its index. */
  readonly #isolated: Decimal[];
  /** The same for each separated position. */
  readonly #parts: MarginChanged['parts'][] = [];
  readonly #settings: readonly (MarginSettings | undefined)[];

  constructor(
    private readonly markets: readonly MarketState[],
    account: PortfolioOptions,
    private readonly positions: Positions,
    private readonly portfolio: Portfolio,
  ) {
    this.#settings = markets.map(({ instrument }) => marginOf(account, instrument));
    this.#isolated = markets.flatMap(() => [ZERO, ZERO]);
  }

  apply({ instrument, positionSide, margin, parts }: MarginChanged): void {
    const index = indexOf(instrument, positionSide);
    this.#isolated[index] = margin;
    this.#parts[index] = parts;
  }

  /** `undefined` for a symbol without margin: it has one net position and no leverage. */
  settings({ index }: Instrument): MarginSettings | undefined {
    return this.#settings[index];
  }

  /** `undefined` for a symbol without margin, and before the first price. */
  side(instrument: Instrument, positionSide: ContractSide): MarginSide | undefined {
    const settings = this.#settings[instrument.index];
    const mark = settings === undefined ? undefined : this.markets[instrument.index]!.exactMark();
    if (settings === undefined || mark === undefined) return undefined;
    const { steps, cost, parts } = this.positions.position(instrument, positionSide);
    const isolatedMargin = this.#isolated[indexOf(instrument, positionSide)]!;
    const positions = parts.map((part) => ({ instrument, positionSide, orderId: part.orderId, steps: part.steps, openValue: part.cost }));
    return { instrument, positionSide, steps: Math.abs(steps), openValue: cost, settings, isolatedMargin, mark, positions };
  }

  /** The open sides that use this collateral. */
  sides(currency: string): MarginSide[] {
    return this.markets.flatMap(({ instrument }) => {
      if (instrument.quote !== currency || this.#settings[instrument.index] === undefined) return [];
      return SIDES.flatMap((side) => (this.positions.position(instrument, side).steps === 0 ? [] : (this.side(instrument, side) ?? [])));
    });
  }

  /** Collateral of a currency without the isolated margins. */
  sharedCollateral(currency: string): Decimal {
    return this.markets.reduce((shared, { instrument: { quote, index } }) => {
      return quote === currency ? shared.minus(this.#isolated[index * 2]!).minus(this.#isolated[index * 2 + 1]!) : shared;
    }, this.portfolio.balance(currency, 'futures').total);
  }

  /** Initial margin of an open side: computed from its open value, or its isolated margin. */
  marginOf({ instrument, positionSide, settings, isolatedMargin }: MarginSide): Decimal {
    if (settings.mode === 'isolated') return isolatedMargin;
    const leverage = leverageOf(settings, positionSide);
    return this.positions.position(instrument, positionSide).costs.reduce((sum, cost) => sum.plus(initialMargin(cost, leverage)), ZERO);
  }

  figures(currency: string): MarginFigures {
    const { total, frozen } = this.portfolio.balance(currency, 'futures');
    let equity = total;
    let shared = total;
    let maintenance = ZERO;
    for (const side of this.sides(currency)) {
      const profit = unrealizedProfit(side, side.mark);
      equity = equity.plus(profit);
      if (side.settings.mode === 'shared') shared = shared.plus(profit);
      maintenance = maintenance.plus(maintenanceOf(side));
    }
    return { equity, used: frozen, free: shared.minus(frozen), maintenance };
  }

  /**
   * The mark price at which a side is liquidated while all other contracts keep their marks; `undefined` where no mark does it.
   * @param holder for separated isolated positions: counts only the positions that this holder's orders opened; without it, all of them.
   * The nearest price is returned.
   */
  liquidationPrice(instrument: Instrument, positionSide: ContractSide, holder?: Pick<Position, 'parts' | 'steps'>): Decimal | undefined {
    const side = this.side(instrument, positionSide);
    if (side === undefined || side.steps === 0) return undefined;
    const { mode, separated } = side.settings;
    if (mode === 'isolated' && separated) return this.#nearest(side, holder === undefined ? side.positions : positionsOf(side, holder));
    const { positions, collateral } = marginGroupOf(side, this.sides(instrument.quote), this.sharedCollateral(instrument.quote));
    return liquidationPriceAmong(positions, positionSide, collateral);
  }

  /** The nearest liquidation price of positions that have isolated margins. */
  #nearest(side: MarginSide, positions: readonly SidePosition[]): Decimal | undefined {
    const prices = positions.flatMap((position) => liquidationPrice(position, this.#ownMargin(side, position)) ?? []);
    if (prices.length === 0) return undefined;
    return side.positionSide === 'long' ? Decimal.max(...prices) : Decimal.min(...prices);
  }

  /**
   * The isolated margin that the venue reported. Where the venue reports one sum for a side, it is divided in proportion to the open values
   * of the side's positions.
   */
  #ownMargin(side: MarginSide, { orderId, openValue }: SidePosition): Decimal {
    const reported = this.#parts[indexOf(side.instrument, side.positionSide)]?.get(orderId ?? '');
    return reported ?? side.isolatedMargin.times(openValue).div(side.openValue);
  }
}

/** Leverage of a side with these settings. */
export function leverageOf({ longLeverage, shortLeverage }: MarginSettings, side: ContractSide): Decimal {
  return side === 'long' ? longLeverage : shortLeverage;
}

function indexOf({ index }: Instrument, positionSide: PositionSide): number {
  return index * 2 + (positionSide === 'short' ? 1 : 0);
}

/** Maintenance margin of a side at its mark. */
function maintenanceOf({ positions, mark }: MarginSide): Decimal {
  return positions.reduce((sum, position) => sum.plus(maintenanceMargin(position, mark)), ZERO);
}

/** Positions of one contract that are liquidated together, and the collateral that does not change with its mark. */
export interface MarginGroup {
  readonly positions: readonly MarginPosition[];
  readonly collateral: Decimal;
}

/**
 * The positions and the collateral that determine the liquidation price of a side.
 * - Isolated: the side's positions and its margin.
 * - Shared: the positions of both sides of the contract, as one mark changes both. The collateral is the shared one, plus the gains of
 *   shared positions in other contracts at their marks, less their maintenance margins.
 * @param others all open sides that use the currency; may include the side itself.
 */
export function marginGroupOf(side: MarginSide, others: readonly MarginSide[], sharedCollateral: Decimal): MarginGroup {
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
 * The positions of a side that a holder's own orders opened. A close takes the venue's oldest position, whichever strategy opened it. So a
 * holder that holds more than remains of its own positions counts all positions.
 */
function positionsOf({ positions }: MarginSide, holder: Pick<Position, 'parts' | 'steps'>): readonly SidePosition[] {
  const ids = new Set(holder.parts.map(({ orderId }) => orderId));
  const own = positions.filter(({ orderId }) => ids.has(orderId));
  const steps = own.reduce((sum, position) => sum + position.steps, 0);
  return steps < Math.abs(holder.steps) ? positions : own;
}
