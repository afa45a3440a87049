import fc from 'fast-check';
import type { FillSettings } from '../../src/matching/settings.ts';
import type { AccountEvent } from '../../src/model/account-events.ts';
import type { Intent } from '../../src/model/intents.ts';
import type { MarketEvent } from '../../src/model/market-events.ts';
import { cancel, place, protect } from '../../src/strategy/intents.ts';
import { instrument, type PlanOptions, perpetual, type Row, run, Scripted, secondsOf, series } from '../builders.ts';

export const KINDS = ['spot', 'netting', 'futures'] as const;
export const IDS = ['a', 'b', 'c'] as const;

/** What a strategy does when it has seen so many prices, relative to the price it sees. */
interface Action {
  readonly event: number;
  readonly do: (typeof DEEDS)[number];
  readonly buy: boolean;
  readonly quantity: number;
  readonly offset: number;
  readonly reach: number;
  readonly exits: 'stop' | 'target' | 'both' | 'trail' | 'trail and target' | 'trail from a stop';
  readonly force: 'GTC' | 'GTC' | 'IOC' | 'FOK';
  readonly positionSide: 'long' | 'short' | undefined;
}
const DEEDS = [
  'enter',
  'rest',
  'market',
  'limit',
  'stop',
  'stopLimit',
  'close',
  'half',
  'sell out',
  'protect',
  'cancel',
  'cancel one',
] as const;

const action: fc.Arbitrary<Action> = fc.record({
  event: fc.integer({ min: 0, max: 30 }),
  // Entries with exits twice: they are what the others could disturb.
  do: fc.constantFrom<Action['do']>('enter', 'enter', 'rest', ...DEEDS),
  // Mostly on one side, where closes meet what others hold.
  buy: fc.constantFrom(true, true, false),
  quantity: fc.integer({ min: 1, max: 12 }),
  offset: fc.integer({ min: -5, max: 5 }),
  reach: fc.integer({ min: 1, max: 6 }),
  exits: fc.constantFrom('stop', 'target', 'both', 'trail', 'trail and target', 'trail from a stop'),
  force: fc.constantFrom('GTC', 'GTC', 'IOC', 'FOK'),
  positionSide: fc.constantFrom(undefined, undefined, 'long', 'short'),
});

/** A walk that comes back, so that stops, targets and limits are reached. */
const walk = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 8, maxLength: 32 }).map((moves) => {
  let price = 100;
  return moves.map((move) => {
    price = Math.min(120, Math.max(80, price + move + (price > 108 ? -1 : price < 92 ? 1 : 0)));
    return price;
  });
});

const FEEDS = {
  ticker: walk.map((prices) => prices.map((price, index): Row => [index * 10, price])),
  quote: walk.map((prices) => prices.map((price, index): Row => [index * 10, price, price + 1 + (index % 2)])),
  bar: fc.array(fc.tuple(...[0, 1, 2, 3].map(() => fc.integer({ min: 92, max: 108 }))), { minLength: 4, maxLength: 20 }).map((bars) =>
    bars.map((prices, index): Row => {
      const [open, , , close] = prices as [number, number, number, number];
      return [index * 60, open, Math.max(...prices), Math.min(...prices), close];
    }),
  ),
};

export const life = (kind: (typeof KINDS)[number]) =>
  fc.constantFrom<keyof typeof FEEDS>('ticker', 'quote', 'bar').chain((feed) =>
    fc.record({
      kind: fc.constant(kind),
      feed: fc.constant(feed),
      rows: FEEDS[feed],
      path: fc.constantFrom<FillSettings['path']>('ohlc', 'olhc'),
      exits: fc.constantFrom<'nextBar' | 'entryBar'>('nextBar', 'entryBar'),
      profile: fc.constantFrom<'full' | 'exchange'>(...(kind === 'futures' ? (['full', 'exchange'] as const) : (['full'] as const))),
      latencyMs: fc.constantFrom(0, 0, 400, 12_000),
      feedMs: feed === 'bar' ? fc.constant(0) : fc.constantFrom(0, 0, 300),
      actions: fc.tuple(...IDS.map(() => fc.array(action, { minLength: 2, maxLength: 14 }))),
    }),
  );
type Life = typeof life extends (kind: 'spot') => fc.Arbitrary<infer T> ? T : never;

