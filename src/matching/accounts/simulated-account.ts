import type { VenueEvent } from '../../model/account-events.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Balance, Wallet } from '../../model/ledger.ts';
import type { Rejection } from '../../model/reasons.ts';
import type { FuturesAccount } from '../futures/futures-account.ts';
import type { FeeBase } from '../models/fees.ts';
import type { Exchange, OrderFunds } from './ledger.ts';
import type { OwnPositions } from './own-positions.ts';

/** One account of the simulator: the funds that its orders freeze, and the money that its fills move. */
export interface SimulatedAccount {
  readonly emit: (event: VenueEvent) => void;
  /** Its futures half, which trades on margin; spot and netting accounts have none. */
  readonly futures: FuturesAccount | undefined;
  /** The position of each strategy, where the simulator has the strategies. */
  owners?: OwnPositions | undefined;
  readonly balances: readonly Balance[];
  /** Called once, first. */
  join(exchange: Exchange): void;
  deposit(time: number, wallet: Wallet, asset: string, amount: Decimal): void;
  /** Freezes the funds that the order may need, where a taker would pay `takerTicks`; a refusal changes nothing. */
  reserve(order: OrderFunds, time: number, takerTicks: number): Rejection | undefined;
  /** Steps of `wanted` that the account can pay for, or has a position to close for, at this price. */
  affordable(order: OrderFunds, ticks: number, wanted: number): number;
  /** The size of a fill in the asset of its fee. */
  feeBase(instrument: Instrument, buy: boolean, steps: number, notional: Decimal): FeeBase;
  /** The fee as this exchange rounds it; absent: it rounds none. */
  roundedFee?(instrument: Instrument, fee: Decimal): Decimal;
  /** Moves the money of a fill. */
  settle(order: OrderFunds, fill: Fill): void;
  /** Releases the funds that an ended order still froze. */
  release(order: OrderFunds, time: number): void;
  /** Signed net steps, which the `worst` path of a bar uses. */
  positionSteps(instrument: Instrument): number;
}
