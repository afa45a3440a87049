import { cancel, place, protect, Strategy, setTimer, z } from 'tidegate';

const Params = z.object({ size: z.string() });

/** Does one thing at each new price, by a fixed list. What it has seen survives a restart. */
export class Steps extends Strategy {
  static params = Params;
  static needs = { tickers: true, bars: '1s' };
  seen = -1;
  last = 0;
  bars = 0;
  timers = 0;

  save() {
    return { seen: this.seen, last: this.last, bars: this.bars, timers: this.timers };
  }

  restore(saved) {
    Object.assign(this, saved);
  }

  onStart() {
    return setTimer({ name: 'beat', at: this.now + 1_000, everyMs: 1_000 });
  }

  onTimer() {
    this.timers++;
  }

  onBar() {
    this.bars++;
  }

  onTicker({ symbol, last }) {
    if (last === this.last) return undefined;
    this.last = last;
    this.seen++;
    this.log.info('seen', { step: this.seen, price: last });
    return this.step(symbol);
  }

  onFill({ tag, instrument: { symbol } }) {
    if (tag !== 'first') return undefined;
    return this.limit(symbol, 'buy', '56000', 'fourth');
  }

  step(symbol) {
    switch (this.seen) {
      case 1:
        return place({ symbol, side: 'buy', type: 'market', quantity: '0.5', tag: 'in' });
      case 2:
        return [
          this.limit(symbol, 'buy', '59000', 'first'),
          this.limit(symbol, 'buy', '58000', 'second'),
          this.limit(symbol, 'buy', '57000', 'third'),
          this.limit(symbol, 'sell', '66000', 'target'),
        ];
      case 3:
        return [
          protect({ symbol, side: 'sell', quantity: '0.2', stopLoss: '50000', takeProfit: '70000', tag: 'safe' }),
          place({ symbol, side: 'buy', type: 'market', quantity: '6', tag: 'too large' }),
        ];
      case 5:
        return cancel({ tag: 'third' });
      case 6:
        return place({ symbol, side: 'buy', type: 'market', quantity: this.params.size, tag: 'more' });
      case 7:
        return this.limit(symbol, 'buy', '55500', 'late');
      default:
        return undefined;
    }
  }

  limit(symbol, side, price, tag) {
    return place({ symbol, side, type: 'limit', price, quantity: this.params.size, tag });
  }
}
