import type { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { LiquidationType, PositionSide, Side, TimeInForce, VenueOrderType } from '../../model/order.ts';

/**
 * `pending`: accepted, and has met no price yet. `untriggered`: waits for its trigger price. `canceling`: the cancel
 * is being carried out. Orders that expire or are refused after their acceptance end as `canceled`.
 */
export type OrderRecordStatus = 'pending' | 'untriggered' | 'open' | 'canceling' | 'filled' | 'canceled';

/** An order as the exchange knows it. Money is in the quote of its instrument. */
export interface OrderRecord {
  readonly orderId: string;
  /** Empty for liquidations. */
  readonly clientOrderId: string;
  readonly instrument: Instrument;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly type: VenueOrderType;
  /** Set where the exchange sent it because margin was lacking. */
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
  /** Trading or liquidation fees paid (below zero: received), in the asset they were taken in. */
  readonly fee: Decimal;
  /** Profit realised by its fills, fees apart. */
  readonly profit: Decimal;
  readonly createdTime: number;
  readonly updatedTime: number;
}

/** One futures position. In combined mode there is one a side, which stays when it is flat. */
export interface PositionRecord {
  /** The id of the order that opened it first. */
  readonly positionId: string;
  readonly instrument: Instrument;
  readonly positionSide: 'long' | 'short';
  readonly mode: 'shared' | 'isolated';
  readonly separated: boolean;
  /** Of separated positions: the order that opened it. */
  readonly openOrderId: string | undefined;
  readonly leverage: Decimal;
  readonly autoAppend: boolean;
  readonly steps: number;
  readonly quantity: Decimal;
  /** Quote paid (long) or received (short) for what is open. */
  readonly openValue: Decimal;
  /** Fees of opening what is open. */
  readonly openFee: Decimal;
  /** Funding on what is open: gained, or below zero paid. */
  readonly funding: Decimal;
  /** Zero on shared margin. */
  readonly isolatedMargin: Decimal;
  readonly cumulative: PositionSums;
  readonly createdSequence: number;
  readonly updatedSequence: number;
  readonly createdTime: number;
  readonly updatedTime: number;
}

/** Over the whole life of a position. Fees are what was paid; funding what was gained. */
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
 * Everything that ever moved a collateral, each with its sign, so that they add up to the cash. `transferIn` is
 * what the insurance fund paid; `feeIncome` are fees below zero.
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

/** What positions stand on: the shared collateral of a currency, or the margin of one isolated position. */
export interface CollateralRecord {
  readonly currency: string;
  readonly mode: 'shared' | 'isolated';
  /** Of isolated margin. */
  readonly positionId: string | undefined;
  /** Running cash: opening a long takes its whole value, closing it brings its value back; shorts the reverse. */
  readonly amount: Decimal;
  /** The wallet as people know it: deposits, realised profit, fees and funding. `amount` plus open longs less open shorts. */
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
  /** Grows with every change of a position or a collateral. */
  readonly version: number;
  readonly createdTime: number;
  readonly updatedTime: number;
  readonly contracts: readonly ContractSettingRecord[];
}

/** How the shared collateral of a currency stands, at the present marks. */
export interface MarginRecord {
  readonly currency: string;
  /** Collateral plus unrealised profit. */
  readonly balance: Decimal;
  readonly maintenance: Decimal;
  /** Margin of open positions at what they were opened at. */
  readonly initial: Decimal;
  /** Bound by orders that open, isolated ones included. */
  readonly orders: Decimal;
  /** What a new order may bind. */
  readonly free: Decimal;
}
