/** What operation 2 says of a pair beyond its grids and fees; decimals as text, absent means no limit. */
export interface ListingRules {
  /** How far above the last price a buy limit may lie, as a share of it. */
  readonly buyLimitPriceRatio?: string | undefined;
  /** How far below it a sell limit may lie. */
  readonly sellLimitPriceRatio?: string | undefined;
  /** Largest market buy: in quote where market buys are by quote, else in base. */
  readonly marketBuyLimitSize?: string | undefined;
  /** Largest market sell, in base. */
  readonly marketSellLimitSize?: string | undefined;
  /** How far from the last price a market order may fill, as a share of it; what would fill further is canceled. */
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
