import type { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { LiquidationType, PositionSide, Side, TimeInForce, VenueOrderType } from '../../model/order.ts';

/**
 * `pending`: accepted, and not matched with a price yet. `untriggered`: waits for its trigger price. `canceling`: the cancel is being
 * executed. Orders that expire or are refused after their acceptance end as `canceled`.
 */
export type OrderRecordStatus = 'pending' | 'untriggered' | 'open' | 'canceling' | 'filled' | 'canceled';

/** An order in the records of the exchange. Money is in the quote of its instrument. */
export interface OrderRecord {
  readonly orderId: string;
  /** Empty for liquidations. */
  readonly clientOrderId: string;
  readonly instrument: Instrument;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly type: VenueOrderType;
  /** Set where the exchange sent it to liquidate a position. */
  readonly liquidation: LiquidationType | undefined;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly status: OrderRecordStatus;
  readonly price: Decimal | undefined;
  readonly triggerPrice: Decimal | undefined;
  /** Zero for orders by quote amount. */
  readonly quantity: Decimal;
  readonly filledQuantity: Decimal;
  /** The quantity in contracts; `undefined` where the instrument has none. */
  readonly contracts: Decimal | undefined;
  readonly filledNotional: Decimal;
  /** To 18 places; zero before the first fill. */
  readonly averagePrice: Decimal;
  /** Trading or liquidation fees paid (negative: received), in the asset in which they were taken. */
  readonly fee: Decimal;
  /** Profit realised by its fills, without fees. */
  readonly profit: Decimal;
  readonly createdTime: number;
  readonly updatedTime: number;
}

/** One futures position. In combined mode there is one per side, which stays listed when it is flat. */
export interface PositionRecord {
  /** The id of the order that opened it first. */
  readonly positionId: string;
  readonly instrument: Instrument;
  readonly positionSide: 'long' | 'short';
  readonly mode: 'shared' | 'isolated';
  readonly separated: boolean;
  /** For separated positions: the order that opened it. */
  readonly openOrderId: string | undefined;
  readonly leverage: Decimal;
  readonly autoAppend: boolean;
  readonly steps: number;
  readonly quantity: Decimal;
  /** Quote paid (long) or received (short) for the open part. */
  readonly openValue: Decimal;
  /** Fees for opening the open part. */
  readonly openFee: Decimal;
  /** Funding on the open part; negative where it was paid. */
  readonly funding: Decimal;
  /** Zero with shared margin. */
  readonly isolatedMargin: Decimal;
  readonly cumulative: PositionSums;
  readonly createdSequence: number;
  readonly updatedSequence: number;
  readonly createdTime: number;
  readonly updatedTime: number;
}

/** Sums over the whole life of a position. Fees are positive where paid, funding where received. */
export interface PositionSums {
  readonly openQuantity: Decimal;
  readonly openValue: Decimal;
  readonly openFee: Decimal;
  readonly closeQuantity: Decimal;
  readonly closeValue: Decimal;
  readonly closeFee: Decimal;
  readonly funding: Decimal;
  readonly liquidationFee: Decimal;
}

/**
 * All movements of a collateral, each with its sign, so that they sum to the cash. `transferIn` is paid by the insurance fund; `feeIncome`
 * are negative fees.
 */
export const COLLATERAL_SUMS = [
  'deposit',
  'withdraw',
  'transferIn',
  'transferOut',
  'marginMoveIn',
  'marginMoveOut',
  'openLong',
  'openShort',
  'closeLong',
  'closeShort',
  'fee',
  'liquidationFee',
  'funding',
  'feeIncome',
  'liquidationFeeIncome',
] as const;
export type CollateralSum = (typeof COLLATERAL_SUMS)[number];

/** The margin of positions: the shared collateral of a currency, or the margin of one isolated position. */
export interface CollateralRecord {
  readonly currency: string;
  readonly mode: 'shared' | 'isolated';
  /** For isolated margin. */
  readonly positionId: string | undefined;
  /** Running cash: opening a long subtracts its whole value, closing it adds its value; shorts the reverse. */
  readonly amount: Decimal;
  /** The usual wallet balance: deposits, realised profit, fees and funding. `amount` plus open longs less open shorts. */
  readonly legacyAmount: Decimal;
  readonly liquidating: boolean;
  readonly cumulative: Readonly<Record<CollateralSum, Decimal>>;
  readonly createdTime: number;
  readonly updatedTime: number;
}

/** The settings of one contract in an account. */
export interface ContractSettingRecord {
  readonly instrument: Instrument;
  readonly mode: 'shared' | 'isolated';
  readonly separated: boolean;
  readonly longLeverage: Decimal;
  readonly shortLeverage: Decimal;
  readonly autoAppend: boolean;
  readonly makerFee: Decimal;
  readonly takerFee: Decimal;
}

export interface FuturesAccountRecord {
  /** Increases with every change of a position or a collateral. */
  readonly version: number;
  readonly createdTime: number;
  readonly updatedTime: number;
  readonly contracts: readonly ContractSettingRecord[];
}

/** The margin figures of the shared collateral of a currency, at the present marks. */
export interface MarginRecord {
  readonly currency: string;
  /** Collateral plus unrealised profit. */
  readonly balance: Decimal;
  readonly maintenance: Decimal;
  /** Margin of open positions, from their open values. */
  readonly initial: Decimal;
  /** Bound by opening orders, isolated ones included. */
  readonly orders: Decimal;
  /** The margin that a new order may bind. */
  readonly free: Decimal;
}
