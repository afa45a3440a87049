import type { FillSettings } from '../../src/matching/settings.ts';
import type { Exits, OrderSize } from '../../src/model/intents.ts';
import type { MarketEventKind } from '../../src/model/market-events.ts';
import type { OrderType, Side, TimeInForce } from '../../src/model/order.ts';
import type { Row } from '../builders.ts';

/** What is sent, when (seconds after the start); prices and quantities are whole ticks and steps. */
export interface OrderStep {
  readonly at: number;
  readonly id: string;
  readonly side: Side;
  readonly type?: OrderType;
  readonly quantity?: number | OrderSize;
  readonly quoteQuantity?: number;
  readonly price?: number;
  readonly stopPrice?: number;
  readonly timeInForce?: TimeInForce;
  readonly postOnly?: boolean;
  readonly reduceOnly?: boolean;
  readonly exits?: Exits;
}

export interface CancelStep {
  readonly at: number;
  readonly cancel: string;
}

/** A change of the order with this id, by its strategy. */
export interface AmendStep {
  readonly at: number;
  readonly amend: string;
  readonly price?: number;
  readonly quantity?: number;
}

/** One rule as data: what the market does, what is sent, and what must come of it. */
export interface ConformanceRow {
  readonly title: string;
  readonly fills?: Partial<FillSettings>;
  readonly exits?: 'nextBar' | 'entryBar';
  readonly entryMs?: number;
  readonly cancelMs?: number;
  readonly responseMs?: number;
  readonly account?: 'spot' | 'netting';
  readonly balances?: Readonly<Record<string, string>>;
  readonly makerFee?: string;
  readonly takerFee?: string;
  readonly closeAtEnd?: boolean;
  readonly data: Partial<Record<MarketEventKind, readonly Row[]>>;
  readonly steps: readonly (OrderStep | CancelStep | AmendStep)[];
  /** `seconds id side quantity@price liquidity`, in order. */
  readonly expect: readonly string[];
  /** `id outcome reason` of all that did not end by being filled, in order; cancels refused included. */
  readonly ends?: readonly string[];
  readonly pathFills?: number;
  /** Bars in which the price passed a stop that did not work yet. */
  readonly unguardedBars?: number;
  /** Bars in which a stop trailed by no more than their range. */
  readonly narrowTrailBars?: number;
  /** Totals at the end. */
  readonly totals?: Readonly<Record<string, string>>;
  /** True for what an engine never lets through to a venue: shown to the matching door alone. */
  readonly venueOnly?: boolean;
}

export interface Outcome {
  readonly fills: readonly string[];
  readonly ends: readonly string[];
  readonly pathFills: number;
  readonly unguardedBars: number;
  readonly narrowTrailBars: number;
  readonly totals: Readonly<Record<string, string>>;
}

/** A way into the simulator: the same row must come out of every one the same. */
export type Door = (row: ConformanceRow) => Promise<Outcome>;

export function isCancel(step: OrderStep | CancelStep | AmendStep): step is CancelStep {
  return 'cancel' in step;
}

export function isAmend(step: OrderStep | CancelStep | AmendStep): step is AmendStep {
  return 'amend' in step;
}

/** True where something is held by an engine: matching alone knows no stops, no exits and no changes of orders. */
export function needsEngine(row: ConformanceRow): boolean {
  return (
    row.closeAtEnd === true ||
    row.steps.some(
      (step) =>
        isAmend(step) ||
        (!isCancel(step) &&
          (step.stopPrice !== undefined || step.exits !== undefined || step.reduceOnly || typeof step.quantity === 'object')),
    )
  );
}
