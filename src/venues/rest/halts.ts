import type { Instrument } from '../../model/instrument.ts';
import type { TrackedOrder } from './tracked-orders.ts';
import type { Outlets, RestSettings } from './trading.ts';

/** Instruments that take no new orders because the state of an order or position there is unknown. Each halt is reported once. */
export class Halts {
  readonly #reasons = new Map<Instrument, string>();

  constructor(private readonly outlets: Outlets) {}

  get any(): boolean {
    return this.#reasons.size > 0;
  }

  /** Halts the instruments for which `reasonOf` gives a reason, and releases the others. */
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

/** The reason to halt: something about an order has been unknown for too long. `undefined` if all is known. */
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
