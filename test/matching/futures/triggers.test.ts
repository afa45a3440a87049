import { describe, expect, test } from '@jest/globals';
import { NettingAccount } from '../../../src/matching/accounts/netting-account.ts';
import { MatchingEngine } from '../../../src/matching/matching-engine.ts';
import type { OrderRequest } from '../../../src/model/order.ts';
import { fillSettings, order, perpetual } from '../../builders.ts';
import { Market } from './market.ts';

const BY_MARK = perpetual({ contract: { triggerBy: 'mark' } });
const statuses = (market: Market) =>
  market.matching.orders(market.account).map(({ clientOrderId, status }) => `${clientOrderId} ${status}`);

describe('the direction is fixed on acceptance', () => {
  test.each([
    ['above the price waits for a rise', 105, [90, 104, 105], 'open long: triggered 105'],
    ['below the price waits for a fall', 95, [110, 96, 95], 'open long: triggered 95'],
    ['that the price jumps over fires at that price', 105, [120], 'open long: triggered 120'],
  ])('a trigger %s', (_title, triggerTicks, path, fired) => {
    const market = new Market().price(100).open('long', 1, { triggerTicks });
    const last = path.pop()!;
    for (const price of path) market.price(price);
    expect([market.told(), statuses(market)]).toEqual([[], ['open long untriggered']]);
    expect(market.price(last).told()).toEqual([fired, `open long: buy 1@${last} taker fee ${last / 1000}`]);
  });

  test('one at the price fires at once, and is a plain order from there', () => {
    const market = new Market().price(100).open('short', 1, { triggerTicks: 100, priceTicks: 105 });
    expect([market.told(), statuses(market)]).toEqual([['open short: triggered 100'], ['open short open']]);
  });

  test('without a price there is none, and the order is refused', () => {
    expect(new Market().open('long', 1, { triggerTicks: 100 }).told()).toEqual(['open long: rejected noMarketPrice BTC-USDT-PERP']);
  });
});

describe('the price that fires', () => {
  test.each([
    ['long', 105, [101, 105], 'open long: triggered 105'],
    ['short', 95, [95, 100], 'open short: triggered 95'],
  ] as const)('with quotes is the ask for buys, the bid for sells: a %s', (side, triggerTicks, [bid, ask], fired) => {
    const market = new Market().quote(98, 100).open(side, 1, { triggerTicks });
    expect(market.quote(bid, ask).told()[0]).toBe(fired);
    const other = new Market().quote(98, 100).open(side, 1, { triggerTicks });
    // The other side of the quote alone, or its middle, is not enough.
    expect((side === 'long' ? other.quote(104, 104) : other.quote(96, 110)).told()).toEqual([]);
  });

  test('is a trade or a ticker as it comes', () => {
    expect(new Market().trade(100).open('long', 1, { triggerTicks: 105 }).trade(105).told()[0]).toBe('open long: triggered 105');
    // What the ticker fires meets the quote that stands.
    expect(new Market().quote(99, 101).open('long', 1, { triggerTicks: 105 }).price(105).told()).toEqual([
      'open long: triggered 105',
      'open long: buy 1@101 taker fee 0.101',
    ]);
  });

  test('is the mark if the contract uses it, and the order matches the last price', () => {
    const market = new Market({ instruments: [BY_MARK] }).price(100).mark(100).open('long', 1, { triggerTicks: 105 });
    expect(market.price(110).told()).toEqual([]);
    market.mark(1050, 1);
    // At the time of the mark, not of the price.
    expect(market.events.map(({ time }) => time)).toEqual(market.events.map(() => 4));
    expect(market.told()).toEqual(['open long: triggered 105', 'open long: buy 1@110 taker fee 0']);
  });

  test('of a mark between two ticks is reached at once by the nearest tick', () => {
    const market = new Market({ instruments: [BY_MARK] }).price(90).mark(1004, 1);
    expect(market.open('long', 1, { triggerTicks: 100 }).told()[0]).toBe('open long: triggered 100.4');
    expect(market.open('long', 1, { triggerTicks: 101, clientOrderId: 'b' }).told()).toEqual([]);
  });

  test('is the last price where the mark is old', () => {
    const market = new Market({ instruments: [BY_MARK], markMaxAgeMs: 1 }).price(100).mark(100).open('long', 1, { triggerTicks: 105 });
    expect(market.price(110).told()).toEqual([]);
    expect(market.price(106).told()[0]).toBe('open long: triggered 106');
  });
});

