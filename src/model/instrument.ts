import { Decimal, ZERO } from './decimal.ts';
import { TidegateError } from './errors.ts';
import { Grid } from './grid.ts';

export type InstrumentKind = 'spot' | 'futures';

/** The settings of one instrument, from the config or the exchange; decimals as text. */
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
  /** Futures only. */
  readonly contract?: ContractSpec | undefined;
  /** Only its prices are in the run; see `Instrument.isReference`. */
  readonly reference?: boolean | undefined;
}

/** The further settings of a futures contract: from the config, as the exchange's API does not have them. */
export interface ContractSpec {
  /** Base of one contract: `contracts = quantity / value`. */
  readonly value: string;
  /** Maintenance margin by the position's value, smallest first. */
  readonly tiers: readonly MarginTierSpec[];
  /** Share of the liquidated value, paid to the insurance fund. */
  readonly liquidationFee: string;
  /** The price that triggers trigger orders. */
  readonly triggerBy: 'last' | 'mark';
}

/** One step of a contract's risk table; decimals as text. */
export interface MarginTierSpec {
  /** Upper end of the tier, as value of the position (quote); absent on the last. */
  readonly upTo?: string | undefined;
  /** Maintenance margin rate of the part of the value in this tier. */
  readonly maintenance: string;
  /** Highest leverage with which the value may be opened into this tier; absent means any. */
  readonly maxLeverage?: string | undefined;
}

/** A `ContractSpec` in exact numbers. */
export interface Contract {
  readonly value: Decimal;
  readonly tiers: MarginTiers;
  readonly liquidationFee: Decimal;
  readonly triggerBy: 'last' | 'mark';
}

/**
 * One instrument of a run. Symbols are `BASE-QUOTE` for spot and `BASE-QUOTE-PERP` for futures.
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
  /** Futures only; spot has none. */
  readonly contract: Contract | undefined;
  /** Strategies receive its prices, and nothing of the account is in it: no order, no position, no value of a balance. */
  readonly isReference: boolean;
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
    this.isReference = spec.reference === true;
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

/**
 * The prices and quantities that the exchange takes where they are not the config's, in units of the config's grids. Only the multiples of
 * both are sent.
 */
export interface ListedGrid {
  /** Each price is a multiple of this many ticks. */
  readonly ticks: number;
  /** Each quantity is a multiple of this many steps. */
  readonly steps: number;
  /** The smallest quantity, in steps. */
  readonly leastSteps: number;
}

/** The limits on orders that the exchange lists: they count together with the config's. An absent one does not exist; decimals as text. */
export interface ListedLimits {
  /** Largest quantity of an order, and of a market order that opens, in base. */
  readonly most?: string | undefined;
  readonly mostAtMarket?: string | undefined;
  /** Largest position on a side, in base. */
  readonly mostHeld?: string | undefined;
  /** How far a limit may be beyond the last price, as a share of it. */
  readonly buyCollar?: string | undefined;
  readonly sellCollar?: string | undefined;
}

function contractOf({ value, tiers, liquidationFee, triggerBy }: ContractSpec): Contract {
  return { value: new Decimal(value), tiers: new MarginTiers(tiers), liquidationFee: new Decimal(liquidationFee), triggerBy };
}

/** The instruments in which the account may have orders and positions: all that are not references only. */
export function tradableOf(instruments: readonly Instrument[]): readonly Instrument[] {
  return instruments.filter(({ isReference }) => !isReference);
}

const SYMBOL = /^[A-Z0-9]{1,20}-[A-Z0-9]{1,20}(-PERP)?$/;

/** True for `BASE-QUOTE` and `BASE-QUOTE-PERP` in capitals and digits. */
export function isSymbol(text: string): boolean {
  return SYMBOL.test(text);
}

/** The quotes by which a symbol without a separator is split, and the one of `BTC-PERP`. */
const COMMON_QUOTES = ['USDT', 'USDC', 'FDUSD', 'BUSD', 'USD', 'EUR', 'BTC', 'ETH'] as const;
const [DEFAULT_QUOTE] = COMMON_QUOTES;

