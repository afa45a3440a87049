import type { Delay } from './delay.ts';

/** The ways between a bot and its exchange: prices to it, its orders and cancels there, what the exchange answers back. */
export type Leg = 'feed' | 'entry' | 'cancel' | 'response';

/** How long one leg took, recorded, as two columns. */
export interface RecordedDelays {
  /** Epoch ms, rising. */
  readonly times: Float64Array;
  /** In ms; `NaN` where the exchange refused what came then. */
  readonly delays: Float64Array;
}

/** What a file of recorded times tells of each leg. */
export type RecordedLatency = { readonly [L in Leg]?: RecordedDelays | undefined };

/** When the exchange is too busy for an order. */
export interface OverloadSettings {
  /** Share of the orders that it refuses, whatever else happens. */
  readonly probability?: number | undefined;
  /** It takes so many orders of ours within any second, and refuses those beyond. */
  readonly ordersPerSecond?: number | undefined;
}

/** How long each leg takes, and whether the exchange is too busy for what arrives. */
export interface Latency {
  readonly entryMs: Delay;
  readonly cancelMs: Delay;
  readonly responseMs: Delay;
  /** Left out: strategies see every event as it happens. */
  readonly feedMs?: Delay | undefined;
  /** Of what is drawn. */
  readonly seed?: number | undefined;
  /** Goes before the settings of the legs that it tells of. */
  readonly recorded?: RecordedLatency | undefined;
  readonly overload?: OverloadSettings | undefined;
  /** Comes on top of the entry and of the response leg, each. */
  readonly addedMs?: number | undefined;
}

/** Whether strategies hear of prices later than matching has them. */
export function hasFeedLeg({ feedMs = 0, recorded }: Latency): boolean {
  return feedMs !== 0 || recorded?.feed !== undefined;
}
