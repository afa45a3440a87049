import type { OrderRequest } from '../../../model/order.ts';
import type { CancelReason } from '../../../model/reasons.ts';
import type { OrderRecord } from './exchange-records.ts';
import type { PollSettings } from './poll-settings.ts';

/** An order as the poller knows it, and when it asks for it next. */
export class ObservedOrder {
  phase: 'sending' | 'unknown' | 'open' | 'ended' = 'sending';
  /** Steps that the engine has been told of as filled. */
  toldSteps = 0;
  /** Epoch ms at which it is looked up next. */
  lookAt = Number.POSITIVE_INFINITY;
  /** Look-ups in a row that brought nothing new. */
  idleLooks = 0;
  /** A look-up has found it on the book. */
  seenOpen = false;
  /** The reply did not name it: since when, and how many look-ups since it could be proved have found nothing. */
  doubt: { readonly since: number; misses: number } | undefined;
  /** The engine wants it gone. */
  wish: CancelReason | undefined;

  constructor(
    readonly request: OrderRequest,
    readonly record: OrderRecord,
  ) {}

  get clientOrderId(): string {
    return this.request.clientOrderId;
  }

  get alive(): boolean {
    return this.phase !== 'ended';
  }

  /** It ends by itself at once: looked up until it has. */
  get immediate(): boolean {
    return this.request.type === 'market' || this.request.timeInForce !== 'GTC';
  }

  /** Looked up at `time`, or sooner where that was due anyway. */
  lookBy(time: number, now: number): void {
    if (!this.alive || (time >= this.lookAt && this.lookAt > now)) return;
    this.lookAt = time;
  }

  /** A look-up brought nothing new: the next one comes later, the more so the more often. */
  lookLater(now: number, { lookupMs, lookupMinMs, lookupMaxMs }: PollSettings): void {
    if (!this.alive) return;
    const soon = this.phase === 'unknown' || this.immediate || this.wish !== undefined;
    this.lookAt = now + (soon ? Math.min(lookupMaxMs, lookupMinMs * 2 ** this.idleLooks) : lookupMs);
    this.idleLooks++;
  }
}
