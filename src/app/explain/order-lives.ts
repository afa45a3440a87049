import { TidegateError } from '../../model/errors.ts';
import { nearest } from '../../model/nearest.ts';
import type { RunLine, RunRecords } from './run-records.ts';

/** One intent and its orders. */
export interface IntentLife {
  readonly line: RunLine;
  readonly strategy: string;
  /** The intent as the strategy returned it. */
  readonly intent: Readonly<Record<string, unknown>>;
  /** The denial by risk. */
  denial: RunLine | undefined;
  readonly orders: OrderLife[];
}

/** One order, from its submission on. */
export interface OrderLife {
  readonly clientOrderId: string;
  /** The exchange's id; empty until it is known. */
  orderId: string;
  readonly strategy: string;
  readonly symbol: string;
  /** Absent for exits of an entry, for adopted orders, and for closing orders of the engine. */
  readonly intent: IntentLife | undefined;
  /** Its events, requests and replies, in order. */
  readonly lines: RunLine[];
  readonly fillIds: Set<string>;
  /** The entry order if this is an exit; `legs`: the exits of this order. */
  entry: string | undefined;
  readonly legs: Set<string>;
}

/** Collects the life of each intent and each order from the records of a run. */
export class Lives {
  readonly intents: IntentLife[] = [];
  readonly orders = new Map<string, OrderLife>();
  /** Denials without an intent: of released held orders, and of orders that are sent again. */
  readonly ownDenials: RunLine[] = [];
  /** Ledger entries by their fill. */
  readonly ledger = new Map<string, RunLine[]>();
  /** Intents without an order or a denial yet. */
  #open: IntentLife[] = [];

  constructor(lines: Iterable<RunLine>) {
    for (const line of lines) this.#add(line);
  }

  #add(line: RunLine): void {
    const { kind, fields, links } = line;
    if (kind === 'intent') this.#addIntent(line);
    else if (kind === 'orderDenied' && fields.clientOrderId === '') this.#deny(line);
    else if (kind === 'balanceChanged') this.#book(line);
    else if (kind === 'request' || kind === 'reply') {
      for (const id of fields.clientOrderIds as readonly string[]) this.orders.get(id)?.lines.push(line);
    } else if (links !== undefined) this.#link(links);
    else if (typeof fields.clientOrderId === 'string') this.#follow(line, fields.clientOrderId);
  }

  #addIntent(line: RunLine): void {
    const { strategy, intent } = line.fields as { strategy: string; intent: IntentLife['intent'] };
    const life: IntentLife = { line, strategy, intent, denial: undefined, orders: [] };
    this.intents.push(life);
    // An intent gets its order or denial in the same turn, so open ones of earlier turns are dropped.
    this.#open = this.#open.filter((one) => one.line.fields.sequence === line.fields.sequence);
    this.#open.push(life);
  }

  #deny(line: RunLine): void {
    const intent = this.#intentOf(line, line.fields.sequence);
    if (intent === undefined) this.ownDenials.push(line);
    else {
      intent.denial = line;
      this.#open = this.#open.filter((one) => one !== intent);
    }
  }

  /** The oldest open intent that matches; a `protect` can have two orders. */
  #intentOf({ fields }: RunLine, sequence: unknown): IntentLife | undefined {
    return this.#open.find(
      ({ strategy, intent, line }) =>
        line.fields.sequence === sequence &&
        strategy === fields.strategy &&
        (intent.symbol ?? '') === fields.symbol &&
        (intent.kind === 'protect' || (intent.tag ?? '') === fields.tag) &&
        (fields.side === undefined || intent.side === undefined || intent.side === fields.side),
    );
  }

  #follow(line: RunLine, clientOrderId: string): void {
    const { fields } = line;
    const life = this.orders.get(clientOrderId) ?? this.#begin(line, clientOrderId);
    life.lines.push(line);
    if (typeof fields.orderId === 'string' && fields.orderId !== '') life.orderId = fields.orderId;
    if (line.kind === 'orderFilled') life.fillIds.add(String(fields.fillId));
  }

  #begin(line: RunLine, clientOrderId: string): OrderLife {
    const { fields } = line;
    const { strategy = '', symbol = '' } = fields as { strategy?: string; symbol?: string };
    const intent = line.kind === 'orderSubmitted' && fields.replaces === undefined ? this.#intentOf(line, line.fields.decided) : undefined;
    const life: OrderLife = {
      clientOrderId,
      orderId: '',
      strategy,
      symbol,
      intent,
      lines: [],
      fillIds: new Set(),
      entry: undefined,
      legs: new Set(),
    };
    this.orders.set(clientOrderId, life);
    intent?.orders.push(life);
    if (intent !== undefined && intent.intent.kind !== 'protect') this.#open = this.#open.filter((one) => one !== intent);
    return life;
  }

  #link(links: NonNullable<RunLine['links']>): void {
    for (const { entry, legs } of links) {
      for (const leg of legs) {
        const life = this.orders.get(leg);
        if (life === undefined || entry === '') continue;
        life.entry = entry;
        this.orders.get(entry)?.legs.add(leg);
      }
    }
  }

  #book(line: RunLine): void {
    const { fillId } = line.fields;
    if (typeof fillId !== 'string' || fillId === '') return;
    const booked = this.ledger.get(fillId);
    if (booked === undefined) this.ledger.set(fillId, [line]);
    else booked.push(line);
  }
}

