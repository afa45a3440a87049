import type { BalanceChanged } from '../../model/account-events.ts';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import { invariant } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Balance, LedgerEntry, LedgerReason, Wallet } from '../../model/ledger.ts';
import type { OrderRequest } from '../../model/order.ts';
import type { ContractBook } from '../futures/contract-book.ts';

/**
 * The exact balances of one wallet. Every movement is published as a `balanceChanged` event and has a counter-entry in the exchange's
 * books.
 */
export class AccountLedger {
  readonly #balances = new Map<string, Balance>();
  #exchange: ExchangeBook | undefined;

  constructor(
    private readonly emit: (event: BalanceChanged) => void,
    readonly wallet: Wallet = 'spot',
  ) {}

  /** Sets the books that take the counter-entry of each movement. */
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

  /** Sets the frozen amount. */
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

/** The money side of an order inside the simulator, as its account uses it. */
export class OrderFunds {
  filledSteps = 0;
  /** Quote amount of its fills. */
  filledNotional: Decimal = ZERO;
  /** The amount that the account has frozen for it: in the asset that its side pays with, or in collateral. */
  frozen: Decimal = ZERO;
  /** Futures, for an opening order: its value at the price at which it was accepted, and that price. */
  boundValue: Decimal = ZERO;
  boundTicks = Number.NaN;
  /** Futures: realised profit of its fills. */
  profit: Decimal = ZERO;

  constructor(
    /** It changes once, if the order is sized at its fill. */
    public request: OrderRequest,
    readonly orderId: string,
  ) {}

  get remainingSteps(): number {
    return (this.request.steps ?? 0) - this.filledSteps;
  }
}

/** The data and functions that an account uses of its exchange. */
export interface Exchange {
  readonly instruments: readonly Instrument[];
  readonly book: ExchangeBook;
  /** Whether positions that lack margin are liquidated, and the fund pays losses beyond it. */
  readonly liquidates: boolean;
  /** Prices and margins of an instrument that futures accounts trade. */
  contract(instrument: Instrument): ContractBook;
  /** Numbers fills, liquidations and funding in their order, over all accounts. */
  nextSequence(): number;
  /** A position may lack margin: it is checked exactly before the instant ends. */
  marginMayLack(): void;
}

/**
 * The exchange's side of the books: every gain of an account is a loss in one of these, and the reverse. The sum over all accounts and
 * these is exactly zero in every asset.
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

  /** The sum of the exchange's own accounts: the accounts' holdings with the opposite sign. */
  total(asset: string): Decimal {
    return [...this.#balances.values()].reduce((sum, balances) => sum.plus(balances.get(asset) ?? ZERO), ZERO);
  }

  /** Books the counter-entry of a movement of an account. */
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
 * The counterparty of a movement. `deposits`: money from outside (negative). `market`: other traders. `fees`: the exchange. `funding`: the
 * other side of the contracts. `insurance`: the fund.
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
