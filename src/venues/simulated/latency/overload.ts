import type { Random } from '../../../model/random.ts';
import type { Rejection } from '../../../model/reasons.ts';
import type { Latency, OverloadSettings } from './latency.ts';
import { rowFinder, streamOf } from './leg-delays.ts';

const WINDOW_MS = 1000;

/**
 * Refuses orders as they arrive, as an exchange that is overloaded does: where a recorded row says so, by chance, and by
 * their rate. Refused orders do not count into the rate. Cancels always pass.
 */
export class Overload {
  /** Arrivals of the last second that were let through. */
  #taken: number[] = [];
  readonly #chance: Random;
  readonly #recorded: (now: number) => number;

  readonly #settings: OverloadSettings;

  constructor(latency: Latency) {
    const { overload = {}, recorded } = latency;
    this.#settings = overload;
    this.#chance = streamOf(latency, 'overload');
    this.#recorded = recorded?.entry === undefined ? () => 0 : rowFinder(recorded.entry);
  }

  /** Whether a recorded row refuses what sets out now. */
  refusesAt(now: number): boolean {
    return Number.isNaN(this.#recorded(now));
  }

  /** An order arrives. @param recorded a row refuses it. @returns why it is refused. */
  refusal(now: number, recorded: boolean): Rejection | undefined {
    const { probability = 0, ordersPerSecond = Number.POSITIVE_INFINITY } = this.#settings;
    this.#taken = this.#taken.filter((time) => time > now - WINDOW_MS);
    const unlucky = probability > 0 && this.#chance.uniform() < probability;
    const by = recorded ? 'record' : unlucky ? 'chance' : this.#taken.length >= ordersPerSecond ? 'rate' : undefined;
    if (by !== undefined) return { code: 'overloaded', by, orders: String(this.#taken.length + 1), windowMs: String(WINDOW_MS) };
    this.#taken.push(now);
    return undefined;
  }
}
