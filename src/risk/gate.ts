import { Decimal } from '../model/decimal.ts';
import { type Instrument, tradableOf } from '../model/instrument.ts';
import type { ApprovedOrder, OrderRequest } from '../model/order.ts';
import type { Denial } from '../model/reasons.ts';
import type { ReadonlyState } from '../state/state.ts';
import type { RiskLimits, ScopeLimits } from './limits.ts';
import { listedGrid, listedSteps, onListedLimits, onListedStep } from './listed-grid.ts';
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
import { maxOpenPositions } from './rules/max-open-positions.ts';
import { maxPosition } from './rules/max-position.ts';
import { notionalLimits } from './rules/notional-limits.ts';
import { OrderRate } from './rules/order-rate.ts';
import { priceCollar } from './rules/price-collar.ts';
import { priceKnown } from './rules/price-known.ts';
import { quantityLimits } from './rules/quantity-limits.ts';
import { reduceOnly } from './rules/reduce-only.ts';
import { reducing } from './rules/reducing.ts';
import { selfTrade } from './rules/self-trade.ts';
import { sendQueue } from './rules/send-queue.ts';
import { sufficientBalance } from './rules/sufficient-balance.ts';
import { sufficientMargin } from './rules/sufficient-margin.ts';
import { tradingWindows } from './rules/trading-windows.ts';

/** Allowance for a change of the price between the orders of a divided close. */
const ROOM = 1.1;

type Amount = string | Decimal;

/** The permitted size of one order, in steps. */
interface OrderRange {
  readonly least: number;
  readonly most: number;
}

/** The range that the limits on single orders allow at this price. */
function orderRange(
  instrument: Instrument,
  limits: Pick<RiskLimits, 'maxQuantity' | 'maxNotional'>,
  ticks: number,
  room: number = ROOM,
): OrderRange {
  const { step, tick, spec } = instrument;
  const { minQuantity, maxQuantity, minNotional, maxNotional } = spec;
  const price = ticks > 0 ? tick.toDecimal(ticks) : undefined;
  const steps = (quantity: Amount | undefined) => (quantity === undefined ? [] : [new Decimal(quantity).div(step.toDecimal(1))]);
  const stepsWorth = (notional: Amount | undefined, at: Decimal | undefined) =>
    notional === undefined || at === undefined ? [] : steps(new Decimal(notional).div(at));
  const least = [...steps(minQuantity), ...stepsWorth(minNotional, price?.div(room))].map((one) => one.ceil().toNumber());
  const most = [maxQuantity, limits.maxQuantity].flatMap(steps);
  const mostWorth = [maxNotional, limits.maxNotional].flatMap((one) => stepsWorth(one, price));
  return {
    least: Math.max(1, ...least),
    most: Math.max(1, Math.min(...[...most, ...mostWorth].map((one) => one.floor().toNumber()), Number.MAX_SAFE_INTEGER)),
  };
}

/** Steps of the first order of a divided close: no order exceeds the limits, and the last one is not below them. */
function sliceOf(steps: number, { least, most }: OrderRange): number {
  if (steps <= most) return steps;
  const short = least - (steps - most);
  return short > 0 && most - short >= least ? most - short : most;
}

/** Facts about an order that are the same for the limits of every scope. */
type RuleInput = Pick<RiskContext, 'marketTicks' | 'now' | 'purpose' | 'stopLossTicks'>;

/** In this order: the first reason is the one reported. */
const RISK_RULES: readonly RiskRule[] = [
  duplicateClientId,
  priceKnown,
  quantityLimits,
  notionalLimits,
  reduceOnly,
  dataHealth,
  onListedStep,
  onListedLimits,
  dataAge,
  latch,
  reducing,
  tradingWindows,
  priceCollar,
  lossPerTrade,
  selfTrade,
  maxOpenOrders,
  maxOpenPositions,
  sendQueue,
  maxPosition,
  maxExposure,
  concentration,
  maxLeverage,
  sufficientBalance,
  sufficientMargin,
  maxMarginUse,
  liquidationDistance,
];

/** Rules that need no limit of the config. They are checked once, for the account. */
const OF_ACCOUNT: ReadonlySet<RiskRule> = new Set([
  duplicateClientId,
  priceKnown,
  reduceOnly,
  dataHealth,
  onListedStep,
  onListedLimits,
  latch,
  sufficientBalance,
  sufficientMargin,
]);

/** Limits that depend on the result of open orders filling in any order. */
const ON_POSITIONS: ReadonlySet<RiskRule> = new Set([maxPosition, maxExposure, concentration, maxLeverage]);

/** The rules of one scope: the account's limits, or those of one strategy for itself. */
class ScopeRules {
  readonly #rules: readonly RiskRule[];
  readonly #rate: OrderRate | undefined;

