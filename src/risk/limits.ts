import type { Decimal } from '../model/decimal.ts';

/** The limits of a config; what is absent does not limit. Fractions are shares of one. */
export interface RiskLimits {
  /** Largest fall of equity from its peak before the run is latched to reducing only. */
  readonly maxDrawdown?: number | undefined;
  /** Largest gross exposure (positions and open orders), in the account's currency. */
  readonly maxExposure?: Decimal | undefined;
  /** Largest value of contracts on margin, held and on order, over the account's equity. */
  readonly maxLeverage?: Decimal | undefined;
  /** Largest margin of positions and opening orders over the equity of their collateral, as a fraction. */
  readonly maxMarginUse?: number | undefined;
  /** Least distance from the mark to the liquidation price that an opening order may leave, as a fraction of the mark. */
  readonly minLiquidationDistance?: number | undefined;
  readonly maxOpenOrders?: number | undefined;
  readonly orderRate?: { readonly orders: number; readonly perMs: number } | undefined;
  /** Largest distance of a limit price from the last price, as a fraction of it. */
  readonly priceCollar?: Decimal | undefined;
  /** For every order: base units and quote amount. */
  readonly maxQuantity?: Decimal | undefined;
  readonly maxNotional?: Decimal | undefined;
  /** Largest absolute net position by symbol (on margin, of each side), open orders included, in base units. */
  readonly maxPosition: ReadonlyMap<string, Decimal>;
}
