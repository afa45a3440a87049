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
import type { SimulatedAccount } from './simulated-account.ts';
import type { SpotAccount } from './spot-account.ts';

/** Spot and futures in one account, each with its own wallet: spot instruments trade in one, contracts in the other. */
export class TwoWalletAccount implements SimulatedAccount {
  readonly emit: (event: VenueEvent) => void;

  owners: OwnPositions | undefined;
  constructor(
    readonly spot: SpotAccount,
    readonly futures: FuturesAccount,
  ) {
    this.emit = futures.emit;
  }

  join(exchange: Exchange): void {
    this.spot.join(exchange);
    this.futures.join(exchange);
  }

  deposit(time: number, wallet: Wallet, asset: string, amount: Decimal): void {
    (wallet === 'spot' ? this.spot : this.futures).deposit(time, wallet, asset, amount);
  }

  get balances(): readonly Balance[] {
    return [...this.futures.balances, ...this.spot.balances];
  }

  reserve(order: OrderFunds, time: number, takerTicks: number): Rejection | undefined {
    return this.#half(order.request.instrument).reserve(order, time, takerTicks);
  }

  affordable(order: OrderFunds, ticks: number, wanted: number): number {
    return this.#half(order.request.instrument).affordable(order, ticks, wanted);
  }

  feeBase(instrument: Instrument, buy: boolean, steps: number, notional: Decimal): FeeBase {
    return this.#half(instrument).feeBase(instrument, buy, steps, notional);
  }

  roundedFee(instrument: Instrument, fee: Decimal): Decimal {
    return instrument.contract === undefined ? this.spot.roundedFee(instrument, fee) : fee;
  }

  settle(order: OrderFunds, fill: Fill): void {
    this.#half(fill.instrument).settle(order, fill);
  }

  release(order: OrderFunds, time: number): void {
    this.#half(order.request.instrument).release(order, time);
  }

  positionSteps(instrument: Instrument): number {
    return this.#half(instrument).positionSteps(instrument);
  }

  #half({ kind }: Instrument): SimulatedAccount {
    return kind === 'spot' ? this.spot : this.futures;
  }
}
