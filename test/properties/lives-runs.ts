import fc from 'fast-check';
import { simulateRun } from '../../src/app/backtest/simulate-run.ts';
import type { Fill } from '../../src/model/fill.ts';
import type { Intent } from '../../src/model/intents.ts';
import type { ReadonlyState } from '../../src/state/state.ts';
import { cancel, place, protect } from '../../src/strategy/intents.ts';
import { at, instrument, perpetual, plan, type Row, Scripted, secondsOf, series } from '../builders.ts';
import { type Book, type Kind, type Legs, LivesOracle, type OracleFill, type SideOf, type Wish } from './lives-oracle.ts';

export const KINDS: readonly Kind[] = ['spot', 'netting', 'futures'];
export const IDS = ['a', 'b', 'c'] as const;
export const BOOKS: Readonly<Record<Kind, readonly Book[]>> = { spot: ['net'], netting: ['net'], futures: ['long', 'short'] };
const STEPS = 1000;

const DEEDS = ['enter', 'rest', 'market', 'limit', 'stop', 'close', 'part', 'guard', 'protect', 'cancel'] as const;
interface Deed {
  readonly event: number;
  readonly strategy: 0 | 1 | 2;
  readonly do: (typeof DEEDS)[number];
  readonly buy: boolean;
  readonly short: boolean;
  readonly coins: number;
  readonly offset: number;
  readonly reach: number;
  readonly exits: 'stop' | 'target' | 'both' | 'trail' | 'trail and target' | 'trail from a stop';
}
const deed: fc.Arbitrary<Deed> = fc.record({
  event: fc.integer({ min: 0, max: 30 }),
  strategy: fc.constantFrom(0, 1, 2),
  do: fc.constantFrom<Deed['do']>('enter', 'enter', 'rest', 'limit', ...DEEDS),
  buy: fc.constantFrom(true, true, false),
  short: fc.constantFrom(false, false, true),
  coins: fc.integer({ min: 1, max: 4 }),
  offset: fc.integer({ min: -6, max: 6 }),
  reach: fc.integer({ min: 1, max: 6 }),
  exits: fc.constantFrom('stop', 'target', 'both', 'trail', 'trail and target', 'trail from a stop'),
});

export const life = (kind: Kind) =>
  fc.record({
    kind: fc.constant(kind),
    /** Coins at the start of a spot account. */
    found: fc.constantFrom(0, 0, 2),
    moves: fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 10, maxLength: 34 }),
    deeds: fc.array(deed, { minLength: 4, maxLength: 30 }),
    kill: fc.option(fc.record({ event: fc.integer({ min: 3, max: 30 }), flatten: fc.boolean() }), { nil: undefined, freq: 1 }),
  });
type Life = typeof life extends (kind: Kind) => fc.Arbitrary<infer T> ? T : never;

/** What a strategy wants, by what it sees of itself. */
function wishOf(kind: Kind, one: Deed, price: number, held: (book: Book) => number, killed: boolean): Wish | undefined {
  const { coins, offset, reach } = one;
  const tag = `${one.event}`;
  const book: Book = kind === 'futures' ? (one.short ? 'short' : 'long') : 'net';
  const own = held(book);
  const steps = coins * STEPS;
  /** The side that closes what is held, if anything is. */
  const closing: SideOf | undefined = own === 0 ? undefined : book === 'short' || own < 0 ? 'buy' : 'sell';
  const opening: SideOf = book === 'short' ? 'sell' : book === 'long' || one.buy ? 'buy' : 'sell';
  const sign = opening === 'buy' ? 1 : -1;
  // A stop that the order's price is beyond would be denied.
  const entry = one.do === 'rest' && sign * offset < 0 ? price + offset : price;
  const legs: Legs = {
    ...((one.exits === 'stop' || one.exits === 'both' || one.exits === 'trail from a stop') && { stopLoss: entry - sign * reach }),
    ...((one.exits === 'target' || one.exits === 'both' || one.exits === 'trail and target') && { takeProfit: price + sign * reach }),
    ...(one.exits.startsWith('trail') && { trailBy: reach }),
  };
  const sells = kind === 'spot' && opening === 'sell';
  // On a net position, orders that may open reduce the account's at times: what a kill makes of them is the account's rule.
  if (killed && (kind === 'netting' || sells) && !['close', 'protect', 'cancel', 'guard', 'part'].includes(one.do)) return undefined;
  const plain = { side: opening, book, steps, reduceOnly: false, tag } as const;
  const closes = (part: number) => ({ side: closing!, book, steps: part, reduceOnly: true, tag }) as const;
  const beyond = closing === 'sell' ? 1 : -1;
  switch (one.do) {
    case 'enter':
      return { do: 'market', ...plain, legs };
    case 'rest':
      return { do: 'limit', ...plain, price: price + offset, legs };
    case 'market':
    case 'limit':
      return one.do === 'market' ? { do: 'market', ...plain } : { do: 'limit', ...plain, price: price + offset };
    case 'stop':
      if (sells) return undefined;
      return { do: 'stop', ...plain, price: price + sign * reach };
    case 'close':
      return closing && { do: 'market', ...closes(Math.min(steps, Math.abs(own))) };
    case 'part':
      return closing && { do: 'limit', ...closes(Math.ceil(Math.abs(own) / (coins + 1))), price: price + beyond * reach };
    case 'guard':
      return closing && { do: 'stop', ...closes(steps), price: price - beyond * reach };
    case 'protect':
      if (kind === 'futures') return undefined;
      return (
        closing && {
          do: 'protect',
          side: closing,
          steps: Math.abs(own),
          tag,
          legs: { stopLoss: price - beyond * reach, takeProfit: price + beyond * reach },
        }
      );
    case 'cancel':
      return { do: 'cancel' };
  }
}

