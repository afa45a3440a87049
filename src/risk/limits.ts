import type { Decimal } from '../model/decimal.ts';
import type { TradingWindow } from './trading-window.ts';

/** What a latch does beyond denying: cancels what could still open something, or closes positions too. */
export type BreachAction = 'cancel' | 'flatten';

/** A fall of equity at which trading latches. */
export interface EquityLimit {
  /** As a fraction of where the fall is measured from. */
  readonly share: number;
  readonly onBreach: BreachAction;
  /** `midnight`: taken back when the UTC day ends; absent: by a reset alone. */
  readonly resetAt?: 'midnight' | undefined;
}

/** What one trade may lose; where both are given, the smaller counts. */
export interface LossPerTrade {
  /** In the account's currency. */
  readonly amount?: Decimal | undefined;
  /** As a fraction of equity. */
  readonly share?: number | undefined;
  /** An open trade that loses more is closed. */
  readonly close: boolean;
}

/** Largest value of what moves together, positions and open orders, over equity. */
export interface Concentration {
  readonly symbol?: number | undefined;
  /** All instruments of one base asset together. */
  readonly asset?: number | undefined;
}

/** So many losing trades in a row end trading for so long. */
export interface Cooldown {
  readonly losses: number;
  readonly forMs: number;
}

/** So many errors of the venue in a window latch; `forMs`: for so long, else until a reset. */
export interface ErrorBudget {
  readonly errors: number;
  readonly perMs: number;
  readonly forMs?: number | undefined;
}

/** Limits of the account, or of one strategy for itself; what is absent does not limit. Fractions are shares of one. */
export interface ScopeLimits {
  /** Largest fall of equity from its peak before trading is latched. */
  readonly maxDrawdown?: EquityLimit | undefined;
  /** The same from where equity began the UTC day. */
  readonly dailyLoss?: EquityLimit | undefined;
  readonly maxLossPerTrade?: LossPerTrade | undefined;
  readonly cooldown?: Cooldown | undefined;
  readonly errorBudget?: ErrorBudget | undefined;
  readonly concentration?: Concentration | undefined;
  /** When new positions may be opened: inside any of these. */
  readonly tradingWindows?: readonly TradingWindow[] | undefined;
  /** Age in ms of an instrument's newest price from which only what reduces passes. */
  readonly maxDataAgeMs?: number | undefined;
  /** Only what reduces passes. */
  readonly reducing?: boolean | undefined;
  /** Orders that would meet one of our own are denied. */
  readonly selfTrade?: 'deny' | undefined;
  /** Largest gross exposure (positions and open orders), in the account's currency. */
  readonly maxExposure?: Decimal | undefined;
  /** Largest value of contracts on margin, held and on order, over equity. */
  readonly maxLeverage?: Decimal | undefined;
  /** Largest margin of positions and opening orders over the equity of their collateral (of a strategy: over its own), as a fraction. */
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

/** Limits of one strategy, measured on its own positions, orders and equity. */
export interface StrategyLimits extends ScopeLimits {
  /** What it begins with, in the account's currency; absent: the account's first equity. */
  readonly capital?: Decimal | undefined;
}

/** The limits of a config: the account's, and those of strategies by their ids. */
export interface RiskLimits extends ScopeLimits {
  readonly strategies?: ReadonlyMap<string, StrategyLimits> | undefined;
}
