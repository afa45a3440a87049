import { Decimal } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { ApprovedOrder, OrderRequest } from '../model/order.ts';
import type { Denial } from '../model/reasons.ts';
import type { ReadonlyState } from '../state/state.ts';
import type { RiskLimits, ScopeLimits } from './limits.ts';
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
import { sendQueue } from './rules/send-queue.ts';
import { sufficientBalance } from './rules/sufficient-balance.ts';
import { sufficientMargin } from './rules/sufficient-margin.ts';
import { tradingWindows } from './rules/trading-windows.ts';

/** How far the price may move from one order to the next of several. */
const ROOM = 1.1;

type Amount = string | Decimal;

/** What one order may be, in steps. */
interface OrderRange {
  readonly least: number;
  readonly most: number;
}

/** The range that the limits on single orders allow at this price. */
function orderRange(instrument: Instrument, limits: Pick<RiskLimits, 'maxQuantity' | 'maxNotional'>, ticks: number): OrderRange {
  const { step, tick, spec } = instrument;
  const { minQuantity, maxQuantity, minNotional, maxNotional } = spec;
  const price = ticks > 0 ? tick.toDecimal(ticks) : undefined;
  const steps = (quantity: Amount | undefined) => (quantity === undefined ? [] : [new Decimal(quantity).div(step.toDecimal(1))]);
  const stepsWorth = (notional: Amount | undefined, at: Decimal | undefined) =>
    notional === undefined || at === undefined ? [] : steps(new Decimal(notional).div(at));
  const least = [...steps(minQuantity), ...stepsWorth(minNotional, price?.div(ROOM))].map((one) => one.ceil().toNumber());
  const most = [maxQuantity, limits.maxQuantity].flatMap(steps);
  const mostWorth = [maxNotional, limits.maxNotional].flatMap((one) => stepsWorth(one, price));
  return {
    least: Math.max(1, ...least),
    most: Math.max(1, Math.min(...[...most, ...mostWorth].map((one) => one.floor().toNumber()), Number.MAX_SAFE_INTEGER)),
  };
}

/** Steps of the first order of several that close so many: none of them is above the limits, nor the last one below. */
function sliceOf(steps: number, { least, most }: OrderRange): number {
  if (steps <= most) return steps;
  const short = least - (steps - most);
  return short > 0 && most - short >= least ? most - short : most;
}

/** What is asked about an order, whoever's limits it meets. */
type Asked = Pick<RiskContext, 'marketTicks' | 'now' | 'purpose' | 'stopLossTicks'>;

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

/** Limits on what fills in any order could lead to. */
const ON_POSITIONS: ReadonlySet<RiskRule> = new Set([maxPosition, maxExposure, concentration, maxLeverage]);

/** The rules of one level: the account's limits, or those of a strategy on what is its own. */
class ScopeRules {
  readonly #rules: readonly RiskRule[];
  readonly #rate: OrderRate | undefined;

  /** @param of a strategy's id; `undefined` for the account. */
  constructor(
    private readonly state: ReadonlyState,
    private readonly limits: ScopeLimits,
    private readonly of: string | undefined,
    private readonly rules: number | undefined,
  ) {
    this.#rules = rulesThatCanSpeak(state, limits, of, rules);
    this.#rate = limits.orderRate === undefined ? undefined : new OrderRate(limits.orderRate);
  }

  review(order: OrderRequest, { marketTicks, now, purpose, stopLossTicks }: Asked): Denial | undefined {
    const { state, limits, of, rules } = this;
    const context: RiskContext = { state, limits, of, marketTicks, now, purpose, stopLossTicks, rules };
    for (let i = 0; i < this.#rules.length; i++) {
      const denied = this.#rules[i]!(order, context);
      if (denied !== undefined) return this.#told(denied);
    }
    const late = purpose === 'send' ? this.#rate?.check(now) : undefined;
    return late === undefined ? undefined : this.#told(late);
  }

