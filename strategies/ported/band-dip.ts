import { type Bar, type Intents, place, Strategy, z } from 'tidegate';
import { BollingerBands, RSI } from 'trading-signals';

const Params = z.object({
  stakePercent: z.number().positive().max(100).default(33).describe('size of an entry, in percent of the equity'),
  buyRsi: z.number().default(30).describe('entry: the RSI is below this, and the close below the lower band'),
  sellRsi: z.number().default(70).describe('exit: the RSI is above this'),
  roi: z.number().positive().default(0.1).describe('profit that closes a position at any age, as a fraction'),
  stopPercent: z.number().positive().default(25).describe('stop loss, in percent below the entry'),
});

/**
 * Buys oversold pairs, a few at a time out of many. The rules are those of `BbandRsi` in freqtrade-strategies. Slots
 * (`max_open_trades`), `CooldownPeriod` and `StoplossGuard` are settings of freqtrade, and they are settings here:
 * `maxOpenPositions`, `symbolCooldown` and `stopLossGuard` in `risk.account`. The strategy does not know of them: it
 * returns every entry, and risk denies those without a slot, first come, first served.
 *
 * The differences: orders are market orders. Where several pairs have a signal at the same moment, the order of `instruments`
 * in the config decides.
 */
export class BandDip extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1h', history: 36 };
  readonly indicators = new Map(
    this.symbols.map((symbol) => {
      const of = { symbol, bars: '1h' };
      const typicalPrice = ({ high, low, close }: Bar) => (high + low + close) / 3;
      const bands = this.indicator(new BollingerBands(20, 2), { ...of, input: typicalPrice });
      return [symbol, { rsi: this.indicator(new RSI(14), of), bands }];
    }),
  );

  onBar({ symbol, close }: Bar): Intents {
    const { rsi, bands } = this.indicators.get(symbol)!;
    if (rsi.value === undefined || bands.value === undefined) return;
    const { quantity } = this.position(symbol);
    const { stakePercent, buyRsi, sellRsi, roi, stopPercent } = this.params;
    if (quantity > 0) {
      return rsi.value > sellRsi ? place({ symbol, side: 'sell', type: 'market', quantity, reduceOnly: true, tag: 'signal' }) : undefined;
    }
    if (rsi.value >= buyRsi || close >= bands.value.lower) return;
    const exits = { steps: [{ after: '0m', profit: roi }], stopLoss: { percent: stopPercent } };
    return place({ symbol, side: 'buy', type: 'market', quantity: { percentOfEquity: stakePercent }, exits, tag: 'dip' });
  }
}
