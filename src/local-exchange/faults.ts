import type { OperationName } from '../exchange/operations/operation-table.ts';
import { Random } from '../model/random.ts';

/**
 * Faults of a request. Before it acts: `drop` (it never arrives), `delay`, `tooMany` (429), `failBefore`
 * (5xx). Twice: `duplicate`. After it has acted: `dropReply`, `failAfter` (5xx), `malformed` (no JSON), `truncated`
 * (half of the body), `drip` (a few bytes at a time). By a gateway, before it acts: `redirect` (302), `page` (HTML with 200), `unlisted`
 * (400 with a code that no document lists). After it has acted: `reset` (the connection breaks inside the body), `wrongLength` (the
 * body is longer than its Content-Length), `oversized` (a body that is longer than any client reads). Of reads alone: `stale` (the
 * reply is one that the same request got up to `ms` ago). Of requests that place: `phantom` (a gateway answers that it was placed; it never
 * arrives).
 */
export const FAULT_KINDS = [
  'drop',
  'delay',
  'tooMany',
  'failBefore',
  'duplicate',
  'failAfter',
  'malformed',
  'truncated',
  'dropReply',
  'drip',
  'redirect',
  'page',
  'unlisted',
  'reset',
  'wrongLength',
  'oversized',
  'stale',
  'phantom',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Drawn separately from the others, so that a rule of these changes no draw of the rest. */
const OF_THE_WIRE: ReadonlySet<FaultKind> = new Set(['redirect', 'page', 'unlisted', 'reset', 'wrongLength', 'oversized', 'stale']);

/** Operations of which a phantom can be an answer. */
const PLACING = ['batchOrders', 'triggerOrder', 'placeFuturesOrder', 'futuresBatchOrders'] as const satisfies readonly OperationName[];

export interface FaultRule {
  readonly fault: FaultKind;
  /** By name; absent means all. */
  readonly operations?: readonly OperationName[] | undefined;
  /** Share of the requests that it hits, drawn from the seed; default 1. */
  readonly chance?: number | undefined;
  /** Requests that pass first; default 0. */
  readonly after?: number | undefined;
  /** Most requests that it hits; default no limit. */
  readonly times?: number | undefined;
  /**
   * For `delay`: ms of the exchange's time, drawn between both; the request's own timestamp ages meanwhile. For `drip`: ms between two
   * pieces. For `stale`: the greatest age of the reply.
   */
  readonly ms?: readonly [least: number, most: number] | undefined;
}

export interface FaultSettings {
  readonly seed: number;
  readonly rules: readonly FaultRule[];
  /** Orders and fills appear in reads up to this many ms after they happened. */
  readonly visibilityLagMs: number;
  /** The server's clock is wrong by up to this many ms, by another amount each minute. */
  readonly clockSkewMs: number;
  /** The server's clock jumps by up to this many ms and back, a few times a minute; stamps of orders and fills jump with it. */
  readonly clockJumpMs: number;
}

const NO_FAULTS: FaultSettings = { seed: 1, rules: [], visibilityLagMs: 0, clockSkewMs: 0, clockJumpMs: 0 };

/** The faults of one request, each with the ms that were drawn for it; a phantom with its number. */
export type Fate = ReadonlyMap<FaultKind, number>;

const MINUTE_MS = 60_000;
/** The clock is set wrong, or right again, at the ends of such periods; in some of them it is wrong. */
const JUMP_EVERY_MS = 20_000;
const JUMP_CHANCE = 0.3;
const NOTHING: Fate = new Map();

/** Draws the faults of requests. The same seed and the same requests give the same faults. */
export class FaultPlan {
  #settings: FaultSettings = NO_FAULTS;
  #random = new Random(NO_FAULTS.seed, 'faults');
  #wire = new Random(NO_FAULTS.seed, 'wire');
  #lag = new Random(NO_FAULTS.seed, 'lag');
  #phantom = new Random(NO_FAULTS.seed, 'phantom');
  /** Answers for orders that do not exist. */
  #phantoms = 0;
  #seen: number[] = [];
  #struck: number[] = [];

  constructor(settings: Partial<FaultSettings> = {}) {
    this.set(settings);
  }

  get settings(): FaultSettings {
    return this.#settings;
  }

  /** Fields that are left out stay unchanged; new rules start with new counts. */
  set(settings: Partial<FaultSettings>): void {
    const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
    this.#settings = { ...this.#settings, ...given };
    const { seed, rules } = this.#settings;
    this.#random = new Random(seed, 'faults');
    this.#wire = new Random(seed, 'wire');
    this.#lag = new Random(seed, 'lag');
    this.#phantom = new Random(seed, 'phantom');
    this.#seen = rules.map(() => 0);
    this.#struck = rules.map(() => 0);
  }

  /** The greatest age of a stale reply, in ms; 0 if there are none. */
  get staleMs(): number {
    return Math.max(0, ...this.#settings.rules.map(({ fault, ms }) => (fault === 'stale' ? (ms?.[1] ?? 0) : 0)));
  }

  /** Draws the faults of the next request. */
  draw(operation: OperationName): Fate {
    const { rules } = this.#settings;
    if (rules.length === 0) return NOTHING;
    const fate = new Map<FaultKind, number>();
    for (const [index, rule] of rules.entries()) {
      if (rule.operations !== undefined && !rule.operations.includes(operation)) continue;
      if (rule.fault === 'phantom') {
        const places: readonly OperationName[] = PLACING;
        if (places.includes(operation) && this.#strikes(rule, index)) fate.set('phantom', ++this.#phantoms);
      } else if (this.#strikes(rule, index)) fate.set(rule.fault, this.#drawMs(rule));
    }
    return fate;
  }

  /** Ms until a present event is shown. */
  readonly lagMs = (): number => {
    const { visibilityLagMs } = this.#settings;
    return visibilityLagMs === 0 ? 0 : Math.floor(this.#lag.between(0, visibilityLagMs + 1));
  };

  /** Ms by which the server's clock is wrong in this minute, including jumps. */
  readonly skewMs = (now: number): number => {
    const { clockSkewMs, seed } = this.#settings;
    if (clockSkewMs === 0) return this.jumpMs(now);
    return Math.round(new Random(seed, `skew ${Math.floor(now / MINUTE_MS)}`).between(-clockSkewMs, clockSkewMs)) + this.jumpMs(now);
  };

  /** Ms by which the server's clock has jumped at this time; stamps of that time are wrong by as much. */
  readonly jumpMs = (now: number): number => {
    const { clockJumpMs, seed } = this.#settings;
    if (clockJumpMs === 0) return 0;
    const random = new Random(seed, `jump ${Math.floor(now / JUMP_EVERY_MS)}`);
    return random.uniform() < JUMP_CHANCE ? Math.round(random.between(-clockJumpMs, clockJumpMs)) : 0;
  };

  #strikes({ fault, chance = 1, after = 0, times = Number.POSITIVE_INFINITY }: FaultRule, index: number): boolean {
    const seen = this.#seen[index]!++;
    // Drawn in any case, so that one rule's limits do not shift another's chances.
    const drawn = this.#randomOf(fault).uniform() < chance;
    if (!drawn || seen < after || this.#struck[index]! >= times) return false;
    this.#struck[index]!++;
    return true;
  }

  #drawMs({ fault, ms = [0, 0] }: FaultRule): number {
    return Math.floor(this.#randomOf(fault).between(ms[0], ms[1] + 1));
  }

  #randomOf(fault: FaultKind): Random {
    if (fault === 'phantom') return this.#phantom;
    return OF_THE_WIRE.has(fault) ? this.#wire : this.#random;
  }
}
