import type { OrderRequest } from '../model/order.ts';
import type { Denial } from '../model/reasons.ts';
import type { ReadonlyState } from '../state/state.ts';
import type { ScopeLimits } from './limits.ts';
import type { RiskContext, RiskRule } from './rule.ts';
import { concentration } from './rules/concentration.ts';
import { dataAge } from './rules/data-age.ts';
import { dataHealth } from './rules/data-health.ts';
import { duplicateClientId } from './rules/duplicate-client-id.ts';
import { latch } from './rules/latch.ts';
import { liquidationDistance } from './rules/liquidation-distance.ts';
import { lossPerTrade } from './rules/loss-per-trade.ts';
import { maxExposure } from './rules/max-exposure.ts';
import { maxLeverage } from './rules/max-leverage.ts';
import { maxMarginUse } from './rules/max-margin-use.ts';
import { maxOpenOrders } from './rules/max-open-orders.ts';
import { maxPosition } from './rules/max-position.ts';
import { notionalLimits } from './rules/notional-limits.ts';
import { OrderRate } from './rules/order-rate.ts';
import { priceCollar } from './rules/price-collar.ts';
import { priceKnown } from './rules/price-known.ts';
import { quantityLimits } from './rules/quantity-limits.ts';
import { reduceOnly } from './rules/reduce-only.ts';
import { reducing } from './rules/reducing.ts';
import { selfTrade } from './rules/self-trade.ts';
import { sufficientBalance } from './rules/sufficient-balance.ts';
import { sufficientMargin } from './rules/sufficient-margin.ts';
import { tradingWindows } from './rules/trading-windows.ts';

/** What is asked about an order, whoever's limits it meets. */
export type Asked = Pick<RiskContext, 'marketTicks' | 'now' | 'purpose' | 'stopLossTicks'>;

/** In this order: the first reason is the one reported. */
const RULES: readonly RiskRule[] = [
  duplicateClientId,
  priceKnown,
  quantityLimits,
  notionalLimits,
  reduceOnly,
  dataHealth,
  dataAge,
  latch,
  reducing,
  tradingWindows,
  priceCollar,
  lossPerTrade,
  selfTrade,
  maxOpenOrders,
  maxPosition,
  maxExposure,
  concentration,
  maxLeverage,
  sufficientBalance,
  sufficientMargin,
  maxMarginUse,
  liquidationDistance,
];

/** What no limit of a config switches on: asked of the account alone. */
const OF_ACCOUNT: ReadonlySet<RiskRule> = new Set([
  duplicateClientId,
  priceKnown,
  reduceOnly,
  dataHealth,
  latch,
  sufficientBalance,
  sufficientMargin,
]);

/** The rules of one level: the account's limits, or those of a strategy on what is its own. */
export class ScopeRules {
  readonly #rules: readonly RiskRule[];
  readonly #rate: OrderRate | undefined;

  /** @param of a strategy's id; `undefined` for the account. */
  constructor(
    private readonly state: ReadonlyState,
    private readonly limits: ScopeLimits,
    private readonly of: string | undefined,
  ) {
    this.#rules = rulesThatCanSpeak(state, limits, of);
    this.#rate = limits.orderRate === undefined ? undefined : new OrderRate(limits.orderRate);
  }

  review(order: OrderRequest, { marketTicks, now, purpose, stopLossTicks }: Asked): Denial | undefined {
    const { state, limits, of } = this;
    const context: RiskContext = { state, limits, of, marketTicks, now, purpose, stopLossTicks };
    for (let i = 0; i < this.#rules.length; i++) {
      const denied = this.#rules[i]!(order, context);
      if (denied !== undefined) return this.#told(denied);
    }
    const late = purpose === 'send' ? this.#rate?.check(now) : undefined;
    return late === undefined ? undefined : this.#told(late);
  }

  /** An order goes out. */
  count(now: number): void {
    this.#rate?.count(now);
  }

  #told(denied: Denial): Denial {
    return this.of === undefined ? denied : { ...denied, strategy: this.of };
  }
}

/** Leaves out the rules whose limits neither the config nor any instrument sets: they would never deny. */
function rulesThatCanSpeak(state: ReadonlyState, limits: ScopeLimits, of: string | undefined): RiskRule[] {
  const ofAccount = of === undefined;
  const specs = ofAccount ? state.instruments.map(({ spec }) => spec) : [];
  const onMargin = state.instruments.filter((instrument) => state.margin.settings(instrument) !== undefined).length;
  const set = (...values: unknown[]) => values.some((value) => value !== undefined);
  const speaks: readonly [RiskRule, boolean][] = [
    [quantityLimits, set(limits.maxQuantity, ...specs.flatMap(({ minQuantity, maxQuantity }) => [minQuantity, maxQuantity]))],
    [notionalLimits, set(limits.maxNotional, ...specs.flatMap(({ minNotional, maxNotional }) => [minNotional, maxNotional]))],
    [dataAge, set(limits.maxDataAgeMs)],
    [reducing, limits.reducing === true],
    [tradingWindows, set(limits.tradingWindows)],
    [priceCollar, set(limits.priceCollar)],
    [lossPerTrade, set(limits.maxLossPerTrade)],
    [selfTrade, set(limits.selfTrade)],
    [maxOpenOrders, set(limits.maxOpenOrders)],
    [maxPosition, limits.maxPosition.size > 0],
    [maxExposure, set(limits.maxExposure)],
    [concentration, set(limits.concentration)],
    [sufficientBalance, state.account.kind !== 'netting' && onMargin < state.instruments.length],
    [sufficientMargin, onMargin > 0],
    [maxLeverage, onMargin > 0 && set(limits.maxLeverage)],
    [maxMarginUse, onMargin > 0 && set(limits.maxMarginUse)],
    [liquidationDistance, onMargin > 0 && set(limits.minLiquidationDistance)],
  ];
  const idle = new Set(speaks.flatMap(([rule, speaking]) => (speaking ? [] : [rule])));
  return RULES.filter((rule) => !idle.has(rule) && (ofAccount || !OF_ACCOUNT.has(rule)));
}
