import type { Engine } from '../../../engine/engine.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { ReadonlyState } from '../../../state/state.ts';
import { LEVERAGED, type LeveragedUse } from '../../../statistics/run-record.ts';

/**
 * The largest leverage and margin use of a futures account. It is sampled after the engine's turn, at the first market event of each
 * `equityEvery` and at each with a fill. The values are doubles, as they are only shown.
 */
export class MarginRecorder {
  /** Value of all futures positions at their marks, both sides counted, over equity. */
  maxLeverage = 0;
  /** Margin of positions and opening orders over the equity of their collateral, for the collateral with the largest use. */
  maxMarginUse = 0;
  /** The largest margin use at a leverage of `LEVERAGED` or more, and the leverage at that time. */
  leveragedUse: LeveragedUse = { marginUse: 0, leverage: 0 };
  /** The smallest distance of a position's mark from its liquidation price, as a share of the mark; infinite without such a price. */
  nearestLiquidation = Number.POSITIVE_INFINITY;
  #nextTime = Number.NEGATIVE_INFINITY;
  #filled = false;
  readonly #contracts: readonly Instrument[];
  readonly #currencies: readonly string[];

  constructor(
    instruments: readonly Instrument[],
    private readonly everyMs: number,
  ) {
    this.#contracts = instruments.filter(({ contract }) => contract !== undefined);
    this.#currencies = [...new Set(this.#contracts.map(({ quote }) => quote))];
  }

  observe(engine: Pick<Engine, 'account$' | 'state$'>): void {
    engine.account$.subscribe((event) => {
      if (event.kind === 'orderFilled') this.#filled = true;
    });
    engine.state$.subscribe((state) => {
      if (this.#filled || state.time >= this.#nextTime) this.#look(state);
    });
  }

  #look(state: ReadonlyState): void {
    this.#filled = false;
    this.#nextTime = (Math.floor(state.time / this.everyMs) + 1) * this.everyMs;
    const equity = state.portfolio.exactEquity().toNumber();
    const leverage = equity > 0 ? this.#positionValue(state) / equity : 0;
    this.maxLeverage = Math.max(this.maxLeverage, leverage);
    this.#lookAtLiquidation(state);
    for (const currency of this.#currencies) {
      const { used, equity: collateral } = state.margin.figures(currency);
      if (!collateral.gt(0)) continue;
      const marginUse = used.div(collateral).toNumber();
      this.maxMarginUse = Math.max(this.maxMarginUse, marginUse);
      if (leverage >= LEVERAGED && marginUse > this.leveragedUse.marginUse) this.leveragedUse = { marginUse, leverage };
    }
  }

  #lookAtLiquidation(state: ReadonlyState): void {
    for (const instrument of this.#contracts) {
      const { mark } = state.market(instrument);
      for (const side of ['long', 'short'] as const) {
        const price = state.margin.liquidationPrice(instrument, side)?.toNumber();
        if (price === undefined) continue;
        // Without liquidations, the mark can be beyond this price: then the distance is 0.
        const distance = (side === 'long' ? mark - price : price - mark) / mark;
        this.nearestLiquidation = Math.min(this.nearestLiquidation, Math.max(0, distance));
      }
    }
  }

  #positionValue(state: ReadonlyState): number {
    return this.#contracts.reduce((sum, instrument) => {
      const steps = state.sides(instrument).reduce((gross, position) => gross + Math.abs(position.steps), 0);
      if (steps === 0) return sum;
      const rate = state.portfolio.rateOf(instrument.quote)?.toNumber() ?? 0;
      return sum + instrument.step.toNumber(steps) * state.market(instrument).mark * rate;
    }, 0);
  }
}
