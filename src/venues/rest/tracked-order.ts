import type { OrderRequest } from '../../model/order.ts';
import type { CancelReason } from '../../model/reasons.ts';

/** An order whose request may or may not have arrived. */
export interface Doubt {
  /** Epoch ms since when. */
  readonly since: number;
  /** From when on its absence proves that it never was: no request can arrive, and none can be invisible, any more. */
  readonly provableAt: number;
  /** Look-ups in a row, after that, that found nothing. */
  misses: number;
}

/** The engine wants it gone. */
export interface CancelWish {
  readonly reason: CancelReason;
  /**
   * `queued`: on its way, or about to be. `taken`: the exchange says it cancels. `refused`: it says there is nothing to
   * cancel. `doubtful`: nobody knows; looked up before it is asked again.
   */
  stage: 'queued' | 'taken' | 'refused' | 'doubtful';
  /** Epoch ms since when it is at this stage. */
  since: number;
}

/** What the venue knows of one order that it has sent, or is about to. */
export class TrackedOrder {
  phase: 'sending' | 'unknown' | 'open' | 'ended' = 'sending';
  /** The exchange's id; empty until it is known. */
  orderId = '';
  /** Steps that the engine has been told of as filled. */
  toldSteps = 0;
  /** Fills that the engine has been told of. */
  readonly fillIds = new Set<string>();
  doubt: Doubt | undefined;
  wish: CancelWish | undefined;
  /** Epoch ms at which it is to be looked up next. */
  lookAt = Number.POSITIVE_INFINITY;
  /** Look-ups in a row that brought nothing new. */
  idleLooks = 0;
  /** Epoch ms since when more is reported as filled than fill records show; `NaN` where that is not so. */
  gapSince = Number.NaN;
  /** A look-up has found it on the book. */
  seenOpen = false;

  constructor(readonly request: OrderRequest) {}

  get clientOrderId(): string {
    return this.request.clientOrderId;
  }

  /** It ends by itself at once: looked up until it has. */
  get immediate(): boolean {
    return this.request.type === 'market' || this.request.timeInForce !== 'GTC';
  }

  /** More may come of it. */
  get alive(): boolean {
    return this.phase !== 'ended';
  }
}

/** Steps of it that have not been told as filled. */
export function leftOf({ request, toldSteps }: TrackedOrder): number {
  return Math.max(0, (request.steps ?? 0) - toldSteps);
}
