import { invariant } from '../../model/errors.ts';
import type { Contract, Instrument } from '../../model/instrument.ts';
import { ContractPrices } from './contract-prices.ts';

/** Positions that stand or fall together: what is asked of them at every price. */
export interface MarginHolder {
  /** Cheap, and wrong only towards true: whether the margin may not suffice. */
  mayLack(): boolean;
  /** Exact. */
  readonly due: boolean;
}

/** What the simulator knows of one contract beyond its order book: its prices, and whose margin hangs on them. */
export class ContractBook {
  readonly contract: Contract;
  readonly prices: ContractPrices;
  readonly #holders: MarginHolder[] = [];
  /** The maintenance tiers as doubles: they are asked at every price. */
  readonly #upTo: Float64Array;
  readonly #rates: Float64Array;
  readonly #deductions: Float64Array;

  constructor(
    readonly instrument: Instrument,
    markMaxAgeMs: number,
  ) {
    invariant(instrument.contract !== undefined, `${instrument.symbol} has a contract`);
    this.contract = instrument.contract;
    this.prices = new ContractPrices(instrument, markMaxAgeMs);
    const { tiers } = this.contract.tiers;
    this.#upTo = Float64Array.from(tiers, ({ upTo }) => upTo?.toNumber() ?? Number.POSITIVE_INFINITY);
    this.#rates = Float64Array.from(tiers, ({ rate }) => rate.toNumber());
    this.#deductions = Float64Array.from(tiers, ({ deduction }) => deduction.toNumber());
  }

  join(holder: MarginHolder): void {
    if (!this.#holders.includes(holder)) this.#holders.push(holder);
  }

  leave(holder: MarginHolder): void {
    const at = this.#holders.indexOf(holder);
    if (at >= 0) this.#holders.splice(at, 1);
  }

  /** Maintenance margin of a value, as a double. */
  maintenance(value: number): number {
    const upTo = this.#upTo;
    let tier = 0;
    while (value > upTo[tier]!) tier++;
    return value * this.#rates[tier]! - this.#deductions[tier]!;
  }

  /** Whether any margin that hangs on this contract may not suffice. */
  mayLack(): boolean {
    const holders = this.#holders;
    for (let i = 0; i < holders.length; i++) if (holders[i]!.mayLack()) return true;
    return false;
  }

  /**
   * The first whole tick after `from`, up to and including `to`, at which some margin does not suffice; `undefined`
   * where none is, and while the mark is not the last price. What is left of a margin after maintenance bends
   * downwards over the price, so between a price that suffices and one that does not it crosses once.
   */
  dueTicks(from: number, to: number): number | undefined {
    if (this.#holders.length === 0 || this.prices.marked || from === to) return undefined;
    const stands = this.prices.lastTicks;
    const found = this.#dueAt(to) ? this.#firstDue(from, to) : undefined;
    this.prices.suppose(stands);
    return found;
  }

  #firstDue(from: number, to: number): number {
    let enough = from;
    let lacks = to;
    while (Math.abs(lacks - enough) > 1) {
      const middle = Math.floor((enough + lacks) / 2);
      if (this.#dueAt(middle)) lacks = middle;
      else enough = middle;
    }
    return lacks;
  }

  #dueAt(ticks: number): boolean {
    this.prices.suppose(ticks);
    return this.#holders.some((holder) => holder.mayLack() && holder.due);
  }
}
