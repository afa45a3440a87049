import { type Bar, cancel, type Fill, type Intent, place, Strategy, z } from 'tidegate';

/** Bars of history before the run begins, and so the longest channel. */
const HISTORY = 72;

const Params = z.object({
  channel: z.int().min(2).max(HISTORY).default(24).describe('bars whose highest high and lowest low must be broken'),
  stop: z.number().positive().max(1).default(0.5).describe('stop loss: this share of the channel height from the entry'),
  reward: z.number().positive().default(2).describe('take profit: this many times as far as the stop'),
  risk: z.number().positive().max(0.2).default(0.01).describe('share of the equity that a stopped trade loses, fees apart'),
});

/**
 * Follows breakouts of a channel, up and down, on one perpetual. While it is flat, a trigger order waits at each
 * border of the channel. The first one that fires opens the position. The other is canceled, and a stop and a take
 * profit follow the fill. On this exchange all four are trigger orders that wait at the venue, so they work while the
 * bot is down. Shows both sides of a futures account, sizing by risk, and orders that are replaced with each bar.
 *
 * An example, and no promise of profit: in a market without trends it buys the top of a range and sells its bottom.
 */
export class TrendFollower extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1h', history: HISTORY };

  onBar({ symbol }: Bar) {
    const bars = this.bars(symbol, '1h', this.params.channel);
    if (this.isHolding(symbol) || bars.length < this.params.channel) return [];
    return [cancel({ symbol }), ...this.entries(symbol, bars)];
  }

  /** The first side that opens cancels the other side's entry. */
  onFill({ symbol, tag }: Fill) {
    if (tag === 'long') return cancel({ symbol, tag: 'short' });
    return tag === 'short' ? cancel({ symbol, tag: 'long' }) : undefined;
  }

  /** A trigger above the channel and one below, each with its exits. */
  entries(symbol: string, bars: readonly Bar[]): Intent[] {
    const top = Math.max(...bars.map(({ high }) => high));
    const bottom = Math.min(...bars.map(({ low }) => low));
    const reach = this.params.stop * (top - bottom);
    const quantity = (this.params.risk * this.account.equity) / reach;
    const entry = { symbol, type: 'stop', quantity } as const;
    const profit = this.params.reward * reach;
    return [
      place({
        ...entry,
        side: 'buy',
        positionSide: 'long',
        stopPrice: top,
        exits: { stopLoss: top - reach, takeProfit: top + profit },
        tag: 'long',
      }),
      place({
        ...entry,
        side: 'sell',
        positionSide: 'short',
        stopPrice: bottom,
        exits: { stopLoss: bottom + reach, takeProfit: bottom - profit },
        tag: 'short',
      }),
    ];
  }

  isHolding(symbol: string): boolean {
    return this.position(symbol, 'long').quantity + this.position(symbol, 'short').quantity > 0;
  }
}
