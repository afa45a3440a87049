import { type Bar, place, Strategy } from 'tidegate';

/** Sends a market order on every bar: buys when flat, sells what it holds. */
export class EveryBar extends Strategy {
  static needs = { bars: '1m' };

  onBar({ symbol }: Bar) {
    const held = this.position(symbol).quantity;
    return place({ symbol, side: held > 0 ? 'sell' : 'buy', type: 'market', quantity: '1' });
  }
}
