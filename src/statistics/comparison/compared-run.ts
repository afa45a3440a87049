import type { Decimal } from '../../model/decimal.ts';
import type { LedgerReason } from '../../model/ledger.ts';
import type { PositionSide, Side } from '../../model/order.ts';
import type { StatisticValue } from '../statistic.ts';
import type { PriceCoverage } from './price-coverage.ts';
import type { RunSetup } from './run-setup.ts';

/** One fill as two runs are compared by. */
export interface ComparedFill {
  /** Epoch ms. */
  readonly time: number;
  readonly quantity: Decimal;
  /** Price times quantity, in quote. */
  readonly notional: Decimal;
  readonly fee: Decimal;
  readonly feeAsset: string;
}

/** A fill, or a part of one. */
export type Slice = Omit<ComparedFill, 'time'> & { readonly time: number };

/** One order of a run with all its fills, or a refusal of what never became one. */
export interface ComparedOrder {
  /** Empty for an intent that was denied before it had one. */
  readonly clientOrderId: string;
  readonly strategyId: string;
  readonly symbol: string;
  /** Absent where a refusal does not tell it. */
  readonly side: Side | undefined;
  readonly positionSide: PositionSide;
  /** As the strategy asked for it; empty where a refusal does not tell it. */
  readonly type: string;
  readonly tag: string;
  /** When it was decided, epoch ms. */
  readonly time: number;
  /** What it asked for, in base; absent where it asked by quote. */
  readonly quantity: Decimal | undefined;
  /** Limit and trigger price as text: two orders that ask for the same have the same. */
  readonly price: string;
  readonly status: string;
  /** Why it ended, in the words of its run. */
  readonly reason: string;
  /** Somebody else placed it; the run took it in. */
  readonly foreign: boolean;
  /** In order of time. */
  readonly fills: readonly ComparedFill[];
}

/** What moved the account and was no fill of its own orders: a deposit, funding, somebody else's order. */
export interface AccountMove {
  readonly time: number;
  readonly asset: string;
  readonly amount: Decimal;
  readonly reason: Exclude<LedgerReason, 'trade' | 'fee' | 'profit'>;
}

/** What things were worth when a run ended, in its currency. */
export interface EndPrices {
  /** One unit of base, as the run held it, by symbol; what never had a price is not there. */
  readonly units: ReadonlyMap<string, Decimal>;
  /** One unit of an asset; what never had a price is not there. */
  readonly rates: ReadonlyMap<string, Decimal>;
}

export interface EquitySamplePoint {
  /** Epoch ms. */
  readonly time: number;
  readonly equity: Decimal;
}

/** What is read of a backtest, a paper or a live run to lay it beside another. */
export interface ComparedRun {
  readonly name: string;
  readonly currency: string;
  readonly finalEquity: Decimal;
  /** The quote asset of each symbol. */
  readonly quotes: ReadonlyMap<string, string>;
  readonly end: EndPrices;
  /** In order of time. */
  readonly orders: readonly ComparedOrder[];
  readonly moves: readonly AccountMove[];
  /** When each symbol had prices. */
  readonly coverage: ReadonlyMap<string, PriceCoverage>;
  readonly equity: readonly EquitySamplePoint[];
  /** Absent where nothing tells it. */
  readonly setup?: RunSetup | undefined;
  /** By key; of backtests alone. */
  readonly statistics?: Readonly<Record<string, StatisticValue>> | undefined;
}
