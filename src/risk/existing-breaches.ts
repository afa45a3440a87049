import type { Instrument } from '../model/instrument.ts';
import type { OrderRequest } from '../model/order.ts';
import type { Denial } from '../model/reasons.ts';
import type { Order } from '../state/order.ts';
import { leftSteps } from '../state/order-needs.ts';
import type { ReadonlyState } from '../state/state.ts';
import { RiskGate } from './gate.ts';
import type { RiskLimits, ScopeLimits } from './limits.ts';
import type { RiskContext, RiskRule } from './rule.ts';
import { concentration } from './rules/concentration.ts';
import { maxExposure } from './rules/max-exposure.ts';
import { maxLeverage } from './rules/max-leverage.ts';
import { maxPosition } from './rules/max-position.ts';
import { notionalLimits } from './rules/notional-limits.ts';
import { priceCollar } from './rules/price-collar.ts';
import { quantityLimits } from './rules/quantity-limits.ts';

/** An existing position or order that a limit would refuse: the limit is newer. */
export interface ExistingBreach {
  readonly strategyId: string;
  readonly symbol: string;
  /** Absent for a position. */
  readonly clientOrderId?: string;
  /** Description, such as `sell 0.01 stop at 54000`. */
  readonly what: string;
  /** The code of the refusal, with its numbers; absent if a close is sent in several orders. */
  readonly reason?: Denial;
  /** The consequence. */
  readonly outcome: string;
}

/** Limits that may have been added after an open order was placed. The other rules of the gate depend on the moment. */
const LIMITS: readonly RiskRule[] = [quantityLimits, notionalLimits, priceCollar, maxPosition, maxExposure, concentration, maxLeverage];

/** Positions and open orders that the limits would refuse if they were new: the config has changed since. */
export function existingBreaches(state: ReadonlyState, limits: RiskLimits): ExistingBreach[] {
  const gate = new RiskGate({ state, limits });
  const orders = [...state.openOrders.values()].flatMap((order) => {
    const found = order.request.reduceOnly ? closeBreach(order, state, gate) : entryBreach(order, state, limits);
    return found === undefined
      ? []
      : [{ ...found, strategyId: order.strategyId, symbol: order.symbol, clientOrderId: order.clientOrderId }];
  });
  return [...positionsBeyond(state, limits, gate), ...orders];
}

type Found = Pick<ExistingBreach, 'what' | 'reason' | 'outcome'>;

function entryBreach(order: Readonly<Order>, state: ReadonlyState, limits: RiskLimits): Found | undefined {
  const reason = refusalNow(order, leftOf(order, state), state, limits);
  if (reason === undefined) return undefined;
  const outcome = order.held ? 'it is refused when its price is reached' : 'it stays at the exchange; sent again, it would be refused';
  return { what: textOf(order, state), reason, outcome };
}

/** A held order is divided when it is sent; one that waits at the exchange is not. */
function closeBreach(order: Readonly<Order>, state: ReadonlyState, gate: RiskGate): Found | undefined {
  const left = leftOf(order, state);
  const parts = partsOf(left.steps ?? 0, (steps) => gate.slice({ ...left, steps }, judgedAt(order, state)));
  if (parts < 2) return undefined;
  const outcome = order.held
    ? `it is sent as ${parts} orders, one after the other`
    : 'it stays at the exchange as one order; sent again, it would be several orders';
  return { what: textOf(order, state), outcome };
}

function positionsBeyond(state: ReadonlyState, limits: RiskLimits, gate: RiskGate): ExistingBreach[] {
  return [...state.books].flatMap(([strategyId, book]) =>
    state.instruments.flatMap((instrument) =>
      book.sides(instrument).flatMap(({ steps }): ExistingBreach[] => {
        if (steps === 0) return [];
        const what = `position of ${instrument.step.toText(Math.abs(steps))}`;
        const whose = { strategyId, symbol: instrument.symbol, what };
        const close = closeOf(strategyId, instrument, steps);
        const reason = refusalNow({ request: close, stopTicks: undefined }, close, state, limits, [quantityLimits, notionalLimits]);
        if (reason?.code === 'quantityBelowMinimum' || reason?.code === 'notionalBelowMinimum') {
          return [{ ...whose, reason, outcome: 'no order can close it' }];
        }
        const parts = partsOf(Math.abs(steps), (left) => gate.slice({ ...close, steps: left }));
        return parts < 2 ? [] : [{ ...whose, outcome: `a close of it is sent as ${parts} orders, one after the other` }];
      }),
    ),
  );
}

