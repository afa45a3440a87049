import { type Decimal, ZERO } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { LedgerEntry, LedgerReason } from '../model/ledger.ts';
import type { ContractBook } from './futures/contract-book.ts';

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
