import { Decimal, toDouble, ZERO } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import { MONEY_PLACES } from '../model/margin.ts';
import type { MarketState } from './market-state.ts';

const ONE = new Decimal(1);
/** Decimal places of a rate that is one over a price: far below any asset's smallest unit. */
const INVERSE_DIGITS = 32;

/** Where the price of an asset in the account's currency comes from. */
interface RateSource {
  readonly market: MarketState;
  /** The instrument is `CURRENCY-ASSET`: the rate is one over its price. */
  readonly inverse: boolean;
}

/**
 * The value of an asset in the account's currency: the newest last price of the instrument `ASSET-CURRENCY`, or one over that of
 * `CURRENCY-ASSET`. An account with wallets uses spot instruments alone. References have no part in it.
 */
export class Conversion {
  readonly #sources = new Map<string, RateSource>();

  constructor(
    readonly currency: string,
    markets: readonly MarketState[],
    spotAlone: boolean,
  ) {
    for (const inverse of [false, true]) {
      for (const market of markets) {
        const { base, quote, kind, isReference } = market.instrument;
        if (isReference) continue;
        const asset = inverse ? quote : base;
        if ((inverse ? base : quote) !== currency || (spotAlone && kind !== 'spot')) continue;
        if (!this.#sources.has(asset)) this.#sources.set(asset, { market, inverse });
      }
    }
  }

  sourceOf(asset: string): RateSource | undefined {
    return this.#sources.get(asset);
  }

  /** Units of the currency for one unit of the asset; `undefined` where there is no price (yet). */
  rateOf(asset: string): Decimal | undefined {
    if (asset === this.currency) return ONE;
    const source = this.#sources.get(asset);
    const last = source?.market.exactLast();
    if (last === undefined || !source?.inverse) return last;
    return ONE.div(last).toSignificantDigits(INVERSE_DIGITS);
  }
}

/** Holdings in another currency that must be converted as one sum: futures are quoted in it, or its rate is an inverse. */
interface Foreign {
  readonly asset: string;
  readonly source: RateSource | undefined;
  /** Instruments whose positions are quoted in it. */
  readonly quoted: readonly number[];
  amount: number;
}

/** The account's holding of one instrument. */
interface Holding {
  readonly market: MarketState;
  /** The value of one tick of the mark, in the instrument's quote: quantity x tick size, signed. */
  weight: number;
}

/**
 * Adds up the value of an account in its currency: as a double at every market event, without allocating, and exactly where equity is
 * stored. Assets count at their last price, positions at their mark.
 *
 * A futures position is worth `quantity x mark - open value`. The open value is subtracted from the cash, so that each instrument needs
 * one product per event, as everything else does.
 */
export class Valuation {
  /** 1 where the price of the instrument changes equity, by its index. */
  readonly moves: Uint8Array;
  /** By the index of the instrument. */
  readonly #holdings: readonly Holding[];
  readonly #assets = new Map<string, Decimal>();
  /** Signed steps and open value of the position in each instrument. */
  readonly #steps: Float64Array;
  readonly #openValues: Decimal[];
  readonly #foreign = new Map<string, Foreign>();
  /** Those of `#holdings` that are held in the account's currency. */
  readonly #held: Holding[] = [];
  /** The only holding, where there is exactly one, as is usual. */
  #only: Holding | undefined;
  readonly #converted: Foreign[] = [];
  #cash = 0;
  /** Some position was opened on margin: its open value must be subtracted. */
  #onMargin = false;
  /** A holding was added or removed. */
  #regroup = true;

