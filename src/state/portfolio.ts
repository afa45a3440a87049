import { DayZone } from '../model/day-zone.ts';
import { type Decimal, ZERO } from '../model/decimal.ts';
import { TidegateError } from '../model/errors.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Balance, LedgerEntry, Wallet } from '../model/ledger.ts';
import type { MarginSettings } from '../model/margin.ts';
import type { Position } from '../model/position.ts';
import { DayLoss, Drawdown } from './drawdown.ts';
import { EquityCurve, type SampledFigures } from './equity-curve.ts';
import type { MarketState } from './market-state.ts';
import { OwnEquity } from './own-equity.ts';
import { Conversion, Valuation } from './valuation.ts';

type AccountKind = 'spot' | 'netting' | 'futures';

export interface PortfolioOptions {
  readonly kind: AccountKind;
  /** The currency of the equity. */
  readonly currency: string;
  readonly equityEveryMs: number;
  /** The zone in which the days of the equity curve end; by default UTC. */
  readonly dayZone?: string | undefined;
  /** Margin settings of each contract, by symbol; only for futures accounts. */
  readonly margin?: ReadonlyMap<string, MarginSettings> | undefined;
  /** Age in ms from which a mark price is too old, and the last price is used; by default a minute. */
  readonly markMaxAgeMs?: number | undefined;
}

/** The first market event at which equity was zero or less, and the price that made it so. */
export interface Ruin {
  /** Epoch ms. */
  readonly time: number;
  readonly symbol: string;
  /** The price that positions are valued at. */
  readonly price: number;
}

/** A fill at a price that the market state has not received yet, and its entry in the balance of the account's currency. */
interface EarlyFill {
  readonly fill: Fill;
  readonly cash: Decimal;
}

/**
 * The value of the account. Equity is computed in three ways: as a double at every market event, for the drawdown and its limit; again
 * after each fill and each other movement of money, so that strategies see it at the same time as balances and positions; and exactly, in
 * decimals, wherever it is stored.
 */
export class Portfolio {
  /** By asset; `spot:BTC` for the spot wallet next to a futures account. */
  readonly balances = new Map<string, Balance>();
  readonly drawdown = new Drawdown(() => this.equity);
  /** The fall since the UTC day began; only where a limit needs it. */
  day: DayLoss | undefined;
  readonly curve: EquityCurve;
  /** Equity in the account's currency as a double; `NaN` until every held asset has a price. */
  equity = Number.NaN;
  startEquity: Decimal | undefined;
  /** Called at market events at which equity cannot be computed, though it was known before or every asset has a price. */
  onUnknown: (() => void) | undefined;
  timeInMarketMs = 0;
  ruin: Ruin | undefined;
  /** The number of positions without the exit that they had. */
  unprotected: () => number = () => 0;
  /** The positions of the run's strategies. */
  books: readonly { position(instrument: Instrument, side: 'net'): Pick<Position, 'steps' | 'dust'> }[] = [];
  /** Whole steps held of each instrument (signed), by its index: spot balances floored, or net positions. */
  readonly heldSteps: Float64Array;
  /** Net value of the position in each instrument at the newest sample of the curve, by its index, in the account's currency. */
  readonly sampledWorths: Float64Array;

  /** Steps of each instrument that count as a position: net, and long and short added. By its index. */
  readonly #netSteps: Float64Array;
  readonly #grossSteps: Float64Array;
  readonly #conversion: Conversion;
  readonly #valuation: Valuation;
  /** From the valuation: 1 where the price of the instrument changes equity. */
  readonly #moves: Uint8Array;
  /** Instruments with an open position. Equal long and short sides also count as open. */
  readonly #open: Uint8Array;
  /** Balances or positions have changed, or a held asset has no price: value again at the next event. */
  #stale = true;
  #inMarketSince = Number.NaN;
  /** Fills at the open of bars that the market state has not received. */
  #early: EarlyFill[] = [];
  /** Entries of the fill that comes next. */
  #fillCash = ZERO;
  /** The highest equity of a sample. One after a fill may be higher than at all market events. */
  #highestSample = Number.NEGATIVE_INFINITY;
  /** The account had a position, or traded, since the last day ended. */
  #active = false;

