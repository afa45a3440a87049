import { ZERO } from '../../model/decimal.ts';
import type { ComparedOrder } from './compared-run.ts';
import type { ComparedTrade, RoundTrip } from './comparison.ts';

/** A rest of a position below this share of its largest size is dust. */
const DUST = 0.01;

/** The round trips in which two runs differ, in order of time; the last may still be open. */
export function roundTrips(trades: readonly ComparedTrade[]): RoundTrip[] {
  const open = new Map<string, OpenTrip>();
  const trips: OpenTrip[] = [];
  for (const trade of trades) {
    const { strategyId, symbol, a, b } = trade;
    const key = JSON.stringify([strategyId, symbol, (a ?? b)!.positionSide]);
    const trip = open.get(key) ?? new OpenTrip();
    if (!open.has(key)) trips.push(trip);
    open.set(key, trip);
    trip.add(trade);
    if (trip.isOver) open.delete(key);
  }
  return trips.flatMap(({ trades }) => {
    const [first] = trades;
    const parts = trades.flatMap((trade) => trade.parts);
    if (first === undefined || parts.length === 0) return [];
    const { time: from, strategyId, symbol } = first;
    const amount = parts.reduce((sum, part) => sum.plus(part.amount), ZERO);
    return [{ from, to: trades.at(-1)!.time, strategyId, symbol, trades, amount }];
  });
}

class OpenTrip {
  readonly trades: ComparedTrade[] = [];
  readonly #a = new Holding();
  readonly #b = new Holding();

  add(trade: ComparedTrade): void {
    this.trades.push(trade);
    this.#a.add(trade.a);
    this.#b.add(trade.b);
  }

  get isOver(): boolean {
    return this.#a.isFlat && this.#b.isFlat;
  }
}

/** A run's holding of a symbol, by its fills. */
class Holding {
  #held = ZERO;
  #most = ZERO;

  add(order: ComparedOrder | undefined): void {
    if (order === undefined) return;
    const base = order.symbol.split('-')[0];
    for (const { quantity, fee, feeAsset } of order.fills) {
      const moved = order.side === 'sell' ? quantity.negated() : quantity;
      this.#held = this.#held.plus(moved).minus(feeAsset === base ? fee : ZERO);
      if (this.#held.abs().gt(this.#most)) this.#most = this.#held.abs();
    }
  }

  get isFlat(): boolean {
    return this.#held.abs().lte(this.#most.times(DUST));
  }
}
