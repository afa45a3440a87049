import type { Refusal } from '../refusal.ts';
import type { GridChange } from './listings.ts';
import type { PriceInput } from './market.ts';
import type { OrderEntry } from './order-store.ts';
import type { FuturesOrder, SpotOrder, TpSlOrder, TriggerOrder } from './trading-desk.ts';
import type { Withdrawal, WithdrawalOrder } from './treasury.ts';
import type { WalletName } from './wallets.ts';

export type Placed = { readonly entry: OrderEntry } | { readonly refusal: Refusal };

/** The status of an account: affiliate, inviter, frozen. Fields that are left out stay unchanged. */
export interface AccountStatus {
  readonly affiliate?: boolean | undefined;
  readonly subAffiliate?: boolean | undefined;
  readonly inviter?: string | undefined;
  readonly frozen?: boolean | undefined;
}

/**
 * Every action that changes the exchange, with its arguments (plain JSON) and its result. The state file holds
 * only these: repeating them in order, at their times, gives the same exchange.
 */
export interface Actions {
  price(args: PriceInput): void;
  /** Several of one instant. */
  prices(args: readonly PriceInput[]): void;
  placeSpot(args: { uid: string; symbol: string; orders: readonly SpotOrder[] }): readonly Placed[];
  placeTrigger(args: { uid: string; symbol: string; order: TriggerOrder }): Placed;
  placeFutures(args: { uid: string; symbol: string; orders: readonly FuturesOrder[] }): readonly Placed[];
  placeTpSl(args: { uid: string; symbol: string; order: TpSlOrder }): Placed;
  /** Moves a trigger that waits. `price`: its limit; absent: at market. @throws Refusal. */
  moveTrigger(args: { uid: string; key: string; triggerPrice: string; price?: string | undefined }): void;
  cancel(args: { uid: string; key: string }): void;
  /** Leverage of a contract, multiples as text. @throws Refusal. */
  leverage(args: { uid: string; symbol: string; long: string; short: string }): void;
  deposit(args: { uid: string; wallet: WalletName; coin: string; amount: string }): void;
  transfer(args: { uid: string; coin: string; amount: string; from: WalletName; to: WalletName }): void;
  withdraw(args: WithdrawalOrder): Withdrawal;
  settle(args: { id: string }): void;
  failWithdrawals(args: { count: number }): void;
  /** The exchange closes the open position on one side of a contract, at an agreed price. */
  agree(args: { uid: string; symbol: string; side: 'long' | 'short'; price: string }): void;
  /** The same as the counterpart of a bankrupt position. `quantity`: absent for all of it. */
  deleverage(args: { uid: string; symbol: string; side: 'long' | 'short'; price: string; quantity?: string | undefined }): void;
  grid(args: { symbol: string } & GridChange): void;
  standing(args: { uid: string } & AccountStatus): void;
}

export type ActionKind = keyof Actions;
export type ArgsOf<K extends ActionKind> = Parameters<Actions[K]>[0];
export type ResultOf<K extends ActionKind> = ReturnType<Actions[K]>;

/** The implementation of each action, at a time in epoch ms. */
export type Performers = { readonly [K in ActionKind]: (args: ArgsOf<K>, time: number) => ResultOf<K> };
