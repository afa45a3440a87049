import type { FillSettings } from '../../../src/matching/settings.ts';
import type { ContractSpec } from '../../../src/model/instrument.ts';
import type { MarketEventKind } from '../../../src/model/market-events.ts';
import type { Row } from '../../builders.ts';

/** An order of a futures account; times in seconds after the start, prices and quantities in whole ticks and steps. */
export interface FuturesStep {
  readonly at: number;
  readonly id: string;
  /** What it opens or closes. */
  readonly open?: 'long' | 'short';
  readonly close?: 'long' | 'short';
  readonly quantity?: number;
  /** A limit order, or with a trigger one that becomes a limit order; without it a market order. */
  readonly price?: number;
  readonly trigger?: number;
  readonly fromNextBar?: boolean;
  readonly timeInForce?: 'IOC' | 'FOK';
  readonly postOnly?: boolean;
}

export interface CancelStep {
  readonly at: number;
  readonly cancel: string;
}

/** Settings of the account, decimals as text; one leverage for both sides unless told apart. */
export interface MarginRow {
  readonly mode?: 'shared' | 'isolated';
  readonly separated?: boolean;
  readonly leverage?: string;
  readonly shortLeverage?: string;
  readonly autoAppend?: boolean;
}

/**
 * One rule as data: what the market does, what is sent, and what must come of it. A row names no class of the
 * simulator, so the same table runs against any door to it.
 */
export interface FuturesRow {
  readonly title: string;
  readonly margin?: MarginRow;
  readonly contract?: Partial<ContractSpec>;
  readonly makerFee?: string;
  readonly takerFee?: string;
  readonly fills?: Partial<FillSettings>;
  /** USDT paid in before the first event. */
  readonly deposit: string;
  /** Marks are whole numbers; funding rates are in millionths. */
  readonly data: Partial<Record<MarketEventKind, readonly Row[]>>;
  readonly steps: readonly (FuturesStep | CancelStep)[];
  /**
   * What happens, in order: `seconds id open|close long|short quantity@price maker|taker`, `seconds id triggered
   * price`, `seconds id canceled|expired|rejected reason...`, `seconds liquidated offset|burst long|short
   * quantity@price fee`, `seconds funding long|short amount`.
   */
  readonly expect: readonly string[];
  /** Collateral and what of it is bound by orders and positions, at the end. */
  readonly total: string;
  readonly frozen?: string;
  /** Steps held at the end; a side left out is flat. */
  readonly held?: { readonly long?: number; readonly short?: number };
  /** What the insurance fund gained (or lost, below zero). */
  readonly insurance?: string;
  /** True for what an engine sends otherwise or never: shown to doors that take orders as they are. */
  readonly venueOnly?: boolean;
}

export interface FuturesOutcome {
  readonly events: readonly string[];
  readonly total: string;
  readonly frozen: string;
  readonly held: { readonly long: number; readonly short: number };
  readonly insurance: string;
}

/** A way into the simulator: the same row must come out of every one the same. */
export type FuturesDoor = (row: FuturesRow) => Promise<FuturesOutcome>;

export function isCancel(step: FuturesStep | CancelStep): step is CancelStep {
  return 'cancel' in step;
}

/** What rows leave out: one tier of 1 %, a liquidation fee of 0.5 %, triggers by the last price. */
export function contractOf(row: FuturesRow): ContractSpec {
  return { value: '1', tiers: [{ maintenance: '0.01' }], liquidationFee: '0.005', triggerBy: 'last', ...row.contract };
}
