import { amend, cancel, type Intent, type Intents, type OrderView, place, protect, Strategy, type Ticker, z } from 'tidegate';

/** Around the last price, as a share of it, within which limits lie. */
const SPREAD = 0.0015;
const MOST_OPEN = 12;

/** Does a bit of everything all the time; after a restart it goes on from what it saved. */
export class Trader extends Strategy<typeof Trader.params> {
  static override readonly params = z.object({
    seed: z.number().default(1),
    resting: z.boolean().default(false).describe('Places nothing more'),
  });
  static override readonly needs = { tickers: true };
  #seen = 0;

  override save(): unknown {
    return { seen: this.#seen };
  }

  override restore(saved: unknown): void {
    this.#seen = (saved as { seen: number }).seen;
  }

  override onTicker(ticker: Ticker): Intents {
    const draw = numbers(this.params.seed * 1_000_003 + this.#seen++);
    if (this.params.resting || draw() < 0.3) return undefined;
    const count = draw() < 0.3 ? 3 : 1;
    return Array.from({ length: count }, () => this.#act(ticker, draw)).filter((intent) => intent !== undefined);
  }

  #act({ symbol, last }: Ticker, draw: () => number): Intent | undefined {
    if (symbol.endsWith('-PERP')) return this.#contract({ symbol, last }, draw);
    // Orders in doubt come to no end in lives that are shorter than the proof takes.
    const open = this.orders(symbol).filter(({ status }) => status !== 'unknown');
    const [oldest] = open;
    const chance = draw();
    if (open.length >= MOST_OPEN || chance < 0.03) return cancel({ symbol });
    if (chance < 0.1) return changed(open, last, draw);
    if (chance < 0.2) return oldest && cancel({ clientOrderId: oldest.clientOrderId });
    const held = this.position(symbol).quantity;
    if (chance < 0.26)
      return held > 0.002 ? protect({ symbol, side: 'sell', quantity: held, stopLoss: last * 0.999, takeProfit: last * 1.001 }) : undefined;
    const side = draw() < (held > 0.1 ? 0.3 : 0.6) ? 'buy' : 'sell';
    const quantity = (0.001 + draw() * 0.02).toFixed(4);
    if (side === 'sell' && held < Number(quantity)) return undefined;
    const order = { symbol, side, quantity } as const;
    if (chance < 0.38) return place({ ...order, type: 'market' });
    if (chance < 0.44 && side === 'buy') return place({ symbol, side, type: 'market', quoteQuantity: (50 + draw() * 500).toFixed(2) });
    const price = last * (1 + (draw() - 0.5) * 2 * SPREAD);
    if (chance < 0.54) return place({ ...order, type: 'limit', price, timeInForce: 'IOC' });
    if (chance < 0.58) return place({ ...order, type: 'limit', price, timeInForce: 'FOK' });
    if (chance < 0.68) return place({ ...order, type: 'limit', price, postOnly: true });
    if (chance < 0.78) return place({ ...order, type: 'stop', stopPrice: side === 'buy' ? last * 1.0005 : last * 0.9995 });
    const exits = side === 'buy' && chance > 0.88 ? { stopLoss: price * 0.998, takeProfit: price * 1.002 } : undefined;
    return place({ ...order, type: 'limit', price, exits });
  }

  /** Opens and closes long and short side by side. */
  #contract({ symbol, last }: Pick<Ticker, 'symbol' | 'last'>, draw: () => number): Intent | undefined {
    const open = this.orders(symbol).filter(({ status }) => status !== 'unknown');
    const chance = draw();
    if (open.length >= MOST_OPEN || chance < 0.03) return cancel({ symbol });
    const [oldest] = open;
    if (chance < 0.1) return changed(open, last, draw);
    if (chance < 0.2) return oldest && cancel({ clientOrderId: oldest.clientOrderId });
    const positionSide = draw() < 0.5 ? 'long' : 'short';
    const held = Math.abs(this.position(symbol, positionSide).quantity);
    const opens = held < 0.001 || draw() < (held > 0.1 ? 0.3 : 0.6);
    const side = opens === (positionSide === 'long') ? 'buy' : 'sell';
    const up = side === 'buy' ? 1 : -1;
    if (chance < 0.26)
      return opens
        ? undefined
        : protect({ symbol, side, quantity: held, stopLoss: last * (1 + up * 0.001), takeProfit: last * (1 - up * 0.001) });
    const quantity = (opens ? 0.001 + draw() * 0.02 : draw() < 0.5 ? held : held * draw()).toFixed(4);
    if (Number(quantity) === 0) return undefined;
    const order = { symbol, side, positionSide, quantity } as const;
    const exits = opens && draw() < 0.3 ? { stopLoss: last * (1 - up * 0.002), takeProfit: last * (1 + up * 0.002) } : undefined;
    const stopPrice = last * (1 + up * draw() * 0.001);
    if (chance < 0.55) return place({ ...order, type: 'market', exits });
    if (chance < 0.8) return place({ ...order, type: 'limit', price: last * (1 + (draw() - 0.5) * 2 * SPREAD), exits });
    if (chance < 0.92) return place({ ...order, type: 'stop', stopPrice });
    return place({ ...order, type: 'stopLimit', stopPrice, price: stopPrice * (1 + up * 0.0005) });
  }
}

/** Another price of the oldest resting limit order, and sometimes another total. */
function changed(open: readonly OrderView[], last: number, draw: () => number): Intent | undefined {
  const order = open.find(({ type, held }) => type === 'limit' && !held);
  const price = last * (1 + (draw() - 0.5) * 2 * SPREAD);
  const quantity = draw() < 0.5 ? (order?.totalQuantity ?? 0) * (0.5 + draw()) : undefined;
  return order && amend({ clientOrderId: order.clientOrderId, price, quantity });
}

/** Numbers between 0 and 1, the same for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
