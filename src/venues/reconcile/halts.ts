import type { Instrument, ListedGrid } from '../../model/instrument.ts';
import type { TrackedOrder } from './order-record.ts';
import type { ReconcileSettings, VenueContext } from './settings.ts';

/** The grids of the exchange that are not the config's, and the pairs that are not traded. */
export interface GridsThere {
  /** The exchange's grid if it is not the config's, and the reason to open nothing, for people; `undefined` if there is none. */
  of(instrument: Instrument): { readonly grid: ListedGrid | undefined; readonly reason: string } | undefined;
}

/**
 * Instruments on which nothing is opened because the state of an order or position there is unknown. A halt survives a restart.
 * It ends when the exchange shows that its cause is gone, or by a reset. A cause that is still there after a reset halts again.
 */
export class Halts {
  readonly #reasons = new Map<Instrument, string>();
  /** Reasons that only a reset by a person removes, by symbol. They survive restarts. */
  readonly #stuck: Map<string, string>;
  readonly #key: string;

  /** @param half of the exchange: each has its own memory. */
  constructor(
    private readonly context: VenueContext,
    half: 'spot' | 'futures',
    private readonly grids: GridsThere,
  ) {
    this.#key = `${half}.${STUCK}`;
    this.#stuck = new Map((context.memory.recall(this.#key) as [string, string][] | undefined) ?? []);
  }

  /** Halts an instrument until a person resets it. The first reason is kept. */
  stick(instrument: Instrument, reason: string): void {
    const { symbol } = instrument;
    if (this.#stuck.has(symbol)) return;
    this.#stuck.set(symbol, reason);
    this.context.memory.remember(this.#key, [...this.#stuck]);
    const full = this.#withGrid(instrument, reason);
    if (this.#reasons.get(instrument) !== full) this.#halt(instrument, full);
  }

  /** Restores the halts from the journal, by symbol. The engine has them already. */
  resume(instruments: readonly Instrument[], halts: ReadonlyMap<string, string>): void {
    for (const instrument of instruments) {
      const reason = halts.get(instrument.symbol);
      if (reason !== undefined) this.#reasons.set(instrument, reason);
    }
  }

  /**
   * Halts the instruments for which `reasonOf` gives a reason or whose grid at the exchange is not the config's, and releases the others.
   * Each reason is reported once.
   */
  review(instruments: readonly Instrument[], reasonOf: (instrument: Instrument) => string | undefined): void {
    for (const instrument of instruments) {
      const reason = this.#withGrid(instrument, this.#stuck.get(instrument.symbol) ?? reasonOf(instrument));
      if (reason === this.#reasons.get(instrument)) continue;
      if (reason === undefined) this.#lift(instrument, 'known again');
      else this.#halt(instrument, reason);
    }
  }

  /** A person has allowed trading again. */
  lift(): void {
    if (this.#stuck.size > 0) this.context.memory.remember(this.#key, undefined);
    this.#stuck.clear();
    for (const instrument of [...this.#reasons.keys()]) {
      const reason = this.#withGrid(instrument, undefined);
      if (reason === undefined) this.#lift(instrument, 'reset');
      else if (this.#reasons.get(instrument) !== reason) this.#halt(instrument, reason);
    }
  }

  /** A change of the grid is always in the reason, so that it is reported whatever else has halted the instrument. */
  #withGrid(instrument: Instrument, reason: string): string;
  #withGrid(instrument: Instrument, reason: string | undefined): string | undefined;
  #withGrid(instrument: Instrument, reason: string | undefined): string | undefined {
    const texts = [reason, this.grids.of(instrument)?.reason].filter((text) => text !== undefined);
    return texts.length === 0 ? undefined : texts.join('; ');
  }

  #halt(instrument: Instrument, reason: string): void {
    this.#reasons.set(instrument, reason);
    this.#report(instrument, 'halted', reason);
    this.context.log.warn(`${instrument.symbol} is halted: ${reason}`);
  }

  #lift(instrument: Instrument, why: string): void {
    this.#reasons.delete(instrument);
    this.#report(instrument, 'fresh', why);
    this.context.log.info(`${instrument.symbol} is no longer halted: ${why}`);
  }

  #report(instrument: Instrument, condition: 'fresh' | 'halted', reason: string): void {
    const { context } = this;
    const { symbol } = instrument;
    const grid = this.grids.of(instrument)?.grid;
    const changed = { kind: 'healthChanged', time: context.clock.now(), subject: 'instrument', symbol, condition, reason } as const;
    context.report(grid === undefined ? changed : { ...changed, grid });
  }
}

/** Key of those reasons in the venue's memory. */
const STUCK = 'stuck';

/** Key of the time of the last reset: unknown outcomes are measured from there. */
const MEMORY = 'doubtsFrom';

/** Decides when something about an order has been unknown for too long, or an order has vanished. */
export class UnknownOutcomes {
  readonly #key: string;
  /** Epoch ms of the last reset: earlier time does not count. */
  #from: number;

  /** @param half of the exchange: each has its own memory. */
  constructor(
    private readonly settings: Pick<ReconcileSettings, 'unknownLimitMs' | 'fillGapMs'>,
    private readonly context: Pick<VenueContext, 'memory' | 'clock'>,
    half: 'spot' | 'futures',
  ) {
    this.#key = `${half}.${MEMORY}`;
    this.#from = (context.memory.recall(this.#key) as number | undefined) ?? Number.NEGATIVE_INFINITY;
  }

  /** The reason to halt because an order has vanished, or something about one has been unknown for too long; `undefined` if there is none. */
  tooLong(orders: readonly TrackedOrder[], instrument: Instrument): string | undefined {
    const { unknownLimitMs, fillGapMs } = this.settings;
    const now = this.context.clock.now();
    const age = (since: number) => now - Math.max(since, this.#from);
    for (const { unknownOutcome, gapSince, request, clientOrderId, vanishedAt } of orders) {
      if (request.instrument !== instrument) continue;
      if (vanishedAt >= this.#from)
        return `order ${clientOrderId} has vanished: the exchange had confirmed it, and does not show it any more`;
      if (unknownOutcome !== undefined && age(unknownOutcome.since) > unknownLimitMs)
        return `the outcome of order ${clientOrderId} is unknown`;
      if (!Number.isNaN(gapSince) && age(gapSince) > fillGapMs) return `order ${clientOrderId} reports fills that no record shows`;
    }
    return undefined;
  }

  /** Its fills were missing for so long that its instrument was halted, and a person has allowed trading since. */
  isAccepted({ gapSince }: TrackedOrder): boolean {
    return gapSince + this.settings.fillGapMs < this.#from;
  }

  /** Measures from now on. */
  lift(): void {
    const { memory, clock } = this.context;
    this.#from = clock.now();
    memory.remember(this.#key, this.#from);
  }
}
