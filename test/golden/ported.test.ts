import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { PORTED, type PortedRun, portedRun } from './ported.ts';
import type { Fill } from '../../src/model/fill.ts';
import { ROOT } from '../support/cli.ts';

// The strategies of other frameworks, all in this process. Their figures change on purpose only: RENEW_GOLDEN=1 npm test -- test/golden
const GOLDEN = join(import.meta.dirname, 'ported.json');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const runs = new Map<string, PortedRun>();
const run = (name: string) => runs.get(name)!;

beforeAll(async () => {
  for (const name of PORTED) runs.set(name, await portedRun(name));
  if (process.env.RENEW_GOLDEN === undefined) return;
  writeFileSync(GOLDEN, `${JSON.stringify(Object.fromEntries([...runs].map(([name, { figures }]) => [name, figures])), null, 2)}\n`);
});

test.each(PORTED)('%s gives its golden figures', (name) => {
  const golden = JSON.parse(readFileSync(GOLDEN, 'utf8')) as Record<string, object>;
  expect(run(name).figures).toEqual(golden[name]);
});

test('each strategy is one file of the words of tidegate, with a config and a row on the page', () => {
  const files = readdirSync(join(ROOT, 'strategies/ported'));
  expect(files.map((file) => file.replace(/\.ts$/, ''))).toEqual(PORTED);
  const page = readFileSync(join(ROOT, 'docs/how-to/coming-from.md'), 'utf8');
  for (const file of files) {
    const text = readFileSync(join(ROOT, 'strategies/ported', file), 'utf8');
    const imports = [...text.matchAll(/from '([^']+)'/g)].map(([, from]) => from);
    expect(imports.filter((from) => from !== 'tidegate' && from !== 'trading-signals')).toEqual([]);
    expect(text).toContain('The differences:');
    expect(page).toContain(`](../../strategies/ported/${file}) |`);
  }
});

/** What closes each position of strategies that buy once: the entry and the fill that ends it. */
function closes(fills: readonly Fill[]): { entry: Fill; exit: Fill; profit: number }[] {
  const open = new Map<string, Fill>();
  return fills.flatMap((fill) => {
    const entry = open.get(fill.symbol);
    if (fill.side === 'buy') open.set(fill.symbol, fill);
    return fill.side === 'sell' && entry !== undefined ? [{ entry, exit: fill, profit: fill.price / entry.price - 1 }] : [];
  });
}

/** The profit that an ROI table asks at the age of an exit, which fills inside a bar when its range begins. */
const wantedAt = (table: readonly (readonly [minutes: number, profit: number])[], { entry, exit }: { entry: Fill; exit: Fill }) =>
  table.findLast(([minutes]) => (exit.since ?? exit.time) - entry.time >= minutes * MINUTE)![1];

test('roi-trailing sells at 2 %, after four hours at 1 %, after twelve at 0.5 %, and trails by 0.4 % from a profit of 0.8 %', () => {
  const ended = closes(run('roi-trailing').fills);
  const roi = ended.filter(({ exit }) => exit.tag === 'dip:takeProfit');
  const wanted = roi.map((one) => wantedAt([[0, 0.02], [240, 0.01], [720, 0.005]], one));
  expect(roi.filter(({ profit }, index) => profit < wanted[index]!)).toEqual([]);
  expect(new Set(wanted)).toEqual(new Set([0.02, 0.01, 0.005]));
  // Exactly when an age is reached, the open of that minute sells at a better price.
  expect(roi.filter(({ exit }) => exit.leg === 'open').map(({ entry, exit }) => (exit.time - entry.time) / MINUTE)).toEqual(
    expect.arrayContaining([240, 720]),
  );
  const trailed = ended.filter(({ exit }) => exit.tag === 'dip:trailingStop');
  // 1.008 * 0.996 = 1.003968
  expect(trailed.filter(({ profit }) => profit < 0.0039)).toEqual([]);
  expect(trailed.length).toBeGreaterThan(10);
  // -3 %, unless a minute opens below it.
  const stopped = ended.filter(({ exit }) => exit.tag === 'dip:stopLoss');
  expect(stopped.every(({ profit, exit }) => Math.abs(profit + 0.03) < (exit.leg === 'open' ? 0.002 : 0.00001))).toBe(true);
});