/** A strategy's own view is all it goes by. */
function intentsOf(self: Scripted, one: Action, symbol: string, mark: number): Intent | Intent[] {
  const { buy, quantity, offset, reach, exits, force, positionSide } = one;
  const side = buy ? 'buy' : 'sell';
  const tag = `${one.event}`;
  const sides = symbol.endsWith('-PERP') && positionSide !== undefined ? { positionSide } : {};
  const base = { symbol, side, quantity, tag, ...sides } as const;
  const here = Math.round(mark);
  const away = buy ? -reach : reach;
  const legs = {
    ...((exits === 'stop' || exits === 'both' || exits === 'trail from a stop') && { stopLoss: here + away }),
    ...((exits === 'target' || exits === 'both' || exits === 'trail and target') && { takeProfit: here - away }),
    ...(exits.startsWith('trail') && { trailBy: reach }),
  };
  const held = self.held(symbol);
  const closing = { symbol, side: held.side === 'short' ? 'buy' : 'sell', tag: `${tag} close` } as const;
  switch (one.do) {
    case 'enter':
      return place({ ...base, type: 'market', exits: legs });
    case 'rest':
      return place({ ...base, type: 'limit', price: here + offset, exits: legs });
    case 'market':
      return place({ ...base, type: 'market' });
    case 'limit':
      return place({ ...base, type: 'limit', price: here + offset, timeInForce: force });
    case 'stop':
      return place({ ...base, type: 'stop', stopPrice: here + offset });
    case 'stopLimit':
      return place({ ...base, type: 'stopLimit', stopPrice: here + offset, price: here + offset + (buy ? 1 : -1) });
    case 'close':
      return place({ ...base, type: 'market', reduceOnly: true });
    case 'half':
      if (held.side === 'flat') return [];
      return place({
        ...closing,
        type: 'limit',
        price: here + (held.side === 'long' ? reach : -reach),
        quantity: Math.ceil(held.quantity / 2),
        reduceOnly: true,
      });
    case 'sell out':
      if (held.side === 'flat') return [];
      return [cancel(), place({ ...closing, type: 'market', quantity: held.quantity, reduceOnly: true })];
    case 'protect':
      if (held.side === 'flat') return [];
      return protect({
        ...closing,
        quantity: held.quantity,
        stopLoss: here + (held.side === 'long' ? -reach : reach),
        takeProfit: here + (held.side === 'long' ? reach : -reach),
      });
    case 'cancel':
      return cancel();
    case 'cancel one': {
      const orders = self.open(symbol);
      const order = orders[quantity % Math.max(1, orders.length)];
      return order === undefined ? [] : cancel({ clientOrderId: order.clientOrderId });
    }
  }
}

/** A fresh plan in which these of the life's strategies trade. */
export function planOf({ kind, feed, rows, path, exits, profile, latencyMs, feedMs, actions }: Life, ids: readonly string[]): PlanOptions {
  const fees = { stepSize: '1', makerFee: '0.0007', takerFee: '0.0013' };
  const traded = kind === 'futures' ? perpetual(fees) : instrument({ ...fees, stepSize: '0.1' });
  return {
    sources: [{ instrument: traded, kind: feed, open: () => series(feed, rows) }],
    kind,
    profile,
    fills: { path, limit: 'touch', liquidity: 'unlimited' },
    exits,
    latency: { entryMs: latencyMs, cancelMs: latencyMs, responseMs: latencyMs, feedMs },
    balances: { USDT: '100000000', ...(kind === 'spot' && { BTC: '100000' }) },
    strategies: IDS.flatMap((id, index) => {
      if (!ids.includes(id)) return [];
      const own = actions[index]!;
      let seen = 0;
      const act = (self: Scripted, { symbol }: MarketEvent): Intent[] => {
        const event = seen++;
        const { mark } = self.world.market(traded);
        return own.filter((one) => one.event === event).flatMap((one) => intentsOf(self, one, symbol, mark));
      };
      return [
        {
          id,
          symbols: [traded.symbol],
          params: {},
          create: (context) => new Scripted(context, { onBar: act, onQuote: act, onTicker: act }),
        },
      ];
    }),
  };
}

/** The fills of each strategy, and what was refused it, as lines. */
export async function traded(life: Life, ids: readonly string[]): Promise<Map<string, string[]>> {
  const { events, fills } = await run(planOf(life, ids));
  const lines = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const fill of fills) {
    const { time, side, positionSide, price, quantity, fee, feeAsset, liquidity, tag, strategyId } = fill;
    lines
      .get(strategyId)!
      .push(`${secondsOf(time)} ${side} ${positionSide} ${quantity} at ${price}, ${liquidity}, ${fee} ${feeAsset}, ${tag}`);
  }
  for (const line of events.flatMap(denials)) lines.get(line[0])!.push(line[1]);
  return lines;
}

function denials(event: AccountEvent): [string, string][] {
  if (event.kind !== 'orderDenied') return [];
  const { time, strategyId, side, tag, reason } = event;
  return [[strategyId, `${secondsOf(time)} denied ${side} ${tag}: ${reason.code}`]];
}
