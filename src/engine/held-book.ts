import type { Instrument } from '../model/instrument.ts';
import type { Side } from '../model/order.ts';
import type { HeldLevels } from '../ports/execution-venue.ts';
import type { BarOpens } from './bar-opens.ts';
import type { HeldOrder } from './held-order.ts';

/** The held orders of a run by instrument: which are there, where they trigger, which a price reaches. */
export class HeldBook implements HeldLevels {
  readonly #byInstrument: HeldOrder[][];
  readonly #byId = new Map<string, HeldOrder>();
  /** Orders held now, over all instruments: zero is asked at every market event. */
  size = 0;

  constructor(
    instruments: readonly Instrument[],
    private readonly barOpens: BarOpens,
  ) {
    this.#byInstrument = instruments.map(() => []);
  }

  find(clientOrderId: string): HeldOrder | undefined {
    return this.#byId.get(clientOrderId);
  }

  /** Those that prices are judged against. */
  of(instrument: Instrument): readonly HeldOrder[] {
    return this.#byInstrument[instrument.index]!;
  }

  /** All that have not ended, those at the venue included. */
  known(instrument: Instrument): HeldOrder[] {
    if (this.#byId.size === 0) return [];
    return [...this.#byId.values()].filter(({ request }) => request.instrument === instrument);
  }

  /** All that have not ended, over all instruments. */
  all(): HeldOrder[] {
    return [...this.#byId.values()];
  }

  add(held: HeldOrder): void {
    this.#byInstrument[held.request.instrument.index]!.push(held);
    this.size++;
    this.#byId.set(held.request.clientOrderId, held);
  }

  /** No more judged by prices; it stays known until it ends. */
  release(held: HeldOrder): void {
    const orders = this.#byInstrument[held.request.instrument.index]!;
    const at = orders.indexOf(held);
    if (at < 0) return;
    orders.splice(at, 1);
    this.size--;
  }

  /** The order has ended. */
  forget(held: HeldOrder): void {
    this.release(held);
    this.#byId.delete(held.request.clientOrderId);
  }

  any(instrument: Instrument): boolean {
    return this.#byInstrument[instrument.index]!.length > 0;
  }

  next(instrument: Instrument, from: number, to: number): number | undefined {
    let found: number | undefined;
    for (const { triggerTicks, rising, sleeping, waitsForLink } of this.#byInstrument[instrument.index]!) {
      if (sleeping || waitsForLink || rising !== to > from) continue;
      const between = rising ? triggerTicks > from && triggerTicks <= to : triggerTicks < from && triggerTicks >= to;
      if (!between) continue;
      if (found === undefined || Math.abs(triggerTicks - from) < Math.abs(found - from)) found = triggerTicks;
    }
    return found;
  }

  hasEntry(instrument: Instrument, side: Side): boolean {
    return this.#byInstrument[instrument.index]!.some(({ request }) => request.side === side && !request.reduceOnly);
  }

  /** What waited for the open is judged from here. Called at every bar. */
  opens(instrument: Instrument, time: number, priceTicks: number): boolean {
    this.barOpens.note(instrument, time, priceTicks);
    const orders = this.#byInstrument[instrument.index]!;
    for (let i = 0; i < orders.length; i++) orders[i]!.sleeping = false;
    return orders.length > 0;
  }

  /**
   * What these prices trigger and what was triggered but waits for its link, stops first. Buys are judged by
   * what a buyer pays, sells by what a seller receives; where one price is known, both are the same.
   */
  reached(instrument: Instrument, buyTicks: number, sellTicks: number): HeldOrder[] {
    const orders = this.#byInstrument[instrument.index]!;
    if (orders.length === 0) return [];
    const found = orders.filter(({ request, triggerTicks, rising, sleeping, waitsForLink }) => {
      if (sleeping) return false;
      if (waitsForLink) return true;
      const ticks = request.side === 'buy' ? buyTicks : sellTicks;
      return rising ? ticks >= triggerTicks : ticks <= triggerTicks;
    });
    return found.sort((a, b) => Number(b.isStop) - Number(a.isStop));
  }
}
