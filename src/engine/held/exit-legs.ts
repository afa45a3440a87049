import type { State } from '../../state/state.ts';
import type { OrderDesk } from '../orders/order-desk.ts';
import { firstStop } from './exit-ticks.ts';
import { type Arming, type HeldOrder, type Link, waitingOrder } from './held-order.ts';

/** Makes the linked exits of a position: a stop, a take profit, or both. */
export class ExitLegs {
  constructor(
    private readonly state: State,
    private readonly desk: OrderDesk,
  ) {}

  /** @param entryId the order whose fills arm them. @param sleeping whether they wait for the next bar to open. */
  link(arming: Arming, entryId: string, sleeping: boolean): Link {
    const { instrument, strategyId, side, positionSide, steps, exits, fromTicks, tag } = arming;
    const { profitTicks, trailTicks } = exits;
    const stopTicks = firstStop(exits, side, fromTicks);
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
        trailTicks: type === 'stop' ? trailTicks : undefined,
        rising: (side === 'buy') === (type === 'stop'),
        isStop: type === 'stop',
        link,
        // No venue's trigger trails: the engine leads it.
        atVenue: this.desk.triggersAtVenue(instrument) && !(type === 'stop' && trailTicks !== undefined),
        sleeping,
      });
    if (stopTicks !== undefined) link.legs.push(leg('stop', stopTicks, trailTicks === undefined ? 'stopLoss' : 'trailingStop'));
    if (profitTicks !== undefined) link.legs.push(leg('limit', profitTicks, 'takeProfit'));
    return link;
  }
}
