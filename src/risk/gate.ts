import type { Instrument } from '../model/instrument.ts';
import type { ApprovedOrder, OrderRequest } from '../model/order.ts';
import type { Denial } from '../model/reasons.ts';
import { largestOrder } from './largest-order.ts';
import type { RiskContext, RiskRule } from './rule.ts';
import { dataHealth } from './rules/data-health.ts';
import { latch } from './rules/latch.ts';
import { liquidationDistance } from './rules/liquidation-distance.ts';
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
import { sufficientBalance } from './rules/sufficient-balance.ts';
import { sufficientMargin } from './rules/sufficient-margin.ts';

/** In this order: the first reason is the one reported. */
const RULES: readonly RiskRule[] = [
  priceKnown,
  quantityLimits,
  notionalLimits,
  reduceOnly,
  dataHealth,
  latch,
  priceCollar,
  maxOpenOrders,
  maxPosition,
  maxExposure,
  maxLeverage,
  sufficientBalance,
  sufficientMargin,
  maxMarginUse,
  liquidationDistance,
];

export type Verdict = { readonly approved: ApprovedOrder } | { readonly denied: Denial };

/** The one way from an order to a venue: every rule must have nothing to say. */
export class RiskGate {
  readonly #rules: readonly RiskRule[];
  readonly #rate: OrderRate | undefined;

  constructor(private readonly context: Pick<RiskContext, 'state' | 'limits'>) {
    const { orderRate } = context.limits;
    this.#rules = rulesThatCanSpeak(context);
    this.#rate = orderRate === undefined ? undefined : new OrderRate(orderRate);
  }

  /**
   * Reviews an order that will be sent now (`send`), or one that the engine will hold, which is reviewed
   * again at its release and counts against the rate only then. `now` is epoch ms; `marketTicks` is the
   * price that triggers a stop, for every other the last price.
   */
  review(order: OrderRequest, now: number, purpose: 'send' | 'hold', marketTicks = this.#lastTicks(order)): Verdict {
    const { state, limits } = this.context;
    const context: RiskContext = { state, limits, marketTicks };
    for (let i = 0; i < this.#rules.length; i++) {
      const denied = this.#rules[i]!(order, context);
      if (denied !== undefined) return { denied };
    }
    if (purpose === 'send' && this.#rate !== undefined) {
      const denied = this.#rate.check(now);
      if (denied !== undefined) return { denied };
      this.#rate.count(now);
    }
    return { approved: order as ApprovedOrder };
  }

  /** Fall of equity from its peak at which the engine latches the run; `Infinity` without a limit. */
  get maxDrawdown(): number {
    return this.context.limits.maxDrawdown ?? Number.POSITIVE_INFINITY;
  }

  /** The largest order of an instrument that the limits on single orders let through now, in steps. */
  largestOrder(instrument: Instrument): number {
    const { state, limits } = this.context;
    return largestOrder(instrument, limits, state.market(instrument).lastTicks);
  }

  #lastTicks({ instrument }: OrderRequest): number {
    return this.context.state.market(instrument).lastTicks;
  }
}

/** Leaves out the rules whose limits neither the config nor any instrument sets: they would never deny. */
function rulesThatCanSpeak({ state, limits }: Pick<RiskContext, 'state' | 'limits'>): RiskRule[] {
  const specs = state.instruments.map(({ spec }) => spec);
  const idle = new Set<RiskRule>();
  const set = (...values: unknown[]) => values.some((value) => value !== undefined);
  if (!set(limits.maxQuantity, ...specs.flatMap(({ minQuantity, maxQuantity }) => [minQuantity, maxQuantity]))) idle.add(quantityLimits);
  if (!set(limits.maxNotional, ...specs.flatMap(({ minNotional, maxNotional }) => [minNotional, maxNotional]))) idle.add(notionalLimits);
  if (!set(limits.priceCollar)) idle.add(priceCollar);
  if (!set(limits.maxOpenOrders)) idle.add(maxOpenOrders);
  if (limits.maxPosition.size === 0) idle.add(maxPosition);
  if (!set(limits.maxExposure)) idle.add(maxExposure);
  const onMargin = state.instruments.filter((instrument) => state.margin.settings(instrument) !== undefined).length;
  if (state.account.kind === 'netting' || onMargin === state.instruments.length) idle.add(sufficientBalance);
  if (onMargin === 0) idle.add(sufficientMargin);
  if (onMargin === 0 || !set(limits.maxLeverage)) idle.add(maxLeverage);
  if (onMargin === 0 || !set(limits.maxMarginUse)) idle.add(maxMarginUse);
  if (onMargin === 0 || !set(limits.minLiquidationDistance)) idle.add(liquidationDistance);
  return RULES.filter((rule) => !idle.has(rule));
}