/** More parts than this are not counted. */
const MOST_PARTS = 1_000;

function partsOf(steps: number, slice: (steps: number) => number): number {
  let parts = 0;
  for (let left = steps; left > 0 && parts < MOST_PARTS; left -= slice(left)) parts++;
  return parts;
}

function refusalNow(
  order: Pick<Order, 'request' | 'stopTicks'>,
  left: OrderRequest,
  state: ReadonlyState,
  limits: RiskLimits,
  rules: readonly RiskRule[] = LIMITS,
): Denial | undefined {
  const own: ScopeLimits | undefined = limits.strategies?.get(left.strategyId);
  const scopes: [string | undefined, ScopeLimits][] = [
    [undefined, limits],
    ...(own === undefined ? [] : [[left.strategyId, own] as [string, ScopeLimits]]),
  ];
  for (const [of, scope] of scopes) {
    const context: RiskContext = {
      state,
      limits: scope,
      of,
      marketTicks: judgedAt(order, state),
      now: state.time,
      purpose: 'send',
      stopLossTicks: undefined,
    };
    for (const rule of rules) {
      const reason = rule(left, context);
      // Without a price nothing can be computed yet.
      if (reason !== undefined && reason.code !== 'noMarketPrice') return of === undefined ? reason : { ...reason, strategy: of };
    }
  }
  return undefined;
}

/** The price of an order without a limit price: its trigger, or the newest. */
function judgedAt({ request, stopTicks }: Pick<Order, 'request' | 'stopTicks'>, state: ReadonlyState): number {
  return stopTicks ?? request.triggerTicks ?? state.market(request.instrument).lastTicks;
}

function leftOf(order: Readonly<Order>, state: ReadonlyState): OrderRequest {
  const steps = leftSteps(order, state);
  return Number.isSafeInteger(steps) ? { ...order.request, steps, quoteQuantity: undefined } : order.request;
}

function textOf(order: Readonly<Order>, state: ReadonlyState): string {
  const { side, type, request, stopTicks, instrument } = order;
  const ticks = request.priceTicks ?? stopTicks ?? request.triggerTicks;
  const at = ticks === undefined ? '' : ` at ${instrument.tick.toText(ticks)}`;
  return `${side} ${instrument.step.toText(leftOf(order, state).steps ?? 0)} ${type}${at}`;
}

function closeOf(strategyId: string, instrument: Instrument, steps: number): OrderRequest {
  return {
    clientOrderId: '',
    strategyId,
    instrument,
    side: steps > 0 ? 'sell' : 'buy',
    positionSide: instrument.contract === undefined ? 'net' : steps > 0 ? 'long' : 'short',
    type: 'market',
    timeInForce: 'GTC',
    postOnly: false,
    reduceOnly: true,
    priceTicks: undefined,
    triggerTicks: undefined,
    fromNextBar: false,
    steps: Math.abs(steps),
    quoteQuantity: undefined,
    tag: '',
    released: false,
    decidedSequence: 0,
    seenSequence: 0,
  };
}

/** One line about it, for people. */
export function breachText({ strategyId, symbol, clientOrderId, what, reason, outcome }: ExistingBreach): string {
  const { code, ...numbers } = reason ?? {};
  const why =
    code === undefined
      ? ''
      : `: ${code} (${Object.entries(numbers)
          .map(([name, value]) => `${name} ${value}`)
          .join(', ')})`;
  return `${symbol}, ${strategyId}: ${what}${clientOrderId === undefined ? '' : ` (${clientOrderId})`}${why}: ${outcome}`;
}
