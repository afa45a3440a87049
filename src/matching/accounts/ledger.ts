import type { BalanceChanged } from '../../model/account-events.ts';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import { invariant } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Balance, LedgerEntry, LedgerReason, Wallet } from '../../model/ledger.ts';
import type { OrderRequest } from '../../model/order.ts';
import type { ContractBook } from '../futures/contract-book.ts';

/** The exact balances of one wallet; every movement leaves as a `balanceChanged` event and is countered by the exchange. */
export class AccountLedger {
  readonly #balances = new Map<string, Balance>();
  #exchange: ExchangeBook | undefined;

  constructor(
    private readonly emit: (event: BalanceChanged) => void,
    readonly wallet: Wallet = 'spot',
  ) {}

  /** Names the books that take the other half of each movement. */
  join(exchange: ExchangeBook): void {
    this.#exchange = exchange;
  }

  balance(asset: string): Balance {
    return this.#balances.get(asset) ?? { wallet: this.wallet, asset, total: ZERO, frozen: ZERO };
  }

  available(asset: string): Decimal {
    const { total, frozen } = this.balance(asset);
    return total.minus(frozen);
  }

  get balances(): IterableIterator<Balance> {
    return this.#balances.values();
  }

  post(time: number, entry: LedgerEntry): void {
    invariant(this.#exchange !== undefined, 'an account is at an exchange before money moves');
    const { total, frozen } = this.balance(entry.asset);
    this.#exchange.counter(entry);
    this.#set(time, { wallet: this.wallet, asset: entry.asset, total: total.plus(entry.amount), frozen }, entry);
  }

  /** Freezes (positive) or releases (negative) funds. */
  freeze(time: number, asset: string, amount: Decimal): void {
    if (!amount.isZero()) this.hold(time, asset, this.balance(asset).frozen.plus(amount));
  }

  /** Says how much is frozen from here. */
  hold(time: number, asset: string, frozen: Decimal): void {
    const { total, frozen: before } = this.balance(asset);
    if (frozen.equals(before)) return;
    invariant(!frozen.isNegative(), `no more ${asset} is released than was frozen`);
    this.#set(time, { wallet: this.wallet, asset, total, frozen }, undefined);
  }

  #set(time: number, balance: Balance, entry: LedgerEntry | undefined): void {
    this.#balances.set(balance.asset, balance);
    this.emit({ kind: 'balanceChanged', time, balance, entry });
  }
}

/** The money side of an order inside the simulator: what its account looks at. */
export class OrderFunds {
  filledSteps = 0;
  /** Quote amount of its fills. */
  filledNotional: Decimal = ZERO;
  /** What the account has frozen for it: of the asset its side pays with, or of the collateral. */
  frozen: Decimal = ZERO;
  /** Futures, while it works to open: its value at the price it was accepted at, and that price. */
  boundValue: Decimal = ZERO;
  boundTicks = Number.NaN;
  /** Futures: profit that its fills have realised. */
  profit: Decimal = ZERO;

  constructor(
    readonly request: OrderRequest,
    readonly orderId: string,
  ) {}

  get remainingSteps(): number {
    return (this.request.steps ?? 0) - this.filledSteps;
  }
}

/** What an account shares with the exchange that it is at. */
export interface Exchange {
  readonly instruments: readonly Instrument[];
  readonly book: ExchangeBook;
  /** Whether positions that lack margin are liquidated, and the fund pays what is lost beyond it. */
  readonly liquidates: boolean;
  /** Prices and margins of an instrument that futures accounts trade. */
  contract(instrument: Instrument): ContractBook;
  /** Numbers fills, liquidations and funding in the order in which they happen, over all accounts. */
  nextSequence(): number;
  /** A position may lack margin: it is looked at exactly before the instant is over. */
  marginMayLack(): void;
}

/**
 * The exchange's side of the books: what an account gains is taken from one of these, and the other way round. Its
 * own balances and those of all accounts together are zero in every asset, to the last digit.
 */
export class ExchangeBook {
  readonly #balances = new Map<ExchangeAccount, Map<string, Decimal>>();

  constructor(insuranceFund: ReadonlyMap<string, Decimal>) {
    for (const [asset, amount] of insuranceFund) {
      this.#take('deposits', asset, amount);
      this.#take('insurance', asset, amount.negated());
    }
  }

  balance(account: ExchangeAccount, asset: string): Decimal {
    return this.#balances.get(account)?.get(asset) ?? ZERO;
  }

  /** All of the exchange's own together: what the accounts hold, with the sign turned. */
  total(asset: string): Decimal {
    return [...this.#balances.values()].reduce((sum, balances) => sum.plus(balances.get(asset) ?? ZERO), ZERO);
  }

  /** Books the other half of what moved in an account. */
  counter({ asset, amount, reason }: LedgerEntry): void {
    this.#take(COUNTER[reason], asset, amount);
  }

  #take(account: ExchangeAccount, asset: string, amount: Decimal): void {
    let balances = this.#balances.get(account);
    if (balances === undefined) {
      balances = new Map();
      this.#balances.set(account, balances);
    }
    balances.set(asset, (balances.get(asset) ?? ZERO).minus(amount));
  }
}

/**
 * Where the other half of every movement stands. `deposits`: what came from outside (below zero). `market`: other
 * traders. `fees`: the exchange. `funding`: the other side of the contracts. `insurance`: the fund.
 */
type ExchangeAccount = 'deposits' | 'market' | 'fees' | 'funding' | 'insurance';

const COUNTER: Readonly<Record<LedgerReason, ExchangeAccount>> = {
  deposit: 'deposits',
  trade: 'market',
  profit: 'market',
  fee: 'fees',
  funding: 'funding',
  liquidationFee: 'insurance',
  insurance: 'insurance',
  transfer: 'deposits',
  foreign: 'deposits',
  unexplained: 'deposits',
};
