import { Decimal } from '../../model/decimal.ts';
import type { ExchangeAccount } from '../accounts/exchange-account.ts';
import type { WalletName } from '../accounts/wallet.ts';
import type { Standing } from '../core/actions.ts';
import type { RunningCore } from '../core/running-core.ts';
import type { FaultPlan } from '../faults/fault-plan.ts';
import type { FaultSettings } from '../faults/fault-settings.ts';
import type { ListSettings } from '../options.ts';
import { Refusal } from '../refusal.ts';
import { unitsOf } from '../trading/order-checks.ts';

export interface ControlOptions {
  readonly core: RunningCore;
  readonly faults: FaultPlan;
  readonly step: ((ms: number) => void) | undefined;
}

/** What the keeper of a local exchange may do that no user can. Accounts go by name or uid, instruments by our symbol. */
export class Control {
  constructor(private readonly options: ControlOptions) {}

  /** Epoch ms of the exchange. */
  now(): number {
    return this.options.core.now();
  }

  /** Lets `ms` pass; prices and whatever else is due happen on the way. @throws Refusal where the clock runs by itself. */
  step(ms: number): void {
    if (this.options.step === undefined) throw new Refusal('40020', 'the clock of this exchange runs by itself');
    this.options.step(ms);
  }

  /** Sets the last price, as a ticker would. @throws Refusal. */
  setPrice(symbol: string, price: string): void {
    const instrument = this.options.core.exchange.instruments.find((one) => one.symbol === symbol);
    if (instrument === undefined) throw new Refusal('40102', `unknown instrument ${symbol}`);
    const ticks = unitsOf(instrument, 'price', price);
    if (ticks <= 0) throw new Refusal('43011', 'a price is above 0');
    this.options.core.act('price', ['ticker', instrument.index, ticks]);
  }

  deposit(account: string, wallet: WalletName, coin: string, amount: string): void {
    this.#mustKnow(coin);
    this.options.core.act('deposit', { uid: this.#account(account).uid, wallet, coin, amount });
  }

  /** Between two wallets of an account. @throws Refusal 40015 where there is too little. */
  transfer(account: string, coin: string, amount: string, from: WalletName, to: WalletName): void {
    this.#mustKnow(coin);
    const { uid, wallets } = this.#account(account);
    if (from === to) throw new Refusal('40020', 'from and to must be two wallets');
    if (new Decimal(amount).greaterThan(wallets[from].available(coin)))
      throw new Refusal('40015', `FAILED_PRECONDITION: ${coin} not enough`);
    this.options.core.act('transfer', { uid, coin, amount, from, to });
  }

  /** Makes an account an affiliate, a sub-affiliate, somebody's guest, or frozen. `inviter` is a name or uid. */
  setStanding(account: string, standing: Standing): void {
    const { uid } = this.#account(account);
    const inviter = standing.inviter === undefined ? undefined : this.#account(standing.inviter).uid;
    if (inviter === uid) throw new Refusal('40020', 'inviter must be another account');
    this.options.core.act('standing', { uid, ...standing, ...(inviter === undefined ? {} : { inviter }) });
  }

  /** The next so many internal withdrawals fail and are given back. */
  failWithdrawals(count: number): void {
    this.options.core.act('failWithdrawals', { count });
  }

  /** What is left out stays as it is; the draws begin anew. */
  setFaults(settings: Partial<FaultSettings>): void {
    this.options.faults.set(settings);
  }

  /** What is left out stays as it is. */
  setLists(settings: Partial<ListSettings>): void {
    const { exchange } = this.options.core;
    exchange.lists = { ...exchange.lists, ...settings };
  }

  #account(nameOrUid: string): ExchangeAccount {
    const { accounts } = this.options.core.exchange;
    const found = accounts.named(nameOrUid) ?? accounts.find(nameOrUid);
    if (found === undefined) throw new Refusal('40020', `no account ${nameOrUid}`);
    return found;
  }

  #mustKnow(coin: string): void {
    if (!this.options.core.exchange.coins.some(({ name }) => name === coin)) throw new Refusal('40020', `no coin ${coin}`);
  }
}
