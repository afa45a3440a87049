import type { Instrument } from '../../model/instrument.ts';
import type { TrackedOrder } from './tracked-orders.ts';
import type { Outlets, RestSettings } from './trading.ts';

/** Instruments on which nothing new may be sent, because what stands there is not known. Each is said once. */
export class Halts {
  readonly #reasons = new Map<Instrument, string>();

  constructor(private readonly outlets: Outlets) {}

  get any(): boolean {
    return this.#reasons.size > 0;
  }

  /** Halts what `reasonOf` gives a reason for, and lets go of the rest. */
  review(instruments: readonly Instrument[], reasonOf: (instrument: Instrument) => string | undefined): void {
    for (const instrument of instruments) {
      const reason = reasonOf(instrument);
      const before = this.#reasons.get(instrument);
      if ((reason === undefined) === (before === undefined)) continue;
      if (reason === undefined) this.#reasons.delete(instrument);
      else this.#reasons.set(instrument, reason);
      this.#tell(instrument.symbol, reason);
    }
  }

  #tell(symbol: string, reason: string | undefined): void {
    const { outlets } = this;
    const time = outlets.clock.now();
    const condition = reason === undefined ? 'fresh' : 'halted';
    outlets.tell({ kind: 'healthChanged', time, subject: 'instrument', symbol, condition, reason: reason ?? 'known again' });
    if (reason === undefined) outlets.log.info(`${symbol} is known again`);
    else outlets.log.warn(`${symbol} is halted: ${reason}`);
  }
}

/** What is not known of an order for longer than may be; `undefined` where all is well. */
export function tooLong(
  orders: readonly TrackedOrder[],
  instrument: Instrument,
  { unknownLimitMs, fillGapMs }: RestSettings,
  now: number,
): string | undefined {
  for (const { doubt, gapSince, request, clientOrderId } of orders) {
    if (request.instrument !== instrument) continue;
    if (doubt !== undefined && now - doubt.since > unknownLimitMs) return `nobody knows what became of order ${clientOrderId}`;
    if (now - gapSince > fillGapMs) return `order ${clientOrderId} reports fills that no record shows`;
  }
  return undefined;
}
