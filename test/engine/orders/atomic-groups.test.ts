import { describe, expect, test } from '@jest/globals';
import { Decimal } from '../../../src/model/decimal.ts';
import type { Intent, PlaceOrder } from '../../../src/model/intents.ts';
import type { RiskLimits } from '../../../src/risk/limits.ts';
import { cancel, place } from '../../../src/strategy/intents.ts';
import { perpetual } from '../../state/builders.ts';
import { BTC, ETH, run, strategy, tickers } from '../builders.ts';
import { FuturesBench } from '../futures-bench.ts';

const leg = (symbol: string, side: 'buy' | 'sell', more: Partial<PlaceOrder> = {}) =>
  place({ symbol, side, type: 'market', quantity: 1, group: 'pair-1', atomic: true, ...more });

async function life(script: Readonly<Record<number, readonly Intent[]>>, limits: Partial<RiskLimits> = {}) {
  let seen = 0;
  const prices = [100, 100, 100, 110, 110, 110];
  const result = await run(
    [
      strategy('a', {
        symbols: ['BTC-USDT', 'ETH-USDT'],
        onTicker: ({ symbol }) => (symbol === 'ETH-USDT' ? script[++seen] : undefined),
      }),
    ],
    {
      data: [
        tickers(prices.map((price, at) => [at * 10, price])),
        tickers(
          prices.map((price, at) => [at * 10 + 1, price]),
          ETH,
        ),
      ],
      instruments: [BTC, ETH],
      limits: { maxPosition: new Map(), ...limits },
    },
  );
  expect(result.message).toBe('');
  const reasons = result.tables.refusals.map(({ symbol, reason }) => `${symbol} ${reason.code}`);
  return { filled: result.tables.fills.map(({ symbol, side, quantity }) => `${side} ${quantity} ${symbol}`), reasons };
}

describe('risk', () => {
  const noEth = { maxPosition: new Map([['ETH-USDT', new Decimal(0)]]) };

  test('sends both legs that it approves', async () => {
    const { filled, reasons } = await life({ 1: [leg('BTC-USDT', 'buy'), leg('ETH-USDT', 'sell')] });
    expect([filled.sort(), reasons]).toEqual([['buy 1 BTC-USDT', 'sell 1 ETH-USDT'], []]);
  });

  test.each([
    ['after', [leg('BTC-USDT', 'buy'), leg('ETH-USDT', 'buy')], ['ETH-USDT positionAboveLimit']],
    ['before', [leg('ETH-USDT', 'buy'), leg('BTC-USDT', 'buy')], ['ETH-USDT positionAboveLimit', 'BTC-USDT groupRefused']],
  ])('denies a leg, and sends none that comes %s it', async (_when, intents, reasons) => {
    expect(await life({ 1: intents }, noEth)).toEqual({ filled: [], reasons });
  });

  test('judges a later group of the same name anew, and orders without atomic by themselves', async () => {
    const alone = await life({ 1: [leg('ETH-USDT', 'buy'), leg('BTC-USDT', 'buy')], 2: [leg('BTC-USDT', 'buy')] }, noEth);
    expect(alone.filled).toEqual(['buy 1 BTC-USDT']);
    const plain = await life({ 1: [leg('ETH-USDT', 'buy', { atomic: false }), leg('BTC-USDT', 'buy', { atomic: undefined })] }, noEth);
    expect(plain).toEqual({ filled: ['buy 1 BTC-USDT'], reasons: ['ETH-USDT positionAboveLimit'] });
  });

  test('denies an atomic order without a group', async () => {
    expect((await life({ 1: [leg('BTC-USDT', 'buy', { group: undefined })] })).reasons).toEqual(['BTC-USDT orderInvalid']);
  });
});

describe('a leg that fails at the exchange', () => {
  // The last price is 100: a post-only buy at 120 would take, and is rejected.
  const fails = (atomic: PlaceOrder['atomic']) => leg('ETH-USDT', 'buy', { type: 'limit', price: 120, postOnly: true, atomic });

  test('closes the others at market, with the group and a tag', async () => {
    const { filled, reasons } = await life({ 1: [leg('BTC-USDT', 'sell', { tag: 'short' }), fails(true)] });
    expect(filled).toEqual(['sell 1 BTC-USDT', 'buy 1 BTC-USDT']);
    expect(reasons).toEqual(['ETH-USDT postOnlyWouldTake']);
  });

  test('leaves the others with hold', async () => {
    const { filled } = await life({ 1: [leg('BTC-USDT', 'sell', { atomic: 'hold' }), fails('hold')] });
    expect(filled).toEqual(['sell 1 BTC-USDT']);
  });

  test('cancels the others that rest', async () => {
    const resting = leg('BTC-USDT', 'sell', { type: 'limit', price: 105 });
    const { filled } = await life({ 1: [resting, fails('close')] });
    expect(filled).toEqual([]);
  });

  test('undoes no leg that closes a position', async () => {
    const open = leg('BTC-USDT', 'buy', { atomic: undefined, group: undefined });
    const { filled } = await life({
      1: [open],
      3: [leg('BTC-USDT', 'sell'), leg('ETH-USDT', 'buy', { type: 'limit', price: 130, postOnly: true })],
    });
    expect(filled).toEqual(['buy 1 BTC-USDT', 'sell 1 BTC-USDT']);
  });

  test('is not one that its strategy cancels', async () => {
    const resting = leg('ETH-USDT', 'buy', { type: 'limit', price: 50 });
    const { filled } = await life({ 1: [leg('BTC-USDT', 'buy'), resting], 3: [cancel({ symbol: 'ETH-USDT' })] });
    expect(filled).toEqual(['buy 1 BTC-USDT']);
  });
});

test('a fill that arrives after the failure of another leg is closed, too', () => {
  const made = new FuturesBench({ instruments: [perpetual()] });
  made.price(100);
  const both = ['long', 'short'] as const;
  made.want(
    both.map((positionSide) =>
      place({
        ...{ symbol: 'BTC-USDT-PERP', side: positionSide === 'long' ? 'buy' : 'sell', type: 'market', quantity: 10 },
        ...{ positionSide, group: 'straddle', atomic: true },
      }),
    ),
  );
  expect(made.sent).toEqual(['s-1 open long 10 market', 's-2 open short 10 market']);
  made.fill('s-1', 4, 100);
  made.rejected('s-2');
  expect(made.sent).toEqual(['cancel s-1 linked', 's-3 close long 4 market (legFailed)']);
  made.fill('s-1', 6, 100);
  expect(made.sent).toEqual(['s-4 close long 6 market (legFailed)']);
});
