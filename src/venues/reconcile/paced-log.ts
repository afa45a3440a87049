import type { Log } from '../../ports/log.ts';

/** At most one line of a kind in this time, in ms. */
const PACE_MS = 10_000;

/**
 * Warnings of which an exchange may cause any number. The first of a kind is logged. Others within 10 s are counted, and the next line of
 * the kind says how many were left out.
 */
export class PacedLog {
  readonly #kinds = new Map<string, { readonly loggedAt: number; readonly leftOut: number }>();

  constructor(
    private readonly log: Pick<Log, 'warn'>,
    private readonly now: () => number,
  ) {}

  /** @param kind kinds are few. */
  warn(kind: string, message: string, fields: Readonly<Record<string, unknown>>): void {
    const now = this.now();
    const { loggedAt, leftOut } = this.#kinds.get(kind) ?? { loggedAt: Number.NEGATIVE_INFINITY, leftOut: 0 };
    // A clock may be set back.
    const isPaced = now >= loggedAt && now < loggedAt + PACE_MS;
    this.#kinds.set(kind, isPaced ? { loggedAt, leftOut: leftOut + 1 } : { loggedAt: now, leftOut: 0 });
    if (!isPaced) this.log.warn(message, leftOut === 0 ? fields : { ...fields, leftOut });
  }
}
