import { type Decimal, ZERO } from '../model/decimal.ts';
import { TidegateError } from '../model/errors.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Balance, Wallet } from '../model/ledger.ts';
import type { MarginSettings } from '../model/margin.ts';
import type { Position } from '../model/position.ts';
import { DayLoss, Drawdown, EquityCurve, type Standing } from './drawdown.ts';
import type { MarketState } from './market-state.ts';
import { OwnEquity } from './own-equity.ts';
import { Conversion, Valuation } from './valuation.ts';

type AccountKind = 'spot' | 'netting' | 'futures';

export interface PortfolioOptions {
  readonly kind: AccountKind;
  /** The asset that equity is counted in. */
  readonly currency: string;
  readonly equityEveryMs: number;
  /** Settings of each contract, by symbol: futures accounts alone. */
  readonly margin?: ReadonlyMap<string, MarginSettings> | undefined;
  /** Age from which a mark price gives way to the last price; a minute unless said otherwise. */
  readonly markMaxAgeMs?: number | undefined;
}

/**
 * What the account is worth. Equity is followed as a double over every market event (for drawdown and
 * its limit), computed anew after each fill and each other movement of money, so that strategies see it as of the same
 * moment as balances and positions, and computed exactly, in decimals, wherever it is written down.
 */
export class Portfolio {
  /** By asset; the spot wallet beside a futures account as `spot:BTC`. */
  readonly balances = new Map<string, Balance>();
  readonly drawdown = new Drawdown(() => this.equity);
  /** The fall since the UTC day began, where a limit asks for it. */
  day: DayLoss | undefined;
  readonly curve: EquityCurve;
  /** Equity in the account's currency as a double; `NaN` until every held asset has a price. */
  equity = Number.NaN;
  startEquity: Decimal | undefined;
  timeInMarketMs = 0;
  /** Whole steps held of each instrument (signed), by its index: spot balances floored, or net positions. */
  readonly heldSteps: Float64Array;

  /** Both sides of each instrument added, by its index. */
  readonly #grossSteps: Float64Array;
  readonly #conversion: Conversion;
  readonly #valuation: Valuation;
  /** Of the valuation: 1 where the price of the instrument moves equity. */
  readonly #moves: Uint8Array;
  /** Instruments of which whole steps are held; long and short side by side are no less in the market for being equal. */
  readonly #open: Uint8Array;
  /** Balances or positions moved, or some held asset has no price: revalue at the next event. */
  #stale = true;
  #inMarketSince = Number.NaN;

  constructor(
    private readonly options: PortfolioOptions,
    private readonly markets: readonly MarketState[],
  ) {
    const { kind, currency } = options;
    this.curve = new EquityCurve(options.equityEveryMs);
    this.heldSteps = new Float64Array(markets.length);
    this.#grossSteps = new Float64Array(markets.length);
    this.#open = new Uint8Array(markets.length);
    this.#conversion = new Conversion(currency, markets, kind === 'futures');
    const positionsIn = (instrument: Instrument) => kind === 'netting' || (kind === 'futures' && instrument.kind === 'futures');
    this.#valuation = new Valuation(this.#conversion, markets, positionsIn);
    this.#moves = this.#valuation.moves;
  }

  get currency(): string {
    return this.options.currency;
  }
  /** Where the account trades from: the collateral of futures, else the one wallet there is. */
  get mainWallet(): Wallet {
    return this.options.kind === 'futures' ? 'futures' : 'spot';
  }

  balance(asset: string, wallet: Wallet = this.mainWallet): Balance {
    return this.balances.get(this.#key(asset, wallet)) ?? { wallet, asset, total: ZERO, frozen: ZERO };
  }

  /** Units of the account's currency for one of the asset, by the last price; `undefined` where there is none (yet). */
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
    // Orders that freeze and release funds change no total.
    if (known?.total === total) return false;
    const source = this.#sourceOf(asset);
    this.#stale = true;
    this.#valuation.setAsset(asset, this.#overWallets(asset));
    if (source === undefined || source.inverse || (this.mainWallet === 'futures' && wallet === 'futures')) return true;
    const { index, step } = source.market.instrument;
    const steps = step.floorUnits(total);
    this.#hold(index, steps, Math.abs(steps), time);
    return true;
  }

