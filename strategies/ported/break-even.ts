import { type Bar, cancel, type Fill, type Intents, place, protect, Strategy, z } from 'tidegate';
import { ADX, ATR, EMA } from 'trading-signals';

/** Bars of history before the run begins: the slowest average settles within them. */
const HISTORY = 400;

const Params = z.object({
  risk: z.number().positive().max(0.5).default(0.02).describe('share of the equity that a stopped trade loses, fees apart'),
  adx: z.number().positive().default(25).describe('strength of a trend from which it is followed'),
  stopRanges: z.number().positive().default(2).describe('distance of the stop loss, in average true ranges (ATR)'),
  profitRanges: z.number().positive().default(3).describe('distance of the take profit of half the position, in ATR'),
});

/**
 * Follows a trend both ways, takes half of the profit, and moves the stop of the rest to the entry price. The rules are
 * those of `TrendSwingTrader`, an example of jesse: averages of 21, 50 and 100 in order and an ADX above 25 open a
 * position; a stop at 2 ATR; half is closed at 3 ATR; then `on_reduced_position` sets the stop to the entry price, and
 * `update_position` lets it follow the close at 2 ATR, never worse than the entry price.
 *
 * The differences: jesse replaces the stop when `self.stop_loss` is set again. Here `cancel` removes the stop and `protect`
 * places another one. The size of a trade is 2 % of the equity at risk, and not 10 % as there.
 */
export class BreakEven extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '15m', history: HISTORY };
  readonly indicators = new Map(
    this.symbols.map((symbol) => {
      const of = { symbol, bars: '15m' };
      const averages = [21, 50, 100].map((length) => this.indicator(new EMA(length), of));
      const adx = this.indicator(new ADX(14), { ...of, input: 'bar' });
      return [symbol, { averages, adx, atr: this.indicator(new ATR(14), { ...of, input: 'bar' }) }];
    }),
  );
  /** Symbols whose first half is closed, with the stop of the rest. */
  reduced = new Map<string, number>();

  save() {
    return [...this.reduced];
  }

  restore(saved: [string, number][]) {
    this.reduced = new Map(saved);
  }

  onBar({ symbol, close }: Bar): Intents {
    const range = this.indicators.get(symbol)!.atr.value;
    if (range === undefined || range === 0) return;
    const trend = this.trendOf(symbol, close);
    const { stopRanges, risk } = this.params;
    const { side, averagePrice } = this.position(symbol);
    if (side === 'flat') {
      if (trend === 0 || this.orders(symbol).length > 0) return;
      const entry = trend > 0 ? ({ side: 'buy', positionSide: 'long' } as const) : ({ side: 'sell', positionSide: 'short' } as const);
      const exits = { stopLoss: { distance: stopRanges * range } };
      return place({ ...entry, symbol, type: 'market', quantity: { risk }, exits, tag: 'swing' });
    }
    if (!this.reduced.has(symbol)) return;
    // The stop of the rest follows the close, and is never worse than the entry price.
    return side === 'long'
      ? this.stopAt(symbol, 'sell', Math.max(close - stopRanges * range, averagePrice))
      : this.stopAt(symbol, 'buy', Math.min(close + stopRanges * range, averagePrice));
  }

  onFill({ symbol, price, quantity, tag }: Fill): Intents {
    const { side, averagePrice } = this.position(symbol);
    if (side === 'flat') {
      this.reduced.delete(symbol);
      return;
    }
    const closing = side === 'long' ? 'sell' : 'buy';
    if (tag === 'half:takeProfit') return this.stopAt(symbol, closing, averagePrice);
    if (tag !== 'swing') return;
    const reach = this.params.profitRanges * this.indicators.get(symbol)!.atr.value!;
    return protect({
      symbol,
      side: closing,
      quantity: quantity / 2,
      takeProfit: side === 'long' ? price + reach : price - reach,
      tag: 'half',
    });
  }

  stopAt(symbol: string, side: 'buy' | 'sell', stopLoss: number): Intents {
    if (this.reduced.get(symbol) === stopLoss) return;
    this.reduced.set(symbol, stopLoss);
    return [cancel({ symbol }), protect({ symbol, side, quantity: this.position(symbol).quantity, stopLoss, tag: 'even' })];
  }

  /** 1 in a strong rise, -1 in a strong fall, else 0. */
  trendOf(symbol: string, close: number): number {
    const { averages, adx } = this.indicators.get(symbol)!;
    if (adx.value === undefined || adx.value <= this.params.adx) return 0;
    // From the price to the slowest average: each below the one before, or each above.
    const line = [close, ...averages.map(({ value = Number.NaN }) => value)];
    if (line.every((one, index) => index === 0 || one < line[index - 1]!)) return 1;
    return line.every((one, index) => index === 0 || one > line[index - 1]!) ? -1 : 0;
  }
}
