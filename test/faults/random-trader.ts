import type { Intent } from '../../src/model/intents.ts';
import type { Ticker } from '../../src/model/market-events.ts';
import { Random } from '../../src/recording/random.ts';
import { cancel, place, protect } from '../../src/strategy/intents.ts';
import { type Intents, Strategy } from '../../src/strategy/strategy.ts';

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
    const { resting } = this.params as { resting: () => boolean };
    const random = new Random(this.#seed, `ticker ${this.#seen++}`);
    if (resting() || random.uniform() < 0.4) return undefined;
    const count = random.uniform() < 0.3 ? 3 : 1;
    return Array.from({ length: count }, () => this.#act(ticker, random)).filter((intent) => intent !== undefined);
  }

  #act(ticker: Ticker, random: Random): Intent | undefined {
    const { symbol, last } = ticker;
    const draw = random.uniform();
    if (draw < 0.18) {
      const [oldest] = this.orders(symbol);
      return draw < 0.04 ? cancel({ symbol }) : oldest && cancel({ clientOrderId: oldest.clientOrderId });
    }
    const held = this.position(symbol).quantity;
    if (draw < 0.24)
      return held > 0.002 ? protect({ symbol, side: 'sell', quantity: held, stopLoss: last * 0.999, takeProfit: last * 1.001 }) : undefined;
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
    const exits = side === 'buy' && draw > 0.9 ? { stopLoss: price * 0.998, takeProfit: price * 1.002 } : undefined;
    return place({ ...order, type: 'limit', price, exits });
  }
}
