import type { State } from '../state/state.ts';
import { type Arming, type HeldOrder, type Link, waitingOrder } from './held-order.ts';
import type { OrderDesk } from './order-desk.ts';

/** Makes the linked exits of a position: a stop, a take profit, or both. */
export class ExitLegs {
  constructor(
    private readonly state: State,
    private readonly desk: OrderDesk,
  ) {}

  /** @param entryId the order whose fills arm them. @param sleeping whether they wait for the next bar to open. */
  link({ instrument, strategyId, side, positionSide, steps, exits, tag }: Arming, entryId: string, sleeping: boolean): Link {
    const link: Link = { legs: [], steps, entryId };
    const common = { side, positionSide, timeInForce: 'GTC', postOnly: false, reduceOnly: true, steps, quoteQuantity: undefined } as const;
    const leg = (type: 'stop' | 'limit', triggerTicks: number, reason: string): HeldOrder =>
      waitingOrder({
        request: this.desk.request(instrument, strategyId, this.state.sequence, {
          ...common,
          type: type === 'stop' ? 'market' : 'limit',
          priceTicks: type === 'stop' ? undefined : triggerTicks,
          tag: tag === '' ? reason : `${tag}:${reason}`,
        }),
        type,
        triggerTicks,
        rising: (side === 'buy') === (type === 'stop'),
        isStop: type === 'stop',
        link,
        atVenue: this.desk.triggersAtVenue(instrument),
        sleeping,
      });
    if (exits.stopTicks !== undefined) link.legs.push(leg('stop', exits.stopTicks, 'stopLoss'));
    if (exits.profitTicks !== undefined) link.legs.push(leg('limit', exits.profitTicks, 'takeProfit'));
    return link;
  }
}
