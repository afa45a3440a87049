import { type Bar, type Intents, type OrderEvent, place, Strategy, z } from 'tidegate';
import { RSI } from 'trading-signals';

const HISTORY = 100;

const Params = z.object({
  stake: z.number().positive().default(20_000).describe('quote for one trade with all of its buys'),
  divisor: z.number().positive().default(5.5).describe('the first buy is the stake divided by this'),
  moreBuys: z.int().min(0).default(3).describe('further buys of a trade; each is a quarter of the first buy larger than the one before'),
  dip: z.number().positive().default(0.05).describe('loss against the average price at which a further buy is due, as a fraction'),
  gain: z.number().positive().default(0.05).describe('profit at which half of the position is sold, once a trade'),
  stop: z.number().positive().max(1).default(0.3).describe('stop loss below the price of the first buy, as a fraction'),
  buyRsi: z.number().default(30).describe('the first buy: the RSI is below this'),
  sellRsi: z.number().default(70).describe('the end of a trade in profit: the RSI is above this'),
});

/** Facts of a trade that its position does not have. */
interface Trade {
  /** Price of the first buy. */
  readonly first: number;
  buys: number;
  halved: boolean;
}

/**
 * Buys more when the price falls, and sells half in profit. The rules are those of `DigDeeperStrategy`, the example of
 * `adjust_trade_position` in the documentation of freqtrade: the first buy is a part of the stake; at a loss of 5 % against
 * the average price, and only after a rising candle, a larger buy follows, three times at most; at a profit of 5 % half is
 * sold. The stop loss counts from the first buy. That example leaves entry and exit signals open: here an RSI gives both.
 *
 * The differences: each buy has its own stop at the same price, as exits belong to an entry. Half of the position is half of
 * its coins, and not of the amount that was paid for it.
 */
export class DigDeeper extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '15m', history: HISTORY };
  readonly rsi = new Map(this.symbols.map((symbol) => [symbol, this.indicator(new RSI(14), { symbol, bars: '15m' })]));
  trades = new Map<string, Trade>();

  save() {
    return [...this.trades];
  }

  restore(saved: [string, Trade][]) {
    this.trades = new Map(saved);
  }

  onBar({ symbol, close }: Bar): Intents {
    const rsi = this.rsi.get(symbol)!.value;
    if (rsi === undefined) return;
    const { quantity, averagePrice } = this.position(symbol);
    const { divisor, stake, moreBuys, dip, gain, stop, buyRsi, sellRsi } = this.params;
    const amount = stake / divisor;
    const trade = this.trades.get(symbol);
    if (quantity === 0) {
      if (rsi >= buyRsi) return;
      return place({
        symbol,
        side: 'buy',
        type: 'market',
        quoteQuantity: amount,
        exits: { stopLoss: { percent: stop * 100 } },
        tag: 'first',
      });
    }
    if (trade === undefined) return;
    const profit = close / averagePrice - 1;
    const sell = { symbol, side: 'sell', type: 'market', reduceOnly: true } as const;
    if (rsi > sellRsi && profit > 0) return place({ ...sell, quantity, tag: 'end' });
    if (profit > gain && !trade.halved) return place({ ...sell, quantity: quantity / 2, tag: 'half' });
    const [before] = this.bars(symbol, '15m', 2);
    if (profit > -dip || close < before!.close || trade.buys > moreBuys) return;
    const larger = amount * (1 + trade.buys * 0.25);
    const exits = { stopLoss: trade.first * (1 - stop) };
    return place({ symbol, side: 'buy', type: 'market', quoteQuantity: larger, exits, tag: 'more' });
  }

  onOrder(event: OrderEvent) {
    if (event.kind !== 'orderFilled' || !event.complete) return;
    const { symbol, price, tag } = event.fill;
    const trade = this.trades.get(symbol);
    if (tag === 'first') this.trades.set(symbol, { first: price, buys: 1, halved: false });
    else if (this.position(symbol).quantity === 0) this.trades.delete(symbol);
    else if (trade !== undefined && tag === 'more') trade.buys++;
    else if (trade !== undefined && tag === 'half') trade.halved = true;
  }
}
