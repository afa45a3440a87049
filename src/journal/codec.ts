import type { BarInterval } from '../model/bar-interval.ts';
import { Decimal } from '../model/decimal.ts';
import { TidegateError } from '../model/errors.ts';
import { Fill } from '../model/fill.ts';
import { Instrument } from '../model/instrument.ts';
import { Bar, barOf, type ChangedLevels, Depth, Funding, Mark, type MarketEvent, Quote, Ticker, Trade } from '../model/market-events.ts';

/**
 * JSON text of a value, with tags for types that JSON lacks, so that `revive` returns an equal one:
 * - `{"$d":"1.5"}` a Decimal, `{"$i":"BTC-USDT"}` an Instrument, `{"$f":{...}}` a Fill;
 * - `{"$e":["ticker","BTC-USDT",time,sequence,...]}` a market event, `{"$m":[[key,value],...]}` a Map;
 * - `{"$n":"NaN"}` a number outside JSON, `{"$u":0}` an undefined in a list;
 * - `{"$o":{...}}` an object of which a key begins with `$`.
 * Fields that are undefined are left out.
 * @throws TidegateError INVARIANT_BROKEN for values that cannot be restored: functions, dates, unknown classes, cycles.
 */
export function encode(value: unknown): string {
  return JSON.stringify(encodeValue(value));
}

