import type { Instrument } from '../../model/instrument.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import type { CancelReason } from '../../model/reasons.ts';
import type { ReadonlyMarket } from '../../state/state.ts';
import { type BarOpens, type HeldBook, isReached } from './held-book.ts';
import type { HeldDeskOutlets, HeldOrder } from './held-order.ts';

/** Judges held orders by prices, and puts those whose trigger is reached before the risk gate. */
export class HeldJudge {
  constructor(
    private readonly book: HeldBook,
    private readonly opens: BarOpens,
    private readonly outlets: Pick<HeldDeskOutlets, 'emit' | 'now' | 'release'>,
    private readonly markets: readonly ReadonlyMarket[],
    private readonly cancel: (held: HeldOrder, reason: CancelReason) => void,
  ) {}

  /** Judges by a market event. Bars trigger nothing: the path inside them already has, price by price. */
  by(event: MarketEvent): void {
    if (event.kind === 'quote') this.at(event.instrument, event.askTicks, event.bidTicks);
    else if (event.kind === 'depth') this.#byBook(event.instrument);
    else if (event.kind === 'ticker') this.at(event.instrument, event.lastTicks, event.lastTicks);
    else if (event.kind === 'trade') this.at(event.instrument, event.priceTicks, event.priceTicks);
  }

  /** An empty side meets nobody: `NaN` passes no trigger. */
  #byBook(instrument: Instrument): void {
    const { book } = this.markets[instrument.index]!;
    this.at(instrument, book!.asks.bestTicks, book!.bids.bestTicks);
  }

  /**
   * Judges the held orders of an instrument by a price (buyers and sellers may see different ones). A stop
   * whose take profit is out already has that canceled first; a take profit whose stop is out just waits. One that
   * waits as a trigger of the venue's delays nobody: the venue trims it to the position that is left.
   */
  at(instrument: Instrument, buyTicks: number, sellTicks: number): void {
    for (const held of this.book.reached(instrument, buyTicks, sellTicks))
      this.#meet(held, held.request.side === 'buy' ? buyTicks : sellTicks);
  }

  /** Judges one order by the price that stands. */
  now(held: HeldOrder): void {
    const { instrument, side } = held.request;
    const ticks = this.markets[instrument.index]!.triggerTicks(side, this.opens.insideTicks(instrument));
    if (isReached(held, ticks)) this.#meet(held, ticks);
  }

  /** The open has been judged before what was sent at its instant came here. */
  atOpen(instrument: Instrument): void {
    const ticks = this.opens.ticksAt(instrument, this.outlets.now());
    if (ticks !== undefined) this.at(instrument, ticks, ticks);
  }

  trigger(held: HeldOrder, priceTicks: number): void {
    const { clientOrderId } = held.request;
    this.book.release(held);
    held.stage = 'triggered';
    held.metTicks = priceTicks;
    held.waitsForLink = false;
    this.outlets.emit({ kind: 'orderTriggered', time: this.outlets.now(), clientOrderId, priceTicks });
    this.outlets.release(held);
  }

  #meet(held: HeldOrder, ticks: number): void {
    const working = held.link?.legs.find((other) => other !== held && !other.atVenue && other.stage !== 'held');
    if (working === undefined) this.trigger(held, ticks);
    else if (held.isStop) {
      held.waitsForLink = true;
      // Asked again at every price: a cancel that overtook its order finds nothing the first time.
      this.cancel(working, 'linked');
    }
  }
}