  constructor(
    private readonly options: PortfolioOptions,
    private readonly markets: readonly MarketState[],
  ) {
    const { kind, currency } = options;
    this.curve = new EquityCurve(options.equityEveryMs, new DayZone(options.dayZone), this);
    this.heldSteps = new Float64Array(markets.length);
    this.sampledWorths = new Float64Array(markets.length);
    this.#netSteps = new Float64Array(markets.length);
    this.#grossSteps = new Float64Array(markets.length);
    this.#open = new Uint8Array(markets.length);
    this.#conversion = new Conversion(currency, markets, kind !== 'netting');
    const positionsIn = (instrument: Instrument) =>
      !instrument.isReference && (kind === 'netting' || (kind === 'futures' && instrument.kind === 'futures'));
    this.#valuation = new Valuation(this.#conversion, markets, positionsIn);
    this.#moves = this.#valuation.moves;
  }

  get currency(): string {
    return this.options.currency;
  }
  /** The wallet that the account trades from: the collateral of futures, else the only wallet. */
  get mainWallet(): Wallet {
    return this.options.kind === 'futures' ? 'futures' : 'spot';
  }

  balance(asset: string, wallet: Wallet = this.mainWallet): Balance {
    return this.balances.get(this.#key(asset, wallet)) ?? { wallet, asset, total: ZERO, frozen: ZERO };
  }

  /** Units of the account's currency for one unit of the asset, by the last price; `undefined` where there is none (yet). */
  rateOf(asset: string): Decimal | undefined {
    return this.#conversion.rateOf(asset);
  }

  /**
   * @returns whether a total has changed.
   * @throws TidegateError CONFIG_INVALID for an asset that no instrument prices in the currency.
   */
  setBalance(balance: Balance, time: number): boolean {
    const { asset, wallet, total } = balance;
    const known = this.balances.get(this.#key(asset, wallet));
    this.balances.set(this.#key(asset, wallet), balance);
    // Freezing and releasing funds for orders changes no total.
    if (known?.total === total) return false;
    const source = this.#sourceOf(asset);
    this.#stale = true;
    this.#valuation.setAsset(asset, this.#overWallets(asset));
    if (source === undefined || source.inverse || (this.mainWallet === 'futures' && wallet === 'futures')) return true;
    const { instrument } = source.market;
    this.heldSteps[instrument.index] = instrument.step.floorUnits(total);
    this.follow(instrument, time);
    return true;
  }

  /**
   * Called after a fill on spot. Only coins that can be sold are a position: whole steps of a strategy, and of what no strategy owns, worth
   * an order.
   */
  follow(instrument: Instrument, time: number): void {
    const { index, step } = instrument;
    const total = this.balance(instrument.base, 'spot').total;
    const own = this.books.map((book) => book.position(instrument, 'net'));
    let steps = own.reduce((sum, position) => sum + position.steps, 0);
    const dust = own.reduce((sum, position) => sum.plus(position.dust), ZERO);
    steps += step.floorUnits(total.minus(step.toDecimal(steps)).minus(dust));
    const real = this.#sellable(instrument, steps) ? steps : 0;
    this.#hold(index, real, Math.abs(real), time);
  }

  /** The net position of a netting account. */
  setPosition({ index }: Instrument, { steps }: Position, time: number): void {
    this.#stale = true;
    this.heldSteps[index] = steps;
    this.#valuation.setPosition(index, steps, ZERO);
    this.#hold(index, steps, Math.abs(steps), time);
  }

  /** Long and short of a contract. */
  setSides({ index }: Instrument, long: Position, short: Position, time: number): void {
    const net = long.steps + short.steps;
    this.#stale = true;
    this.heldSteps[index] = net;
    this.#valuation.setPosition(index, net, long.cost.minus(short.cost));
    this.#hold(index, net, Math.abs(long.steps) + Math.abs(short.steps), time);
  }

  /** Whether `observe` has to do anything for prices of this instrument. */
  follows(index: number): boolean {
    return this.#stale || this.#moves[index] !== 0;
  }

  /**
   * Called after a fill or another movement of money is in balances and positions. Equity includes it from now on. Drawdowns and their
   * limits are checked at the next market event.
   */
  value(): void {
    this.#valuation.refresh();
    this.equity = this.#valuation.equity();
  }

  /** Called before the account changes. Without a position, no market event shows how long equity stayed at a peak. @param time of the last event. */
  hold(time: number): void {
    if (!this.#stale) this.drawdown.hold(time);
  }

  /** Called for each market event, after its price is in the market state. */
  observe(index: number, time: number): void {
    if (!this.#stale && this.#moves[index] === 0) return;
    if (this.#stale) this.#valuation.refresh();
    this.equity = this.#valuation.equity();
    this.#stale = !Number.isFinite(this.equity);
    if (this.#stale) {
      if (this.startEquity !== undefined || !this.exactEquity().isFinite()) this.onUnknown?.();
      return;
    }
    this.drawdown.observe(time, this.equity);
    if (this.startEquity === undefined) this.#start(time);
    if (this.day !== undefined) this.day.observe(time, this.equity);
    if (this.equity <= 0) this.#ruined(this.markets[index]!, time);
  }

  /** Called for each entry that a fill makes, before the fill. */
  awaitFill({ asset, amount }: LedgerEntry): void {
    if (asset === this.currency) this.#fillCash = this.#fillCash.plus(amount);
  }

  /** Called after a fill is in balances and positions. */
  onFill(fill: Fill): void {
    const cash = this.#fillCash;
    this.#fillCash = ZERO;
    if (this.#early.length > 0) this.#dropValued();
    if (this.#isEarly(fill)) this.#early.push({ fill, cash });
    else this.#active = true;
  }

  followDay(): void {
    this.day = new DayLoss(() => this.equity);
  }

  /** The equity of a strategy that starts with this capital, or with the account's first equity. */
  share(capital: Decimal | undefined): OwnEquity {
    return new OwnEquity(this.#conversion, this.markets, () => this.startEquity, capital);
  }

  /** Exact equity at the newest marks; assets without a price count as zero. */
  exactEquity(): Decimal {
    return this.#valuation.exactEquity();
  }

  /**
   * The values of a sample of the equity curve, at the prices of the moment: without fills at a price that comes later. Exposure counts
   * whole steps at their marks; an instrument without a price counts as zero.
   * @param time of the sample, epoch ms.
   * @param atEnd with those fills.
   */
  sampledFigures(time: number, atEnd = false): SampledFigures {
    if (this.#early.length > 0) this.#dropValued();
    const early = atEnd ? [] : this.#early;
    let equity = this.exactEquity();
    let cash = this.balance(this.currency).total;
    for (const { fill, cash: paid } of early) {
      equity = equity.minus(this.#effectOf(fill));
      cash = cash.minus(paid);
    }
    const amount = equity.toNumber();
    // A fill between two market events can make equity negative, and the next event positive again.
    if (amount <= 0) this.#ruined(this.#openMarket(), time);
    this.#highestSample = Math.max(this.#highestSample, amount);
    const peak = Math.max(this.drawdown.peak, this.#highestSample);
    return {
      cash,
      equity,
      peak,
      drawdown: (peak - amount) / peak,
      ...this.#exposures(early, this.sampledWorths),
      unprotected: this.unprotected(),
    };
  }

  /** @returns whether the account had a position or traded since the last call. */
  takeActivity(): boolean {
    const active = this.#active;
    this.#active = this.#exposures(this.#early).exposure > 0;
    return active;
  }

  finish(time: number): void {
    this.curve.finish(time);
    this.drawdown.finish(time);
    if (this.equity <= 0) this.#ruined(this.#openMarket(), time);
    if (!Number.isNaN(this.#inMarketSince)) this.timeInMarketMs += time - this.#inMarketSince;
    this.#inMarketSince = Number.NaN;
  }

  #openMarket(): MarketState {
    return this.markets.find(({ instrument }) => this.#open[instrument.index] === 1) ?? this.markets[0]!;
  }

  /** Equity is zero or less, at a price of this market; at the end, also because of a last fill. */
  #ruined({ instrument, mark }: MarketState, time: number): void {
    this.ruin ??= { time, symbol: instrument.symbol, price: mark };
  }

  #key(asset: string, wallet: Wallet): string {
    return wallet === 'spot' && this.mainWallet === 'futures' ? `spot:${asset}` : asset;
  }

  #overWallets(asset: string): Decimal {
    const { total } = this.balance(asset);
    const spot = this.balances.get(`spot:${asset}`);
    return spot === undefined ? total : total.plus(spot.total);
  }

  #sourceOf(asset: string): ReturnType<Conversion['sourceOf']> {
    if (asset === this.currency) return undefined;
    const source = this.#conversion.sourceOf(asset);
    if (source !== undefined) return source;
    throw new TidegateError(
      'CONFIG_INVALID',
      `account.balances.${asset}: no instrument ${asset}-${this.currency} prices it in the account's currency ${this.currency}`,
    );
  }

  #start(time: number): void {
    this.startEquity = this.exactEquity();
    // Before the first price, what a deposit is worth was unknown.
    for (const { instrument } of this.markets)
      if (this.options.kind !== 'netting' && instrument.kind === 'spot' && !instrument.isReference) this.follow(instrument, time);
    this.#active = this.#open.includes(1);
    this.timeInMarketMs = 0;
    if (this.#active) this.#inMarketSince = time;
    this.curve.start(time);
  }

  /** @param worths receives the net value of each instrument's position. */
  #exposures(early: readonly EarlyFill[], worths?: Float64Array): Pick<SampledFigures, 'exposure' | 'netExposure'> {
    let [exposure, netExposure] = [0, 0];
    worths?.fill(0);
    for (const { instrument, mark } of this.markets) {
      const { index } = instrument;
      const own = early.length === 0 ? [] : early.filter(({ fill }) => fill.instrument === instrument);
      let [net, gross] = [this.#netSteps[index]!, this.#grossSteps[index]!];
      if (gross === 0 && own.length === 0) continue;
      for (const { fill } of own) {
        const steps = stepsOf(fill);
        net -= steps;
        gross -= fill.positionSide === 'net' ? 0 : fill.positionSide === 'long' ? steps : -steps;
      }
      if (own[0]?.fill.positionSide === 'net') gross = Math.abs(net);
      const stepWorth = instrument.step.toNumber(1) * mark * (this.rateOf(instrument.quote)?.toNumber() ?? 0) || 0;
      exposure += gross * stepWorth;
      netExposure += net * stepWorth;
      if (worths !== undefined) worths[index] = net * stepWorth;
    }
    return { exposure, netExposure };
  }

  /** The bar at whose open it was filled has not been received. */
  #isEarly({ instrument, pricedSequence }: Fill): boolean {
    return pricedSequence > this.markets[instrument.index]!.sequence;
  }

  #dropValued(): void {
    const early = this.#early.filter(({ fill }) => this.#isEarly(fill));
    if (early.length < this.#early.length) this.#active = true;
    this.#early = early;
  }

  /** The change of equity by a fill, at the present mark. */
  #effectOf({ instrument, side, steps, notional, fee, feeAsset }: Fill): Decimal {
    const worth = instrument.step.toDecimal(steps).times(this.markets[instrument.index]!.exactMark() ?? ZERO);
    const gain = side === 'buy' ? worth.minus(notional) : notional.minus(worth);
    return gain.times(this.rateOf(instrument.quote) ?? ZERO).minus(fee.times(this.rateOf(feeAsset) ?? ZERO));
  }

  /** Coins below the least order cannot be sold. */
  #sellable({ index, spec, step }: Instrument, steps: number): boolean {
    if (steps <= 0) return steps < 0;
    const quantity = step.toDecimal(steps);
    if (quantity.lt(spec.minQuantity ?? 0)) return false;
    const last = this.markets[index]!.exactLast();
    return spec.minNotional === undefined || last === undefined || quantity.times(last).gte(spec.minNotional);
  }

  #hold(index: number, steps: number, gross: number, time: number): void {
    this.#netSteps[index] = steps;
    this.#grossSteps[index] = gross;
    this.#open[index] = gross === 0 ? 0 : 1;
    const inMarket = this.#open.includes(1);
    if (inMarket && Number.isNaN(this.#inMarketSince)) this.#inMarketSince = time;
    if (!inMarket && !Number.isNaN(this.#inMarketSince)) {
      this.timeInMarketMs += time - this.#inMarketSince;
      this.#inMarketSince = Number.NaN;
    }
  }
}

/** Bought, or negative: sold. A fee in coins is taken from what was bought. */
function stepsOf({ side, steps, fee, feeAsset, instrument }: Fill): number {
  if (side === 'sell') return -steps;
  return instrument.kind === 'spot' && feeAsset === instrument.base ? steps - instrument.step.floorUnits(fee) : steps;
}