describe('once fired', () => {
  test('an order is a plain one that is as late as its firing', () => {
    const market = new Market().trade(100).open('long', 1, { triggerTicks: 105, priceTicks: 98, clientOrderId: 'fired' });
    market.open('long', 1, { priceTicks: 98, clientOrderId: 'plain' }).trade(105);
    market.told();
    // One step is printed below both limits.
    expect(market.trade(97, 1).told()).toEqual(['plain: buy 1@98 maker fee 0.049']);
  });

  test('of several orders for the same quantity, stops come first, then the earliest accepted', () => {
    const market = new Market().trade(100).open('long', 3).open('short', 3);
    market.close('short', 1, { triggerTicks: 90, clientOrderId: 'profit of the short' });
    market.close('long', 1, { triggerTicks: 95, clientOrderId: 'first' }).close('long', 1, { triggerTicks: 97, clientOrderId: 'second' });
    market.told();
    expect(
      market
        .trade(90)
        .told()
        .filter((line) => line.includes('triggered')),
    ).toEqual(['first: triggered 90', 'second: triggered 90', 'profit of the short: triggered 90']);
  });

  test.each<readonly [string, Partial<OrderRequest>, readonly string[]]>([
    ['post-only is refused where it would take', { priceTicks: 105, postOnly: true }, ['rejected postOnlyWouldTake 105 103']],
    ['IOC expires where it does not take', { priceTicks: 101, timeInForce: 'IOC' }, ['ioc']],
    ['a limit inside the market takes', { priceTicks: 104 }, ['buy 1@103 taker fee 0.103']],
  ])('%s', (_title, request, told) => {
    const market = new Market()
      .price(100)
      .open('long', 1, { triggerTicks: 103, ...request })
      .price(103);
    expect(market.told()).toEqual(['triggered 103', ...told].map((line) => `open long: ${line}`));
  });

  test('margin is needed then, not before', () => {
    const market = new Market({ deposit: '10' }).price(100).open('long', 1, { triggerTicks: 105 });
    expect([market.balance(), statuses(market)]).toEqual(['10 / 0', ['open long untriggered']]);
    expect(market.price(105).told()).toEqual(['open long: triggered 105', 'open long: rejected marginTooLow USDT 10.605 10']);
    expect(market.ended.map(({ status }) => status)).toEqual(['canceled']);
  });

  test('a close without anything to close is refused, and a close of more is trimmed', () => {
    const market = new Market().price(100).open('long', 2);
    market.close('long', 5, { triggerTicks: 95, clientOrderId: 'a' }).close('long', 5, { triggerTicks: 94, clientOrderId: 'b' });
    market.told();
    expect(market.price(95).price(94).told()).toEqual([
      'a: triggered 95',
      'a: sell 2@95 taker fee 0.19',
      'a: positionClosed',
      'b: triggered 94',
      'b: rejected nothingToClose long 0',
    ]);
  });
});

test('a trigger has no place in an account without margin', () => {
  const account = new NettingAccount(() => {});
  const held = {
    opens: () => false,
    any: () => false,
    next: () => undefined,
    follow: () => false,
    passedAsleep: () => false,
    moves: () => false,
    exits: () => [],
    trails: () => false,
    hasEntry: () => false,
  };
  const engine = new MatchingEngine({ instruments: [BY_MARK], onBars: false, settings: fillSettings(), held, pause: () => {} });
  engine.addAccount(account);
  const request = order({ instrument: BY_MARK, positionSide: 'net', triggerTicks: 100 });
  expect(() => engine.submit(account, request, 0)).toThrow(expect.objectContaining({ code: 'INVARIANT_BROKEN' }));
});

