import type { Decimal } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { Halts, tooLong } from '../halts.ts';
import type { Outlets } from '../outlets.ts';
import type { RestSettings } from '../settings.ts';
import type { TrackedOrder } from '../tracked-order.ts';

/** What stops contracts: money that nothing explains, trades of others where the config forbids them, and orders in doubt for too long. */
export class FuturesHalts {
  readonly #halts: Halts;
  /** Contracts that somebody else trades. */
  readonly #foreign = new Set<Instrument>();
  #reason: string | undefined;

  constructor(
    private readonly settings: RestSettings,
    private readonly outlets: Outlets,
  ) {
    this.#halts = new Halts(outlets);
  }

  /** Somebody else trades it. */
  foreign(instrument: Instrument): void {
    this.#foreign.add(instrument);
  }

  /** Money of the wallet that nothing the exchange shows explains. */
  unexplained(coin: string, amount: Decimal): void {
    const reason = `${amount.toFixed()} ${coin} of the futures wallet that nothing explains`;
    this.outlets.log.warn(reason, { coin, amount: amount.toFixed() });
    if (this.settings.unexplained === 'halt') this.#reason ??= reason;
  }

  /** Halts what must not be traded as things stand, and lets go of the rest. */
  review(instruments: readonly Instrument[], alive: readonly TrackedOrder[]): void {
    const { settings, outlets } = this;
    this.#halts.review(instruments, (instrument) => {
      if (this.#reason !== undefined) return this.#reason;
      if (settings.foreign === 'block' && this.#foreign.has(instrument)) return 'orders that are not ours trade it';
      return tooLong(alive, instrument, settings, outlets.clock.now());
    });
  }
}
