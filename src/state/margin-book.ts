import { type Decimal, ZERO } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import {
  initialMargin,
  liquidationPrice,
  type MarginPosition,
  type MarginSettings,
  maintenanceMargin,
  unrealizedProfit,
} from '../model/margin.ts';
import type { MarginChanged } from '../model/order-events.ts';
import { marginOf } from './margin-of.ts';
import type { MarketState } from './market-state.ts';
import type { Portfolio, PortfolioOptions } from './portfolio.ts';
import type { Positions } from './positions.ts';

const SIDES = ['long', 'short'] as const;
type ContractSide = (typeof SIDES)[number];

/** One side of a contract as its margin arithmetic sees it; separated positions of a side are taken together. */
export interface MarginSide extends MarginPosition {
  readonly settings: MarginSettings;
  /** Margin of its own; zero where it stands on the shared collateral. */
  readonly isolatedMargin: Decimal;
  readonly mark: Decimal;
}

/** How one collateral currency of a futures account stands, in that currency. */
export interface MarginFigures {
  /** Collateral, isolated margins included, and all unrealised profit. */
  readonly equity: Decimal;
  /** Margin of positions and opening orders, as the venue tells it. */
  readonly used: Decimal;
  /** What opening orders may still use. */
  readonly free: Decimal;
  /** Maintenance margin of all positions. */
  readonly maintenance: Decimal;
}

/** Leverage of a side under these settings. */
export function leverageOf({ longLeverage, shortLeverage }: MarginSettings, side: ContractSide): Decimal {
  return side === 'long' ? longLeverage : shortLeverage;
}

/**
 * What a side's own price of liquidation is reckoned from: its isolated margin; or the shared collateral, with what
 * the other shared positions on it have gained and less what they need for maintenance.
 */
export function standsOn(side: MarginSide, others: readonly MarginSide[], sharedCollateral: Decimal): Decimal {
  if (side.settings.mode === 'isolated') return side.isolatedMargin;
  let collateral = sharedCollateral;
  for (const other of others) {
    const same = other.instrument === side.instrument && other.positionSide === side.positionSide;
    if (same || other.settings.mode === 'isolated') continue;
    collateral = collateral.plus(unrealizedProfit(other, other.mark)).minus(maintenanceMargin(other, other.mark));
  }
  return collateral;
}

/** The margin half of a futures account: settings, isolated margins, and the figures that follow from positions and marks. */
export class MarginBook {
  /** What the venue last told of each side's isolated margin: two by the index of the instrument. */
  readonly #isolated: Decimal[];
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

  apply({ instrument, positionSide, margin }: MarginChanged): void {
    this.#isolated[instrument.index * 2 + (positionSide === 'short' ? 1 : 0)] = margin;
  }

  /** `undefined` for what stands on no margin: one net position, no leverage. */
  settings({ index }: Instrument): MarginSettings | undefined {
    return this.#settings[index];
  }

  /** `undefined` for what stands on no margin, and before the first price. */
  side(instrument: Instrument, positionSide: ContractSide): MarginSide | undefined {
    const settings = this.#settings[instrument.index];
    const mark = settings === undefined ? undefined : this.markets[instrument.index]!.exactMark();
    if (settings === undefined || mark === undefined) return undefined;
    const { steps, cost } = this.positions.position(instrument, positionSide);
    const isolatedMargin = this.#isolated[instrument.index * 2 + (positionSide === 'short' ? 1 : 0)]!;
    return { instrument, positionSide, steps: Math.abs(steps), openValue: cost, settings, isolatedMargin, mark };
  }

  /** The open sides that stand on this collateral. */
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

  /** Initial margin of an open side: at its open value, or what it has of its own. */
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
      maintenance = maintenance.plus(maintenanceMargin(side, side.mark));
    }
    return { equity, used: frozen, free: shared.minus(frozen), maintenance };
  }

  /** The mark price at which a side is liquidated, as everything else stands; `undefined` where none does it. */
  liquidationPrice(instrument: Instrument, positionSide: ContractSide): Decimal | undefined {
    const side = this.side(instrument, positionSide);
    if (side === undefined || side.steps === 0) return undefined;
    return liquidationPrice(side, standsOn(side, this.sides(instrument.quote), this.sharedCollateral(instrument.quote)));
  }
}
