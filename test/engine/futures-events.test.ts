import { expect, test } from '@jest/globals';
import { of } from 'rxjs';
import { Decimal } from '../../src/model/decimal.ts';
import type { MarketEvent } from '../../src/model/market-events.ts';
import { PERP, perpetual } from '../state/builders.ts';
import type { Script } from './builders.ts';
import { FuturesBench } from './futures-bench.ts';

function hears(script: Script): FuturesBench {
  const made = new FuturesBench({ script });
  made.price(100);
  made.mark(101);
  made.funding('0.0001');
  return made;
}

test('marks and funding reach the hooks for them', () => {
  const heard: unknown[] = [];
  hears({
    onMark: ({ price, symbol }) => void heard.push([symbol, price]),
    onFunding: ({ rate }) => void heard.push(rate),
  });
  expect(heard).toEqual([['BTC-USDT-PERP', 101], 0.0001]);
});

test.each<[Script['needs'], string[]]>([
  [{ tickers: true }, ['ticker']],
  [{ tickers: true, marks: true }, ['ticker', 'mark']],
  [{ tickers: true, funding: true }, ['ticker', 'funding']],
])('a stream that needs %j sees %j', (needs, kinds) => {
  const heard: string[] = [];
  hears({
    ...(needs === undefined ? {} : { needs }),
    intents$: (market$) => {
      market$.subscribe(({ kind }: MarketEvent) => heard.push(kind));
      return of();
    },
  });
  expect(heard).toEqual(kinds);
});

test('intents that a strategy returns from them are carried out', () => {
  const made = new FuturesBench({
    script: {
      onFunding: ({ rate, symbol }) => (rate > 0 ? { kind: 'place', symbol, side: 'sell', type: 'market', quantity: 2 } : undefined),
    },
  });
  made.price(100);
  made.funding('-0.0001');
  made.funding('0.0001');
  expect(made.sent).toEqual(['s-1 open short 2 market']);
});

test('a mark is no price that an order could be older than', () => {
  const made = hears({});
  made.want({ kind: 'place', symbol: PERP.symbol, side: 'buy', type: 'market', quantity: 1 });
  expect(made.orders.get('s-1')).toMatchObject({ seenSequence: 1, decidedSequence: 3 });
});

test('funding that is charged reaches the state and the account streams, and no order hook', () => {
  const heard: string[] = [];
  const made = new FuturesBench({
    script: {
      onOrder: ({ kind }) => void heard.push(kind),
      intents$: (_, account$) => {
        account$.subscribe(({ kind }) => heard.push(`stream ${kind}`));
        return of();
      },
    },
  });
  made.price(100);
  const [rate, markPrice, amount] = ['0.0001', '100', '-0.05'].map((text) => new Decimal(text)) as [Decimal, Decimal, Decimal];
  const instrument = made.state.instruments[0] ?? perpetual();
  made.tell({ kind: 'fundingCharged', time: made.time, instrument, positionSide: 'long', steps: 5, rate, markPrice, amount });
  made.tell({ kind: 'marginChanged', time: made.time, instrument, positionSide: 'long', margin: new Decimal(7) });
  expect(heard).toEqual(['stream fundingCharged', 'stream marginChanged']);
  expect(made.state.position(instrument, 'long').funding.toFixed()).toBe('-0.05');
  expect(made.state.margin.side(instrument, 'long')?.isolatedMargin.toFixed()).toBe('7');
});
