import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { OrderEvent } from '../../src/model/account-events.ts';
import { cancel, place } from '../../src/strategy/intents.ts';
import { at, fillSettings, instrument, type Row, run, series } from '../builders.ts';
import { type ReferenceEnd, type ReferenceOrder, referenceEnd } from './bar-reference.ts';
import { anyFills } from './random-runs.ts';

const price = fc.integer({ min: 95, max: 105 });
const bars = fc
  .array(fc.tuple(price, price, price, price, fc.integer({ min: 0, max: 2 })), { minLength: 2, maxLength: 12 })
  .map((drawn) => {
    let minute = 0;
    return drawn.map(([open, a, b, close, gap]): Row => {
      minute += gap === 2 ? 5 : 1;
      return [(minute - 1) * 60, open, Math.max(open, a, b, close), Math.min(open, a, b, close), close];
    });
  });
const orders = fc.array(
  fc.record({
    sentAt: fc.integer({ min: 0, max: 11 }),
    life: fc.constantFrom(undefined, 0, 1, 3),
    side: fc.constantFrom('buy', 'sell'),
    limit: fc.oneof(fc.constant(undefined), price, price, price),
    force: fc.constantFrom('GTC', 'GTC', 'GTC', 'IOC', 'FOK'),
    postOnly: fc.boolean(),
  }),
  { maxLength: 8 },
);

function endOf(events: readonly OrderEvent[]): ReferenceEnd {
  const last = events.at(-1)!;
  if (last.kind === 'orderFilled')
    return { end: 'filled', time: last.fill.time, price: last.fill.priceTicks, liquidity: last.fill.liquidity };
  if (last.kind === 'orderCanceled') return { end: 'canceled' };
  return { end: last.kind === 'orderRejected' ? 'rejected' : 'expired' };
}

test('plain orders on bars have the results of the slow reference, order by order', async () => {
  let compared = 0;
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(bars, orders, anyFills, async (rows, drawn, fills) => {
      const settings = { ...fills, barVolumeShare: undefined };
      const list: ReferenceOrder[] = drawn.map(({ life, postOnly, ...rest }) => ({
        ...rest,
        sentAt: Math.min(rest.sentAt, rows.length - 1),
        canceledAt: life === undefined ? undefined : Math.min(rest.sentAt, rows.length - 1) + life,
        postOnly: postOnly && rest.limit !== undefined && rest.force === 'GTC',
      }));
      let bar = -1;
      const { events, state } = await run({
        sources: [{ instrument: instrument(), kind: 'bar', open: () => series('bar', rows) }],
        fills: settings,
        script: {
          onBar: () => {
            bar++;
            return list.flatMap(({ sentAt, canceledAt, side, limit, force, postOnly }, index) => [
              ...(sentAt === bar
                ? [
                    place({
                      symbol: 'BTC-USDT',
                      side,
                      type: limit === undefined ? 'market' : 'limit',
                      price: limit,
                      quantity: 1,
                      timeInForce: force,
                      postOnly,
                      tag: `${index}`,
                    }),
                  ]
                : []),
              ...(canceledAt === bar ? [cancel({ tag: `${index}` })] : []),
            ]);
          },
        },
      });
      const known = rows.map(([second, open, high, low, close]) => ({
        openTime: at(second),
        closeTime: at(second + 60),
        open: open!,
        high: high!,
        low: low!,
        close: close!,
      }));
      list.forEach((order, index) => {
        const own = events.filter(
          (event): event is OrderEvent => 'clientOrderId' in event && state.order(event.clientOrderId)?.tag === `${index}`,
        );
        const wanted = withdrawn(order, referenceEnd(known, order, fillSettings(settings)));
        expect(endOf(own)).toEqual(wanted);
        compared++;
        seen.add(wanted.end === 'filled' ? wanted.liquidity : wanted.end);
      });
    }),
    { numRuns: 600 },
  );
  // The cases have covered every outcome, many times over.
  expect(compared).toBeGreaterThan(600);
  expect([...seen].sort()).toEqual(['canceled', 'expired', 'maker', 'rejected', 'taker']);
});

/** An order canceled in the very turn that asks for it never leaves the engine. */
function withdrawn({ sentAt, canceledAt }: ReferenceOrder, end: ReferenceEnd): ReferenceEnd {
  return sentAt === canceledAt ? { end: 'canceled' } : end;
}