  /** Whether a close, with all that rests on its side, could break a limit on positions. */
  crowds(order: OrderRequest, { marketTicks, now, purpose, stopLossTicks }: Asked): boolean {
    const { state, limits, of, rules } = this;
    const context: RiskContext = { state, limits, of, marketTicks, now, purpose, stopLossTicks, rules, besideResting: true };
    return this.#rules.some((rule) => ON_POSITIONS.has(rule) && rule(order, context) !== undefined);
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
function rulesThatCanSpeak(state: ReadonlyState, limits: ScopeLimits, of: string | undefined, rules: number | undefined): RiskRule[] {
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
    [sendQueue, ofAccount && rules !== 0 && set((limits as RiskLimits).maxQueuedOrders)],
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

type Verdict = { readonly approved: ApprovedOrder } | { readonly denied: Denial };

/** The circumstances of a review: what the gate needs beside the order. */
export interface ReviewTerms {
  /** The price that triggers a stop; left out, the last price. */
  readonly marketTicks?: number | undefined;
  /** Trigger of the stop that is armed as the order fills. */
  readonly stopLossTicks?: number | undefined;
}

interface GateContext {
  readonly state: ReadonlyState;
  readonly limits: RiskLimits;
  /** See `RULES`; the newest if left out. */
  readonly rules?: number | undefined;
}

/** What is to be closed, in whose name. */
type Sliced = Pick<OrderRequest, 'instrument' | 'strategyId' | 'priceTicks' | 'steps'>;

/** The only way from an order to a venue: every rule of the account and of its strategy has to pass it. */
export class RiskGate {
  readonly #account: ScopeRules;
  readonly #own: ReadonlyMap<string, ScopeRules>;

  constructor(private readonly context: GateContext) {
    const { state, limits, rules } = context;
    this.#account = new ScopeRules(state, limits, undefined, rules);
    this.#own = new Map([...(limits.strategies ?? [])].map(([id, own]) => [id, new ScopeRules(state, own, id, rules)]));
  }

  /** Orders that an earlier run sent count against the rates from here, oldest first. */
  restore(sent: Iterable<{ readonly time: number; readonly strategyId: string }>): void {
    for (const { time, strategyId } of sent) {
      this.#account.count(time);
      this.#own.get(strategyId)?.count(time);
    }
  }

  get limits(): RiskLimits {
    return this.context.limits;
  }

  /**
   * Reviews an order that will be sent now (`send`), or one that the engine will hold, which is reviewed
   * again at its release and counts against the rate only then. `now` is epoch ms.
   */
  review(order: OrderRequest, now: number, purpose: 'send' | 'hold', { marketTicks, stopLossTicks }: ReviewTerms = {}): Verdict {
    const asked: Asked = { marketTicks: marketTicks ?? this.#lastTicks(order), now, purpose, stopLossTicks };
    const own = this.#own.get(order.strategyId);
    const denied = this.#account.review(order, asked) ?? own?.review(order, asked);
    if (denied !== undefined) return { denied };
    if (purpose === 'send') {
      this.#account.count(now);
      own?.count(now);
    }
    return { approved: order as ApprovedOrder };
  }

  /**
   * Whether a close that goes out whatever rests beside it leaves too much: with what rests on its side, fills could break a
   * limit on positions. Then what rests has to go.
   */
  crowds(order: OrderRequest, now: number, { marketTicks }: ReviewTerms = {}): boolean {
    const asked: Asked = { marketTicks: marketTicks ?? this.#lastTicks(order), now, purpose: 'send', stopLossTicks: undefined };
    return this.#account.crowds(order, asked) || this.#own.get(order.strategyId)?.crowds(order, asked) === true;
  }

  /**
   * How many of its steps the limits on single orders let an order take, where it is to be followed by others for the rest.
   * @param marketTicks judged at this price where it has no limit of its own; the last one unless given.
   */
  slice(order: Sliced, marketTicks = this.context.state.market(order.instrument).lastTicks): number {
    return this.context.rules === 0 ? (order.steps ?? 0) : this.#slice(order, order.priceTicks ?? marketTicks);
  }

  /** The same for an order that is still to be made: a market buy may go out as a limit above the last price. */
  sliceAhead(close: Omit<Sliced, 'priceTicks'>): number {
    return this.#slice(close, this.context.state.market(close.instrument).lastTicks * ROOM);
  }

  #slice({ instrument, strategyId, steps = 0 }: Omit<Sliced, 'priceTicks'>, ticks: number): number {
    const { limits } = this.context;
    const own: ScopeLimits | undefined = limits.strategies?.get(strategyId);
    const ranges = [limits, ...(own === undefined ? [] : [own])].map((one) => orderRange(instrument, one, ticks));
    return sliceOf(steps, {
      least: Math.max(...ranges.map(({ least }) => least)),
      most: Math.min(...ranges.map(({ most }) => most)),
    });
  }

  #lastTicks({ instrument }: OrderRequest): number {
    return this.context.state.market(instrument).lastTicks;
  }
}
