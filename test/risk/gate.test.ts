import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, ZERO } from '../../src/model/decimal.ts';
import type { ApprovedOrder, OrderRequest, Side } from '../../src/model/order.ts';
import type { ExecutionVenue } from '../../src/ports/execution-venue.ts';
import { RiskGate } from '../../src/risk/gate.ts';
import { applyAccount } from '../../src/state/apply.ts';
import type { Order } from '../../src/state/order.ts';
import type { State } from '../../src/state/state.ts';
import { BTC, balance, ETH, filled, open, price, request, state, submitted } from '../state/builders.ts';

test('only an order that the gate approved has the type that a venue accepts', () => {
  const sent: ApprovedOrder[] = [];
  const venue: Pick<ExecutionVenue, 'submit'> = { submit: (orders) => sent.push(...orders) };
  const plain = request();
  // @ts-expect-error a plain request is not approved
  venue.submit([plain]);
  // @ts-expect-error nor can its mark be written by hand
  const forged: ApprovedOrder = { ...plain, approved: true };
  const target = state();
  price(target, 100);
  const verdict = new RiskGate({ state: target, limits: { maxPosition: new Map() } }).review(plain, 0, 'send');
  if ('approved' in verdict) venue.submit([verdict.approved]);
  expect(sent).toEqual([plain, plain]);
  expect(forged).toBeDefined();
});

test('the state that rules and strategies see has nothing to assign orders by', () => {
  const target = state();
  const seen: import('../../src/state/state.ts').ReadonlyState = target;
  // @ts-expect-error the map is read-only
  expect(() => seen.openOrders.set('x', undefined)).not.toThrow();
  // @ts-expect-error so is every field
  seen.time = 5;
  expect(target.time).toBe(5);
});

/** What a random account does next. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('place' as const),
      side: fc.constantFrom<Side>('buy', 'sell'),
      of: fc.constantFrom(BTC, ETH),
      steps: fc.integer({ min: 1, max: 12 }),
      priceTicks: fc.option(fc.integer({ min: 50, max: 150 }), { nil: undefined }),
      held: fc.boolean(),
      reduceOnly: fc.boolean(),
      wait: fc.integer({ min: 0, max: 400 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('fill' as const), which: fc.nat(), share: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('price' as const), of: fc.constantFrom(BTC, ETH), ticks: fc.integer({ min: 50, max: 150 }) }),
  },
);

const MAX_POSITION = 20;
const MAX_EXPOSURE = 3000;
const MAX_OPEN = 5;
const RATE = { orders: 4, perMs: 1000 };

/**
 * The largest position that any order of fills could make, worked out from the open orders alone. A held exit is cut to its position
 * when it is released, which the check after each fill shows.
 */
function worst(target: State, of = BTC): number {
  let [up, down] = [target.heldSteps(of), target.heldSteps(of)];
  for (const { request: order, remainingSteps, held } of target.openOrders.values()) {
    if (order.instrument !== of || (held && order.reduceOnly)) continue;
    if (order.side === 'buy') up += remainingSteps;
    else down -= remainingSteps;
  }
  return Math.max(Math.abs(up), Math.abs(down));
}

/** A held order goes through the gate before it can fill. */
function released(
  target: State,
  gate: RiskGate,
  { request: order, clientOrderId, strategyId }: Order,
  now: number,
  sentAt: number[],
): boolean {
  applyAccount(target, { kind: 'orderTriggered', time: 0, clientOrderId, priceTicks: 100 });
  const verdict = gate.review({ ...order, released: true }, now, 'send');
  if ('denied' in verdict) {
    applyAccount(target, { kind: 'orderDenied', time: 0, clientOrderId, strategyId, symbol: '', tag: '', reason: verdict.denied });
    return false;
  }
  applyAccount(target, submitted(verdict.approved, true));
  sentAt.push(now);
  return true;
}

