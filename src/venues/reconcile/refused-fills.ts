import type { Instrument } from '../../model/instrument.ts';
import { PacedLog } from './paced-log.ts';
import type { VenueContext } from './settings.ts';

/** A fill record that does not count. */
export interface RefusedFill {
  readonly symbol: string;
  readonly fillId: string;
  /** The order of ours that it names; empty without one. */
  readonly clientOrderId: string;
  /** For people. */
  readonly why: string;
  /** Its id has counted with this content, which it contradicts. */
  readonly counted?: string | undefined;
}

/**
 * The fill records that cannot be what they say. None of them counts, and none is forgotten: each halts its instrument and is read again
 * until it fits, or until the exchange no longer shows it. They survive restarts.
 */
export class RefusedFills {
  readonly #refused: Map<string, RefusedFill>;
  readonly #key: string;
  readonly #log: PacedLog;

  /** @param half of the exchange: each has its own memory. */
  constructor(
    private readonly context: Pick<VenueContext, 'memory' | 'log' | 'clock' | 'refused'>,
    private readonly half: 'spot' | 'futures',
  ) {
    this.#key = `${half}.refusedFills`;
    this.#log = new PacedLog(context.log, () => context.clock.now());
    const kept = (context.memory.recall(this.#key) as readonly RefusedFill[] | undefined) ?? [];
    this.#refused = new Map(kept.map((one) => [keyOf(one), one]));
  }

  of(instrument: Instrument): readonly RefusedFill[] {
    if (this.#refused.size === 0) return [];
    return [...this.#refused.values()].filter(({ symbol }) => symbol === instrument.symbol);
  }

  refuse(refused: RefusedFill): void {
    const before = this.#refused.get(keyOf(refused));
    if (before?.why === refused.why) return;
    this.#refused.set(keyOf(refused), refused);
    const { symbol, fillId, clientOrderId, why, counted } = refused;
    const reason = counted === undefined ? 'a fill that does not fit its order' : 'a fill whose id has counted as another';
    this.context.refused?.(this.half === 'spot' ? 'fills' : 'futuresFills', reason, `fill ${fillId}: ${why}`);
    this.#log.warn(reason, `fill ${fillId} is not counted: ${why}`, { symbol, fillId, clientOrderId });
    this.#remember();
  }

  /** It has counted, or nothing shows it any more. */
  drop(refused: Pick<RefusedFill, 'symbol' | 'fillId'>): void {
    if (this.#refused.delete(keyOf(refused))) this.#remember();
  }

  /** The reason to halt the instrument; `undefined` if there is none. */
  haltOf(instrument: Instrument): string | undefined {
    const [first, ...others] = this.of(instrument);
    if (first === undefined) return undefined;
    const { fillId, clientOrderId, why } = first;
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    return `fill ${fillId}${clientOrderId === '' ? '' : ` of order ${clientOrderId}`} is not counted: ${why}${more}`;
  }

  /** A person has allowed trading again. @returns them: those that are still there are refused again. */
  lift(): readonly RefusedFill[] {
    const all = [...this.#refused.values()];
    this.#refused.clear();
    if (all.length > 0) this.#remember();
    return all;
  }

  #remember(): void {
    this.context.memory.remember(this.#key, this.#refused.size === 0 ? undefined : [...this.#refused.values()]);
  }
}

function keyOf({ symbol, fillId }: Pick<RefusedFill, 'symbol' | 'fillId'>): string {
  return `${symbol} ${fillId}`;
}
