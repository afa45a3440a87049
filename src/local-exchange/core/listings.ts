import { Decimal } from '../../model/decimal.ts';
import { Grid } from '../../model/grid.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Refusal } from '../refusal.ts';

/** The limits of a pair in operation 2, apart from its grids and fees; decimals as text, absent means no limit. */
export interface ListingRules {
  /** How far above the last price a buy limit may be, as a share of it. */
  readonly buyLimitPriceRatio?: string | undefined;
  /** How far below it a sell limit may be. */
  readonly sellLimitPriceRatio?: string | undefined;
  /** Largest market buy: in quote where market buys are by quote, else in base. */
  readonly marketBuyLimitSize?: string | undefined;
  /** Largest market sell, in base. */
  readonly marketSellLimitSize?: string | undefined;
  /** Contracts: largest market order that opens, and largest position on a side, in base. */
  readonly marketOpenLimitSize?: string | undefined;
  readonly maxPositionSize?: string | undefined;
  /** How far from the last price a market order may fill, as a share of it; the rest is canceled. */
  readonly marketFallbackPriceRatio?: string | undefined;
  /** False refuses every order; default true. */
  readonly enableTrade?: boolean | undefined;
  readonly enableDisplay?: boolean | undefined;
  readonly displayDigitMerge?: string | undefined;
  readonly displayNew?: boolean | undefined;
  readonly displayHot?: boolean | undefined;
  readonly supportTracing?: boolean | undefined;
  readonly supportPlanMarket?: boolean | undefined;
}

/** New steps of an instrument, decimals as text; a field that is left out does not change. */
export interface GridChange {
  readonly tickSize?: string | undefined;
  readonly stepSize?: string | undefined;
  /** Least and largest quantity of an order, in base. */
  readonly minQuantity?: string | undefined;
  readonly maxQuantity?: string | undefined;
}

/** The steps that orders of an instrument must have now. */
export interface ListedGrid {
  readonly tick: Grid;
  readonly step: Grid;
  /** In base, decimal text. */
  readonly minQuantity: string;
  readonly maxQuantity: string | undefined;
}

/**
 * The requirements of the exchange for new orders, by instrument. Steps may change while it runs: open orders keep their price and quantity, and
 * prices and fills keep the steps of the config.
 */
export class Listings {
  readonly #changes = new Map<Instrument, GridChange>();
  readonly #grids = new Map<Instrument, ListedGrid>();

  /** @param rules by symbol. */
  constructor(private readonly rules: ReadonlyMap<string, ListingRules> | undefined) {}

  rulesOf({ symbol }: Instrument): ListingRules {
    return this.rules?.get(symbol) ?? {};
  }

  gridOf(instrument: Instrument): ListedGrid {
    const { tick, step, spec } = instrument;
    const { minQuantity = step.text, maxQuantity } = spec;
    return this.#grids.get(instrument) ?? { tick, step, minQuantity, maxQuantity };
  }

  /** Changes the steps of new orders. @throws Refusal 40020 for a step that is no multiple of the config's. */
  change(instrument: Instrument, change: GridChange): void {
    const changed = { ...this.#changes.get(instrument), ...change };
    const { tickSize, stepSize, minQuantity, maxQuantity = instrument.spec.maxQuantity } = changed;
    const tick = multiple(instrument.tick, 'tickSize', tickSize);
    const step = multiple(instrument.step, 'stepSize', stepSize);
    this.#changes.set(instrument, changed);
    this.#grids.set(instrument, { tick, step, minQuantity: minQuantity ?? instrument.spec.minQuantity ?? step.text, maxQuantity });
  }
}

/** Prices and quantities inside the exchange are whole units of the config's steps. */
function multiple(own: Grid, what: string, text: string | undefined): Grid {
  if (text === undefined) return own;
  const units = own.floorUnits(new Decimal(text));
  if (units < 1 || !own.toDecimal(units).equals(text)) throw new Refusal('40020', `${what} ${text} is no multiple of ${own.text}`);
  return new Grid(text);
}
