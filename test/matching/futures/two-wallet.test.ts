import { expect, test } from '@jest/globals';
import { NettingAccount } from '../../../src/matching/accounts/netting-account.ts';
import { SpotAccount } from '../../../src/matching/accounts/spot-account.ts';
import { TwoWalletAccount } from '../../../src/matching/accounts/two-wallet-account.ts';
import { FuturesAccount } from '../../../src/matching/futures/futures-account.ts';
import { MatchingEngine } from '../../../src/matching/matching-engine.ts';
import type { VenueEvent } from '../../../src/model/account-events.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { Ticker } from '../../../src/model/market-events.ts';
import { NOTHING_HELD } from '../../../src/ports/execution-venue.ts';
import { fillSettings, instrument, marginSettings, order, perpetual } from '../../builders.ts';

const BTC = instrument({ takerFee: '0.001' });
const PERP = perpetual({ takerFee: '0.001' }, 1);

function twoWallets() {
  const events: VenueEvent[] = [];
  const emit = (event: VenueEvent) => events.push(event);
  const account = new TwoWalletAccount(new SpotAccount(emit), new FuturesAccount(emit, () => marginSettings()));
  const matching = new MatchingEngine({
    instruments: [BTC, PERP],
    onBars: false,
    settings: fillSettings(),
    held: NOTHING_HELD,
    pause: () => {},
  });
  matching.addAccount(account);
  account.deposit(0, 'futures', 'USDT', new Decimal(100));
  account.deposit(0, 'spot', 'USDT', new Decimal(500));
  for (const traded of [BTC, PERP]) matching.onTicker(new Ticker(traded, 1, 1, 100));
  const send = (request: Parameters<typeof order>[0]) => matching.submit(account, order(request), 2);
  return { account, events, matching, send };
}

test('spot trades in its own wallet, contracts on the collateral', () => {
  const { account, send } = twoWallets();
  send({ instrument: BTC, steps: 2, clientOrderId: 'spot' });
  send({ instrument: PERP, steps: 3, side: 'sell', clientOrderId: 'perp' });
  expect(account.balances.map(({ wallet, asset, total, frozen }) => `${wallet} ${asset} ${total} / ${frozen}`)).toEqual([
    'futures USDT 99.7 / 30',
    'spot USDT 300 / 0',
    'spot BTC 1.998 / 0',
  ]);
  expect([account.positionSteps(BTC), account.positionSteps(PERP)]).toEqual([1, -3]);
});

test('one wallet never pays for the other', () => {
  const { send, events } = twoWallets();
  send({ instrument: BTC, steps: 6, priceTicks: 99, clientOrderId: 'spot' });
  send({ instrument: PERP, steps: 10, clientOrderId: 'perp' });
  expect(events.flatMap((event) => (event.kind === 'orderRejected' ? [Object.values(event.reason).join(' ')] : []))).toEqual([
    'balanceTooLow USDT 594 500',
    'marginTooLow USDT 101 100',
  ]);
});

test('orders of both are live together, and one id is one order', () => {
  const { account, matching, send, events } = twoWallets();
  send({ instrument: BTC, priceTicks: 90, clientOrderId: 'a' });
  send({ instrument: PERP, priceTicks: 90, clientOrderId: 'a' });
  send({ instrument: PERP, priceTicks: 90, clientOrderId: 'b' });
  expect(events.flatMap((event) => (event.kind === 'orderRejected' ? [event.reason.code] : []))).toEqual(['duplicateClientOrderId']);
  expect(matching.orders(account).map(({ clientOrderId, orderId }) => `${clientOrderId} ${orderId}`)).toEqual(['a 1', 'b 3']);
  matching.cancel(account, 'a', 3);
  matching.cancel(account, 'b', 3);
  expect(account.balances.map(({ frozen }) => frozen.toFixed())).toEqual(['0', '0']);
});

test.each([
  ['spot', new SpotAccount(() => {}), 'futures'],
  ['netting', new NettingAccount(() => {}), 'futures'],
  [
    'futures',
    new FuturesAccount(
      () => {},
      () => marginSettings(),
    ),
    'spot',
  ],
] as const)('a %s account has one wallet', (_kind, account, wallet) => {
  new MatchingEngine({ instruments: [BTC, PERP], onBars: false, settings: fillSettings(), held: NOTHING_HELD, pause: () => {} }).addAccount(
    account,
  );
  expect(() => account.deposit(0, wallet, 'USDT', new Decimal(1))).toThrow(expect.objectContaining({ code: 'INVARIANT_BROKEN' }));
});

test('no money moves before an account is at an exchange', () => {
  const deposit = () => new SpotAccount(() => {}).deposit(0, 'spot', 'USDT', new Decimal(1));
  expect(deposit).toThrow(expect.objectContaining({ code: 'INVARIANT_BROKEN' }));
});
