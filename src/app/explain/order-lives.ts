import { TidegateError } from '../../model/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { ToldLine, ToldRun } from './run-records.ts';

/** One intent, and what came of it. */
export interface IntentLife {
  readonly line: ToldLine;
  readonly strategy: string;
  /** As the strategy wrote it. */
  readonly intent: Readonly<Record<string, unknown>>;
  /** Risk's refusal. */
  denial: ToldLine | undefined;
  readonly orders: OrderLife[];
}

/** One order, from its submission on. */
export interface OrderLife {
  readonly clientOrderId: string;
  /** The exchange's; empty until it names one. */
  orderId: string;
  readonly strategy: string;
  readonly symbol: string;
  /** Absent for exits of an entry, for adopted orders, and for orders by which the engine closes positions. */
  readonly intent: IntentLife | undefined;
  /** Events, requests and replies that name it, in order. */
  readonly lines: ToldLine[];
  readonly fillIds: Set<string>;
  /** The order whose exit this is, and exits of this one. */
  entry: string | undefined;
  readonly legs: Set<string>;
}

/** Collects from the records of a run what became of each intent and each order. */
export class Lives {
  readonly intents: IntentLife[] = [];
  readonly orders = new Map<string, OrderLife>();
  /** Refusals that answer no intent: of released orders, and of orders that are sent again. */
  readonly ownDenials: ToldLine[] = [];
  /** Ledger entries by their fill. */
  readonly ledger = new Map<string, ToldLine[]>();
  /** Not yet answered by an order or a refusal. */
  #waiting: IntentLife[] = [];

  constructor(lines: Iterable<ToldLine>) {
    for (const line of lines) this.#add(line);
  }

  #add(line: ToldLine): void {
    const { kind, fields, links } = line;
    if (kind === 'intent') this.#ask(line);
    else if (kind === 'orderDenied' && fields.clientOrderId === '') this.#deny(line);
    else if (kind === 'balanceChanged') this.#book(line);
    else if (kind === 'request' || kind === 'reply') {
      for (const id of fields.clientOrderIds as readonly string[]) this.orders.get(id)?.lines.push(line);
    } else if (links !== undefined) this.#link(links);
    else if (typeof fields.clientOrderId === 'string') this.#follow(line, fields.clientOrderId);
  }

  #ask(line: ToldLine): void {
    const { strategy, intent } = line.fields as { strategy: string; intent: IntentLife['intent'] };
    const life: IntentLife = { line, strategy, intent, denial: undefined, orders: [] };
    this.intents.push(life);
    // Intents are answered in the turn that asks: what is left of an earlier one never will be.
    this.#waiting = this.#waiting.filter((one) => one.line.fields.sequence === line.fields.sequence);
    this.#waiting.push(life);
  }

  #deny(line: ToldLine): void {
    const asked = this.#answered(line, line.fields.sequence);
    if (asked === undefined) this.ownDenials.push(line);
    else {
      asked.denial = line;
      this.#waiting = this.#waiting.filter((one) => one !== asked);
    }
  }

  /** The oldest intent that fits; one that protects may bring two orders. */
  #answered({ fields }: ToldLine, sequence: unknown): IntentLife | undefined {
    return this.#waiting.find(
      ({ strategy, intent, line }) =>
        line.fields.sequence === sequence &&
        strategy === fields.strategy &&
        (intent.symbol ?? '') === fields.symbol &&
        (intent.kind === 'protect' || (intent.tag ?? '') === fields.tag) &&
        (fields.side === undefined || intent.side === undefined || intent.side === fields.side),
    );
  }

  #follow(line: ToldLine, clientOrderId: string): void {
    const { fields } = line;
    const life = this.orders.get(clientOrderId) ?? this.#begin(line, clientOrderId);
    life.lines.push(line);
    if (typeof fields.orderId === 'string' && fields.orderId !== '') life.orderId = fields.orderId;
    if (line.kind === 'orderFilled') life.fillIds.add(String(fields.fillId));
  }

  #begin(line: ToldLine, clientOrderId: string): OrderLife {
    const { strategy = '', symbol = '' } = line.fields as { strategy?: string; symbol?: string };
    const asked = line.kind === 'orderSubmitted' ? this.#answered(line, line.fields.decided) : undefined;
    const life: OrderLife = {
      clientOrderId,
      orderId: '',
      strategy,
      symbol,
      intent: asked,
      lines: [],
      fillIds: new Set(),
      entry: undefined,
      legs: new Set(),
    };
    this.orders.set(clientOrderId, life);
    asked?.orders.push(life);
    if (asked !== undefined && asked.intent.kind !== 'protect') this.#waiting = this.#waiting.filter((one) => one !== asked);
    return life;
  }

  #link(links: NonNullable<ToldLine['links']>): void {
    for (const { entry, legs } of links) {
      for (const leg of legs) {
        const life = this.orders.get(leg);
        if (life === undefined || entry === '') continue;
        life.entry = entry;
        this.orders.get(entry)?.legs.add(leg);
      }
    }
  }

  #book(line: ToldLine): void {
    const { fillId } = line.fields;
    if (typeof fillId !== 'string' || fillId === '') return;
    const booked = this.ledger.get(fillId);
    if (booked === undefined) this.ledger.set(fillId, [line]);
    else booked.push(line);
  }
}

