import { createHash } from 'node:crypto';
import { batchEntry, triggerRequest } from '../../exchange/mapping.ts';
import { encode } from '../../journal/codec.ts';
import type { Heard, JournalValues, RecordKind } from '../../journal/journal-record.ts';
import type { AccountEvent, VenueEvent } from '../../model/account-events.ts';
import type { Intent } from '../../model/intents.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import type { ApprovedOrder } from '../../model/order.ts';
import type { Journal } from '../../ports/journal.ts';
import type { RecordedRow, RecordedTurn } from './recorded-steps.ts';

/** What a record and its replay can differ in. */
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
  /** Of the record; of the turn where the record has nothing there. */
  readonly id: number;
  /** Epoch ms of the turn. */
  readonly time: number;
  /** Of the newest market data then. */
  readonly sequence: number;
  /** Absent where the record (the replay) has nothing there. */
  readonly recorded?: unknown;
  readonly replayed?: unknown;
  /** The event before it: what the decision was made on. */
  readonly cause?: { readonly id: number; readonly event: MarketEvent | AccountEvent } | undefined;
}

/** What the engine stands at, for what is compared between events. */
interface ReplayStanding {
  sequence(): number;
  held(): unknown;
  saves(): ReadonlyMap<string, unknown>;
}

/** Receives what a replayed engine does, and compares it with the records of the same turn, one by one. */
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

/**
 * What the replayed engine would have had sent in place of a request that is recorded; `undefined` where it is the same.
 * Cancels are compared as events: the venue sends some of its own, and of orders of an earlier run.
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

/** Whether two texts of the journal's codec say the same: the order of an object's fields says nothing. */
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

/** What of the codec's tags stands for one value. */
const TAGS = ['$d', '$i', '$n', '$f', '$m', '$o'];

/** A value of the journal as plain JSON, for people and for --json: amounts and symbols as text, fields of market events in a list. */
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