  /** @param of a strategy's id; `undefined` for the account. */
  constructor(
    private readonly state: ReadonlyState,
    private readonly limits: ScopeLimits,
    private readonly of: string | undefined,
    private readonly rules: number | undefined,
    before?: ScopeRules,
  ) {
    this.#rules = rulesThatApply(state, limits, of, rules);
    this.#rate =
      limits.orderRate === undefined ? undefined : new OrderRate(limits.orderRate, before === undefined ? undefined : before.#rate);
  }

  review(order: OrderRequest, { marketTicks, now, purpose, stopLossTicks }: RuleInput): Denial | undefined {
    const { state, limits, of, rules } = this;
    const context: RiskContext = { state, limits, of, marketTicks, now, purpose, stopLossTicks, rules };
    for (let i = 0; i < this.#rules.length; i++) {
      const denied = this.#rules[i]!(order, context);
      if (denied !== undefined) return this.#denied(denied);
    }
    const late = purpose === 'send' ? this.#rate?.check(now) : undefined;
    return late === undefined ? undefined : this.#denied(late);
  }

  /** Whether a close, with the resting orders on its side, could break a limit on positions. */
  crowds(order: OrderRequest, { marketTicks, now, purpose, stopLossTicks }: RuleInput): boolean {
    const { state, limits, of, rules } = this;
    const context: RiskContext = { state, limits, of, marketTicks, now, purpose, stopLossTicks, rules, countResting: true };
    return this.#rules.some((rule) => ON_POSITIONS.has(rule) && rule(order, context) !== undefined);
  }

  /** An order is sent. */
  count(now: number): void {
    this.#rate?.count(now);
  }

  #denied(denied: Denial): Denial {
    return this.of === undefined ? denied : { ...denied, strategy: this.of };
  }
}

/** Leaves out rules without a limit in the config or in an instrument: they would never deny. */
function rulesThatApply(state: ReadonlyState, limits: ScopeLimits, of: string | undefined, rules: number | undefined): RiskRule[] {
  const ofAccount = of === undefined;
  const traded = tradableOf(state.instruments);
  const specs = ofAccount ? traded.map(({ spec }) => spec) : [];
  const onMargin = traded.filter((instrument) => state.margin.settings(instrument) !== undefined).length;
  const set = (...values: unknown[]) => values.some((value) => value !== undefined);
  const applies: readonly [RiskRule, boolean][] = [
    [quantityLimits, set(limits.maxQuantity, ...specs.flatMap(({ minQuantity, maxQuantity }) => [minQuantity, maxQuantity]))],
    [notionalLimits, set(limits.maxNotional, ...specs.flatMap(({ minNotional, maxNotional }) => [minNotional, maxNotional]))],
    [dataAge, set(limits.maxDataAgeMs)],
    [reducing, limits.reducing === true],
    [tradingWindows, set(limits.tradingWindows)],
    [priceCollar, set(limits.priceCollar)],
    [lossPerTrade, set(limits.maxLossPerTrade)],
    [selfTrade, set(limits.selfTrade)],
    [maxOpenOrders, set(limits.maxOpenOrders)],
    [maxOpenPositions, set(limits.maxOpenPositions)],
    [sendQueue, ofAccount && rules !== 0 && set((limits as RiskLimits).maxQueuedOrders)],
    [maxPosition, limits.maxPosition.size > 0],
    [maxExposure, set(limits.maxExposure)],
    [concentration, set(limits.concentration)],
    [sufficientBalance, state.account.kind !== 'netting' && onMargin < traded.length],
    [sufficientMargin, onMargin > 0],
    [maxLeverage, onMargin > 0 && set(limits.maxLeverage)],
    [maxMarginUse, onMargin > 0 && set(limits.maxMarginUse)],
    [liquidationDistance, onMargin > 0 && set(limits.minLiquidationDistance)],
  ];
  const idle = new Set(applies.flatMap(([rule, applicable]) => (applicable ? [] : [rule])));
  return RISK_RULES.filter((rule) => !idle.has(rule) && (ofAccount || !OF_ACCOUNT.has(rule)));
}

type Verdict = { readonly approved: ApprovedOrder } | { readonly denied: Denial };

/** Facts of a review other than the order. */
export interface ReviewTerms {
  /** The price that triggers a stop; by default the last price. */
  readonly marketTicks?: number | undefined;
  /** Trigger of the stop that is armed as the order fills. */
  readonly stopLossTicks?: number | undefined;
}

interface GateContext {
  readonly state: ReadonlyState;
  readonly limits: RiskLimits;
  /** See `RULES_VERSION`; the newest by default. */
  readonly rules?: number | undefined;
}

/** The position to close, and its strategy. */
type Sliced = Pick<OrderRequest, 'instrument' | 'strategyId' | 'priceTicks' | 'steps'>;

