import { Decimal } from './decimal.ts';
import { Grid } from './grid.ts';
import { type MarginTierSpec, MarginTiers } from './margin-tiers.ts';

export type InstrumentKind = 'spot' | 'futures';

/** What the config or the exchange says of one instrument; decimals as text. */
export interface InstrumentSpec {
  readonly symbol: string;
  readonly tickSize: string;
  readonly stepSize: string;
  /** Fee rates as shares of the notional: `0.001` is 10 basis points. */
  readonly makerFee?: string | undefined;
  readonly takerFee?: string | undefined;
  /** Order limits: quantities in base, notionals in quote. Absent means no limit. */
  readonly minQuantity?: string | undefined;
  readonly maxQuantity?: string | undefined;
  readonly minNotional?: string | undefined;
  readonly maxNotional?: string | undefined;
  /** Futures alone. */
  readonly contract?: ContractSpec | undefined;
}

/** What a futures contract is beyond its grids: from the config, as the exchange's API does not tell. */
export interface ContractSpec {
  /** Base of one contract: `contracts = quantity / value`. */
  readonly value: string;
  /** Maintenance margin by the position's value, from the smallest up. */
  readonly tiers: readonly MarginTierSpec[];
  /** Share of the liquidated value, paid to the insurance fund. */
  readonly liquidationFee: string;
  /** Which price fires trigger orders. */
  readonly triggerBy: 'last' | 'mark';
}

/** A `ContractSpec` in exact numbers. */
export interface Contract {
  readonly value: Decimal;
  readonly tiers: MarginTiers;
  readonly liquidationFee: Decimal;
  readonly triggerBy: 'last' | 'mark';
}

/**
 * One tradable instrument. Symbols are `BASE-QUOTE` for spot and `BASE-QUOTE-PERP` for futures.
 * `index` is its place in the run's instrument list: the key of every per-instrument array.
 */
export class Instrument {
  readonly kind: InstrumentKind;
  readonly base: string;
  readonly quote: string;
  readonly tick: Grid;
  readonly step: Grid;
  readonly makerFee: Decimal;
  readonly takerFee: Decimal;
  /** Of futures; spot has none. */
  readonly contract: Contract | undefined;
  /** Quote amount of one step at one tick. */
  readonly #notionalUnit: Decimal;

  constructor(
    readonly index: number,
    readonly spec: InstrumentSpec,
  ) {
    const [base = '', quote = '', suffix] = spec.symbol.split('-');
    this.base = base;
    this.quote = quote;
    this.kind = suffix === 'PERP' ? 'futures' : 'spot';
    this.tick = new Grid(spec.tickSize);
    this.step = new Grid(spec.stepSize);
    this.makerFee = new Decimal(spec.makerFee ?? '0');
    this.takerFee = new Decimal(spec.takerFee ?? '0');
    this.contract = spec.contract === undefined ? undefined : contractOf(spec.contract);
    this.#notionalUnit = this.tick.toDecimal(1).times(this.step.toDecimal(1));
  }

  get symbol(): string {
    return this.spec.symbol;
  }

  /** Exact quote amount of `steps` at `ticks`, which may be the half tick of a mid price. */
  notional(ticks: number, steps: number): Decimal {
    const product = ticks * steps;
    if (Number.isSafeInteger(product * 2)) return this.#notionalUnit.times(product);
    return this.tick.toDecimal(ticks).times(this.step.toDecimal(steps));
  }
}

function contractOf({ value, tiers, liquidationFee, triggerBy }: ContractSpec): Contract {
  return { value: new Decimal(value), tiers: new MarginTiers(tiers), liquidationFee: new Decimal(liquidationFee), triggerBy };
}

const SYMBOL = /^[A-Z0-9]{1,20}-[A-Z0-9]{1,20}(-PERP)?$/;

/** True for `BASE-QUOTE` and `BASE-QUOTE-PERP` in capitals and digits. */
export function isSymbol(text: string): boolean {
  return SYMBOL.test(text);
}
