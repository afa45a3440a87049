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
  /** Whole steps held of each instrument (signed), by its index: spot balances floored, or net positions. */
  readonly heldSteps: Float64Array;

  /** What one tick of each instrument's mark is worth to us (signed), by its index: quantity x tick size. */
  readonly #weights: Float64Array;
  /** The quantities to the last digit, worked out only where equity is written down. */
  readonly #exact: (() => Decimal)[];
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
    this.heldSteps = new Float64Array(markets.length);
    this.#weights = new Float64Array(markets.length);
    this.#exact = markets.map(() => () => ZERO);
  }

  get currency(): string {
    return this.options.currency;
  }

  balance(asset: string): Balance {
    return this.balances.get(asset) ?? { asset, total: ZERO, frozen: ZERO };
  }

  /** @throws TidegateError CONFIG_INVALID for an asset that no instrument prices in the currency. */
  setBalance(balance: Balance, time: number): void {
    this.balances.set(balance.asset, balance);
    if (balance.asset === this.currency) {
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
    this.heldSteps[market.instrument.index] = market.instrument.step.floorUnits(balance.total);
    this.#hold(market.instrument.index, balance.total.toNumber(), time);
    this.#exact[market.instrument.index] = () => balance.total;
  }

  /** The net position of a netting account, in steps. */
  setPosition(instrument: Instrument, steps: number, time: number): void {
    const { index, step } = instrument;
    this.heldSteps[index] = steps;
    this.#hold(index, step.toNumber(steps), time);
    this.#exact[index] = () => step.toDecimal(steps);
  }

  /** Called for each market event, after its price is in the market state. */
  observe(index: number, time: number): void {
    if (!this.#stale && this.#weights[index] === 0) return;
    this.#revalue();
    if (this.#stale) return;
    this.startEquity ??= this.exactEquity();
    this.drawdown.observe(time, this.equity);
  }

  /** Equity to the last digit, at the newest marks; what has no price yet counts nothing. */
  exactEquity(): Decimal {
    let equity = this.balance(this.currency).total;
    for (const index of this.#held) {
      const market = this.markets[index]!;
      if (Number.isNaN(market.markTicks)) continue;
      equity = equity.plus(market.instrument.tick.toDecimal(market.markTicks).times(this.#exact[index]!()));
    }
    return equity;
  }

  finish(time: number): void {
    this.curve.finish(time, () => this.exactEquity(), this.drawdown.current);
    this.drawdown.finish(time);
    if (!Number.isNaN(this.#inMarketSince)) this.timeInMarketMs += time - this.#inMarketSince;
    this.#inMarketSince = Number.NaN;
  }

  #hold(index: number, quantity: number, time: number): void {
    this.#stale = true;
    const known = this.#weights[index] !== 0;
    this.#weights[index] = quantity * this.markets[index]!.instrument.tick.toNumber(1);
    if (known !== (quantity !== 0)) this.#held = [...this.#weights.keys()].filter((i) => this.#weights[i] !== 0);
    this.#followMarketTime(time);
  }

  /** Dust below one step cannot be traded, so it does not count as being in the market. */
  #followMarketTime(time: number): void {
    const inMarket = this.#held.some((index) => this.heldSteps[index] !== 0);
    if (inMarket && Number.isNaN(this.#inMarketSince)) this.#inMarketSince = time;
    if (!inMarket && !Number.isNaN(this.#inMarketSince)) {
      this.timeInMarketMs += time - this.#inMarketSince;
      this.#inMarketSince = Number.NaN;
    }
  }

  #revalue(): void {
    if (this.#stale) this.#cash = this.balance(this.currency).total.toNumber();
    const held = this.#held;
    let equity = this.#cash;
    for (let i = 0; i < held.length; i++) equity += this.#weights[held[i]!]! * this.markets[held[i]!]!.markTicks;
    this.equity = equity;
    this.#stale = Number.isNaN(equity);
  }
}
