import { type Decimal, ZERO } from '../model/decimal.ts';
import { TidegateError } from '../model/errors.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Balance } from '../model/ledger.ts';
import { Drawdown } from './drawdown.ts';
import { EquityCurve } from './equity-curve.ts';
import type { MarketState } from './market-state.ts';

export type AccountKind = 'spot' | 'netting';

export interface PortfolioOptions {
  readonly kind: AccountKind;
  /** The asset that equity is counted in. */
  readonly currency: string;
  readonly equityEveryMs: number;
}

/**
 * What the account is worth. Equity is followed as a double over every market event (for drawdown and
 * its limit) and computed exactly, in decimals, wherever it is written down.
 */
export class Portfolio {
  readonly balances = new Map<string, Balance>();
  readonly drawdown = new Drawdown();
  readonly curve: EquityCurve;
  /** Equity in the account's currency as a double; `NaN` until every held asset has a price. */
  equity = Number.NaN;
  startEquity: Decimal | undefined;
  timeInMarketMs = 0;

  /** Base units held of each instrument (signed), by its index. */
  readonly #quantities: Float64Array;
  readonly #exact: Decimal[];
  #held: number[] = [];
  #cash = 0;
  /** Balances or positions moved, or some held asset has no price: revalue at the next event. */
  #stale = true;
  #inMarketSince = Number.NaN;

  constructor(
    private readonly options: PortfolioOptions,
    private readonly markets: readonly MarketState[],
  ) {
    this.curve = new EquityCurve(options.equityEveryMs);
    this.#quantities = new Float64Array(markets.length);
    this.#exact = markets.map(() => ZERO);
  }

  get currency(): string {
    return this.options.currency;
  }

  /** True while anything but the currency itself is held. */
  get inMarket(): boolean {
    return this.#held.length > 0;
  }

  balance(asset: string): Balance {
    return this.balances.get(asset) ?? { asset, total: ZERO, frozen: ZERO };
  }

  /** @throws TidegateError CONFIG_INVALID for an asset that no instrument prices in the currency. */
  setBalance(balance: Balance, time: number): void {
    this.balances.set(balance.asset, balance);
    if (balance.asset === this.currency) {
      this.#cash = balance.total.toNumber();
      this.#stale = true;
      return;
    }
    const market = this.markets.find(({ instrument }) => instrument.base === balance.asset && instrument.quote === this.currency);
    if (market === undefined) {
      throw new TidegateError(
        'CONFIG_INVALID',
        `account.balances.${balance.asset}: no instrument ${balance.asset}-${this.currency} prices it in the account's currency ${this.currency}`,
      );
    }
    this.#hold(market.instrument.index, balance.total, time);
  }

  /** The net position of a netting account, in steps. */
  setPosition(instrument: Instrument, steps: number, time: number): void {
    this.#hold(instrument.index, instrument.step.toDecimal(steps), time);
  }

  /** Called for each market event, after its price is in the market state. */
  observe(index: number, time: number): void {
    if (this.#stale || this.#quantities[index] !== 0) this.#revalue();
    if (!Number.isNaN(this.equity)) {
      this.startEquity ??= this.exactEquity();
      this.drawdown.observe(time, this.equity);
    }
  }

  /** Equity to the last digit, at the newest marks; what has no price yet counts nothing. */
  exactEquity(): Decimal {
    let equity = this.balance(this.currency).total;
    for (const index of this.#held) {
      const market = this.markets[index]!;
      if (Number.isNaN(market.markTicks)) continue;
      equity = equity.plus(market.instrument.tick.toDecimal(market.markTicks).times(this.#exact[index]!));
    }
    return equity;
  }

  finish(time: number): void {
    this.curve.finish(time, () => this.exactEquity(), this.drawdown.current);
    this.drawdown.finish(time);
    if (!Number.isNaN(this.#inMarketSince)) this.timeInMarketMs += time - this.#inMarketSince;
    this.#inMarketSince = Number.NaN;
  }

  #hold(index: number, exact: Decimal, time: number): void {
    this.#stale = true;
    this.#exact[index] = exact;
    this.#quantities[index] = exact.toNumber();
    this.#held = [];
    for (let i = 0; i < this.#quantities.length; i++) if (this.#quantities[i] !== 0) this.#held.push(i);
    this.#followMarketTime(time);
  }

  /** Dust below one step cannot be traded, so it does not count as being in the market. */
  #followMarketTime(time: number): void {
    const inMarket = this.#held.some((index) => {
      const { step } = this.markets[index]!.instrument;
      return Math.abs(this.#quantities[index]!) >= step.toNumber(1);
    });
    if (inMarket && Number.isNaN(this.#inMarketSince)) this.#inMarketSince = time;
    if (!inMarket && !Number.isNaN(this.#inMarketSince)) {
      this.timeInMarketMs += time - this.#inMarketSince;
      this.#inMarketSince = Number.NaN;
    }
  }

  #revalue(): void {
    let equity = this.#cash;
    for (const index of this.#held) equity += this.#quantities[index]! * this.markets[index]!.mark;
    this.equity = equity;
    this.#stale = Number.isNaN(equity);
  }
}
