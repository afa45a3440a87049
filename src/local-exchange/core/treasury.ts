import { Decimal } from '../../model/decimal.ts';
import { Refusal } from '../refusal.ts';
import type { AccountDirectory, ExchangeAccount } from './exchange-account.ts';
import type { WireIds } from './order-store.ts';
import type { WalletName } from './wallets.ts';

/** An internal withdrawal. Amounts are decimal text in the coin. */
export interface WithdrawalOrder {
  readonly from: string;
  readonly to: string;
  readonly coin: string;
  readonly amount: string;
  readonly fromWallet: 'spot' | 'funding';
  readonly toWallet: 'spot' | 'funding';
}

export interface Withdrawal extends WithdrawalOrder {
  readonly id: string;
  /** Epoch ms. */
  readonly createTime: number;
  updateTime: number;
  status: 'PROGRESSING' | 'SUCCESS' | 'FAILED';
}

/** Moves money without fills: deposits, transfers between wallets, internal withdrawals between accounts. */
export class Treasury {
  readonly #withdrawals = new Map<string, Withdrawal>();
  #transfers = 0;
  /** Number of next withdrawals that fail. */
  failures = 0;

  constructor(
    private readonly accounts: AccountDirectory,
    private readonly ids: WireIds,
  ) {}

  /** Oldest first. */
  get withdrawals(): Withdrawal[] {
    return [...this.#withdrawals.values()];
  }

  /** @throws Refusal 40015 if there is less than `amount`. */
  transfer(account: ExchangeAccount, coin: string, text: string, from: WalletName, to: WalletName, time: number): void {
    const amount = new Decimal(text);
    requireFunds(account, from, coin, amount);
    account.wallets[from].transfer(time, coin, amount.negated());
    account.wallets[to].transfer(time, coin, amount);
    account.transfers.set(`t${++this.#transfers}`, { time, coin, amount, from, to, status: 'SUCCESS' });
  }

  /** Freezes the amount; it arrives, or is returned, when the withdrawal is settled. @throws Refusal 40015. */
  withdraw(order: WithdrawalOrder, time: number): Withdrawal {
    const sender = this.accounts.get(order.from);
    const amount = new Decimal(order.amount);
    requireFunds(sender, order.fromWallet, order.coin, amount);
    const withdrawal: Withdrawal = { ...order, id: this.ids.withdrawal(), createTime: time, updateTime: time, status: 'PROGRESSING' };
    sender.wallets[order.fromWallet].freeze(time, order.coin, amount);
    this.#withdrawals.set(withdrawal.id, withdrawal);
    show(sender, withdrawal, time);
    return withdrawal;
  }

  /** Fails, and returns the amount, if the receiver's account is frozen or a failure was requested. */
  settle(id: string, time: number): void {
    const withdrawal = this.#withdrawals.get(id);
    if (withdrawal?.status !== 'PROGRESSING') return;
    const { from, to, coin, fromWallet, toWallet } = withdrawal;
    const [sender, receiver] = [this.accounts.get(from), this.accounts.get(to)];
    const amount = new Decimal(withdrawal.amount);
    const fails = receiver.frozen || this.failures > 0;
    if (this.failures > 0) this.failures--;
    sender.wallets[fromWallet].freeze(time, coin, amount.negated());
    withdrawal.updateTime = time;
    withdrawal.status = fails ? 'FAILED' : 'SUCCESS';
    show(sender, withdrawal, withdrawal.createTime);
    if (fails) return;
    sender.wallets[fromWallet].transfer(time, coin, amount.negated());
    receiver.wallets[toWallet].transfer(time, coin, amount);
    // It arrives now: with an earlier date its receiver could miss it, having read further already.
    if (receiver !== sender) show(receiver, withdrawal, time);
  }
}

/** In the account's transfer records, which show its status. */
function show(account: ExchangeAccount, { id, coin, amount, fromWallet, toWallet, status }: Withdrawal, time: number): void {
  account.transfers.set(id, { time, coin, amount: new Decimal(amount), from: fromWallet, to: toWallet, status });
}

function requireFunds(account: ExchangeAccount, wallet: WalletName, coin: string, amount: Decimal): void {
  const available = account.wallets[wallet].available(coin);
  if (amount.greaterThan(available)) {
    throw new Refusal('40015', `FAILED_PRECONDITION: ${coin} not enough: ${amount.toFixed()} needed, ${available.toFixed()} available`);
  }
}