function intentOf(symbol: string, wish: Wish): Intent {
  if (wish.do === 'cancel') return cancel();
  const { side, tag } = wish;
  const quantity = wish.steps / STEPS;
  if (wish.do === 'protect') return protect({ symbol, side, quantity, tag, ...wish.legs });
  const { price, legs, reduceOnly, book } = wish;
  return place({
    symbol,
    side,
    quantity,
    tag,
    type: wish.do,
    ...(book !== 'net' && { positionSide: book }),
    ...(price !== undefined && (wish.do === 'stop' ? { stopPrice: price } : { price })),
    ...(legs !== undefined && { exits: legs }),
    ...(reduceOnly && { reduceOnly: true }),
  });
}

export const pricesOf = ({ moves }: Life) => {
  let price = 100;
  return moves.map((move) => {
    price = Math.min(118, Math.max(82, price + move));
    return price;
  });
};

/** Millionths. Where spot strategies may sell what they do not hold there are none: what they buy back is then whole steps again. */
function feesOf({ kind, found }: Life) {
  return kind === 'spot' && found > 0 ? { maker: 0, taker: 0 } : { maker: 1000, taker: 2000 };
}

export function byOracle(one: Life) {
  const { kind, deeds, kill } = one;
  const { maker, taker } = feesOf(one);
  const oracle = new LivesOracle(kind, IDS, { maker: BigInt(maker), taker: BigInt(taker) }, kind === 'spot' ? one.found * STEPS : 0);
  pricesOf(one).forEach((price, event) => {
    oracle.tick(event * 10, price);
    const wishes = IDS.flatMap((id, index) => {
      const deed = deeds.find((one) => one.event === event && one.strategy === index);
      const wish = deed && wishOf(kind, deed, price, (book) => oracle.held(id, book), oracle.killed);
      return wish === undefined || oracle.refuses(id, wish) ? [] : [{ id, wish }];
    });
    // What is taken back at the price that triggers it does not go out, and what the engine holds is held at once.
    const first = ({ wish }: { wish: Wish }) => wish.do === 'cancel' || wish.do === 'protect';
    for (const { id, wish } of wishes.filter(first)) oracle.act(id, wish);
    oracle.release(
      wishes.flatMap(({ id, wish }) => (wish.do === 'market' && wish.reduceOnly ? [{ strategy: id, steps: wish.steps }] : [])),
    );
    for (const { id, wish } of wishes) if (!first({ wish })) oracle.act(id, wish);
    oracle.settle();
    if (kill?.event === event) oracle.kill(kill.flatten);
  });
  return oracle;
}

/**
 * What the program makes of a life, and its protective closes that were late: stops whose trigger was reached while their strategy
 * held what they close, and that were still waiting shortly before the next price, and those that were refused.
 */
