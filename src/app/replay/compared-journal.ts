import { createHash } from 'node:crypto';
import { batchEntry, triggerRequest } from '../../exchange/mapping.ts';
import { encode } from '../../journal/codec.ts';
import type { JournalValues, ReceivedIn, RecordKind } from '../../journal/journal-record.ts';
import type { AccountEvent, VenueEvent } from '../../model/account-events.ts';
import type { Intent } from '../../model/intents.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import type { ApprovedOrder } from '../../model/order.ts';
import type { Journal } from '../../ports/journal.ts';
import type { RecordedRow, RecordedTurn } from './recorded-steps.ts';

/** The kinds of differences between a record and its replay. */
type DifferenceKind =
  | 'intent'
  | 'denial'
  | 'order'
  | 'event'
  | 'bar'
  | 'timer'
  | 'held orders'
  | 'saved state'
  | 'request'
  | 'state'
  | 'decisions'
  | 'error';

/** The first difference between a replay and its record. */
export interface Difference {
  readonly what: DifferenceKind;
  /** The number of the record; the turn's number if there is no record. */
  readonly id: number;
  /** Epoch ms of the turn. */
  readonly time: number;
  /** The sequence of the newest market event at that time. */
  readonly sequence: number;
  /** Absent if there is no record (for `replayed`: if the replay made nothing). */
  readonly recorded?: unknown;
  readonly replayed?: unknown;
  /** The event before it, which caused the decision. */
  readonly cause?: { readonly id: number; readonly event: MarketEvent | AccountEvent } | undefined;
}

/** The present state of the replayed engine, for comparisons between events. */
interface EngineView {
  sequence(): number;
  held(): unknown;
  saves(): ReadonlyMap<string, unknown>;
}

/** Receives the actions of a replayed engine, and compares them with the records of the same turn, one by one. */
export class ComparedJournal implements Journal {
  /** The first difference; nothing is compared after it. */
  difference: Difference | undefined;
  /** The number of equal records by kind. */
  readonly same: Partial<Record<RecordKind | 'denial', number>> = {};
  readonly #decisions = createHash('sha256');
  #turn: RecordedTurn | undefined;
  #at = 0;
  /** The index of the first record within the turn whose venue event has not been delivered again. */
  #given = 0;
  /** An action without a record at the end of the turn: correct if the process ended in this turn. */
  #surplus: Difference | undefined;
  #cause: Difference['cause'];

  constructor(private readonly engine: EngineView) {}

  /** SHA-256, in hex, over the intents and denials of the replay. */
  get decisions(): string {
    return this.#decisions.copy().digest('hex');
  }

  /** Begins a turn. */
  begin(turn: RecordedTurn): void {
    this.settle();
    this.#turn = turn;
    this.#at = 0;
    this.#given = 0;
  }

  /** Called if records follow after the turn: then it was recorded completely, and an extra action is a difference. */
  settle(): void {
    this.difference ??= this.#surplus;
  }

