import type { Exits, Intent } from '../../src/model/intents.ts';
import type { Ticker } from '../../src/model/market-events.ts';
import { Random } from '../../src/model/random.ts';
import { cancel, place, protect } from '../../src/strategy/intents.ts';
import { type Intents, Strategy } from '../../src/strategy/strategy.ts';
import { changed } from '../parity/mixed-trader.ts';

/** Ticks around the last price that limits lie within. */
const SPREAD = 0.002;

/** Does a bit of everything, by a seed and the number of tickers it has seen; after a restart it goes on from what it saved. */
export class RandomTrader extends Strategy {
  #seen = 0;

  get #seed(): number {
    return (this.params as { seed: number }).seed;
  }

  save(): unknown {
    return { seen: this.#seen };
  }

  restore(saved: unknown): void {
    this.#seen = (saved as { seen: number }).seen;
  }

  override onTicker(ticker: Ticker): Intents {
    const { resting, idle = 0.4, burst = 1 } = this.params as { resting: (now: number) => boolean; idle?: number; burst?: number };
    const random = new Random(this.#seed, `ticker ${this.#seen++}`);
    if (resting(this.now) || random.uniform() < idle) return undefined;
    const count = burst * (random.uniform() < 0.3 ? 3 : 1);
    return Array.from({ length: count }, () => this.#act(ticker, random)).filter((intent) => intent !== undefined);
  }

  #act(ticker: Ticker, random: Random): Intent | undefined {
    const { symbol, last } = ticker;
    const draw = random.uniform();
    if (symbol.endsWith('-PERP')) return this.#contract(ticker, random, draw);
    if (draw < 0.18) {
      const [oldest] = this.orders(symbol);
      if (draw < 0.04) return cancel({ symbol });
      return oldest && (draw < 0.11 ? cancel({ clientOrderId: oldest.clientOrderId }) : changed(oldest, last, random));
    }
    const held = this.position(symbol).quantity;
    if (draw < 0.24)
      return held > 0.002
        ? protect({ symbol, side: 'sell', quantity: held, ...stop(last, last * 0.999, random), takeProfit: last * 1.001 })
        : undefined;
    const side = random.uniform() < (held > 0.05 ? 0.3 : 0.6) ? 'buy' : 'sell';
    const quantity = (0.001 + random.uniform() * 0.02).toFixed(4);
    if (side === 'sell' && held < Number(quantity)) return undefined;
    const order = { symbol, side, quantity } as const;
    if (draw < 0.38) return place({ ...order, type: 'market' });
    if (draw < 0.44 && side === 'buy')
      return place({ symbol, side, type: 'market', quoteQuantity: (50 + random.uniform() * 500).toFixed(2) });
    const price = last * (1 + (random.uniform() - 0.5) * 2 * SPREAD);
    if (draw < 0.54) return place({ ...order, type: 'limit', price, timeInForce: 'IOC' });
    if (draw < 0.6) return place({ ...order, type: 'limit', price, timeInForce: 'FOK' });
    if (draw < 0.72) return place({ ...order, type: 'limit', price, postOnly: true });
    if (draw < 0.78) return place({ ...order, type: 'stop', stopPrice: side === 'buy' ? last * 1.0005 : last * 0.9995 });
    const exits = side === 'buy' && draw > 0.9 ? { ...stop(last, price * 0.998, random), takeProfit: price * 1.002 } : undefined;
    return place({ ...order, type: 'limit', price, exits });
  }

  /** Opens and closes long and short side by side. */
  #contract({ symbol, last }: Ticker, random: Random, draw: number): Intent | undefined {
    if (draw < 0.2) {
      const orders = this.orders(symbol);
      const one = orders[Math.floor(random.uniform() * orders.length)];
      if (draw < 0.03) return cancel({ symbol });
      return one && (draw < 0.12 ? cancel({ clientOrderId: one.clientOrderId }) : changed(one, last, random));
    }
    const positionSide = random.uniform() < 0.5 ? 'long' : 'short';
    const held = this.position(symbol, positionSide).quantity;
    const unit = symbol.startsWith('BTC') ? 0.02 : 0.4;
    const opens = Math.abs(held) < 0.0001 || random.uniform() < (Math.abs(held) > 3 * unit ? 0.2 : 0.5);
    const side = opens === (positionSide === 'long') ? 'buy' : 'sell';
    const up = side === 'buy' ? 1 : -1;
    const whole = !opens && random.uniform() < 0.5;
    const quantity = whole ? Math.abs(held).toFixed(4) : (0.001 + random.uniform() * unit).toFixed(4);
    const order = { symbol, side, positionSide, quantity } as const;
    if (draw < 0.26 && !opens) {
      return protect({
        symbol,
        side,
        quantity: Math.abs(held),
        ...stop(last, last * (1 + up * 0.001), random),
        takeProfit: last * (1 - up * 0.001),
      });
    }
    const stopPrice = last * (1 + up * random.uniform() * 0.002);
    const exits =
      opens && random.uniform() < 0.3 ? { ...stop(last, last * (1 - up * 0.002), random), takeProfit: last * (1 + up * 0.002) } : undefined;
    if (draw < 0.55) return place({ ...order, type: 'market', exits });
    if (draw < 0.75) return place({ ...order, type: 'limit', price: last * (1 + (random.uniform() - 0.5) * 2 * SPREAD), exits });
    if (draw < 0.9) return place({ ...order, type: 'stop', stopPrice });
    return place({ ...order, type: 'stopLimit', stopPrice, price: stopPrice * (1 + up * 0.0005) });
  }
}

/** A stop at a price, or one that trails by a distance of its own. */
function stop(last: number, stopLoss: number, random: Random): Exits {
  return random.uniform() < 0.4 ? { trailBy: last * (0.0003 + random.uniform() * 0.002) } : { stopLoss };
}
