import { cancel, place, Strategy, type Ticker, z } from 'tidegate';

const BASIS_POINT = 1e-4;

const Params = z.object({
  quantity: z.number().positive().default(0.01).describe('base units bid for, and offered'),
  spreadBps: z.number().positive().default(6).describe('distance of each quote from the last price, in basis points'),
  requoteBps: z.number().positive().default(4).describe('move of the last price after which both quotes are renewed'),
});

/** Keeps a post-only bid and a post-only offer around the last price of a ticker. */
export class MarketMaker extends Strategy<typeof Params> {
  static params = Params;
  /** The last price that each symbol was quoted around. */
  readonly quoted = new Map<string, number>();

  onTicker({ symbol, last }: Ticker) {
    const before = this.quoted.get(symbol);
    const open = this.orders(symbol);
    const isNear = before !== undefined && Math.abs(last / before - 1) < this.params.requoteBps * BASIS_POINT;
    if (open.length === 2 && isNear) return undefined;
    // New quotes follow once the old ones have ended and cannot fill any more.
    if (open.length > 0) return isNear ? undefined : cancel({ symbol });
    this.quoted.set(symbol, last);
    return this.quotes(symbol, last);
  }

  /** A bid and an offer, or only one if the account cannot pay for the other. */
  quotes(symbol: string, price: number) {
    const { quantity, spreadBps } = this.params;
    const { base, quote } = this.instrument(symbol);
    const order = { symbol, type: 'limit', quantity, postOnly: true } as const;
    const [bid, offer] = [price * (1 - spreadBps * BASIS_POINT), price * (1 + spreadBps * BASIS_POINT)];
    return [
      ...(this.account.balance(quote).available >= quantity * bid ? [place({ ...order, side: 'buy', price: bid, tag: 'bid' })] : []),
      ...(this.account.balance(base).available >= quantity ? [place({ ...order, side: 'sell', price: offer, tag: 'offer' })] : []),
    ];
  }
}
