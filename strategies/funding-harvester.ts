import { type Fill, type Funding, place, Strategy, z } from 'tidegate';

const Params = z
  .object({
    share: z.number().positive().max(1).default(0.8).describe('share of the spot wallet to put into the coin'),
    settlements: z.int().min(1).default(9).describe('newest funding settlements that the average rate is taken over'),
    enter: z.number().default(0.00005).describe('average rate from which the pair is opened'),
    leave: z.number().default(-0.00005).describe('average rate at or below which the pair is closed'),
  })
  .refine(({ enter, leave }) => leave < enter, 'leave must be below enter, or the pair would be opened and closed in turns');

/**
 * Holds a coin and is short its perpetual by the same amount. The two prices cancel each other, and the result is the
 * funding that longs pay to shorts. The spot leg is opened first, and the hedge follows its fills, so that the pair is
 * never short of the coin. It is closed in the opposite order. Shows two wallets in one account, `onFunding`, and legs
 * that follow each other's fills.
 *
 * An example, and no promise of profit: rates change their sign, and fees on four legs are paid first. A short on
 * margin can be liquidated by a price that rises far while its gain is in the other wallet.
 */
export class FundingHarvester extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1m' };
  readonly rates: number[] = [];
  readonly spot = this.symbols.find((symbol) => !symbol.endsWith('-PERP')) ?? '';
  readonly perpetual = `${this.spot}-PERP`;

  onFunding({ symbol, rate }: Funding) {
    if (symbol !== this.perpetual) return undefined;
    this.rates.push(rate);
    if (this.rates.length > this.params.settlements) this.rates.shift();
    if (this.rates.length < this.params.settlements || this.orders().length > 0) return undefined;
    const average = this.rates.reduce((sum, one) => sum + one, 0) / this.rates.length;
    const hedged = this.position(this.perpetual, 'short').quantity;
    if (hedged === 0 && average >= this.params.enter) return this.buyCoin();
    if (hedged > 0 && average <= this.params.leave) {
      return place({ symbol: this.perpetual, side: 'buy', positionSide: 'short', type: 'market', quantity: hedged, tag: 'unhedge' });
    }
    return undefined;
  }

  onFill({ symbol, side }: Fill) {
    if (symbol === this.spot && side === 'buy') return this.hedge();
    if (symbol === this.perpetual && side === 'buy') return this.sellCoin();
    return undefined;
  }

  buyCoin() {
    const price = this.market(this.spot).last;
    if (price === undefined) return undefined;
    const { quote } = this.instrument(this.spot);
    const quantity = (this.params.share * this.account.balance(quote, 'spot').available) / price;
    return place({ symbol: this.spot, side: 'buy', type: 'market', quantity, tag: 'coin' });
  }

  /** Sells the perpetual for the coins that have arrived and are not hedged yet. The fee of the buy is already taken from them. */
  hedge() {
    const missing = this.position(this.spot).quantity - this.position(this.perpetual, 'short').quantity;
    return missing > 0
      ? place({ symbol: this.perpetual, side: 'sell', positionSide: 'short', type: 'market', quantity: missing, tag: 'hedge' })
      : undefined;
  }

  /** Sells the coins that have no hedge any more. */
  sellCoin() {
    const bare = this.position(this.spot).quantity - this.position(this.perpetual, 'short').quantity;
    return bare > 0 ? place({ symbol: this.spot, side: 'sell', type: 'market', quantity: bare, tag: 'coin' }) : undefined;
  }
}
