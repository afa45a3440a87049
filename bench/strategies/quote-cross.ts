import { place, type Quote, Sma, Strategy, z } from 'tidegate';

const Params = z.object({ fast: z.int(), slow: z.int() });

/** Long while the fast average of mids is above the slow one, else flat. */
export class QuoteCross extends Strategy<typeof Params> {
  static params = Params;
  #fast = new Sma(this.params.fast);
  #slow = new Sma(this.params.slow);

  onQuote(quote: Quote) {
    this.#fast.update(quote.bidTicks + quote.askTicks);
    this.#slow.update(quote.bidTicks + quote.askTicks);
    if (!this.#slow.ready) return;
    const up = this.#fast.compare(this.#slow) > 0;
    const held = this.position(quote.symbol).quantity;
    if (up === held > 0) return;
    return place({ symbol: quote.symbol, side: up ? 'buy' : 'sell', type: 'market', quantity: up ? '1' : held });
  }
}