/** Most ids that an error lists. */
const LISTED = 8;

/**
 * What an id names: a client order id or its beginning, the exchange's id of an order, or the number of an intent's record
 * (line), with or without `#`.
 * @throws TidegateError USAGE for one that names nothing, or several; near ones are named.
 */
export function findLife(lives: Lives, id: string, { unit, source }: Pick<ToldRun, 'unit' | 'source'>): IntentLife | OrderLife {
  const exact = lives.orders.get(id);
  if (exact !== undefined) return exact;
  const all = [...lives.orders.values()];
  const named = all.filter(({ orderId }) => orderId === id);
  if (named.length === 1) return named[0]!;
  const number = /^#?(\d+)$/.exec(id)?.[1];
  const asked = number === undefined ? undefined : lives.intents.find(({ line }) => line.id === Number(number));
  if (asked !== undefined) return asked;
  const begun = all.filter(({ clientOrderId }) => id !== '' && clientOrderId.startsWith(id));
  if (begun.length === 1) return begun[0]!;
  const several = begun.length > 1 ? begun : named;
  if (several.length > 1) {
    throw new TidegateError('USAGE', `${id} may be ${listed(several.map(({ clientOrderId }) => clientOrderId))}: give more of it`);
  }
  throw new TidegateError('USAGE', `${source} tells of no order and no intent ${id}${hint(lives, id, number, unit)}`);
}

function hint({ intents, orders }: Lives, id: string, number: string | undefined, unit: ToldRun['unit']): string {
  if (intents.length === 0) return ': it tells of none at all';
  if (number !== undefined) {
    const away = (one: IntentLife) => Math.abs(one.line.id - Number(number));
    const close = intents.reduce((best, one) => (away(one) < away(best) ? one : best));
    return `: the intent nearest to it is ${unit} #${close.line.id}`;
  }
  const near = nearest(id, [...orders.keys()]);
  if (near !== undefined) return ` (did you mean "${near}"?)`;
  const newest = [...orders.keys()].slice(-LISTED);
  return newest.length === 0 ? `: of its ${intents.length} intents none became an order` : `: the newest are ${listed(newest)}`;
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

/** What heads each line, and need not be repeated in it. */
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

/** A refusal's code and its numbers. */
function reasonOf({ fields }: ToldLine): string {
  const { code, ...numbers } = fields.reason as Record<string, unknown>;
  return `${String(code)} ${wordsOf(numbers)}`.trim();
}

/** `name value` of each field that says something. */
function wordsOf(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .filter(([name, value]) => !KNOWN.has(name) && value !== '' && value !== undefined)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}
