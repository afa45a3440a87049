import { type Bar, type Fill, type Intents, Strategy, z } from 'tidegate';

const Params = z.object({
  share: z.number().positive().max(0.95).default(0.5).describe('share of the equity to put into one position'),
});

/** Describe in one sentence when it buys and when it sells. */
export class Empty extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1h' };

  /** Called when a bar has closed. Return an intent, several, or nothing: `place`, `cancel`, `amend`, `protect`. */
  onBar(bar: Bar): Intents {
    this.log.info('bar', { symbol: bar.symbol, close: bar.close, held: this.position(bar.symbol).quantity });
    return undefined;
  }

  /** Called for each fill of the strategy's own orders. */
  onFill(fill: Fill): Intents {
    this.log.info('filled', { symbol: fill.symbol, side: fill.side, price: fill.price });
    return undefined;
  }
}
