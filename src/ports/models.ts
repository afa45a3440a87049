import type { Decimal } from '../model/decimal.ts';
import type { Liquidity } from '../model/fill.ts';
import type { Side } from '../model/order.ts';

// The models of the simulator, by the question that each answers. Those of Tidegate and those of users implement the same interfaces. A
// model has no clock and no chance of its own: times come with each question, and random numbers from a seed.

/** The fill of a taker, before slippage. Prices are in ticks and quantities in steps of the instrument. */
export interface TakerFill {
  readonly symbol: string;
  readonly side: Side;
  /** The quantity of this fill; 1 where only a first price is needed. */
  readonly steps: number;
  /** The price without slippage: the ask for a buy, the bid for a sell. */
  readonly priceTicks: number;
  /** The spread: that of the book where there are quotes, else twice `halfSpreadTicks` of the config. */
  readonly spreadTicks: number;
  /** With bars: the share of the bar's volume that own orders have taken, this fill included; 0 without bars or without volume. */
  readonly volumeShare: number;
  /** Volatility x square root of (`steps` / volume), both of the last `days` of the model; 0 before there are data, or without `days`. */
  readonly rootImpact: number;
  readonly tickSize: number;
  readonly stepSize: number;
  /** Epoch ms of the price. */
  readonly time: number;
}

/** The price that takers pay beyond the market. The model has no memory: the same fill always gives the same slippage, also when it is asked twice. */
export interface SlippageModel {
  /** The number of past days over which `rootImpact` is measured; absent: it is 0. */
  readonly days?: number | undefined;
  /** False: the slippage does not depend on `steps`. Then the size of an order that the account cannot pay for is found faster. */
  readonly bySize?: boolean | undefined;
  /**
   * Ticks against the taker, at least 0; fractions are allowed. Tidegate adds `slippageBps`, rounds the price to the worse tick, and keeps it
   * within the limit of the order. A larger quantity must not have less slippage.
   */
  slippageTicks(fill: TakerFill): number;
}

/** A fill whose fee is computed. Amounts are exact. */
export interface ChargedFill {
  readonly symbol: string;
  readonly side: Side;
  readonly liquidity: Liquidity;
  readonly priceTicks: number;
  readonly steps: number;
  /** In base units. */
  readonly quantity: Decimal;
  /** Price x quantity, in quote units. */
  readonly notional: Decimal;
  /** The asset of the fee: for a spot buy the base asset, else the quote asset. */
  readonly feeAsset: string;
  /** The size of the fill in `feeAsset`: for a spot buy the quantity, else the notional. */
  readonly amount: Decimal;
  /** The rates of the instrument in the config, as shares of `amount`. */
  readonly makerFee: Decimal;
  readonly takerFee: Decimal;
  /** Epoch ms. */
  readonly time: number;
}

/**
 * The fees of fills, except those of liquidations. It is called once for each fill, in the order of the fills, so it may remember earlier
 * fills, such as for tiers by volume.
 */
export interface FeeModel {
  /** In `feeAsset`, of at most 30 decimal places, and smaller than `amount`; negative is a rebate. */
  fee(fill: ChargedFill): Decimal;
}

/** A limit order that begins to wait for the market. */
export interface RestingOrder {
  readonly symbol: string;
  readonly side: Side;
  readonly limitTicks: number;
  /** The quantity of the order that has not filled. */
  readonly steps: number;
  readonly tickSize: number;
  readonly stepSize: number;
  /** Epoch ms of its arrival. */
  readonly time: number;
  /** A random number of this order, at least 0 and below 1. It depends only on the model's `seed` and on the place of the order in the run. */
  readonly chance: number;
}

/** When limit orders fill. It is called once for each order, when the order first meets the market. */
export interface LimitModel {
  /** Whole ticks, at least 0, by which the market must go beyond the limit: 0 fills at a touch, 1 when the market crosses. */
  penetrationTicks(order: RestingOrder): number;
}

/** A point of the path inside a bar at which neither extreme or only one has been visited. Prices are in ticks. */
export interface PathStep {
  readonly symbol: string;
  readonly openTicks: number;
  readonly highTicks: number;
  readonly lowTicks: number;
  readonly closeTicks: number;
  /** Epoch ms of the bar's close. */
  readonly time: number;
  /** The price now, from the low to the high. */
  readonly priceTicks: number;
  /** The net position in steps: negative while short. */
  readonly positionSteps: number;
  /** Whether an order that would open or add to a long (`buyWaits`) or short (`sellWaits`) position waits. */
  readonly buyWaits: boolean;
  readonly sellWaits: boolean;
  /** Whether the high is the worse extreme to visit first, by the rule of `worst`. */
  readonly highIsWorse: boolean;
  /** A random number of this bar, at least 0 and below 1: the same at each of its steps. It depends on the model's `seed`, symbol and time. */
  readonly chance: number;
}

/**
 * The order in which the price inside a bar visits its extremes. The path begins at the open, visits both extremes and ends at the close. The
 * model is asked at each step while both extremes are left, and only in bars in which an order can fill.
 */
export interface PathModel {
  /** True: the price goes towards the high next; false: towards the low. */
  highFirst(step: PathStep): boolean;
}

/** The four ways of a message: a price to the strategy, an order and a cancel to the exchange, a reply to the strategy. */
export type LatencyLeg = 'feed' | 'entry' | 'cancel' | 'response';

/** A message that leaves now. */
export interface LatencyMessage {
  readonly leg: LatencyLeg;
  /** Epoch ms. */
  readonly time: number;
  /** Draws a random number above 0 and below 1 from the stream of this leg, which begins with `backtest.latency.seed`. */
  draw(): number;
}

/** How long messages take. It is called once for each message, in the order of the messages of a leg, so it may remember earlier ones. */
export interface LatencyModel {
  /** True: prices take time too, the leg `feed`. Absent: strategies receive each price as it happens. */
  readonly delaysPrices?: boolean | undefined;
  /** Ms, at least 0. Tidegate rounds it to the microsecond. A message never overtakes an earlier one of its leg. */
  delayMs(message: LatencyMessage): number;
}

/** The interface of each model, by its question. */
export interface ModelOf {
  readonly slippage: SlippageModel;
  readonly fee: FeeModel;
  readonly limit: LimitModel;
  readonly path: PathModel;
  readonly latency: LatencyModel;
}
