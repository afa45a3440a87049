import { expect, test } from '@jest/globals';
import { NettingAccount } from '../../src/matching/accounts/netting-account.ts';
import { SpotAccount } from '../../src/matching/accounts/spot-account.ts';
import { MatchingEngine } from '../../src/matching/matching-engine.ts';
import type { VenueEvent } from '../../src/model/account-events.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { Quote } from '../../src/model/market-events.ts';
import type { OrderRequest } from '../../src/model/order.ts';
import { NOTHING_HELD } from '../../src/ports/execution-venue.ts';
import { fillSettings, instrument, order } from '../builders.ts';

const BTC = instrument({ takerFee: '0.001' });
/** One book at 100 (bid) and 102 (ask), five steps on each side, and an account with 1000 USDT and 10 BTC. */
function market(Account: typeof SpotAccount | typeof NettingAccount) {
  const events: VenueEvent[] = [];
  const account = new Account((event) => events.push(event));
  const matching = new MatchingEngine({ instruments: [BTC], onBars: false, settings: fillSettings(), held: NOTHING_HELD, pause: () => {} });
  matching.addAccount(account);
  for (const [asset, amount] of [
    ['USDT', '1000'],
    ['BTC', '10'],
  ] as const) {
    account.deposit(0, 'spot', asset, new Decimal(amount));
  }
  let sequence = 0;
  const quote = (bid: number, ask: number, steps = 5) => matching.onQuote(new Quote(BTC, ++sequence, sequence, bid, ask, steps, steps));
  quote(100, 102);
  return {
    account,
    events,
    quote,
    send: (request: Partial<OrderRequest>) => matching.submit(account, order({ instrument: BTC, ...request }), 10),
    cancel: (clientOrderId: string) => matching.cancel(account, clientOrderId, 11),
    frozen: () => `${account.ledger.balance('USDT').frozen.toFixed()} USDT, ${account.ledger.balance('BTC').frozen.toFixed()} BTC`,
  };
}

test('a limit buy freezes limit x quantity, less as it fills, and nothing once canceled', () => {
  const { send, cancel, quote, frozen } = market(SpotAccount);
  send({ priceTicks: 90, steps: 7 });
  expect(frozen()).toBe('630 USDT, 0 BTC');
  quote(80, 85, 3);
  expect(frozen()).toBe('360 USDT, 0 BTC');
  cancel('a');
  expect(frozen()).toBe('0 USDT, 0 BTC');
});

test('a sell freezes its base, a market sell that waits for its rest too', () => {
  const { send, quote, frozen } = market(SpotAccount);
  send({ side: 'sell', steps: 8 });
  // Five are sold at the bid.
  expect(frozen()).toBe('0 USDT, 3 BTC');
  quote(99, 102);
  expect(frozen()).toBe('0 USDT, 0 BTC');
});

test('a buy by quote amount freezes the rest of the amount', () => {
  const { send, quote, frozen } = market(SpotAccount);
  send({ quoteQuantity: new Decimal(900) });
  // Five at 102 are 510.
  expect(frozen()).toBe('390 USDT, 0 BTC');
  quote(100, 130);
  expect(frozen()).toBe('0 USDT, 0 BTC');
});

test('a market buy by quantity freezes nothing while its rest waits', () => {
  const { send, frozen } = market(SpotAccount);
  send({ steps: 6 });
  expect(frozen()).toBe('0 USDT, 0 BTC');
});

test('a refused order leaves the balances as they were', () => {
  const { send, frozen, events } = market(SpotAccount);
  send({ priceTicks: 90, steps: 12 });
  expect(frozen()).toBe('0 USDT, 0 BTC');
  expect(events.at(-1)).toMatchObject({
    kind: 'orderRejected',
    reason: { code: 'balanceTooLow', asset: 'USDT', needed: '1080', available: '1000' },
  });
});

test('a rejected post-only order releases its frozen funds', () => {
  const { send, frozen } = market(SpotAccount);
  send({ priceTicks: 102, steps: 5, postOnly: true });
  expect(frozen()).toBe('0 USDT, 0 BTC');
});

test('a netting account freezes nothing', () => {
  const { send, frozen } = market(NettingAccount);
  send({ priceTicks: 90, steps: 700 });
  send({ clientOrderId: 'b', side: 'sell', priceTicks: 110, steps: 700 });
  expect(frozen()).toBe('0 USDT, 0 BTC');
});

test('a fill priced by data older than its strategy had seen stops the run', () => {
  const { send } = market(SpotAccount);
  expect(() => send({ seenSequence: 2 })).toThrow(expect.objectContaining({ code: 'INVARIANT_BROKEN' }));
});

test('every movement leaves as an event with the balance it leads to', () => {
  const { send, events } = market(SpotAccount);
  send({ steps: 2 });
  const moved = events.flatMap((event) =>
    event.kind === 'balanceChanged' && event.entry?.fillId === 'f1'
      ? [`${event.entry.reason} ${event.entry.amount} ${event.entry.asset}: ${event.balance.total}`]
      : [],
  );
  expect(moved).toEqual(['trade -204 USDT: 796', 'trade 2 BTC: 12', 'fee -0.002 BTC: 11.998']);
});
