import { filter, map, merge, type Observable, pairwise } from 'rxjs';
import { type AccountEvent, type MarketEvent, place, Strategy, z } from 'tidegate';

const Params = z.object({
  fall: z.number().positive().default(0.004).describe('buys after a bar that fell by this fraction'),
  gain: z.number().positive().default(0.006).describe('sells at this fraction above the price of the buy'),
  share: z.number().positive().max(0.95).default(0.3).describe('share of the equity to put into one position'),
});

/** Buys after a bar that fell far, and places a sell for each fill: written as one stream of intents, without hooks. */
export class Streams extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '15m' };

  intents$(market$: Observable<MarketEvent>, account$: Observable<AccountEvent>) {
    return merge(...this.symbols.map((symbol) => merge(this.buys$(symbol, market$), this.sells$(symbol, account$))));
  }

  buys$(symbol: string, market$: Observable<MarketEvent>) {
    return market$.pipe(
      filter((event) => event.kind === 'bar'),
      filter((bar) => bar.symbol === symbol),
      pairwise(),
      filter(([before, bar]) => bar.close < before.close * (1 - this.params.fall)),
      filter(() => this.position(symbol).quantity === 0 && this.orders(symbol).length === 0),
      map(([, { close }]) =>
        place({ symbol, side: 'buy', type: 'market', quantity: (this.params.share * this.account.equity) / close, tag: 'fall' }),
      ),
    );
  }

  sells$(symbol: string, account$: Observable<AccountEvent>) {
    return account$.pipe(
      filter((event) => event.kind === 'orderFilled'),
      map(({ fill }) => fill),
      filter((fill) => fill.symbol === symbol && fill.side === 'buy'),
      map(({ price }) =>
        place({
          symbol,
          side: 'sell',
          type: 'limit',
          price: price * (1 + this.params.gain),
          quantity: this.position(symbol).quantity,
          tag: 'gain',
        }),
      ),
    );
  }
}
