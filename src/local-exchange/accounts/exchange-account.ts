import { FuturesAccount } from '../../matching/futures/futures-account.ts';
import { SpotAccount } from '../../matching/spot-account.ts';
import { TwoWalletAccount } from '../../matching/two-wallet-account.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { MarginSettings } from '../../model/margin.ts';
import type { VenueEvent } from '../../model/order-events.ts';
import type { OrderStore } from '../trading/order-store.ts';
import type { Credentials } from './credentials.ts';
import { FundingWallet } from './funding-wallet.ts';
import { futuresWallet, spotWallet } from './trading-wallets.ts';
import type { Wallet, WalletName, Wallets } from './wallet.ts';

/** Money that came from outside. */
export interface Deposit {
  readonly time: number;
  readonly wallet: WalletName;
  readonly coin: string;
  readonly amount: Decimal;
}

/** Money that went from one wallet to another, of this account or of another's. */
export interface TransferEntry {
  readonly time: number;
  readonly coin: string;
  readonly amount: Decimal;
  readonly from: WalletName;
  readonly to: WalletName;
  readonly status: 'PROGRESSING' | 'SUCCESS' | 'FAILED';
}

export interface AccountIdentity {
  readonly name: string;
  readonly uid: string;
  readonly credentials: Credentials;
  /** Epoch ms. */
  readonly registerTime: number;
  readonly kyc: boolean;
  readonly orders: OrderStore;
  readonly margin: (instrument: Instrument) => MarginSettings;
  /** Hears of its fills, liquidations included. */
  readonly onFill: (fill: Fill) => void;
}

/** One user of the exchange: three wallets, orders, and what ties it to others. Nobody else sees any of it. */
export class ExchangeAccount {
  readonly uid: string;
  readonly orders: OrderStore;
  readonly spot: SpotAccount;
  readonly futures: FuturesAccount;
  readonly funding = new FundingWallet();
  /** What the matching room knows. */
  readonly trading: TwoWalletAccount;
  readonly wallets: Wallets<Wallet>;
  readonly deposits: Deposit[] = [];
  /** By id where they come from an internal withdrawal, which changes its status. Oldest first. */
  readonly transfers = new Map<string, TransferEntry>();
  affiliate = false;
  subAffiliate = false;
  frozen = false;
  /** Uid of the account that invited it. */
  inviter: string | undefined;

  constructor(readonly identity: AccountIdentity) {
    this.uid = identity.uid;
    this.orders = identity.orders;
    const emit = (event: VenueEvent) => {
      this.orders.take(event);
      if (event.kind === 'orderFilled' || event.kind === 'positionLiquidated') identity.onFill(event.fill);
    };
    this.spot = new SpotAccount(emit);
    this.futures = new FuturesAccount(emit, identity.margin);
    this.trading = new TwoWalletAccount(this.spot, this.futures);
    this.wallets = { spot: spotWallet(this.spot), funding: this.funding, futures: futuresWallet(this.futures) };
  }

  deposit(time: number, wallet: WalletName, coin: string, amount: Decimal): void {
    this.wallets[wallet].deposit(time, coin, amount);
    this.deposits.push({ time, wallet, coin, amount });
  }
}