test('an untriggered order is canceled like any other', () => {
  const market = new Market().price(100).open('long', 1, { triggerTicks: 105 }).cancel('open long').price(105);
  expect(market.told()).toEqual(['open long: requested']);
});

describe('on bars', () => {
  const bars = (pause?: (market: Market, ticks: number) => void) =>
    new Market({ onBars: true, fills: { path: 'ohlc' }, ...(pause === undefined ? {} : { pause }) }).openBar(100);

  test('the path fires a trigger at its very price, and the order meets it there', () => {
    const market = bars().closeBar(100, 100, 100).open('long', 1, { triggerTicks: 107 }).openBar(101);
    expect(market.closeBar(110, 95, 100).told()).toEqual(['open long: triggered 107', 'open long: buy 1@107 taker fee 0.107']);
  });

  test('several on the way fire in the order in which the path reaches them, and count where it matters', () => {
    const market = bars().closeBar(100, 100, 100).open('long', 2).openBar(100);
    market
      .close('long', 1, { triggerTicks: 95, clientOrderId: 'stop' })
      .close('long', 1, { triggerTicks: 107, priceTicks: 107, clientOrderId: 'profit' });
    market.told();
    // Up first: the profit's limit of 107 is not crossed at 107, but at 108 on the same way.
    expect(market.closeBar(110, 90, 100).told()).toEqual([
      'profit: triggered 107',
      'profit: sell 1@107 maker fee 0.0535',
      'stop: triggered 95',
      'stop: sell 1@95 taker fee 0.095',
    ]);
    expect(market.matching.pathFills).toBe(2);
  });

  test('an open beyond a trigger triggers it at the open, before resting orders fill', () => {
    const market = bars().closeBar(100, 100, 100).open('short', 1, { triggerTicks: 95 });
    market.open('long', 1, { priceTicks: 97 });
    expect(market.openBar(90).told()).toEqual([
      'open short: triggered 90',
      'open short: sell 1@90 taker fee 0.09',
      'open long: buy 1@90 taker fee 0.09',
    ]);
  });

  test('a trigger at the last price fires at the close, and as a plain order meets the next open', () => {
    const market = bars().closeBar(105, 95, 103).open('long', 1, { triggerTicks: 103 });
    expect([market.told(), statuses(market)]).toEqual([['open long: triggered 103'], ['open long pending']]);
    expect(market.openBar(104).told()).toEqual(['open long: buy 1@104 taker fee 0.104']);
  });

  test('one that arrives with an open is checked at it', () => {
    expect(bars().open('long', 1, { triggerTicks: 100 }).told()).toEqual([
      'open long: triggered 100',
      'open long: buy 1@100 taker fee 0.1',
    ]);
  });

  test('one that arrives on the path is active for the rest of it, unless it must wait', () => {
    const at = (request: Partial<OrderRequest>) => {
      const market = bars((self, ticks) => {
        if (ticks === 105) self.close('long', 1, { triggerTicks: 97, ...request });
      });
      market.open('long', 2).open('long', 1, { clientOrderId: 'more', triggerTicks: 105 });
      market.told();
      return market.closeBar(110, 95, 100);
    };
    expect(at({}).told().slice(2)).toEqual(['close long: triggered 97', 'close long: sell 1@97 taker fee 0.097']);
    const waiting = at({ fromNextBar: true });
    expect(waiting.told().slice(2)).toEqual([]);
    expect(waiting.openBar(96).told()).toEqual(['close long: triggered 96', 'close long: sell 1@96 taker fee 0.096']);
  });

  test('one at the price of the path is a plain order, which waits for the open unless the engine released it', () => {
    const at = (request: Partial<OrderRequest>) => {
      let sent = false;
      const market = bars((self, ticks) => {
        if (ticks === 105 && !sent) self.close('long', 1, { triggerTicks: 105, ...request });
        sent ||= ticks === 105;
      });
      market.open('long', 2).open('long', 1, { clientOrderId: 'more', triggerTicks: 105 });
      market.told();
      return market.closeBar(110, 95, 100).told().slice(2);
    };
    expect(at({ released: true })).toEqual(['close long: triggered 105', 'close long: sell 1@105 taker fee 0.105']);
    expect(at({})).toEqual(['close long: triggered 105']);
  });

  test('one that must wait is inactive until the next open, whatever this bar does', () => {
    const market = bars().open('long', 1, { triggerTicks: 107, fromNextBar: true }).closeBar(110, 95, 100);
    expect([market.told(), statuses(market)]).toEqual([[], ['open long untriggered']]);
    market.openBar(100);
    expect(market.closeBar(107, 95, 100).told()[0]).toBe('open long: triggered 107');
  });

  test('a closing stop that sleeps is counted in the bar that passes it, whether the path is walked or nothing else could happen', () => {
    const market = bars().open('long', 1);
    market.close('long', 1, { triggerTicks: 95, fromNextBar: true }).closeBar(101, 96, 100);
    expect(market.matching.unguardedBars).toBe(0);
    market.openBar(100).close('long', 1, { clientOrderId: 'near', triggerTicks: 97, fromNextBar: true });
    market.closeBar(100, 97, 100);
    expect(market.matching.unguardedBars).toBe(1);
    market.openBar(100).closeBar(100, 98, 100);
    expect(market.matching.unguardedBars).toBe(1);
  });

  test.each([93, 107])('one at the price that must wait triggers at the next open, wherever that is: %d', (open) => {
    const market = bars().open('long', 1, { triggerTicks: 100, fromNextBar: true }).closeBar(110, 90, 100);
    expect(market.told()).toEqual([]);
    expect(market.openBar(open).told()[0]).toBe(`open long: triggered ${open}`);
  });

  test('an order triggered by a mark fills at the next open', () => {
    const asked: number[] = [];
    const options = { instruments: [BY_MARK], onBars: true, markMaxAgeMs: 1e6 };
    const market = new Market({ ...options, pause: (_market, ticks) => asked.push(ticks) }).openBar(100).mark(100);
    market.open('long', 1, { triggerTicks: 105 }).mark(105);
    expect([market.told(), statuses(market)]).toEqual([['open long: triggered 105'], ['open long pending']]);
    // The path passes nothing: the mark is what counts.
    market.open('long', 1, { triggerTicks: 108, clientOrderId: 'b' }).closeBar(110, 90, 100);
    expect(asked).toEqual([]);
    expect(market.openBar(101).told()).toEqual(['open long: buy 1@101 taker fee 0']);
  });

  test.each([
    // Nearer to the low, but a buy waits above: up first, so that the low is still to come for its stop.
    ['long', 110, 97, { high: 110, low: 95 }],
    // Nearer to the high, but a sell waits below.
    ['short', 90, 103, { high: 105, low: 90 }],
  ] as const)('the worst path goes to where a trigger waits to open a %s', (side, entry, stop, { high, low }) => {
    const market = new Market({
      onBars: true,
      fills: { path: 'worst' },
      pause: (self, ticks) => {
        if (ticks === entry) self.close(side, 1, { triggerTicks: stop });
      },
    });
    market.openBar(100).open(side, 1, { triggerTicks: entry });
    expect(
      market
        .closeBar(high, low, 100)
        .told()
        .filter((line) => line.includes('triggered')),
    ).toEqual([`open ${side}: triggered ${entry}`, `close ${side}: triggered ${stop}`]);
  });
});