test('informative-pair trades ETH alone, sells by its ROI table, and by the signal only in profit', () => {
  const { fills } = run('informative-pair');
  expect(new Set(fills.map(({ symbol }) => symbol))).toEqual(new Set(['ETH-USDT']));
  const ended = closes(fills);
  const roi = ended.filter(({ exit }) => exit.tag === 'trend:takeProfit');
  const table = [[0, 0.05], [20, 0.04], [30, 0.03], [60, 0.01]] as const;
  expect(roi.filter((one) => one.profit < wantedAt(table, one))).toEqual([]);
  const turned = ended.filter(({ exit }) => exit.tag === 'turn');
  // The close was above the entry; the open that fills is within a few ticks of it.
  expect(turned.map(({ profit }) => profit > -0.001)).toEqual([true, true, true]);
  // Decisions fall on candles of 5m.
  expect(fills.filter(({ tag, time }) => (tag === 'trend' || tag === 'turn') && time % (5 * MINUTE) !== 0)).toEqual([]);
});

test('dig-deeper buys a quarter more each time it is 2 % lower, three times at most, and sells half in profit', () => {
  const { fills, orders } = run('dig-deeper');
  // 50,000 / 5.5 = 9,090.91; then 1.25, 1.5 and 1.75 times as much.
  const amounts = { first: [9_090.91], more: [11_363.64, 13_636.36, 15_909.09] };
  const trades = new Map<string, { bought: number; paid: number; more: number; halved: number }>();
  for (const { symbol, side, price, quantity, tag } of fills) {
    const trade = trades.get(symbol) ?? { bought: 0, paid: 0, more: 0, halved: 0 };
    if (side === 'buy') {
      const wanted = tag === 'first' ? amounts.first[0]! : amounts.more[trade.more]!;
      expect(Math.abs(price * quantity - wanted)).toBeLessThan(price * 0.0001 + 0.01);
      if (tag === 'more') {
        // Decided at a close 2 % below the average, filled at the next open.
        expect(price / (trade.paid / trade.bought)).toBeLessThan(0.982);
        trade.more++;
      }
      trades.set(symbol, { ...trade, bought: trade.bought + quantity, paid: trade.paid + price * quantity });
    } else if (tag === 'half') {
      expect(trade.halved).toBe(0);
      expect(quantity).toBeCloseTo((trade.bought * 0.999) / 2, 3);
      trades.set(symbol, { ...trade, halved: 1 });
    } else trades.delete(symbol);
  }
  expect(fills.filter(({ tag }) => tag === 'half').length).toBeGreaterThan(1);
  // Every buy has its stop, 30 % below the first buy.
  const buys = fills.filter(({ side }) => side === 'buy').length;
  expect(orders.filter(({ tag }) => tag.endsWith(':stopLoss'))).toHaveLength(buys);
});

test('band-dip never holds more than three pairs, waits five hours after a trade, and buys nothing for twelve after three stops in a day', () => {
  const { fills, refusals } = run('band-dip');
  const open = new Set<string>();
  const ended = new Map<string, number>();
  const stops: number[] = [];
  for (const { symbol, side, time, tag } of fills) {
    if (side === 'sell') {
      open.delete(symbol);
      ended.set(symbol, time);
      if (tag === 'dip:stopLoss') stops.push(time);
      continue;
    }
    open.add(symbol);
    expect(open.size).toBeLessThanOrEqual(3);
    expect(time - (ended.get(symbol) ?? 0)).toBeGreaterThanOrEqual(5 * HOUR);
    const third = stops.findLast((stop, index) => index >= 2 && stop - stops[index - 2]! <= DAY);
    expect(time - (third ?? 0)).toBeGreaterThanOrEqual(12 * HOUR);
  }
  expect(stops.length).toBeGreaterThanOrEqual(3);
  expect(new Set(refusals.map(({ reason }) => reason.code))).toEqual(new Set(['openPositionsAboveLimit', 'symbolLocked']));
});

test('break-even takes half at 3 ATR against a stop at 2 ATR, and then never stops worse than the entry', () => {
  const { orders } = run('break-even');
  const bySequence = [...orders].sort((a, b) => a.time - b.time || Number(a.clientOrderId.split('-')[2]) - Number(b.clientOrderId.split('-')[2]));
  let entry = { price: 0, quantity: 0, long: true, stop: 0 };
  let moves = 0;
  for (const order of bySequence) {
    const [price, stop] = [Number(order.averagePrice), Number(order.stopPrice)];
    if (order.tag === 'swing') entry = { price, quantity: Number(order.quantity), long: order.side === 'buy', stop: 0 };
    if (order.tag === 'swing:stopLoss' && entry.stop === 0) entry.stop = stop;
    if (order.tag === 'half:takeProfit') {
      expect(Number(order.quantity)).toBeCloseTo(entry.quantity / 2, 3);
      const [reach, risk] = [Math.abs((Number(order.price) || stop) - entry.price), Math.abs(entry.stop - entry.price)];
      expect(reach / risk).toBeCloseTo(1.5, 2);
    }
    if (order.tag !== 'even:stopLoss') continue;
    moves++;
    expect(entry.long ? stop : -stop).toBeGreaterThanOrEqual((entry.long ? entry.price : -entry.price) - 0.1);
  }
  expect(moves).toBeGreaterThan(100);
});

