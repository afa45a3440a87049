import type { Instrument } from '../model/instrument.ts';
import type { ExchangeBook } from './exchange-book.ts';
import type { ContractBook } from './futures/contract-book.ts';

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
