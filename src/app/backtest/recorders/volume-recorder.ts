import type { Instrument } from '../../../model/instrument.ts';
import type { MarketEvent } from '../../../model/market-events.ts';
import { FinestPrices } from './finest-prices.ts';

const DAY_MS = 86_400_000;

/** What the market of each instrument traded a UTC day, in quote: a multiplication and an addition a bar or trade. */
export class VolumeRecorder {
  /** By the day's END; a day is (midnight, midnight], as a bar that closes at midnight belongs to the day it covers. */
  readonly volumes = new Map<Instrument, Map<number, number>>();
  readonly #finest = new FinestPrices();
  /** Of the instrument by its index: the end of the day under way, and what was traded in it so far. */
  readonly #dayEnds: number[] = [];
  readonly #traded: number[] = [];

  constructor(private readonly instruments: readonly Instrument[]) {
    this.#dayEnds = instruments.map(() => Number.NEGATIVE_INFINITY);
    this.#traded = instruments.map(() => 0);
  }

  /** Called for every market event. */
  add(event: MarketEvent): void {
    if (event.kind === 'bar') {
      if (this.#finest.has(event.instrument.index, event.intervalMs)) this.#count(event, event.close * event.volume);
    } else if (event.kind === 'trade') {
      if (this.#finest.has(event.instrument.index, 0)) this.#count(event, event.price * event.quantity);
    } else if (event.kind !== 'mark' && event.kind !== 'funding') {
      this.#finest.has(event.instrument.index, 0);
    }
  }

  /** Writes down the days under way. */
  finish(): void {
    for (const instrument of this.instruments) this.#write(instrument);
  }

  #count({ instrument, time }: MarketEvent, value: number): void {
    const { index } = instrument;
    if (time > this.#dayEnds[index]!) {
      this.#write(instrument);
      this.#dayEnds[index] = Math.ceil(time / DAY_MS) * DAY_MS;
    }
    this.#traded[index]! += value;
  }

  #write(instrument: Instrument): void {
    const { index } = instrument;
    if (this.#traded[index] === 0) return;
    const days = this.volumes.get(instrument) ?? new Map<number, number>();
    this.volumes.set(instrument, days.set(this.#dayEnds[index]!, this.#traded[index]!));
    this.#traded[index] = 0;
  }
}
