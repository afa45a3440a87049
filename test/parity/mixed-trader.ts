import type { OrderEvent, TimerFired } from '../../src/model/account-events.ts';
import type { Exits, Intent } from '../../src/model/intents.ts';
import type { Ticker } from '../../src/model/market-events.ts';
import { Random } from '../../src/model/random.ts';
import type { OrderView } from '../../src/state/order.ts';
import { amend, cancel, place, protect, setTimer } from '../../src/strategy/intents.ts';
import { type Intents, Strategy } from '../../src/strategy/strategy.ts';

/** How far around the last price limits lie, as a share of it. */
const REACH = 0.002;

/**
 * Does a bit of everything, by a seed and the number of events it has seen: all kinds of orders in batches over both
 * symbols, linked exits, cancels, timers beside the grid, answers to fills and to ends, and what risk denies.
 */
export class MixedTrader extends Strategy {
  #seen = 0;

  override onStart(): Intents {
    return [
      setTimer({ name: 'beside', at: this.now + 3_377, everyMs: 7_919 }),
      setTimer({ name: 'grid', at: this.now + 10_000, everyMs: 10_000 }),
    ];
  }

  override onTicker(ticker: Ticker): Intents {
    const random = this.#draw();
    if (random.uniform() < 0.45) return undefined;
    const count = random.uniform() < 0.4 ? 1 + Math.floor(random.between(1, 4)) : 1;
    return Array.from({ length: count }, () => this.act(ticker.symbol, random)).flat();
  }

  override onTimer({ name }: TimerFired): Intents {
    const random = this.#draw();
    if (random.uniform() < 0.5) return undefined;
    const symbol = name === 'grid' ? this.symbols[0]! : this.symbols.at(-1)!;
    return this.act(symbol, random);
  }

  override onOrder(event: OrderEvent): Intents {
    if (event.kind !== 'orderCanceled' && event.kind !== 'orderExpired' && event.kind !== 'orderAccepted') return undefined;
    const random = this.#draw();
    if (random.uniform() > (event.kind === 'orderAccepted' ? 0.06 : 0.2)) return undefined;
    return this.act(this.symbols[Math.floor(random.uniform() * this.symbols.length)]!, random);
  }

  override onFill(): Intents {
    const random = this.#draw();
    return random.uniform() < 0.2 ? this.act(this.symbols[0]!, random) : undefined;
  }

  #draw(): Random {
    return new Random((this.params as { seed: number }).seed, `event ${this.#seen++}`);
  }

  protected act(symbol: string, random: Random): Intent[] {
    const last = this.market(symbol).last ?? Number.NaN;
    const draw = random.uniform();
    const open = this.orders(symbol);
    if (!(last > 0)) return [];
    if (draw < 0.1) return [cancel({ symbol })];
    if (draw < 0.15) return open.slice(0, 2).map(({ clientOrderId, ref }) => cancel(ref === '' ? { clientOrderId } : { ref }));
    if (draw < 0.2) return open.slice(0, 2).map((order) => changed(order, last, random));
    const held = this.position(symbol).quantity;
    if (draw < 0.26) {
      const stop = random.uniform() < 0.5 ? { stopLoss: last * 0.9985 } : { trailBy: last * 0.001 };
      return held > 0.002 ? [protect({ symbol, side: 'sell', quantity: held, ...stop, takeProfit: last * 1.0015 })] : [];
    }
    // More than there is of anything, and a quantity below the step: risk says no.
    if (draw < 0.29) return [place({ symbol, side: 'buy', type: 'limit', price: last, quantity: '1000' })];
    if (draw < 0.31) return [place({ symbol, side: 'buy', type: 'market', quantity: '0.00000001' })];
    const side = random.uniform() < (held > 0.05 ? 0.3 : 0.6) ? 'buy' : 'sell';
    const quantity = (0.001 + random.uniform() * 0.04).toFixed(4);
    const order = { symbol, side, quantity, tag: `t${Math.floor(draw * 100)}`, ref: `r${Math.floor(draw * 30)}` } as const;
    if (draw < 0.4) return [place({ ...order, type: 'market' })];
    if (draw < 0.46) return [place({ symbol, side: 'buy', type: 'market', quoteQuantity: (50 + random.uniform() * 900).toFixed(2) })];
    const price = last * (1 + (random.uniform() - 0.5) * 2 * REACH);
    if (draw < 0.53) return [place({ ...order, type: 'limit', price, timeInForce: 'IOC' })];
    if (draw < 0.6) return [place({ ...order, type: 'limit', price, timeInForce: 'FOK' })];
    if (draw < 0.7) return [place({ ...order, type: 'limit', price, postOnly: true })];
    if (draw < 0.76) return [place({ ...order, type: 'stop', stopPrice: side === 'buy' ? last * 1.0005 : last * 0.9995 })];
    const exits = side === 'buy' && draw > 0.88 ? exitsAt(price, last, draw) : undefined;
    return [place({ ...order, type: 'limit', price, exits })];
  }
}

/** Another price of an order, another total, or both. */
export function changed({ clientOrderId, price, totalQuantity }: OrderView, last: number, random: Random): Intent {
  const moved = random.uniform() < 0.7 ? (price ?? last) * (1 + (random.uniform() - 0.5) * REACH) : undefined;
  const quantity = moved === undefined || random.uniform() < 0.5 ? totalQuantity * (0.5 + random.uniform()) : undefined;
  return amend({ clientOrderId, price: moved, quantity });
}

/** Exits at prices or relative to the fill, with a take profit that waits or rests. */
function exitsAt(price: number, last: number, draw: number): Exits {
  if (draw > 0.97)
    return {
      stopLoss: { percent: 0.2 },
      trail: { percent: 0.1, activateAt: { percent: 0.05 } },
      takeProfit: { percent: 0.2, maker: true },
    };
  if (draw > 0.94) return { trailBy: last * 0.001, takeProfit: price * 1.002 };
  return { stopLoss: price * 0.998, takeProfit: price * 1.002 };
}
