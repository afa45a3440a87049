import { createHash } from 'node:crypto';
import { encode } from '../../journal/codec.ts';
import type { Heard, RecordKind } from '../../journal/journal-record.ts';
import type { Intent } from '../../model/intents.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import type { AccountEvent, VenueEvent } from '../../model/order-events.ts';
import type { Journal } from '../../ports/journal.ts';
import { type Difference, type DifferenceKind, sameText } from './difference.ts';
import type { RecordedRow, RecordedTurn } from './recorded-steps.ts';

/** What the engine stands at, for what is compared between events. */
export interface ReplayStanding {
  sequence(): number;
  held(): unknown;
  saves(): ReadonlyMap<string, unknown>;
}

/** Takes what a replayed engine tells, and lays it beside the records of the same turn, one by one. */
export class ComparedJournal implements Journal {
  /** The first; what comes after it is compared no more. */
  difference: Difference | undefined;
  /** How many of each were the same. */
  readonly same: Partial<Record<RecordKind | 'denial', number>> = {};
  readonly #decisions = createHash('sha256');
  #turn: RecordedTurn | undefined;
  #at = 0;
  /** Up to here what the venue told within the turn has been told again. */
  #given = 0;
  /** More than is recorded of the turn: right where the process ended in it. */
  #surplus: Difference | undefined;
  #cause: Difference['cause'];

  constructor(private readonly standing: ReplayStanding) {}

  /** SHA-256, in hex, over the intents and denials of the replay. */
  get decisions(): string {
    return this.#decisions.copy().digest('hex');
  }

  /** What follows is this turn's. */
  begin(turn: RecordedTurn): void {
    this.settle();
    this.#turn = turn;
    this.#at = 0;
    this.#given = 0;
  }

  /** The records go on after the turn: it was told whole. */
  settle(): void {
    this.difference ??= this.#surplus;
  }

  /** The engine has done what it does in this turn. */
  end(): void {
    this.commit();
    const left = this.#next();
    if (left !== undefined && !this.#isOver) this.differ(whatOf(left), left, undefined);
  }

  /** Where the record has no more of the turn, it may have ended with the same. */
  threw(error: unknown): void {
    const next = this.#next();
    const message = error instanceof Error ? error.message : String(error);
    if (next !== undefined) this.differ('error', next, message);
    else if (!this.#isOver) this.#spill('error', message);
  }

  intent(sequence: number, _time: number, strategyId: string, intent: Intent): void {
    this.#decisions.update(this.#compare('intent', { sequence, strategyId, intent: { ...intent } }));
  }

  event(sequence: number, event: AccountEvent): void {
    const next = this.#next();
    const heard = next?.kind === 'event' ? next.value.heard : undefined;
    const text = this.#compare('event', { sequence, event, heard });
    if (event.kind === 'orderDenied') this.#decisions.update(text);
  }

  market(event: MarketEvent): void {
    this.#compare('market', event);
  }

  /** What strategies and held orders were kept as, where the record has it here. */
  commit(): void {
    for (let row = this.#next(); row?.kind === 'held' || row?.kind === 'save'; row = this.#next()) {
      this.#at++;
      this.kept(row);
    }
  }

  /** A record of held orders or of what strategies saved, against those of now. */
  kept(row: RecordedRow): void {
    if (this.#isOver) return;
    if (row.kind === 'held') {
      const held = this.standing.held();
      if (sameText(row.body, encode(held))) this.#count('held');
      else this.differ('held orders', row, held);
      return;
    }
    const saves = this.standing.saves();
    const replayed = new Map([...(row.value as ReadonlyMap<string, unknown>).keys()].map((id) => [id, saves.get(id)]));
    if (sameText(row.body, encode(replayed))) this.#count('save');
    else this.differ('saved state', row, replayed);
  }

  /** What the venue told while the engine was sending, and the engine takes in next: each once. */
  *within(): Generator<VenueEvent> {
    for (let at = Math.max(this.#at, this.#given); ; at++) {
      const row = this.#turn?.rows[at];
      if (row?.kind !== 'event' || row.value.heard !== ('within' satisfies Heard)) return;
      this.#given = at + 1;
      yield row.value.event as VenueEvent;
    }
  }

  differ(what: DifferenceKind, row: Pick<RecordedRow, 'id'> & { readonly value?: unknown }, replayed: unknown, isInRecord = true): void {
    this.difference ??= {
      what,
      id: row.id,
      time: this.#turn?.time ?? Number.NaN,
      sequence: this.standing.sequence(),
      ...(isInRecord && { recorded: row.value }),
      ...(replayed !== undefined && { replayed }),
      cause: this.#cause,
    };
  }

  get #isOver(): boolean {
    return this.difference !== undefined || this.#surplus !== undefined;
  }

  /** @returns the text of what was told. */
  #compare(kind: 'intent' | 'event' | 'market', value: unknown): string {
    const text = encode(value);
    if (this.#isOver) return text;
    const row = this.#next();
    if (row === undefined) this.#spill(whatOf({ kind, value }), value);
    else if (row.kind !== kind || !sameText(row.body, text)) this.differ(whatOf({ kind, value }, row), row, value);
    else {
      this.#at++;
      this.#count(kind === 'event' && whatOf(row) === 'denial' ? 'denial' : kind);
      if (row.kind === 'event') this.#cause = { id: row.id, event: row.value.event };
      else if (row.kind === 'market') this.#cause = { id: row.id, event: row.value };
    }
    return text;
  }

  #spill(what: DifferenceKind, value: unknown): void {
    const { difference } = this;
    this.differ(what, { id: this.#turn?.id ?? 0 }, value, false);
    this.#surplus = this.difference;
    this.difference = difference;
  }

  /** The next that the engine is to tell; bars that strategies were given are no news of it. */
  #next(): RecordedRow | undefined {
    const rows = this.#turn?.rows ?? [];
    while (rows[this.#at]?.kind === 'history') this.#at++;
    return rows[this.#at];
  }

  #count(kind: RecordKind | 'denial'): void {
    this.same[kind] = (this.same[kind] ?? 0) + 1;
  }
}

/** Where both have something, the decision among the two names the difference. */
function whatOf(...rows: readonly { readonly kind: RecordKind; readonly value: unknown }[]): DifferenceKind {
  const kinds = rows.map(({ kind, value }): DifferenceKind => {
    if (kind === 'intent') return 'intent';
    if (kind === 'market') return 'bar';
    if (kind === 'held') return 'held orders';
    if (kind === 'save') return 'saved state';
    const { event } = value as { readonly event: AccountEvent };
    if (event.kind === 'orderDenied') return 'denial';
    return event.kind === 'orderSubmitted' || event.kind === 'cancelSubmitted' ? 'order' : 'event';
  });
  const order: readonly DifferenceKind[] = ['intent', 'denial', 'order', 'bar'];
  return order.find((one) => kinds.includes(one)) ?? kinds[0]!;
}