  /** @param positionsIn whether an instrument is held as a position (rather than as balances). */
  constructor(
    private readonly conversion: Conversion,
    private readonly markets: readonly MarketState[],
    positionsIn: (instrument: Instrument) => boolean,
  ) {
    this.moves = new Uint8Array(markets.length);
    this.#holdings = markets.map((market) => ({ market, weight: 0 }));
    this.#steps = new Float64Array(markets.length);
    this.#openValues = markets.map(() => ZERO);
    const { currency } = conversion;
    for (const { instrument } of markets) {
      const { quote } = instrument;
      if (quote === currency || this.#foreign.has(quote)) continue;
      const quoted = markets.filter((other) => other.instrument.quote === quote && positionsIn(other.instrument));
      const source = conversion.sourceOf(quote);
      if (quoted.length === 0 && !source?.inverse) continue;
      this.#foreign.set(quote, { asset: quote, source, quoted: quoted.map((other) => other.instrument.index), amount: 0 });
    }
  }

  /** @param total over all wallets. */
  setAsset(asset: string, total: Decimal): void {
    this.#assets.set(asset, total);
    const source = this.#foreign.has(asset) ? undefined : this.conversion.sourceOf(asset);
    if (asset !== this.conversion.currency && source !== undefined) this.#weigh(source.market.instrument.index);
  }

  /** @param openValue subtracted from the position's value: zero where the cash has paid for it. */
  setPosition(index: number, steps: number, openValue: Decimal): void {
    this.#steps[index] = steps;
    this.#openValues[index] = openValue;
    if (!openValue.isZero()) this.#onMargin = true;
    this.#weigh(index);
  }

  /** Applies the changes since the last call. Called before `equity` where something has changed. */
  refresh(): void {
    this.#cash = toDouble(this.#amountOf(this.conversion.currency));
    if (this.#foreign.size > 0) {
      for (const foreign of this.#foreign.values()) foreign.amount = toDouble(this.#amountOf(foreign.asset));
      this.#regroup = true;
    }
    if (this.#regroup) this.#group();
    this.#regroup = false;
  }

  /** `NaN` until every holding has a price. */
  equity(): number {
    const only = this.#only;
    if (only !== undefined) return this.#cash + only.weight * only.market.valueTicks();
    const held = this.#held;
    let equity = this.#cash;
    for (let i = 0; i < held.length; i++) {
      const { weight, market } = held[i]!;
      equity += weight * market.valueTicks();
    }
    const converted = this.#converted;
    for (let i = 0; i < converted.length; i++) equity += this.#worthOf(converted[i]!);
    return equity;
  }

  /** Exact; assets without a price count as zero. */
  exactEquity(): Decimal {
    const { currency } = this.conversion;
    let equity = this.#amountOf(currency);
    for (const [asset, total] of this.#assets) {
      if (asset === currency || this.#foreign.has(asset)) continue;
      equity = equity.plus(this.#inCurrency(total, asset));
    }
    for (const { instrument } of this.markets)
      if (!this.#isForeign(instrument.index)) equity = equity.plus(this.#exactWorth(instrument.index));
    for (const { asset, quoted } of this.#foreign.values()) {
      const worth = quoted.reduce((sum, index) => sum.plus(this.#exactWorth(index)), this.#amountOf(asset));
      equity = equity.plus(this.#inCurrency(worth, asset));
    }
    return equity;
  }

  /** An inverse rate can have endless decimal places, so the result is rounded to as many places as all shares of money. */
  #inCurrency(amount: Decimal, asset: string): Decimal {
    const worth = amount.times(this.conversion.rateOf(asset) ?? ZERO);
    return this.conversion.sourceOf(asset)?.inverse ? worth.toDecimalPlaces(MONEY_PLACES) : worth;
  }

  #group(): void {
    // Without iterators and copies: this runs for every order that opens or closes.
    this.#held.length = 0;
    this.#converted.length = 0;
    for (let index = 0; index < this.#holdings.length; index++)
      if (this.#weightOf(index) !== 0 && !this.#isForeign(index)) this.#held.push(this.#holdings[index]!);
    if (this.#foreign.size > 0)
      for (const foreign of this.#foreign.values())
        if (foreign.amount !== 0 || foreign.quoted.some((index) => this.#weightOf(index) !== 0)) this.#converted.push(foreign);
    this.#only = this.#held.length === 1 && this.#converted.length === 0 ? this.#held[0] : undefined;
    this.moves.fill(0);
    for (const { market } of this.#held) this.moves[market.instrument.index] = 1;
    for (const { source, quoted } of this.#converted) {
      for (const index of quoted) if (this.#weightOf(index) !== 0) this.moves[index] = 1;
      if (source !== undefined) this.moves[source.market.instrument.index] = 1;
    }
  }

  /** Balances of an asset, less the open values of its positions. */
  #amountOf(asset: string): Decimal {
    let amount = this.#assets.get(asset) ?? ZERO;
    if (!this.#onMargin) return amount;
    for (const { instrument } of this.markets) {
      const openValue = this.#openValues[instrument.index]!;
      if (instrument.quote === asset && openValue !== ZERO) amount = amount.minus(openValue);
    }
    return amount;
  }

  #exactWorth(index: number): Decimal {
    const steps = this.#steps[index]!;
    const market = this.markets[index]!;
    const mark = steps === 0 ? undefined : market.exactMark();
    return mark === undefined ? ZERO : market.instrument.step.toDecimal(steps).times(mark);
  }

  #worthOf({ source, quoted, amount }: Foreign): number {
    let worth = amount;
    for (let i = 0; i < quoted.length; i++) {
      const { weight, market } = this.#holdings[quoted[i]!]!;
      if (weight !== 0) worth += weight * market.valueTicks();
    }
    if (source === undefined) return Number.NaN;
    return source.inverse ? worth / source.market.last : worth * source.market.last;
  }

  #weigh(index: number): void {
    const { base, tick, step } = this.markets[index]!.instrument;
    const prices = !this.#foreign.has(base) && this.conversion.sourceOf(base)?.market === this.markets[index];
    const priced = prices ? toDouble(this.#assets.get(base) ?? ZERO) : 0;
    const weight = (step.toNumber(this.#steps[index]!) + priced) * tick.toNumber(1);
    if ((weight === 0) !== (this.#weightOf(index) === 0)) this.#regroup = true;
    this.#holdings[index]!.weight = weight;
  }

  #weightOf(index: number): number {
    return this.#holdings[index]!.weight;
  }

  #isForeign(index: number): boolean {
    return this.#foreign.has(this.markets[index]!.instrument.quote);
  }
}
