import { type Bar, type Intents, place, Strategy, z } from 'tidegate';
import { RSI, SMA, TEMA } from 'trading-signals';

/** Bars of history before the run begins: the RSI and the TEMA settle within them. */
const HISTORY = 100;

const Params = z.object({
  stakePercent: z.number().positive().max(100).default(45).describe('size of an entry, in percent of the equity'),
  buyRsi: z.number().min(1).max(50).default(30).describe('the RSI crosses this level from below: entry'),
  sellRsi: z.number().min(50).max(100).default(70).describe('the RSI crosses this level from below: exit'),
  roi: z
    .array(z.object({ after: z.string(), profit: z.number() }))
    .default([
      { after: '0m', profit: 0.04 },
      { after: '30m', profit: 0.02 },
      { after: '60m', profit: 0.01 },
    ])
    .describe('the profit that closes a position, as a fraction, from each age on'),
  stopPercent: z.number().positive().default(10).describe('stop loss, in percent below the entry'),
  trailPercent: z.number().positive().default(1).describe('distance of the trailing stop, in percent of the highest price'),
  trailFrom: z.number().positive().default(2).describe('profit in percent from which the stop trails'),
});

/**
 * Buys when the RSI leaves the oversold zone, with an ROI table and a trailing stop that begins in profit. The rules are
 * those of `SampleStrategy`, which comes with freqtrade, with `trailing_stop`, `trailing_stop_positive: 0.01`,
 * `trailing_stop_positive_offset: 0.02` and `trailing_only_offset_is_reached`. Both are `exits` of the entry here.
 *
 * The differences: orders are market orders, which fill at the next open of a minute. Exits are checked inside each minute,
 * and not once a candle of five minutes. A TEMA begins with its first value, and not with an average as in TA-Lib.
 */
export class RoiTrailing extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '5m', history: HISTORY };
  readonly indicators = new Map(
    this.symbols.map((symbol) => {
      const of = { symbol, bars: '5m' };
      const typicalPrice = ({ high, low, close }: Bar) => (high + low + close) / 3;
      const rsi = this.indicator(new RSI(14), of);
      const tema = this.indicator(new TEMA(9), of);
      return [symbol, { rsi, tema, middle: this.indicator(new SMA(20), { ...of, input: typicalPrice }) }];
    }),
  );

  onBar({ symbol }: Bar): Intents {
    const signal = this.signalOf(symbol);
    const { quantity } = this.position(symbol);
    if (quantity > 0) {
      return signal === 'sell' ? place({ symbol, side: 'sell', type: 'market', quantity, reduceOnly: true, tag: 'signal' }) : undefined;
    }
    if (signal !== 'buy') return;
    const { stakePercent, roi, stopPercent, trailPercent, trailFrom } = this.params;
    const exits = {
      steps: roi,
      stopLoss: { percent: stopPercent },
      trail: { percent: trailPercent, activateAt: { percent: trailFrom } },
    };
    return place({ symbol, side: 'buy', type: 'market', quantity: { percentOfEquity: stakePercent }, exits, tag: 'dip' });
  }

  /** The signal at the newest bar. Below the middle band a rising TEMA confirms the entry, above it a falling one the exit. */
  signalOf(symbol: string): 'buy' | 'sell' | undefined {
    const { rsi, tema, middle } = this.indicators.get(symbol)!;
    const [before, now] = [rsi.previous, rsi.value];
    if (before === undefined || now === undefined || tema.previous === undefined || tema.value === undefined) return;
    if (middle.value === undefined) return;
    const { buyRsi, sellRsi } = this.params;
    const crosses = (level: number) => before <= level && now > level;
    if (crosses(buyRsi) && tema.value <= middle.value && tema.value > tema.previous) return 'buy';
    return crosses(sellRsi) && tema.value > middle.value && tema.value < tema.previous ? 'sell' : undefined;
  }
}
