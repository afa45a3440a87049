import { expect, test } from '@jest/globals';
import { place, protect } from '../../src/strategy/intents.ts';
import { instrument as instrumentOf } from '../builders.ts';
import { BTC, bars, MINUTE, run, type Script, strategy, T0 } from './builders.ts';

const PERP = instrumentOf({ symbol: 'ETH-USDT-PERP', reference: true }, 1);
const prices = [bars([100, 101, 102]), bars([10, 11, 12], { of: PERP })];
const REFERENCES = [PERP.symbol];

test('bars of a reference arrive like those of a traded symbol, after it in onBars', async () => {
  const seen: string[] = [];
  const lists: string[][] = [];
  const last: unknown[] = [];
  const result = await run(
    [
      strategy('s', {
        references: REFERENCES,
        needs: { bars: '1m', history: 1 },
        onBar: ({ symbol, close }) => {
          seen.push(`${symbol} ${close}`);
        },
        onBars: (moment, me) => {
          lists.push(moment.map(({ symbol }) => symbol));
          last.push([me.market(PERP.symbol).last, me.bars(PERP.symbol, '1m', 1).map(({ close }) => close), me.symbols, me.references]);
        },
      }),
    ],
    { kind: 'spot', data: prices },
  );
  expect(result.message).toBe('');
  expect(seen.slice(0, 4)).toEqual(['BTC-USDT 100', 'ETH-USDT-PERP 10', 'BTC-USDT 101', 'ETH-USDT-PERP 11']);
  expect(lists[0]).toEqual(['BTC-USDT', 'ETH-USDT-PERP']);
  expect(last[2]).toEqual([12, [12], ['BTC-USDT'], ['ETH-USDT-PERP']]);
});

test('a strategy without the reference receives nothing of it', async () => {
  const seen = new Set<string>();
  const onBar: Script['onBar'] = ({ symbol }) => void seen.add(symbol);
  await run([strategy('s', { onBar }), strategy('t', { references: REFERENCES, onBar: () => undefined })], { kind: 'spot', data: prices });
  expect([...seen]).toEqual(['BTC-USDT']);
});

test('an order and a protection of a reference are denied by its name, whatever they are; a lock is an error', async () => {
  const symbol = PERP.symbol;
  const refused = await run(
    [
      strategy('s', {
        references: REFERENCES,
        onBar: ({ sequence }) =>
          sequence === 3
            ? [
                place({ symbol, side: 'buy', type: 'market', quantity: 1 }),
                place({ symbol, side: 'sell', type: 'limit', price: 9, quantity: 1, reduceOnly: true }),
                protect({ symbol, side: 'sell', quantity: 1, stopLoss: 9 }),
                { kind: 'cancel', symbol },
              ]
            : undefined,
      }),
    ],
    { kind: 'spot', data: prices },
  );
  expect(refused.message).toBe('');
  const denial = { code: 'referenceOnly', symbol: 'ETH-USDT-PERP', strategy: 's' };
  expect(refused.tables.refusals.map(({ reason }) => reason)).toEqual([denial, denial, denial]);
  expect(refused.tables.orders).toEqual([]);
  const locked = await run([strategy('s', { references: REFERENCES, onBar: () => ({ kind: 'lock', symbol, until: 0 }) })], {
    kind: 'spot',
    data: prices,
  });
  expect(locked.message).toContain('lock: "ETH-USDT-PERP" is not a symbol of this strategy');
});

test('another strategy that trades the symbol is not denied', async () => {
  const traded = instrumentOf({ symbol: 'ETH-USDT' }, 1);
  const buy: Script['onBar'] = ({ time, symbol }) =>
    time === T0 + MINUTE && symbol === 'ETH-USDT' ? place({ symbol: 'ETH-USDT', side: 'buy', type: 'market', quantity: 1 }) : undefined;
  const result = await run(
    [strategy('s', { references: ['ETH-USDT'], onBar: buy }), strategy('t', { symbols: ['ETH-USDT'], onBar: buy })],
    { data: [bars([100, 101, 102]), bars([10, 11, 12], { of: traded })] },
  );
  expect(result.codes).toEqual(['referenceOnly']);
  expect(result.filled).toEqual(['buy 1 at 11']);
});

test('a reference changes nothing of the account: neither fills nor equity nor exposure, and no balance is a position in it', async () => {
  // The account holds the base of the reference, and the run has a price of its quote.
  const eth = instrumentOf({ symbol: 'ETH-USDT' }, 1);
  const reference = instrumentOf({ symbol: 'BTC-ETH', reference: true }, 2);
  const trading = (references: readonly string[] = []) =>
    strategy('s', {
      symbols: ['BTC-USDT', 'ETH-USDT'],
      references,
      onBar: ({ symbol, time }, me) => {
        if (references.length > 0) expect(me.net.position('BTC-ETH').quantity).toBe(0);
        return symbol === 'BTC-USDT' && time === T0 + MINUTE ? place({ symbol, side: 'buy', type: 'market', quantity: 2 }) : undefined;
      },
    });
  const options = { kind: 'spot', balances: { USDT: '1000', BTC: '3' } } as const;
  const data = [bars([100, 101, 102, 103]), bars([10, 10, 10, 10], { of: eth })];
  const without = await run([trading()], { ...options, data });
  const withIt = await run([trading(['BTC-ETH'])], { ...options, data: [...data, bars([11, 12, 13, 90], { of: reference })] });
  expect(without.filled).toEqual(['buy 2 at 101']);
  expect(withIt.filled).toEqual(without.filled);
  const samples = ({ state }: typeof without) =>
    state.portfolio.curve.samples.map(({ time, equity, exposure }) => [time, equity, exposure]);
  expect(samples(withIt)).toEqual(samples(without));
  // 1000 - 202, and 5 BTC at 103.
  expect(withIt.state.portfolio.exactEquity().toFixed()).toBe('1313');
  expect(samples(withIt).at(-1)![2]).toBe(515);
  expect([BTC, eth, reference].map((one) => withIt.state.heldSteps(one))).toEqual([5, 0, 0]);
});

test('a reference values no balance', async () => {
  const converting = instrumentOf({ symbol: 'USDT-EUR', tickSize: '0.01' }, 1);
  const reference = instrumentOf({ symbol: 'EUR-USDT', reference: true }, 2);
  const { state } = await run([strategy('s', { references: ['EUR-USDT'] })], {
    kind: 'spot',
    balances: { USDT: '1000', EUR: '100' },
    data: [bars([100, 100]), bars([80, 80], { of: converting }), bars([2, 2], { of: reference })],
  });
  // 100 EUR at 1 / 0.80 USDT, and not at 2.
  expect(state.portfolio.exactEquity().toFixed()).toBe('1125');
});
