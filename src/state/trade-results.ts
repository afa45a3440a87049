import { type Decimal, ZERO } from '../model/decimal.ts';
import type { Execution, Position } from '../model/position.ts';

/** The values at the start of a trade. */
interface OpenTrade {
  readonly realizedProfit: Decimal;
  readonly funding: Decimal;
  fees: Decimal;
}

/** A trade that has ended. */
export interface EndedTrade {
  /** Epoch ms. */
  readonly time: number;
  readonly strategyId: string;
  readonly symbol: string;
  /** Its profit, funding and fees in quote together are below zero. */
  readonly lost: boolean;
  /** Its last fill was that of a stop, or of a liquidation. */
  readonly byStop: boolean;
}

interface FillTerms {
  readonly time: number;
  readonly stopped: boolean;
}

/** Key of the account's own count, among the strategies' ids. */
const ACCOUNT = '';

/**
 * Counts losing trades in a row, for each strategy and for the account, and keeps the losing stops of a window. A trade is a strategy's position from flat to flat (or to the other
 * side). It loses when its profit, funding and fees in quote together are below zero.
 */
export class TradeResults {
  readonly #open = new Map<Position, OpenTrade>();
  readonly #losses = new Map<string, number>();
  readonly #stops: EndedTrade[] = [];
  #ended: EndedTrade | undefined;

  /** @param stopsWithinMs how long losing stops are kept, in ms. */
  constructor(private readonly stopsWithinMs: number) {}

  /** The trade that the newest fill has ended; the second call for one fill gives none. */
  takeEnded(): EndedTrade | undefined {
    const ended = this.#ended;
    this.#ended = undefined;
    return ended;
  }

  /** Losing trades that ended with a stop after a time. @param of a strategy's id; without it, those of all. @param symbol likewise. */
  losingStops(after: number, of?: string, symbol?: string): number {
    return this.#stops.filter(
      (stop) => stop.time > after && (of === undefined || of === stop.strategyId) && (symbol === undefined || symbol === stop.symbol),
    ).length;
  }

  /** @param of a strategy's id; without it, all strategies together. */
  lossesInARow(of: string = ACCOUNT): number {
    return this.#losses.get(of) ?? 0;
  }

  /** Restarts the count at zero. */
  restart(of: string = ACCOUNT): void {
    this.#losses.delete(of);
  }

  /** Called with a strategy's fill; `apply` changes its position. @param stopped it is the fill of a stop, or of a liquidation. */
  onFill({ fee, feeAsset, instrument, strategyId }: Execution, position: Position, { time, stopped }: FillTerms, apply: () => void): void {
    const before = Math.sign(position.steps);
    const open = this.#open.get(position) ?? { realizedProfit: position.realizedProfit, funding: position.funding, fees: ZERO };
    apply();
    const after = Math.sign(position.steps);
    if (feeAsset === instrument.quote) open.fees = open.fees.plus(fee);
    if (after === before || before === 0) {
      if (after !== 0) this.#open.set(position, open);
      return;
    }
    const { realizedProfit, funding } = position;
    const profit = realizedProfit.minus(open.realizedProfit).plus(funding.minus(open.funding)).minus(open.fees);
    const lost = profit.isNegative();
    this.#ended = { time, strategyId, symbol: instrument.symbol, lost, byStop: stopped };
    if (lost && stopped && this.stopsWithinMs > 0) this.#keep(this.#ended);
    for (const scope of [strategyId, ACCOUNT]) this.#losses.set(scope, lost ? this.lossesInARow(scope) + 1 : 0);
    if (after === 0) this.#open.delete(position);
    else this.#open.set(position, { realizedProfit, funding, fees: ZERO });
  }
  #keep(stop: EndedTrade): void {
    while (this.#stops.length > 0 && this.#stops[0]!.time <= stop.time - this.stopsWithinMs) this.#stops.shift();
    this.#stops.push(stop);
  }
}
