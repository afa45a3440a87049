import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { TradeStopped } from '../../model/latch-events.ts';
import type { LossPerTrade, RiskLimits } from '../../risk/limits.ts';
import { lossLimit } from '../../risk/loss-limit.ts';
import type { PriceWatcher } from '../../state/own-equity.ts';
import type { ReadonlyPosition, State } from '../../state/state.ts';
import type { Flattening } from './flattening.ts';

/** Between two tries to close one trade. */
const RETRY_MS = 60_000;

/** A strategy whose open trades are watched, and what one of them may lose: the smallest of these. */
interface Watched {
  readonly strategyId: string;
  readonly limits: readonly { readonly limit: LossPerTrade; readonly equity: () => Decimal }[];
}

/**
 * Watches open trades that may lose only so much, where the config has them closed. Between two fills a trade's limit is
 * a price, so that each market event costs two comparisons; a limit that is a share of equity is taken as equity stands
 * at the fill.
 */
export class TradeStops implements PriceWatcher {
  readonly #watched: readonly Watched[];
  /** By the index of the instrument, in ticks: at marks below the first or above the second, somebody's trade is to be closed. */
  readonly #below: Float64Array;
  readonly #above: Float64Array;
  /** When a trade was last told of, by symbol and strategy. */
  readonly #told = new Map<string, number>();

  constructor(
    private readonly state: State,
    limits: RiskLimits,
    private readonly flattening: Flattening,
    private readonly outlets: { emit(event: TradeStopped): void; now(): number },
  ) {
    const accounts = { limit: limits.maxLossPerTrade, equity: () => state.portfolio.exactEquity() };
    this.#watched = [...state.books.keys()].flatMap((strategyId) => {
      const own = {
        limit: limits.strategies?.get(strategyId)?.maxLossPerTrade,
        equity: () => state.ownEquities.get(strategyId)?.exactEquity() ?? ZERO,
      };
      const closing = [accounts, own].flatMap(({ limit, equity }) => (limit?.close ? [{ limit, equity }] : []));
      return closing.length === 0 ? [] : [{ strategyId, limits: closing }];
    });
    this.#below = new Float64Array(state.markets.length).fill(Number.NEGATIVE_INFINITY);
    this.#above = new Float64Array(state.markets.length).fill(Number.POSITIVE_INFINITY);
    if (this.#watched.length === 0) return;
    state.watchers.push(this);
    for (const instrument of state.instruments) this.onFill(instrument);
  }

  observe(index: number): void {
    const { markTicks } = this.state.markets[index]!;
    if (markTicks < this.#below[index]! || markTicks > this.#above[index]!) this.#stop(this.state.markets[index]!.instrument);
  }

  /** Some position in the instrument has changed. */
  onFill(instrument: Instrument): void {
    if (this.#watched.length === 0) return;
    const { index, tick, step, symbol } = instrument;
    for (const { strategyId } of this.#watched) this.#told.delete(`${symbol}/${strategyId}`);
    let below = Number.NEGATIVE_INFINITY;
    let above = Number.POSITIVE_INFINITY;
    for (const { position, limit } of this.#open(instrument)) {
      const steps = step.toNumber(Math.abs(position.steps)) * tick.toNumber(1);
      const worst = (position.steps > 0 ? position.cost.minus(limit) : position.cost.plus(limit)).toNumber() / steps;
      if (position.steps > 0) below = Math.max(below, worst);
      else above = Math.min(above, worst);
    }
    this.#below[index] = below;
    this.#above[index] = above;
  }

  #stop(instrument: Instrument): void {
    const mark = this.state.market(instrument).exactMark()!;
    for (const { strategyId, position, limit } of this.#open(instrument)) {
      const value = instrument.step.toDecimal(Math.abs(position.steps)).times(mark);
      const loss = position.steps > 0 ? position.cost.minus(value) : value.minus(position.cost);
      if (loss.lessThanOrEqualTo(limit) || !this.#due(instrument.symbol, strategyId)) continue;
      const rate = this.state.portfolio.rateOf(instrument.quote) ?? ZERO;
      const texts = { loss: loss.times(rate).toFixed(), limit: limit.times(rate).toFixed() };
      this.outlets.emit({ kind: 'tradeStopped', time: this.outlets.now(), strategyId, instrument, ...texts });
    }
  }

  /** Not while the position is being closed; and when that was in vain, now and then. */
  #due(symbol: string, strategyId: string): boolean {
    const { time } = this.state;
    const key = `${symbol}/${strategyId}`;
    if (this.flattening.concerns(symbol, strategyId) !== undefined || time < (this.#told.get(key) ?? 0) + RETRY_MS) return false;
    this.#told.set(key, time);
    return true;
  }

  /** Open positions in the instrument, each with what it may lose in its quote. */
  *#open(instrument: Instrument): Generator<{ strategyId: string; position: ReadonlyPosition; limit: Decimal }> {
    const rate = this.state.portfolio.rateOf(instrument.quote);
    if (rate === undefined) return;
    for (const { strategyId, limits } of this.#watched) {
      for (const position of this.state.books.get(strategyId)!.sides(instrument)) {
        if (position.steps === 0) continue;
        const least = limits.map(({ limit, equity }) => lossLimit(limit, equity)).reduce((a, b) => (a.lessThan(b) ? a : b));
        yield { strategyId, position, limit: least.div(rate) };
      }
    }
  }
}
