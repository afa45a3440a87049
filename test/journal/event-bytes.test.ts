import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EventLog, eventText } from '../../src/journal/event-log.ts';
import type { AccountEvent } from '../../src/model/account-events.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import { place } from '../../src/strategy/intents.ts';
import { accountEvents } from './arbitrary.ts';

const exact = ({ tick }: Instrument, ticks: number) => tick.toDecimal(ticks).toFixed();
const amount = ({ step }: Instrument, steps: number) => step.toDecimal(steps).toFixed();
const sideOf = (positionSide: string) => (positionSide === 'net' ? {} : { positionSide });

/** The line of an event as JSON.stringify and decimals give it; `undefined` for kinds that a run writes seldom. */
function reference(event: AccountEvent): object | undefined {
  switch (event.kind) {
    case 'orderSubmitted': {
      const { request, type, stopTicks } = event;
      const { instrument, priceTicks, steps, triggerTicks } = request;
      return {
        kind: event.kind,
        clientOrderId: event.clientOrderId,
        strategy: request.strategyId,
        symbol: instrument.symbol,
        side: request.side,
        ...sideOf(request.positionSide),
        type,
        sent: request.type,
        timeInForce: request.timeInForce,
        ...(priceTicks === undefined ? {} : { price: exact(instrument, priceTicks) }),
        ...(stopTicks === undefined ? {} : { stopPrice: exact(instrument, stopTicks) }),
        ...(steps === undefined ? { quoteQuantity: request.quoteQuantity?.toFixed() } : { quantity: amount(instrument, steps) }),
        ...(request.postOnly ? { postOnly: true } : {}),
        ...(request.reduceOnly ? { reduceOnly: true } : {}),
        ...(triggerTicks === undefined
          ? {}
          : { trigger: exact(instrument, triggerTicks), ...(request.fromNextBar ? { fromNextBar: true } : {}) }),
        tag: request.tag,
        ref: request.ref,
        group: request.group,
        replaces: request.replaces,
        decided: request.decidedSequence,
      };
    }
    case 'orderAccepted':
      return { kind: event.kind, clientOrderId: event.clientOrderId, orderId: event.orderId, held: event.held };
    case 'orderFilled': {
      const { fill, complete } = event;
      return {
        kind: event.kind,
        clientOrderId: event.clientOrderId,
        fillId: fill.fillId,
        side: fill.side,
        ...sideOf(fill.positionSide),
        price: exact(fill.instrument, fill.priceTicks),
        quantity: amount(fill.instrument, fill.steps),
        fee: fill.fee.toFixed(),
        feeAsset: fill.feeAsset,
        liquidity: fill.liquidity,
        complete,
        decided: fill.decidedSequence,
        priced: fill.pricedSequence,
      };
    }
    case 'balanceChanged': {
      const { balance, entry } = event;
      return {
        kind: event.kind,
        asset: balance.asset,
        ...(balance.wallet === 'futures' ? { wallet: 'futures' } : {}),
        ...(entry === undefined ? {} : { amount: entry.amount.toFixed(), reason: entry.reason, fillId: entry.fillId }),
        total: balance.total.toFixed(),
        frozen: balance.frozen.toFixed(),
      };
    }
    case 'fundingCharged': {
      const { instrument, positionSide, steps, rate, markPrice } = event;
      return {
        kind: event.kind,
        symbol: instrument.symbol,
        ...sideOf(positionSide),
        quantity: amount(instrument, steps),
        rate: rate.toFixed(),
        markPrice: markPrice.toFixed(),
        amount: event.amount.toFixed(),
      };
    }
    default:
      return undefined;
  }
}

/** Ids are written as they are: those of a run need no quotes inside JSON. */
const isPlain = (event: AccountEvent) => Object.values(event).every((value) => typeof value !== 'string' || /^[\w-]*$/.test(value));

test('the bytes of the usual events are those of JSON with decimals as text, and their hash is that of the file', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.array(accountEvents, { minLength: 1, maxLength: 40 }), (drawn) => {
      const events = drawn.map((event) => plainIds(event)).filter((event) => reference(event) !== undefined && isPlain(event));
      const pieces: Buffer[] = [];
      const log = new EventLog((bytes) => pieces.push(Buffer.from(bytes)));
      const intent = place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: 0.1, quantity: '1', tag: 'é"' });
      log.intent(1, 2.5, 's', intent);
      let expected = `${JSON.stringify({ sequence: 1, time: 2.5, kind: 'intent', strategy: 's', intent })}\n`;
      for (const [sequence, event] of events.entries()) {
        seen.add(event.kind);
        log.event(sequence, event);
        const line = reference(event)!;
        expected += `${JSON.stringify({ sequence, time: event.time, ...line })}\n`;
        expect(`{"kind":${eventText(event)}`).toBe(JSON.stringify(line));
      }
      const hash = log.finish();
      expect(Buffer.concat(pieces).toString()).toBe(expected);
      expect(hash).toBe(createHash('sha256').update(expected).digest('hex'));
    }),
    { numRuns: 300 },
  );
  expect(seen.size).toBe(5);
});

/** The event with ids, assets and names that need no escaping. Tags and refs stay as they are: they are escaped. */
function plainIds<Value>(value: Value, name = ''): Value {
  if (typeof value === 'string')
    return (TEXTS_OF_USERS.has(name) ? Buffer.from(value).toString() : value.replaceAll(/[^\w-]/g, '_')) as Value;
  if (typeof value !== 'object' || value === null) return value;
  if (!PLAIN.has(Object.getPrototypeOf(value)?.constructor?.name)) return value;
  const copy = Object.assign(Object.create(Object.getPrototypeOf(value)), value);
  for (const [key, inner] of Object.entries(copy)) copy[key] = plainIds(inner, key);
  return copy;
}

const TEXTS_OF_USERS = new Set(['tag', 'ref', 'group']);
const PLAIN = new Set(['Object', 'Fill', undefined]);
