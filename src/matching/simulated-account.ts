import type { Decimal } from '../model/decimal.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { VenueEvent } from '../model/order-events.ts';
import type { Rejection } from '../model/reasons.ts';
import type { AccountLedger } from './account-ledger.ts';
import type { OrderFunds } from './order-funds.ts';

/** One account of the simulator: what its orders freeze, what its fills move. */
export interface SimulatedAccount {
  readonly ledger: AccountLedger;
  readonly emit: (event: VenueEvent) => void;
  /** Freezes what the order may need; a refusal leaves everything as it was. */
  reserve(order: OrderFunds, time: number): Rejection | undefined;
  /** Steps of `wanted` that the account can pay for at this price. */
  affordable(order: OrderFunds, ticks: number, wanted: number): number;
  /** The fee of a fill and the asset it is taken in. */
  fee(instrument: Instrument, buy: boolean, maker: boolean, steps: number, notional: Decimal): { fee: Decimal; feeAsset: string };
  /** Moves the money of a fill. */
  settle(order: OrderFunds, fill: Fill): void;
  /** Releases what an ended order still froze. */
  release(order: OrderFunds, time: number): void;
  /** Signed net steps: what the worst-case bar path asks for. */
  positionSteps(instrument: Instrument): number;
}
