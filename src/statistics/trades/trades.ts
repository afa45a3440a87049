import type { Instrument } from '../../model/instrument.ts';
import type { RunRecord } from '../run-record.ts';
import { worthOf } from '../worth.ts';
import { shareFunding } from './share-funding.ts';
import type { ClosedTrade, Trades } from './trade.ts';
import { TradeBuilder } from './trade-builder.ts';

type Needed = 'fills' | 'notes' | 'lastRanges' | 'rates' | 'futures';

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
 * - Funding belongs to the trades that were open on its side when it was charged (`shareFunding`).
 * - Where quote is not the run's currency, profit counts at the rate of its exit, fees and funding at their own.
 * - How far a trade went against its holder and for him is judged by the prices between its fills, and by those of the fills.
 */
export function tradesOf({ fills, notes, lastRanges, rates, futures }: Pick<RunRecord, Needed>): Trades {
  const closed: ClosedTrade[] = [];
  const positions = new Map<string, TradeBuilder>();
  const byInstrument = new Map<Instrument, TradeBuilder[]>();
  const { funding = [], strategyIds = [] } = futures ?? {};
  let charges = 0;
  const chargeUpTo = (fillsBefore: number) => {
    for (; charges < funding.length && funding[charges]!.fillsBefore <= fillsBefore; charges++) {
      const { charged } = funding[charges]!;
      shareFunding(charged, worthOf(charged.amount, rates.get(charged)), positions.values(), strategyIds);
    }
  };
  for (const [index, fill] of fills.entries()) {
    chargeUpTo(index);
    const key = JSON.stringify([fill.strategyId, fill.symbol, fill.positionSide]);
    const note = notes.get(fill);
    const ofInstrument = byInstrument.get(fill.instrument) ?? [];
    byInstrument.set(fill.instrument, ofInstrument);
    if (note?.range !== undefined) for (const position of ofInstrument) position.see(note.range);
    const known = positions.get(key);
    const position = known ?? new TradeBuilder(fill, (trade) => closed.push(trade));
    if (known === undefined) ofInstrument.push(position);
    positions.set(key, position);
    position.add(fill, rates.get(fill), note);
  }
  chargeUpTo(fills.length);
  for (const [instrument, range] of lastRanges) for (const position of byInstrument.get(instrument) ?? []) position.see(range);
  const open = [...positions.values()].flatMap((position) => position.openTrade() ?? []);
  return { closed, open: open.sort((a, b) => a.entryTime - b.entryTime) };
}