export async function byProgram(one: Life, { feed = 'ticker', latencyMs = 0 }: { feed?: 'ticker' | 'bar'; latencyMs?: number } = {}) {
  const { kind, deeds, kill } = one;
  const prices = pricesOf(one);
  const { maker, taker } = feesOf(one);
  const spec = { stepSize: '0.001', makerFee: String(maker / 1e6), takerFee: String(taker / 1e6) };
  const traded = kind === 'futures' ? perpetual(spec) : instrument(spec);
  // A bar goes a tick beyond the prices that it leads from and to.
  const ranges = prices.map((price, event): readonly [low: number, high: number] => {
    const before = prices[Math.max(0, event - 1)]!;
    return feed === 'bar' ? [Math.min(before, price) - 1, Math.max(before, price) + 1] : [price, price];
  });
  const seconds = feed === 'bar' ? 60 : 10;
  const rows = prices.map((price, event): Row => {
    const [low, high] = ranges[event]!;
    return feed === 'bar' ? [event * seconds, prices[Math.max(0, event - 1)]!, high, low, price] : [event * seconds, price];
  });
  /** Seconds at which strategies see a price. */
  const seenAt = (event: number) => (feed === 'bar' ? event + 1 : event) * seconds;
  const fills: Fill[] = [];
  const late: string[] = [];
  const signed = (self: Scripted, book: Book) => {
    const { side, quantity } = self.held(traded.symbol, book === 'net' ? undefined : book);
    const steps = Math.round(quantity * STEPS);
    return side === 'short' && book === 'net' ? -steps : steps;
  };
  const result = await simulateRun(
    plan({
      sources: [{ instrument: traded, kind: feed, open: () => ({ ...series(feed, rows), quantityDecimals: 3 }) }],
      kind,
      fills: { limit: 'touch', liquidity: 'unlimited' },
      latency: { entryMs: latencyMs, cancelMs: latencyMs, responseMs: latencyMs },
      balances: { USDT: '100000000', ...(kind === 'spot' && { BTC: String(one.found) }) },
      strategies: IDS.map((id, index) => {
        let seen = 0;
        return {
          id,
          symbols: [traded.symbol],
          params: {},
          create: (context) => {
            const act = (self: Scripted, price: number) => {
              const event = seen++;
              const killed = kill !== undefined && event > kill.event;
              const deed = deeds.find((one) => one.event === event && one.strategy === index);
              const wish = deed && wishOf(kind, deed, price, (book) => signed(self, book), killed);
              return wish === undefined ? [] : [intentOf(traded.symbol, wish)];
            };
            return new Scripted(context, { onTicker: (self, { last }) => act(self, last), onBar: (self, { close }) => act(self, close) });
          },
        };
      }),
    }),
    {
      observe: (engine, clock, state) => {
        engine.account$.subscribe((event) => {
          if (event.kind === 'orderFilled') fills.push(event.fill);
          if (event.kind === 'exitRefused' || event.kind === 'exitDelayed') late.push(`${secondsOf(event.time)} ${event.kind}`);
        });
        for (const [event, range] of ranges.entries()) {
          clock.schedule(at(seenAt(event) + 9), () =>
            late.push(...waiting(state, range, at(event * seconds)).map((tag) => `${event * seconds} ${tag}`)),
          );
        }
        if (kill === undefined) return;
        const command = { kind: 'command', command: 'kill', flatten: kill.flatten, reason: '' } as const;
        clock.schedule(at(seenAt(kill.event) + 1), () => engine.receive(command));
      },
    },
  );
  if (result.failure !== undefined) throw result.failure.error;
  return { fills, late, state: result.state, run: result };
}

/** Tags of stops that wait although prices since `time` were beyond their trigger and their strategy holds what they close. */
function waiting(state: ReadonlyState, [low, high]: readonly [low: number, high: number], time: number): string[] {
  return [...state.openOrders.values()].flatMap(({ request, stopTicks, strategyId, tag, submittedTime }) => {
    const { side, positionSide, reduceOnly, instrument: of } = request;
    // What is given after a price is judged by the next one.
    if (submittedTime > time) return [];
    if (!reduceOnly || stopTicks === undefined || (side === 'sell' ? low > stopTicks : high < stopTicks)) return [];
    const { steps } = state.books.get(strategyId)!.position(of, positionSide);
    return (side === 'sell' ? steps > 0 : steps < 0) ? [tag] : [];
  });
}

const line = ({ at: time, side, book, price, steps, fee, maker, tag }: Omit<OracleFill, 'strategy'>) =>
  `${time} ${side} ${book} ${steps} at ${price} ${maker ? 'maker' : 'taker'} fee ${fee} ${tag}`;

export function linesOf(fills: readonly OracleFill[], id: string) {
  return fills.filter(({ strategy }) => strategy === id).map(line);
}
export function told(fills: readonly Fill[], id: string) {
  return fills
    .filter(({ strategyId }) => strategyId === id)
    .map(({ time, side, positionSide, priceTicks, steps, fee, liquidity, tag }) =>
      line({
        // A kill comes a second after a price.
        at: Math.floor(secondsOf(time) / 10) * 10,
        side,
        book: positionSide,
        price: priceTicks,
        steps,
        fee: BigInt(fee.times(1e9).toFixed(0)),
        maker: liquidity === 'maker',
        tag,
      }),
    );
}
