import type { Instrument } from '../../model/instrument.ts';
import type { Side } from '../../model/order.ts';
import type { DepthMarket } from '../depth/depth-market.ts';
import type { OrderQueue } from '../order-queue.ts';

/** What queues ask of the book that their orders rest in. */
export interface QueuedBook {
  readonly instrument: Instrument;
  readonly depth: Pick<DepthMarket, 'standing'> | undefined;
  /** Bid and ask are quotes. */
  readonly twoSided: boolean;
  readonly bidTicks: number;
  readonly askTicks: number;
  readonly bidSteps: number;
  readonly askSteps: number;
  /** The own orders that rest on a side. */
  queue(side: Side): OrderQueue;
}