test('trailing-atr moves its stop towards the price alone, and holds one stop at a time', () => {
  const { orders, fills } = run('trailing-atr');
  const stops = orders.filter(({ tag }) => tag === 'trail:stopLoss').sort((a, b) => a.time - b.time);
  const entries = fills.filter(({ tag }) => tag === 'cross').map(({ time }) => time);
  for (const [index, stop] of stops.entries()) {
    const before = stops[index - 1];
    if (before === undefined || entries.some((time) => time > before.time && time <= stop.time)) continue;
    const better = Number(stop.stopPrice) - Number(before.stopPrice);
    expect(stop.side === 'sell' ? better : -better).toBeGreaterThan(0);
    expect(before.endTime).toBe(stop.time);
  }
  // After its stop, the strategy waits for the next cross.
  expect(fills.filter(({ tag }) => tag === 'trail:stopLoss').length).toBeGreaterThan(15);
});

test('pure-maker quotes three levels with skewed amounts, leaves the partner of a fill, and waits a minute for the next set', () => {
  const { orders, fills } = run('pure-maker');
  // The first set, at the price of 94,030.12: 1.0317 coins in all, target 0.5159, held 0.5, range 0.54. 1 - 0.0159 / 0.54 = 0.9706.
  const first = orders.filter(({ ref, replaces }) => ref.endsWith('-0') && replaces === '').map(({ ref, price, quantity }) => [ref, price, quantity]);
  expect(first.sort()).toEqual([
    ['buy-0-0', '93983.1', '0.02058'],
    ['buy-1-0', '93936.08', '0.03088'],
    ['buy-2-0', '93889.07', '0.04117'],
    ['sell-0-0', '94077.14', '0.01941'],
    ['sell-1-0', '94124.16', '0.02911'],
    ['sell-2-0', '94171.17', '0.03882'],
  ]);
  // buy-0-0 fills, and its partner fills half an hour later. The other four are canceled.
  const round = fills.filter(({ ref }) => ref.endsWith('-0-0') || ref.endsWith('-1-0') || ref.endsWith('-2-0'));
  expect(round.map(({ ref }) => ref)).toEqual(['buy-0-0', 'sell-0-0']);
  const canceled = orders.filter(({ ref, reason }) => /-0$/.test(ref) && reason === 'requested').map(({ ref }) => ref);
  expect(canceled.sort()).toEqual(['buy-1-0', 'buy-2-0', 'sell-1-0', 'sell-2-0']);
  const next = Math.min(...orders.filter(({ ref }) => ref === 'buy-0-1').map(({ time }) => time));
  expect(next - round[0]!.time).toBeGreaterThanOrEqual(MINUTE);
  expect(next - round[0]!.time).toBeLessThan(MINUTE + 31_000);
  // A level of a round fills at most once, and an order that hangs is never amended.
  const whole = orders.filter(({ status }) => status === 'filled').map(({ ref }) => ref);
  expect(new Set(whole).size).toBe(whole.length);
});

test('avellaneda shrinks the order that adds to its inventory, and keeps at least the spread of the book', () => {
  const { orders } = run('avellaneda');
  // The first quotes, at a price near 93,900: 0.5 held, target 0.25 + 25,000 / 93,900 = 0.51624, inventory -0.812 orders.
  const [buy, sell] = ['buy', 'sell'].map((side) => orders.find((order) => order.side === side)!);
  expect(Number(buy!.quantity)).toBe(0.02);
  expect(Number(sell!.quantity)).toBeCloseTo(0.02 * Math.exp(-0.0812), 4);
  // 2 / 5e-6 * ln(1 + 5e-6 / 0.02) = 99.9875, and more for the volatility. Held less than at rest: the middle is above the price.
  const sets = new Map<number, Record<string, number>>();
  for (const { time, side, price } of orders) sets.set(time, { ...sets.get(time), [side]: Number(price) });
  const spreads = [...sets.values()].filter(({ buy: bid, sell: ask }) => bid !== undefined && ask !== undefined).map(({ buy: bid, sell: ask }) => ask! - bid!);
  expect(spreads.length).toBeGreaterThan(100);
  expect(Math.min(...spreads)).toBeGreaterThanOrEqual(99.98);
});

