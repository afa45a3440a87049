import type { VenueEvent } from '../../model/account-events.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Balance, Wallet } from '../../model/ledger.ts';
import type { Rejection } from '../../model/reasons.ts';
import type { FuturesAccount } from '../futures/futures-account.ts';
import type { Exchange, OrderFunds } from './ledger.ts';
import type { OwnPositions } from './own-positions.ts';

/** One account of the simulator: what its orders freeze, what its fills move. */
export interface SimulatedAccount {
  readonly emit: (event: VenueEvent) => void;
  /** Its half that trades on margin; spot and netting accounts have none. */
  readonly futures: FuturesAccount | undefined;
  /** What each strategy holds, where the simulator knows the strategies. */
  owners?: OwnPositions | undefined;
  readonly balances: readonly Balance[];
  /** Called once, before anything else. */
  join(exchange: Exchange): void;
  deposit(time: number, wallet: Wallet, asset: string, amount: Decimal): void;
  /** Freezes what the order may need, where a taker would pay `takerTicks`; a refusal leaves everything as it was. */
  reserve(order: OrderFunds, time: number, takerTicks: number): Rejection | undefined;
  /** Steps of `wanted` that the account can pay for, or has to close, at this price. */
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