/** The value that `encode` wrote. @throws TidegateError JOURNAL_DAMAGED, CONFIG_INVALID for an unknown instrument. */
export function revive(text: string, instruments: ReadonlyMap<string, Instrument>): unknown {
  try {
    return reviveValue(JSON.parse(text), instruments);
  } catch (error) {
    if (error instanceof TidegateError) throw error;
    throw new TidegateError('JOURNAL_DAMAGED', `the content of the journal cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Deeper than any state. A cycle fails here and not by a stack overflow. */
const MAX_DEPTH = 100;

/**
 * The value as plain JSON with the tags of the codec. @throws TidegateError INVARIANT_BROKEN with the place of a value that cannot be
 * encoded.
 */
function encodeValue(value: unknown, place = 'value', depth = 0): unknown {
  if (depth > MAX_DEPTH) throw unkept(place, `something nested deeper than ${MAX_DEPTH}, or within itself`);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? value : { $n: Object.is(value, -0) ? '-0' : String(value) };
    case 'undefined':
      return { $u: 0 };
    case 'object':
      return value === null ? null : encodeObject(value, place, depth + 1);
    default:
      throw unkept(place, `a ${typeof value}`);
  }
}

function encodeObject(value: object, place: string, depth: number): unknown {
  if (Array.isArray(value)) return Array.from(value, (item, index) => encodeValue(item, `${place}[${index}]`, depth));
  // toFixed drops the sign of a negative zero.
  if (value instanceof Decimal) return { $d: value.isZero() ? value.valueOf() : value.toFixed() };
  if (value instanceof Instrument) return { $i: value.symbol };
  if (value instanceof Fill) return { $f: encodeFields(fillFields(value), place, depth) };
  if (isMarketEvent(value)) return { $e: encodeValue(marketColumns(value), place, depth) };
  if (value instanceof Map) return { $m: Array.from(value, (pair) => encodeValue(pair, `${place}.entry`, depth)) };
  if (!isPlain(value)) throw unkept(place, `a ${value.constructor?.name ?? 'thing'} rather than plain data`);
  const fields = encodeFields(Object.entries(value), place, depth);
  return Object.keys(fields).some((key) => key.startsWith('$')) ? { $o: fields } : fields;
}

function encodeFields(entries: readonly (readonly [string, unknown])[], place: string, depth: number): object {
  const present = entries.filter(([, field]) => field !== undefined);
  return Object.fromEntries(present.map(([key, field]) => [key, encodeValue(field, `${place}.${key}`, depth)]));
}

/** An object literal of any realm. An instance of a class would be restored as something else. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function unkept(place: string, what: string): TidegateError {
  return new TidegateError('INVARIANT_BROKEN', `the journal cannot keep ${place}: it is ${what}; expected JSON, Decimals and model types`);
}

type Instruments = ReadonlyMap<string, Instrument>;

/** An encoded value has at most three levels for one of the value: `{"$m":[[key, value]]}`. */
const MAX_TEXT_DEPTH = 3 * MAX_DEPTH;

const NUMBERS: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
  '-0': -0,
};

/** Restores the values of the tags in parsed JSON. @throws Error for JSON that is not the codec's. */
function reviveValue(value: unknown, instruments: Instruments, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_TEXT_DEPTH) throw new Error(`nested deeper than ${MAX_TEXT_DEPTH}`);
  if (Array.isArray(value)) return value.map((item) => reviveValue(item, instruments, depth + 1));
  const [tag, ...others] = Object.keys(value);
  if (tag === undefined || !tag.startsWith('$')) return reviveFields(value, instruments, depth);
  if (others.length > 0) throw new Error(`${tag} is in one object with ${others[0]}`);
  return reviveTag(tag, (value as Record<string, unknown>)[tag], instruments, depth + 1);
}

function reviveTag(tag: string, content: unknown, instruments: Instruments, depth: number): unknown {
  switch (tag) {
    case '$d':
      return new Decimal(textOf(content));
    case '$i':
      return instrumentOf(textOf(content), instruments);
    case '$f':
      return fillOf(reviveFields(objectOf(content), instruments, depth));
    case '$e': {
      const columns = listOf(reviveValue(content, instruments, depth));
      return marketEventOf(columns, instrumentOf(textOf(columns[1]), instruments));
    }
    case '$m':
      return new Map(listOf(content).map((pair) => listOf(reviveValue(pair, instruments, depth + 1)) as [unknown, unknown]));
    case '$n':
      return numberOf(textOf(content));
    case '$u':
      return undefined;
    case '$o':
      return reviveFields(objectOf(content), instruments, depth);
    default:
      throw new Error(`${tag} is not a tag`);
  }
}

function reviveFields(fields: object, instruments: Instruments, depth: number): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, reviveValue(field, instruments, depth + 1)]));
}

function instrumentOf(symbol: string, instruments: Instruments): Instrument {
  const found = instruments.get(symbol);
  if (found !== undefined) return found;
  throw new TidegateError(
    'CONFIG_INVALID',
    `the journal has ${symbol}, which the config does not list: list it again, or start with a new journal once the bot is flat`,
  );
}

function numberOf(text: string): number {
  if (!Object.hasOwn(NUMBERS, text)) throw new Error(`${JSON.stringify(text)} is not a number outside JSON`);
  return NUMBERS[text]!;
}

function textOf(content: unknown): string {
  if (typeof content !== 'string') throw new Error('text is missing');
  return content;
}

function listOf(content: unknown): readonly unknown[] {
  if (!Array.isArray(content)) throw new Error('a list is missing');
  return content;
}

function objectOf(content: unknown): object {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw new Error('an object is missing');
  return content;
}

/** The fields of a fill, in the order of its constructor. */
const FIELDS = [
  'fillId',
  'orderId',
  'clientOrderId',
  'strategyId',
  'instrument',
  'side',
  'positionSide',
  'priceTicks',
  'steps',
  'notional',
  'fee',
  'feeAsset',
  'liquidity',
  'tag',
  'time',
  'decidedSequence',
  'pricedSequence',
  'pricedTime',
] as const satisfies readonly (keyof Fill)[];

/** The fields of a fill by name, for the journal. */
function fillFields(fill: Fill): [string, unknown][] {
  return FIELDS.map((name) => [name, fill[name]]);
}

/** The fill of these fields. @throws Error if one is missing. */
function fillOf(fields: Readonly<Record<string, unknown>>): Fill {
  const missing = FIELDS.find((name) => fields[name] === undefined);
  if (missing !== undefined) throw new Error(`a fill has no ${missing}`);
  return new Fill(...(FIELDS.map((name) => fields[name]) as ConstructorParameters<typeof Fill>));
}

const CLASSES = [Bar, Depth, Quote, Trade, Ticker, Mark, Funding];

function isMarketEvent(value: object): value is MarketEvent {
  return CLASSES.some((kind) => value instanceof kind);
}

/** A market event as a row without names: most records of a journal are market events. */
function marketColumns(event: MarketEvent): unknown[] {
  return [event.kind, event.symbol, event.time, event.sequence, ...ownColumns(event)];
}

function ownColumns(event: MarketEvent): unknown[] {
  switch (event.kind) {
    case 'bar':
      return [event.intervalKey, event.openTicks, event.highTicks, event.lowTicks, event.closeTicks, event.volume];
    case 'depth':
      return [event.snapshot, event.bids.ticks, event.bids.steps, event.asks.ticks, event.asks.steps];
    case 'quote':
      return [event.bidTicks, event.askTicks, event.bidSteps, event.askSteps];
    case 'trade':
      return [event.priceTicks, event.steps, event.side ?? null];
    case 'ticker':
      return [event.lastTicks];
    case 'mark':
      return [event.units, event.decimals];
    case 'funding':
      return [event.exactRate];
  }
}

/** The event of a row. @throws Error for an unknown kind. */
function marketEventOf(columns: readonly unknown[], instrument: Instrument): MarketEvent {
  const [kind, , time, sequence, ...own] = columns as [string, string, number, number, ...unknown[]];
  const [a, b, c, d, e, f] = own as number[];
  switch (kind as MarketEvent['kind']) {
    case 'bar':
      return barOf(instrument, time, sequence, own[0] as BarInterval, b!, c!, d!, e!, f!);
    case 'depth':
      return new Depth(instrument, time, sequence, own[0] as boolean, levels(own[1], own[2]), levels(own[3], own[4]));
    case 'quote':
      return new Quote(instrument, time, sequence, a!, b!, c!, d!);
    case 'trade':
      return new Trade(instrument, time, sequence, a!, b!, (own[2] ?? undefined) as Trade['side']);
    case 'ticker':
      return new Ticker(instrument, time, sequence, a!);
    case 'mark':
      return new Mark(instrument, time, sequence, a!, b!);
    case 'funding':
      return new Funding(instrument, time, sequence, own[0] as Decimal);
    default:
      throw new Error(`no market event is called ${JSON.stringify(kind)}`);
  }
}

function levels(ticks: unknown, steps: unknown): ChangedLevels {
  return { ticks: ticks as number[], steps: steps as number[] };
}