test('no approved sequence of orders and fills breaks position, exposure, open orders or rate', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const target = state('netting');
      price(target, 100);
      price(target, 100, ETH);
      const limits = {
        maxPosition: new Map([BTC, ETH].map(({ symbol }) => [symbol, new Decimal(MAX_POSITION)] as const)),
        maxExposure: new Decimal(MAX_EXPOSURE),
        maxOpenOrders: MAX_OPEN,
        orderRate: RATE,
      };
      const gate = new RiskGate({ state: target, limits });
      const sentAt: number[] = [];
      let now = 0;
      let count = 0;
      for (const one of steps) {
        const openOrders = [...target.openOrders.values()];
        if (one.kind === 'place') {
          now += one.wait;
          const order: OrderRequest = request({ ...one, instrument: one.of, clientOrderId: `c${++count}`, reduceOnly: one.reduceOnly });
          const before = worst(target, one.of);
          const verdict = gate.review(order, now, one.held ? 'hold' : 'send');
          if ('denied' in verdict) continue;
          open(target, order, one.held);
          if (!one.held) sentAt.push(now);
          // What only reduces may pass above a limit, but never makes things worse.
          expect(worst(target, one.of)).toBeLessThanOrEqual(Math.max(MAX_POSITION, before));
          expect(
            target.openOrders.size - [...target.openOrders.values()].filter(({ held, request: r }) => held && r.reduceOnly).length,
          ).toBeLessThanOrEqual(MAX_OPEN);
          const held = target.heldSteps(one.of);
          const grows = Math.sign(held) !== (one.side === 'buy' ? -1 : 1);
          if (grows) {
            const exposure = [BTC, ETH].reduce((sum, of) => sum + worst(target, of) * target.market(of).markTicks, 0);
            expect(exposure).toBeLessThanOrEqual(MAX_EXPOSURE);
          }
          expect(sentAt.filter((time) => time > now - RATE.perMs).length).toBeLessThanOrEqual(RATE.orders);
        } else if (one.kind === 'price') {
          price(target, one.ticks, one.of);
        } else if (openOrders.length > 0) {
          const order = openOrders[one.which % openOrders.length]!;
          if (one.kind === 'end') {
            applyAccount(target, { kind: 'orderCanceled', time: 0, clientOrderId: order.clientOrderId, reason: 'requested' });
          } else {
            if (order.held && !released(target, gate, order, now, sentAt)) continue;
            const size = Math.min(one.share, order.remainingSteps);
            applyAccount(target, filled(order.request, size, 100, size === order.remainingSteps));
            expect(Math.abs(target.heldSteps(order.instrument))).toBeLessThanOrEqual(MAX_POSITION);
          }
        }
      }
    }),
    { numRuns: 400 },
  );
});

test('a spot balance never becomes negative, however approved orders fill', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const target = state('spot');
      const money = new Map([
        ['USDT', new Decimal(2000)],
        ['BTC', new Decimal('5.5')],
        ['ETH', ZERO],
      ]);
      const tell = () => {
        for (const [asset, total] of money) balance(target, asset, total.toFixed());
      };
      tell();
      price(target, 100);
      price(target, 100, ETH);
      const gate = new RiskGate({ state: target, limits: { maxPosition: new Map() } });
      let count = 0;
      for (const one of steps) {
        const openOrders = [...target.openOrders.values()].filter(({ held }) => !held);
        if (one.kind === 'place') {
          // Sent orders have a limit: what a market order costs is not known when it is judged.
          const order = request({ ...one, instrument: one.of, clientOrderId: `c${++count}`, priceTicks: one.priceTicks ?? 100 });
          if ('approved' in gate.review(order, 0, one.held ? 'hold' : 'send')) open(target, order, one.held);
        } else if (one.kind === 'price') {
          price(target, one.ticks, one.of);
        } else if (openOrders.length > 0) {
          const { request: order, clientOrderId, remainingSteps } = openOrders[one.which % openOrders.length]!;
          if (one.kind === 'end') {
            applyAccount(target, { kind: 'orderExpired', time: 0, clientOrderId, reason: 'ioc' });
            continue;
          }
          const size = Math.min(one.share, remainingSteps);
          const cost = order.instrument.notional(order.priceTicks!, size);
          const sign = order.side === 'buy' ? 1 : -1;
          money.set('USDT', money.get('USDT')!.minus(cost.times(sign)));
          money.set(order.instrument.base, money.get(order.instrument.base)!.plus(size * sign));
          tell();
          applyAccount(target, filled(order, size, order.priceTicks!, size === remainingSteps));
        }
        for (const total of money.values()) expect(total.isNegative() && !total.isZero()).toBe(false);
      }
    }),
    { numRuns: 400 },
  );
});
