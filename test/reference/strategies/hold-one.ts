import { type Bar, place, Strategy, z } from 'tidegate';

const Params = z.object({ side: z.enum(['long', 'short']) });

/** One unit of one side, from the first open it can have to the end. */
export class HoldOne extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1m' };
  sent = false;

  onBar({ symbol }: Bar) {
    if (this.sent) return undefined;
    this.sent = true;
    const { side } = this.params;
    return place({ symbol, side: side === 'long' ? 'buy' : 'sell', positionSide: side, type: 'market', quantity: '1' });
  }
}