/** The largest number of ids in an error. */
const LISTED = 8;

/**
 * Finds the order or intent of an id: a client order id or its beginning, the exchange's id of an order, or the number of an intent's
 * record (line), with or without `#`.
 * @throws TidegateError USAGE for an unknown or ambiguous id, with similar ids.
 */
export function findLife(lives: Lives, id: string, { unit, source }: Pick<RunRecords, 'unit' | 'source'>): IntentLife | OrderLife {
  const exact = lives.orders.get(id);
  if (exact !== undefined) return exact;
  const all = [...lives.orders.values()];
  const named = all.filter(({ orderId }) => orderId === id);
  if (named.length === 1) return named[0]!;
  const number = /^#?(\d+)$/.exec(id)?.[1];
  const intent = number === undefined ? undefined : lives.intents.find(({ line }) => line.id === Number(number));
  if (intent !== undefined) return intent;
  const begun = all.filter(({ clientOrderId }) => id !== '' && clientOrderId.startsWith(id));
  if (begun.length === 1) return begun[0]!;
  const several = begun.length > 1 ? begun : named;
  if (several.length > 1) {
    throw new TidegateError(
      'USAGE',
      `${id} is ambiguous: ${listed(several.map(({ clientOrderId }) => clientOrderId))}; write more of the id`,
    );
  }
  throw new TidegateError('USAGE', `${source} has no order and no intent ${id}${hint(lives, id, number, unit)}`);
}

function hint({ intents, orders }: Lives, id: string, number: string | undefined, unit: RunRecords['unit']): string {
  if (intents.length === 0) return ': it has no intents at all';
  if (number !== undefined) {
    const away = (one: IntentLife) => Math.abs(one.line.id - Number(number));
    const close = intents.reduce((best, one) => (away(one) < away(best) ? one : best));
    return `: the nearest intent is ${unit} #${close.line.id}`;
  }
  const near = nearest(id, [...orders.keys()]);
  if (near !== undefined) return ` (did you mean "${near}"?)`;
  const newest = [...orders.keys()].slice(-LISTED);
  return newest.length === 0 ? `: none of its ${intents.length} intents became an order` : `: the newest orders are ${listed(newest)}`;
}

function listed(ids: readonly string[]): string {
  return ids.length <= LISTED ? ids.join(', ') : `${ids.slice(0, LISTED).join(', ')} and ${ids.length - LISTED} more`;
}

/** One step of an intent's life, in order. */
interface LifeStep {
  readonly id: number;
  readonly time: number;
  /** `data`, `intent`, `risk`, `request`, `reply`, `event`, `fill`, `ledger`. */
  readonly step: string;
  readonly words: string;
}

/** Fields that are in the heading and are not repeated in each line. */
const KNOWN = new Set(['clientOrderId', 'clientOrderIds', 'strategy', 'symbol', 'sequence', 'decided', 'intent']);

/** The steps from the market data that caused an intent to the last record of its orders. */
export function stepsOf(life: IntentLife | OrderLife, lives: Lives): LifeStep[] {
  const intent = 'clientOrderId' in life ? life.intent : life;
  const orders = 'clientOrderId' in life ? [life] : life.orders;
  const steps = intent === undefined ? [] : intentSteps(intent);
  for (const order of orders) steps.push(...orderSteps(order, lives));
  return steps.sort((a, b) => a.id - b.id);
}

function intentSteps({ line, intent, denial }: IntentLife): LifeStep[] {
  const { cause, id, time } = line;
  const steps: LifeStep[] = cause === undefined ? [] : [{ id: cause.id, time: cause.time, step: 'data', words: cause.words }];
  steps.push({ id, time, step: 'intent', words: wordsOf(intent) });
  if (denial !== undefined) steps.push({ id: denial.id, time: denial.time, step: 'risk', words: `denied: ${reasonOf(denial)}` });
  return steps;
}

function orderSteps({ lines, fillIds }: OrderLife, { ledger }: Lives): LifeStep[] {
  const steps = lines.map((line, index): LifeStep => {
    const { id, time, kind, fields } = line;
    if (kind === 'orderSubmitted') return { id, time, step: index === 0 ? 'risk' : 'event', words: `approved: ${wordsOf(fields)}` };
    if (kind === 'orderDenied') return { id, time, step: 'risk', words: `denied: ${reasonOf(line)}` };
    if (kind === 'orderFilled') return { id, time, step: 'fill', words: wordsOf(fields) };
    return {
      id,
      time,
      step: kind === 'request' || kind === 'reply' ? kind : 'event',
      words: `${eventName(kind)}${wordsOf(fields)}`.trim(),
    };
  });
  for (const fillId of fillIds) {
    for (const { id, time, fields } of ledger.get(fillId) ?? []) steps.push({ id, time, step: 'ledger', words: wordsOf(fields) });
  }
  return steps;
}

function eventName(kind: string): string {
  return kind === 'request' || kind === 'reply' ? '' : `${kind} `;
}

/** The code and the numbers of a denial. */
function reasonOf({ fields }: RunLine): string {
  const { code, ...numbers } = fields.reason as Record<string, unknown>;
  return `${String(code)} ${wordsOf(numbers)}`.trim();
}

/** `name value` of each field that is not empty. */
function wordsOf(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .filter(([name, value]) => !KNOWN.has(name) && value !== '' && value !== undefined)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}