  /** The net position of a netting account. */
  setPosition({ index }: Instrument, { steps }: Position, time: number): void {
    this.#stale = true;
    this.#valuation.setPosition(index, steps, ZERO);
    this.#hold(index, steps, Math.abs(steps), time);
  }

  /** Long and short of a contract. */
  setSides({ index }: Instrument, long: Position, short: Position, time: number): void {
    const net = long.steps + short.steps;
    this.#stale = true;
    this.#valuation.setPosition(index, net, long.cost.minus(short.cost));
    this.#hold(index, net, Math.abs(long.steps) + Math.abs(short.steps), time);
  }

  /** Whether `observe` has anything to do at prices of this instrument. */
  follows(index: number): boolean {
    return this.#stale || this.#moves[index] !== 0;
  }

  /**
   * Called when a fill is in balances and positions, and when other money has moved: from here equity counts it. Falls and
   * their limits are judged at the next market event.
   */
  value(): void {
    this.#valuation.refresh();
    this.equity = this.#valuation.equity();
  }

  /** Called for each market event, after its price is in the market state. */
  observe(index: number, time: number): void {
    if (!this.#stale && this.#moves[index] === 0) return;
    if (this.#stale) this.#valuation.refresh();
    this.equity = this.#valuation.equity();
    this.#stale = Number.isNaN(this.equity);
    if (this.#stale) return;
    this.startEquity ??= this.exactEquity();
    this.drawdown.observe(time, this.equity);
    if (this.day !== undefined) this.day.observe(time, this.equity);
  }

  followDay(): void {
    this.day = new DayLoss(() => this.equity);
  }

  /** What a strategy makes of its capital, or of all that the account begins with. */
  share(capital: Decimal | undefined): OwnEquity {
    return new OwnEquity(this.#conversion, this.markets, () => this.startEquity, capital);
  }

  /** Equity to the last digit, at the newest marks; what has no price yet counts nothing. */
  exactEquity(): Decimal {
    return this.#valuation.exactEquity();
  }

  /** What the equity curve writes down. Exposure counts whole steps at their marks, and nothing without a price. */
  standing(): Standing {
    let [exposure, netExposure] = [0, 0];
    for (const { instrument, mark } of this.markets) {
      const gross = this.#grossSteps[instrument.index]!;
      if (gross === 0) continue;
      const stepWorth = instrument.step.toNumber(1) * mark * (this.rateOf(instrument.quote)?.toNumber() ?? 0) || 0;
      exposure += gross * stepWorth;
      netExposure += this.heldSteps[instrument.index]! * stepWorth;
    }
    return { equity: this.exactEquity(), drawdown: this.drawdown.current, exposure, netExposure };
  }

  finish(time: number): void {
    this.curve.finish(time, () => this.standing());
    this.drawdown.finish(time);
    if (!Number.isNaN(this.#inMarketSince)) this.timeInMarketMs += time - this.#inMarketSince;
    this.#inMarketSince = Number.NaN;
  }

  #key(asset: string, wallet: Wallet): string {
    return wallet === 'spot' && this.mainWallet === 'futures' ? `spot:${asset}` : asset;
  }

  #overWallets(asset: string): Decimal {
    const { total } = this.balance(asset);
    const beside = this.balances.get(`spot:${asset}`);
    return beside === undefined ? total : total.plus(beside.total);
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

  /** Dust below one step cannot be traded, so it does not count as being in the market. */
  #hold(index: number, steps: number, gross: number, time: number): void {
    this.heldSteps[index] = steps;
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