/** The only way from an order to a venue: it must pass every rule of the account and of its strategy. */
export class RiskGate {
  #account: ScopeRules;
  #own: ReadonlyMap<string, ScopeRules>;
  #limits: RiskLimits;

  constructor(private readonly context: GateContext) {
    const { state, limits, rules } = context;
    this.#limits = limits;
    this.#account = new ScopeRules(state, limits, undefined, rules);
    this.#own = new Map([...(limits.strategies ?? [])].map(([id, own]) => [id, new ScopeRules(state, own, id, rules)]));
  }

  /** Other limits from now on. Orders that were sent before count in the windows of rates, as far as the window before had them. */
  renew(limits: RiskLimits): void {
    const { state, rules } = this.context;
    this.#limits = limits;
    this.#account = new ScopeRules(state, limits, undefined, rules, this.#account);
    const own = [...(limits.strategies ?? [])];
    this.#own = new Map(own.map(([id, one]) => [id, new ScopeRules(state, one, id, rules, this.#own.get(id))]));
  }

  /** Restores the orders that an earlier run sent, for the rate limits, oldest first. */
  restore(sent: Iterable<{ readonly time: number; readonly strategyId: string }>): void {
    for (const { time, strategyId } of sent) {
      this.#account.count(time);
      this.#own.get(strategyId)?.count(time);
    }
  }

  get limits(): RiskLimits {
    return this.#limits;
  }

  /**
   * Reviews an order that will be sent now (`send`), or one that the engine will hold, which is reviewed
   * again at its release and counts against the rate only then. `now` is epoch ms.
   */
  review(order: OrderRequest, now: number, purpose: 'send' | 'hold', { marketTicks, stopLossTicks }: ReviewTerms = {}): Verdict {
    const input: RuleInput = { marketTicks: marketTicks ?? this.#lastTicks(order), now, purpose, stopLossTicks };
    const own = this.#own.get(order.strategyId);
    const denied = this.#account.review(order, input) ?? own?.review(order, input);
    if (denied !== undefined) return { denied };
    if (purpose === 'send') {
      this.#account.count(now);
      own?.count(now);
    }
    return { approved: order as ApprovedOrder };
  }

  /**
   * Whether a close that is sent regardless of resting orders would leave too many: together with those on its side, fills could break a
   * limit on positions. Then the resting orders must be canceled.
   */
  crowds(order: OrderRequest, now: number, { marketTicks }: ReviewTerms = {}): boolean {
    const input: RuleInput = { marketTicks: marketTicks ?? this.#lastTicks(order), now, purpose: 'send', stopLossTicks: undefined };
    return this.#account.crowds(order, input) || this.#own.get(order.strategyId)?.crowds(order, input) === true;
  }

  /**
   * How many of its steps one order may have under the limits on single orders, if others follow for the rest.
   * @param marketTicks the price for an order without a limit price; by default the last price.
   */
  slice(order: Sliced, marketTicks = this.context.state.market(order.instrument).lastTicks): number {
    return this.context.rules === 0 ? (order.steps ?? 0) : this.#slice(order, order.priceTicks ?? marketTicks);
  }

  /** The same for an order that is still to be made: a market buy may be sent as a limit order above the last price. */
  sliceAhead(close: Omit<Sliced, 'priceTicks'>): number {
    return this.#slice(close, this.context.state.market(close.instrument).lastTicks * ROOM);
  }

  /**
   * The fewest steps that one order may have under the minimum of its instrument. @param marketTicks the price of an order without a
   * limit price. @param later whether the order is sent later, when the price may be lower.
   */
  least({ instrument, priceTicks }: Pick<Sliced, 'instrument' | 'priceTicks'>, marketTicks: number, later: boolean): number {
    return orderRange(instrument, this.#limits, priceTicks ?? marketTicks, later ? ROOM : 1).least;
  }

  #slice({ instrument, strategyId, steps = 0 }: Omit<Sliced, 'priceTicks'>, ticks: number): number {
    const { state } = this.context;
    const limits = this.#limits;
    const own: ScopeLimits | undefined = limits.strategies?.get(strategyId);
    const listed = state.listedLimits.get(instrument.symbol)?.most;
    const ranges = [limits, ...(own === undefined ? [] : [own])].map((one) => orderRange(instrument, one, ticks));
    const slice = sliceOf(steps, {
      least: Math.max(...ranges.map(({ least }) => least)),
      most: Math.min(
        ...ranges.map(({ most }) => most),
        listed === undefined ? Number.POSITIVE_INFINITY : instrument.step.floorUnits(new Decimal(listed)),
      ),
    });
    return slice === steps ? steps : listedSteps(slice, listedGrid(instrument, state)) || slice;
  }

  #lastTicks({ instrument }: OrderRequest): number {
    return this.context.state.market(instrument).lastTicks;
  }
}
