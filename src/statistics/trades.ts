import type { Decimal } from '../model/decimal.ts';
import type { Fill } from '../model/fill.ts';
import type { ValueOf } from './run-record.ts';
import type { ClosedTrade, Trades } from './trade.ts';
import { TradeBuilder } from './trade-builder.ts';

/**
 * The trades of a run: flat to flat per strategy, symbol and side, from its fills in order of time.
 *
 * - The first fill from flat is the entry and gives the side; fills on that side add, others exit.
 * - An exit that goes through zero is split in two at zero: its notional by quantity, its fee in the same
 *   proportion (the second part gets what is left, so no digit is lost).
 * - On spot, a fee taken in the base asset comes off what is held.
 * - A position is flat when an exit leaves less than one step. What is left is carried into the next trade
 *   at no cost: its worth is part of no trade's profit until it is sold.
 * - Where an account holds a long and a short side by side, each is its own position.
 */
export function tradesOf(fills: readonly Fill[], worthOf: ValueOf): Trades {
  const closed: ClosedTrade[] = [];
  const builders = new Map<string, TradeBuilder>();
  for (const fill of fills) {
    const key = JSON.stringify([fill.strategyId, fill.symbol, fill.positionSide]);
    const builder = builders.get(key) ?? new TradeBuilder((trade) => closed.push(trade));
    builders.set(key, builder);
    builder.add(fill, feeInQuote(fill, worthOf));
  }
  const open = [...builders.values()].flatMap((builder) => builder.openTrade() ?? []);
  return { closed, open: open.sort((a, b) => a.entryTime - b.entryTime) };
}

function feeInQuote(fill: Fill, worthOf: ValueOf): Decimal {
  return fill.feeAsset === fill.instrument.quote ? fill.fee : worthOf(fill.feeAsset, fill.fee, fill);
}
