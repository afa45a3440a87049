import { cancel, place, Sma, Strategy } from '../../dist/index.js';

/** The bare loop's strategy as a user would write it. */
export class QuoteCross extends Strategy {
  fast = new Sma(this.params.fast);
  slow = new Sma(this.params.slow);
  #symbol = this.symbols[0];
  #held = false;

  onQuote(quote) {
    const price = quote.bidTicks + quote.askTicks;
    this.fast.update(price);
    this.slow.update(price);
    if (!this.slow.ready) return undefined;
    const sign = this.fast.compare(this.slow);
    if (sign > 0 && !this.#held) return this.#go('buy');
    if (sign < 0 && this.#held) return this.#go('sell');
    return undefined;
  }

  #go(side) {
    this.#held = side === 'buy';
    return place({ symbol: this.#symbol, side, type: 'market', quantity: this.params.steps });
  }
}

/** Plots two values at every quote. */
export class PlottedCross extends QuoteCross {
  onQuote(quote) {
    this.plot('bid', quote.bidTicks);
    this.plot('ask', quote.askTicks, { pane: 'ask' });
    return super.onQuote(quote);
  }
}

/** Receives events and does nothing. */
export class Idle extends Strategy {
  onQuote() {
    return undefined;
  }
}

/** The bare loop's strategy on the closes of bars. */
export class BarCross extends Strategy {
  static needs = { bars: '1m' };
  fast = new Sma(this.params.fast);
  slow = new Sma(this.params.slow);

  onBar(bar) {
    this.fast.update(bar.closeTicks);
    this.slow.update(bar.closeTicks);
    if (!this.slow.ready) return undefined;
    const up = this.fast.compare(this.slow) > 0;
    const held = this.position(bar.symbol).quantity;
    if (up === held > 0) return undefined;
    return place({ symbol: bar.symbol, side: up ? 'buy' : 'sell', type: 'market', quantity: up ? this.params.steps : held });
  }
}

/** Always on one side of a futures account: closes the one and opens the other where the averages cross. */
export class HedgedCross extends Strategy {
  fast = new Sma(this.params.fast);
  slow = new Sma(this.params.slow);
  #symbol = this.symbols[0];
  #side;

  onQuote(quote) {
    const price = quote.bidTicks + quote.askTicks;
    this.fast.update(price);
    this.slow.update(price);
    if (!this.slow.ready) return undefined;
    const side = this.fast.compare(this.slow) > 0 ? 'long' : 'short';
    if (side === this.#side) return undefined;
    const left = this.#side;
    this.#side = side;
    const order = { symbol: this.#symbol, type: 'market', quantity: this.params.steps };
    const opening = place({ ...order, side: side === 'long' ? 'buy' : 'sell', positionSide: side });
    if (left === undefined) return opening;
    return [place({ ...order, side: left === 'long' ? 'sell' : 'buy', positionSide: left }), opening];
  }
}

/** Quotes at the best bid and ask of an order book, anew every second where they have moved, while it holds no more than `most`. */
export class DepthQuoter extends Strategy {
  #symbol = this.symbols[0];
  #bid = 0;
  #ask = 0;
  #next = 0;

  onDepth({ time }) {
    if (time < this.#next) return undefined;
    this.#next = time + 1_000;
    const { book } = this.market(this.#symbol);
    const { bidTicks, askTicks } = book;
    if (bidTicks === this.#bid && askTicks === this.#ask) return undefined;
    this.#bid = bidTicks;
    this.#ask = askTicks;
    const { side, quantity } = this.position(this.#symbol);
    const held = side === 'short' ? -quantity : quantity;
    const order = { symbol: this.#symbol, type: 'limit', quantity: this.params.quantity, postOnly: true };
    const intents = [cancel()];
    if (held < this.params.most) intents.push(place({ ...order, side: 'buy', price: bidTicks }));
    if (held > -this.params.most) intents.push(place({ ...order, side: 'sell', price: askTicks }));
    return intents;
  }
}