/** The symbol that a text in the form of another platform probably means: `BTC/USDT`, `BTCUSDT`, `BTC/USDT:USDT`, `BTC-PERP`. */
export function likelySymbol(text: string): string | undefined {
  const plain = text.trim().toUpperCase();
  const [, written = '', perpetual] = /^(.*?)(:[A-Z0-9]+|[-_./ ]?(?:PERP|SWAP))?$/.exec(plain) ?? [];
  const [base = '', quote = '', ...more] = written.split(/[-_/ :]/);
  const found = COMMON_QUOTES.find((end) => base.endsWith(end) && base.length > end.length);
  const names =
    quote !== '' ? [base, quote] : found !== undefined ? [base.slice(0, -found.length), found] : [base, perpetual && DEFAULT_QUOTE];
  const symbol = `${names.join('-')}${perpetual === undefined ? '' : '-PERP'}`;
  return more.length === 0 && names[1] !== undefined && isSymbol(symbol) ? symbol : undefined;
}

/** Whether a symbol names a perpetual without its quote, such as `BTC-PERP`. No asset in which prices are quoted has this name. */
export function lacksQuote(symbol: string): boolean {
  return symbol.endsWith('-PERP') && symbol.split('-').length === 2;
}

export interface MarginTier {
  /** Value at which the tier begins. */
  readonly from: Decimal;
  readonly upTo: Decimal | undefined;
  readonly rate: Decimal;
  /** The saving by the lower rates of lower tiers: `maintenance = value x rate - deduction`, continuous over the tiers. */
  readonly deduction: Decimal;
  readonly maxLeverage: Decimal | undefined;
}

/**
 * Maintenance margin by the value of a position. Each rate applies to the part of the value inside its tier, like
 * income tax, so the margin has no jumps and every position has one liquidation price. (Binance and Bybit
 * publish the same rule as rate and "maintenance amount".)
 */
export class MarginTiers {
  readonly tiers: readonly MarginTier[];

  /** @throws TidegateError CONFIG_INVALID unless the tiers rise in value and rate, and only the last has no upper end. */
  constructor(specs: readonly MarginTierSpec[]) {
    const tiers: MarginTier[] = [];
    specs.forEach(({ upTo, maintenance, maxLeverage }, index) => {
      const below = tiers[index - 1];
      const from = below?.upTo ?? ZERO;
      const rate = new Decimal(maintenance);
      const end = upTo === undefined ? undefined : new Decimal(upTo);
      const last = index === specs.length - 1;
      const rising = (end === undefined || end.greaterThan(from)) && (below === undefined || rate.greaterThan(below.rate));
      if (!rising || last !== (end === undefined) || rate.isNegative() || rate.greaterThanOrEqualTo(1)) {
        throw new TidegateError(
          'CONFIG_INVALID',
          `maintenance tier ${index + 1}: upTo and rate rise from tier to tier, and only the last has no upTo`,
        );
      }
      const deduction = below === undefined ? ZERO : below.deduction.plus(from.times(rate.minus(below.rate)));
      tiers.push({ from, upTo: end, rate, deduction, maxLeverage: maxLeverage === undefined ? undefined : new Decimal(maxLeverage) });
    });
    if (tiers.length === 0) throw new TidegateError('CONFIG_INVALID', 'a contract has at least one maintenance tier');
    this.tiers = tiers;
  }

  /** The tier of a value; a value on a border belongs to the lower one. */
  of(value: Decimal): MarginTier {
    return this.tiers.find(({ upTo }) => upTo === undefined || value.lessThanOrEqualTo(upTo))!;
  }

  /** Maintenance margin of a position of this value, both in quote. */
  maintenance(value: Decimal): Decimal {
    const { rate, deduction } = this.of(value);
    return value.times(rate).minus(deduction);
  }
}
