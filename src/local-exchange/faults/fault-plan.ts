import type { OperationName } from '../../exchange/operations/operation-table.ts';
import { Random } from '../../model/random.ts';
import { type FaultKind, type FaultRule, type FaultSettings, NO_FAULTS } from './fault-settings.ts';

/** What befalls one request: faults, each with the ms it was drawn with. */
export type Fate = ReadonlyMap<FaultKind, number>;

const MINUTE_MS = 60_000;
const NOTHING: Fate = new Map();

/** Draws what goes wrong. The same seed and the same requests give the same faults. */
export class FaultPlan {
  #settings: FaultSettings = NO_FAULTS;
  #random = new Random(NO_FAULTS.seed, 'faults');
  #lag = new Random(NO_FAULTS.seed, 'lag');
  #seen: number[] = [];
  #struck: number[] = [];

  constructor(settings: Partial<FaultSettings> = {}) {
    this.set(settings);
  }

  get settings(): FaultSettings {
    return this.#settings;
  }

  /** What is left out stays as it is; new rules begin anew. */
  set(settings: Partial<FaultSettings>): void {
    const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
    this.#settings = { ...this.#settings, ...given };
    const { seed, rules } = this.#settings;
    this.#random = new Random(seed, 'faults');
    this.#lag = new Random(seed, 'lag');
    this.#seen = rules.map(() => 0);
    this.#struck = rules.map(() => 0);
  }

  /** Of the next request. */
  draw(operation: OperationName): Fate {
    const { rules } = this.#settings;
    if (rules.length === 0) return NOTHING;
    const fate = new Map<FaultKind, number>();
    for (const [index, rule] of rules.entries()) {
      if (rule.operations !== undefined && !rule.operations.includes(operation)) continue;
      if (this.#strikes(rule, index)) fate.set(rule.fault, this.#drawMs(rule));
    }
    return fate;
  }

  /** Ms until what happens now is shown. */
  readonly lagMs = (): number => {
    const { visibilityLagMs } = this.#settings;
    return visibilityLagMs === 0 ? 0 : Math.floor(this.#lag.between(0, visibilityLagMs + 1));
  };

  /** Ms by which the server's clock is wrong in this minute. */
  readonly skewMs = (now: number): number => {
    const { clockSkewMs, seed } = this.#settings;
    if (clockSkewMs === 0) return 0;
    return Math.round(new Random(seed, `skew ${Math.floor(now / MINUTE_MS)}`).between(-clockSkewMs, clockSkewMs));
  };

  #strikes({ chance = 1, after = 0, times = Number.POSITIVE_INFINITY }: FaultRule, index: number): boolean {
    const seen = this.#seen[index]!++;
    // Drawn whether it counts or not, so that one rule's limits do not shift another's chances.
    const drawn = this.#random.uniform() < chance;
    if (!drawn || seen < after || this.#struck[index]! >= times) return false;
    this.#struck[index]!++;
    return true;
  }

  #drawMs({ ms = [0, 0] }: FaultRule): number {
    return Math.floor(this.#random.between(ms[0], ms[1] + 1));
  }
}
