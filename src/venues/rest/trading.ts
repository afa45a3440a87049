import type { Decimal } from '../../model/decimal.ts';
import type { ApprovedOrder, CancelRequest } from '../../model/order.ts';
import type { ResumedOrder } from '../../ports/execution-venue.ts';

/** What the journal knows of a run that goes on. */
export interface Resumed {
  /** False at the very first start: what the exchange says is the baseline. */
  readonly again: boolean;
  /** Open orders, and those that ended lately: fills of theirs may still come. */
  readonly orders: readonly ResumedOrder[];
  /** By asset of this half's wallet. */
  readonly balances: ReadonlyMap<string, Decimal>;
  /** What the engine thinks is frozen of them. */
  readonly frozen: ReadonlyMap<string, Decimal>;
  /** Fills that the engine has been told of, by client id; those of nobody's order under an empty one. */
  readonly fillIds: ReadonlyMap<string, ReadonlySet<string>>;
  /** Epoch ms of the last thing in the journal: nothing older is news. */
  readonly lastTime: number;
}

/** Where exchange and journal disagreed, and why. */
export interface Difference {
  readonly what: 'order' | 'fill' | 'balance' | 'position';
  /** Client id, asset or symbol. */
  readonly subject: string;
  readonly journal: string;
  readonly exchange: string;
  /** `filledWhileAway`, `transfer`, `unexplained`, ...: a word, then what there is to say. */
  readonly cause: string;
}

/** One half of the exchange: spot, or futures. */
export interface Trading {
  /** Goes on from what the journal says. */
  resume(resumed: Resumed): void;
  /** Start-up: lays what the exchange says beside that. Tells events; sends nothing that acts; may be tried again. @throws ExchangeError, TidegateError START_REFUSED */
  open(): Promise<readonly Difference[]>;
  /** Tracks the orders (of one symbol) at once; they leave through the lane. */
  place(orders: readonly ApprovedOrder[]): void;
  cancel(request: CancelRequest): void;
  /** One look at fills, balances and whatever is due; `full`: at everything. @throws ExchangeError where the exchange cannot be asked. */
  round(full: boolean): Promise<void>;
  /** Epoch ms at which the next look-up is due; `Infinity` where none. */
  readonly nextDue: number;
  /** Nothing is on its way, in doubt or about to end. */
  readonly idle: boolean;
}
