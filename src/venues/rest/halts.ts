import type { Instrument } from '../../model/instrument.ts';
import type { TrackedOrder } from './tracked-orders.ts';
import type { Outlets, RestSettings } from './trading.ts';

/**
 * Instruments on which nothing is opened because the state of an order or position there is unknown. A halt survives a restart:
 * it ends when the exchange shows that its cause is gone, or by a reset. A cause that is still there after a reset halts again.
 */
export class Halts {
  readonly #reasons = new Map<Instrument, string>();
  /** Reasons that no look at the exchange takes away, by symbol: until a person resets them, over restarts. */
  readonly #stuck: Map<string, string>;
  readonly #key: string;

  /** @param half of the exchange: each has its own memory. */
  constructor(
    private readonly outlets: Outlets,
    half: 'spot' | 'futures',
  ) {
    this.#key = `${half}.${STUCK}`;
    this.#stuck = new Map((outlets.memory.recall(this.#key) as [string, string][] | undefined) ?? []);
  }

  /** Halts an instrument until a person resets it. The first reason counts. */
  stick(instrument: Instrument, reason: string): void {
    const { symbol } = instrument;
    if (this.#stuck.has(symbol)) return;
    this.#stuck.set(symbol, reason);
    this.outlets.memory.remember(this.#key, [...this.#stuck]);
    if (this.#reasons.get(instrument) !== reason) this.#halt(instrument, reason);
  }

  /** Goes on with the halts in the journal, by symbol: the engine has them already. */
  resume(instruments: readonly Instrument[], halts: ReadonlyMap<string, string>): void {
    for (const instrument of instruments) {
      const reason = halts.get(instrument.symbol);
      if (reason !== undefined) this.#reasons.set(instrument, reason);
    }
  }

  /** Halts the instruments for which `reasonOf` gives a reason, and releases the others. Each reason is reported once. */
  review(instruments: readonly Instrument[], reasonOf: (instrument: Instrument) => string | undefined): void {
    for (const instrument of instruments) {
      const reason = this.#stuck.get(instrument.symbol) ?? reasonOf(instrument);
      if (reason === this.#reasons.get(instrument)) continue;
      if (reason === undefined) this.#lift(instrument, 'known again');
      else this.#halt(instrument, reason);
    }
  }

  /** A person has allowed trading again. */
  lift(): void {
    if (this.#stuck.size > 0) this.outlets.memory.remember(this.#key, undefined);
    this.#stuck.clear();
    for (const instrument of [...this.#reasons.keys()]) this.#lift(instrument, 'reset');
  }

  #halt(instrument: Instrument, reason: string): void {
    this.#reasons.set(instrument, reason);
    this.#tell(instrument, 'halted', reason);
    this.outlets.log.warn(`${instrument.symbol} is halted: ${reason}`);
  }

  #lift(instrument: Instrument, why: string): void {
    this.#reasons.delete(instrument);
    this.#tell(instrument, 'fresh', why);
    this.outlets.log.info(`${instrument.symbol} is halted no more: ${why}`);
  }

  #tell({ symbol }: Instrument, condition: 'fresh' | 'halted', reason: string): void {
    const { outlets } = this;
    outlets.tell({ kind: 'healthChanged', time: outlets.clock.now(), subject: 'instrument', symbol, condition, reason });
  }
}

/** Where the venue's memory keeps reasons that stay. */
const STUCK = 'stuck';

/** When a person last reset the halts: doubts about orders count from there. */
const MEMORY = 'doubtsFrom';

/** Something about an order that has been unknown for too long. */
export class Doubts {
  readonly #key: string;
  /** Epoch ms: none counts from before. */
  #from: number;

  /** @param half of the exchange: each has its own memory. */
  constructor(
    private readonly settings: Pick<RestSettings, 'unknownLimitMs' | 'fillGapMs'>,
    private readonly outlets: Pick<Outlets, 'memory' | 'clock'>,
    half: 'spot' | 'futures',
  ) {
    this.#key = `${half}.${MEMORY}`;
    this.#from = (outlets.memory.recall(this.#key) as number | undefined) ?? Number.NEGATIVE_INFINITY;
  }

  /** The reason to halt: something about an order has been unknown for too long. `undefined` if all is known. */
  tooLong(orders: readonly TrackedOrder[], instrument: Instrument): string | undefined {
    const { unknownLimitMs, fillGapMs } = this.settings;
    const now = this.outlets.clock.now();
    const age = (since: number) => now - Math.max(since, this.#from);
    for (const { doubt, gapSince, request, clientOrderId } of orders) {
      if (request.instrument !== instrument) continue;
      if (doubt !== undefined && age(doubt.since) > unknownLimitMs) return `nobody knows what became of order ${clientOrderId}`;
      if (!Number.isNaN(gapSince) && age(gapSince) > fillGapMs) return `order ${clientOrderId} reports fills that no record shows`;
    }
    return undefined;
  }

  /** Counts from now. */
  lift(): void {
    const { memory, clock } = this.outlets;
    this.#from = clock.now();
    memory.remember(this.#key, this.#from);
  }
}