  /** Called after the engine's turn: a record that is left is a difference. */
  end(): void {
    this.commit();
    const left = this.#next();
    if (left !== undefined && !this.#isOver) this.differ(whatOf(left), left, isSnapshot(left) ? this.#present(left) : undefined);
  }

  /** The engine threw. If the turn has no more records, the recorded process may have ended with the same error. */
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

  /**
   * Compares the records of saved strategies and held orders. Earlier versions recorded them before a send, later ones at the end of the
   * turn. So one that differs before a send waits; it is a difference if an action follows, or the turn ends.
   */
  commit(): void {
    for (let row = this.#next(); isSnapshot(row) && this.#isPresent(row); row = this.#next()) {
      this.#at++;
      this.#count(row.kind);
    }
  }

  /** Compares a record of held orders or saved strategies with the present ones. */
  kept(row: RecordedRow): void {
    if (this.#isOver) return;
    if (this.#isPresent(row)) this.#count(row.kind);
    else this.differ(whatOf(row), row, this.#present(row));
  }

  /** The events that the venue reported while the engine was sending a request. The engine receives them next, each once. */
  *within(): Generator<VenueEvent> {
    for (let at = Math.max(this.#at, this.#given); ; at++) {
      const row = this.#turn?.rows[at];
      if (row?.kind !== 'event' || row.value.heard !== ('within' satisfies ReceivedIn)) return;
      this.#given = at + 1;
      yield row.value.event as VenueEvent;
    }
  }

  differ(what: DifferenceKind, row: Pick<RecordedRow, 'id'> & { readonly value?: unknown }, replayed: unknown, isInRecord = true): void {
    this.difference ??= {
      what,
      id: row.id,
      time: this.#turn?.time ?? Number.NaN,
      sequence: this.engine.sequence(),
      ...(isInRecord && { recorded: row.value }),
      ...(replayed !== undefined && { replayed }),
      cause: this.#cause,
    };
  }

  get #isOver(): boolean {
    return this.difference !== undefined || this.#surplus !== undefined;
  }

  /** Compares an action with the next record. @returns the text of the action. */
  #compare(kind: 'intent' | 'event' | 'market', value: unknown): string {
    const text = encode(value);
    if (this.#isOver) return text;
    const row = this.#next();
    if (row === undefined) this.#spill(whatOf({ kind, value }), value);
    else if (isSnapshot(row)) this.kept(row);
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

  /** The next record of an action of the engine, without the bars that strategies read. */
  #next(): RecordedRow | undefined {
    const rows = this.#turn?.rows ?? [];
    while (rows[this.#at]?.kind === 'history') this.#at++;
    return rows[this.#at];
  }

  #isPresent(row: RecordedRow): boolean {
    return sameText(row.body, encode(this.#present(row)));
  }

  #present(row: RecordedRow): unknown {
    if (row.kind === 'held') return this.engine.held();
    const saves = this.engine.saves();
    return new Map([...(row.value as ReadonlyMap<string, unknown>).keys()].map((id) => [id, saves.get(id)]));
  }

  #count(kind: RecordKind | 'denial'): void {
    this.same[kind] = (this.same[kind] ?? 0) + 1;
  }
}

function isSnapshot(row: RecordedRow | undefined): row is Extract<RecordedRow, { readonly kind: 'held' | 'save' }> {
  return row?.kind === 'held' || row?.kind === 'save';
}

/** The kind of a difference between a record and an action. If their kinds differ, intents count before denials, orders and bars. */
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

/**
 * The request that the replayed engine would have sent instead of a recorded one; `undefined` if they are equal. Cancels are compared as
 * events: the venue also sends cancels itself, and cancels of orders of an earlier run.
 */
export function requestDifference(
  { operation, clientOrderIds, body }: JournalValues['request'],
  placed: ReadonlyMap<string, ApprovedOrder>,
): { readonly replayed: unknown } | undefined {
  if (operation !== 'batchOrders' && operation !== 'triggerOrder') return undefined;
  const orders = clientOrderIds.map((id) => placed.get(id));
  const replayed = orders.map((order) => order && (operation === 'batchOrders' ? batchEntry(order) : triggerRequest(order)));
  const recorded = operation === 'batchOrders' ? (body as { readonly orderList: unknown }).orderList : [body];
  return sameText(encode(recorded), encode(replayed)) ? undefined : { replayed };
}

/** Whether two texts of the journal's codec have the same value, regardless of the order of an object's fields. */
function sameText(one: string, other: string): boolean {
  return one === other || canonical(JSON.parse(one)) === canonical(JSON.parse(other));
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}

/** The tags of the codec for single values. */
const TAGS = ['$d', '$i', '$n', '$f', '$m', '$o'];

/** A value of the journal as plain JSON, for the output: amounts and symbols as text, fields of market events in a list. */
export function plainValue(value: unknown): unknown {
  return value === undefined ? undefined : untagged(JSON.parse(encode(value)));
}

function untagged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untagged);
  if (typeof value !== 'object' || value === null) return value;
  const [[tag, content] = [], ...others] = Object.entries(value);
  if (tag === '$u') return null;
  if (tag === '$e') return (content as readonly unknown[]).join(' ');
  if (tag === '$m')
    return Object.fromEntries((content as [unknown, unknown][]).map(([key, one]) => [String(untagged(key)), untagged(one)]));
  if (tag !== undefined && others.length === 0 && TAGS.includes(tag)) return untagged(content);
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, untagged(field)]));
}
