import type { Decimal } from '../../model/decimal.ts';
import type { LedgerReason } from '../../model/ledger.ts';
import type { PositionSide, Side } from '../../model/order.ts';
import type { StatisticValue } from '../statistic.ts';
import type { PriceCoverage } from './price-coverage.ts';
import type { RunSetup } from './run-setup.ts';

/** A time in which a run could not open a position: a kill was in force, or its process did not run. Epoch ms. */
export interface Absence {
  readonly cause: 'killed' | 'stopped';
  readonly from: number;
  /** Infinite where it has not ended. */
  readonly to: number;
}

/** One fill, with the fields by which two runs are compared. */
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

/** One order of a run with all its fills, or a refused intent that never became an order. */
export interface ComparedOrder {
  /** Empty for an intent that was denied before it had an id. */
  readonly clientOrderId: string;
  readonly strategyId: string;
  readonly symbol: string;
  /** Absent where a refusal does not contain it. */
  readonly side: Side | undefined;
  readonly positionSide: PositionSide;
  /** As the strategy sent it; empty where a refusal does not contain it. */
  readonly type: string;
  readonly tag: string;
  /** The time of the decision, epoch ms. */
  readonly time: number;
  /** The ordered quantity in base; absent for an order by quote amount. */
  readonly quantity: Decimal | undefined;
  /** Limit and trigger price as text: equal prices have equal texts. */
  readonly price: string;
  readonly status: string;
  /** Why it ended, in the words of its run. */
  readonly reason: string;
  /** A foreign order that the run adopted. */
  readonly foreign: boolean;
  /** In order of time. */
  readonly fills: readonly ComparedFill[];
}

/** A change of the account that is no fill of its own orders: a deposit, funding, a foreign order. */
export interface AccountMove {
  readonly time: number;
  readonly asset: string;
  readonly amount: Decimal;
  readonly reason: Exclude<LedgerReason, 'trade' | 'fee' | 'profit'>;
}

/** The values of assets at the end of a run, in its currency. */
export interface EndPrices {
  /** The value of one unit of base, as the run held it, by symbol; a symbol that never had a price has no entry. */
  readonly units: ReadonlyMap<string, Decimal>;
  /** The value of one unit of an asset; an asset that never had a price has no entry. */
  readonly rates: ReadonlyMap<string, Decimal>;
}

export interface EquitySamplePoint {
  /** Epoch ms. */
  readonly time: number;
  readonly equity: Decimal;
}

/** A time in which a run could not open a position: a kill was in force, or its process did not run. Epoch ms. */
export interface Absence {
  readonly cause: 'killed' | 'stopped';
  readonly from: number;
  /** Infinite where it has not ended. */
  readonly to: number;
}

/** The data of a backtest, a paper or a live run that a comparison uses. */
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
  /** When it was killed or did not run, in order of time; absent for a backtest. */
  readonly absences?: readonly Absence[] | undefined;
  readonly equity: readonly EquitySamplePoint[];
  /** Absent where it is unknown. */
  readonly setup?: RunSetup | undefined;
  /** By key; only for backtests. */
  readonly statistics?: Readonly<Record<string, StatisticValue>> | undefined;
}