test('book-grid places post-only orders on multiples of the interval, at most five a side, within its position', () => {
  const { orders, fills } = run('book-grid');
  expect(orders.filter(({ price }) => Number(price) % 5 !== 0)).toEqual([]);
  expect(fills.filter(({ liquidity }) => liquidity !== 'maker')).toEqual([]);
  const changes = orders.flatMap(({ time, endTime, side }) => [
    { time, side, by: 1 },
    { time: endTime ?? Number.POSITIVE_INFINITY, side, by: -1 },
  ]);
  for (const side of ['buy', 'sell']) {
    let [open, most] = [0, 0];
    for (const { by } of changes.filter((one) => one.side === side).sort((a, b) => a.time - b.time || a.by - b.by)) {
      open += by;
      most = Math.max(most, open);
    }
    // Five lines, and the canceled ones on their way.
    expect(most).toBeLessThanOrEqual(10);
  }
  let held = 0;
  for (const { side, quantity } of fills) {
    held += side === 'buy' ? quantity : -quantity;
    // Full at 0.05; the other lines of that side may fill before their cancel arrives.
    expect(Math.abs(held)).toBeLessThan(0.1);
  }
});

test('daily-weights trades at midnight alone, sells before it buys, and ends each time near 47.5 % of each coin', () => {
  const { fills } = run('daily-weights');
  expect(fills.filter(({ time }) => time % DAY !== 0)).toEqual([]);
  const held = new Map<string, number>();
  let cash = 100_000;
  const days = [...new Set(fills.map(({ time }) => time))];
  for (const day of days) {
    const ofDay = fills.filter(({ time }) => time === day);
    expect(ofDay.map(({ side }) => side)).toEqual([...ofDay.map(({ side }) => side)].sort().reverse());
    for (const { symbol, side, quantity, price, fee } of ofDay) {
      const [coins, paid] = side === 'buy' ? [quantity - fee.toNumber(), -price * quantity] : [-quantity, price * quantity - fee.toNumber()];
      held.set(symbol, (held.get(symbol) ?? 0) + coins);
      cash += paid;
    }
    // Both coins traded: their prices are known.
    const prices = new Map(ofDay.map(({ symbol, price }) => [symbol, price]));
    if (prices.size < 2) continue;
    const worth = [...held].map(([symbol, coins]) => coins * prices.get(symbol)!);
    const equity = cash + worth[0]! + worth[1]!;
    for (const one of worth) expect(one / equity).toBeCloseTo(0.475, 2);
  }
  expect(days.length).toBeGreaterThan(10);
});

test('momentum-ranking holds the three symbols that rose most over 24 hours, as computed from the bars', () => {
  const { events, fills } = run('momentum-ranking');
  const bars = events.filter((event) => event.kind === 'bar');
  const closesAt = new Map(bars.map((bar) => [`${bar.symbol} ${bar.time}`, bar]));
  const symbols = [...new Set(bars.map(({ symbol }) => symbol))];
  const held = new Set<string>();
  const days = [3, 4, 5].map((day) => Date.UTC(2025, 0, day));
  for (const day of days) {
    const rise = (symbol: string) => closesAt.get(`${symbol} ${day}`)!.close / closesAt.get(`${symbol} ${day - 23 * HOUR}`)!.open;
    const best = symbols.sort((a, b) => rise(b) - rise(a)).slice(0, 3);
    for (const { symbol, side } of fills.filter(({ time }) => time >= day && time < day + DAY)) side === 'buy' ? held.add(symbol) : held.delete(symbol);
    expect([...held].sort()).toEqual(best.sort());
  }
});

test('basis-maker quotes around spot plus the average basis of five minutes, and trades the perpetual alone', () => {
  const { events, orders, fills } = run('basis-maker');
  // The last prices at each whole second, as its timer sees them.
  const last = new Map<string, number>();
  const bases: number[] = [];
  const tickers = events.filter((event) => event.kind === 'ticker');
  const start = Math.min(...orders.map(({ time }) => time));
  let next = 0;
  for (let second = start - 299_000; second <= start; second += 1000) {
    for (; tickers[next] !== undefined && tickers[next]!.time <= second; next++) last.set(tickers[next]!.symbol, tickers[next]!.last);
    bases.push(last.get('BTC-USDT-PERP')! - last.get('BTC-USDT')!);
  }
  expect(bases).toHaveLength(300);
  const fair = last.get('BTC-USDT')! + bases.reduce((sum, basis) => sum + basis, 0) / 300;
  // Flat: both quotes are 0.03 % from the fair price, rounded away from it to a tick of 0.1.
  const [buy, sell] = ['buy', 'sell'].map((side) => Number(orders.find((order) => order.side === side)!.price));
  expect(buy).toBe(Math.floor(Math.min(fair * 0.9997, last.get('BTC-USDT-PERP')!) * 10) / 10);
  expect(sell).toBe(Math.ceil(Math.max(fair * 1.0003, last.get('BTC-USDT-PERP')!) * 10) / 10);
  expect(new Set(fills.map(({ symbol, liquidity }) => `${symbol} ${liquidity}`))).toEqual(new Set(['BTC-USDT-PERP maker']));
});
