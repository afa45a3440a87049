import type { Side } from '../../../model/order.ts';
import type { AccountEvent, OrderDenied } from '../../../model/order-events.ts';
import { isoTime } from '../../../model/time-text.ts';
import type { Log } from '../../../ports/log.ts';

/** The longest that a refusal goes on repeating without a line, in ms of the bot's clock. */
const TELL_MS = 60_000;

/** The same refusal of the same strategy, symbol and side, over and over. */
interface Repeated {
  readonly first: number;
  last: OrderDenied;
  count: number;
  told: number;
  toldAt: number;
}

/**
 * Writes a line for the first of several refusals that are the same (strategy, symbol, side, code), and counts the others:
 * a line with their number, the first and last time and the newest numbers follows when something else happens there, and
 * once a minute while it goes on.
 */
export class DenialLog {
  readonly #repeated = new Map<string, Repeated>();

  constructor(private readonly log: Log) {}

  onEvent(event: AccountEvent): void {
    if (event.kind === 'orderDenied') this.#deny(event);
    else if (event.kind === 'orderSubmitted' && !event.again) {
      const { strategyId, instrument, side } = event.request;
      this.#end(keyOf(strategyId, instrument.symbol, side));
    }
  }

  /** Tells what was counted and not told yet. */
  close(): void {
    for (const key of [...this.#repeated.keys()]) this.#end(key);
  }

  #deny(event: OrderDenied): void {
    const { clientOrderId, strategyId, symbol, side, reason, tag, time } = event;
    const key = keyOf(strategyId, symbol, side);
    const known = this.#repeated.get(key);
    if (known?.last.reason.code === reason.code) {
      known.last = event;
      known.count++;
      if (time >= known.toldAt + TELL_MS) this.#tell(known);
      return;
    }
    this.#end(key);
    this.#repeated.set(key, { first: time, last: event, count: 1, told: 1, toldAt: time });
    this.log.warn('orderDenied', { clientOrderId, strategyId, symbol, side, ...reason, ...(tag === '' ? {} : { tag }) });
  }

  #end(key: string): void {
    const repeated = this.#repeated.get(key);
    if (repeated !== undefined && repeated.count > repeated.told) this.#tell(repeated);
    this.#repeated.delete(key);
  }

  #tell(repeated: Repeated): void {
    const { first, last, count } = repeated;
    const { strategyId, symbol, side, reason, time } = last;
    this.log.warn('orderDenied again', { strategyId, symbol, side, ...reason, count, first: isoTime(first), last: isoTime(time) });
    repeated.told = count;
    repeated.toldAt = time;
  }
}

function keyOf(strategyId: string, symbol: string, side: Side | undefined): string {
  return `${strategyId}/${symbol}/${side ?? ''}`;
}
