// Long because every act of a lying exchange is here.
import { EXCHANGE_CODES, type ExchangeCode } from '../../src/exchange/errors.ts';
import { numberText, parseJson, writeJson } from '../../src/exchange/json.ts';
import { errorBody } from '../../src/exchange/operations/codecs.ts';
import type { OperationName } from '../../src/exchange/operations/operation-table.ts';
import { wireSymbol } from '../../src/exchange/symbols.ts';
import type { WireReply } from '../../src/local-exchange/http/answering.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import { Random } from '../../src/model/random.ts';
import type { Life, World } from './world.ts';

/** Share of the seeds whose exchange lies. */
const SHARE = 0.2;
/** A lying seed has so many of the acts at most. */
const MOST_ACTS = 3;
/** How long it keeps to one act, and how long it is honest before the next, in ms. */
const LIES_MS = [1_000, 12_000] as const;
const HONEST_MS = [2_000, 20_000] as const;
/** Share of the replies, or of the fills, that an act changes where it does not change all. */
const STRIKES = 0.3;
/** From one look of the person at what is halted to the next, in ms. */
const LOOKS_EVERY_MS = 20_000;
/** A person resets what was halted for so long, in ms: what heals by itself has healed by then. */
const PATIENCE_MS = 60_000;

/**
 * What a lying exchange does. `number`: a figure of one reply is huge, negative, zero, in another form or no number. `fill`: fills are
 * larger than their orders, of the other side, beyond the limit, or cost a wild fee. `refusal`: an order that was placed is refused.
 * `secondId`: fills are listed a second time, under other ids. `sharedIds`: fills of two symbols have the same ids. `ticker`: that of another
 * symbol. `roundedId`: ids in replies to requests that place, as a proxy that reads JSON into doubles writes them. `swapped`: the order ids of
 * two fills are exchanged. `time`: the exchange's time is nonsensical. `account`: balances, positions or wallets are wrong. `endless`: each page
 * has a next one.
 */
export const ACTS = [
  'number',
  'fill',
  'refusal',
  'secondId',
  'sharedIds',
  'ticker',
  'roundedId',
  'swapped',
  'time',
  'account',
  'endless',
] as const;
export type Act = (typeof ACTS)[number];

/** Acts after which a fill may have counted that was none: it stays counted, and what is apart must halt and say why. */
export const DECEITS: readonly Act[] = ['secondId', 'sharedIds', 'swapped'];
/** Share of the lying seeds that keep to one of them. */
const DECEIVING = 0.15;

/** Whether seeds lie: some, none, each of them, or each by this act alone. */
export type Lies = 'yes' | 'no' | 'all' | Act;

const PLACING: ReadonlySet<OperationName> = new Set(['batchOrders', 'triggerOrder', 'placeFuturesOrder', 'futuresBatchOrders']);
const REFUSALS: readonly ExchangeCode[] = ['43002', '429', '40008', '40020'];

type Wire = Record<string, unknown>;

/** The names of a fill's fields in the two lists. */
const FILL_FIELDS = {
  fills: { list: 'fillsOrderResultList', id: 'fillId', side: 'side', size: 'fillQuantity', value: 'fillTotalAmount', fee: 'fees' },
  futuresFills: { list: 'list', id: 'tradeId', side: 'orderSide', size: 'fillSize', value: 'fillValue', fee: 'fillFee' },
} as const;
type FillFields = (typeof FILL_FIELDS)[keyof typeof FILL_FIELDS];

/** Fields of a figure of the account, whose lies stay for a whole act. */
const ACCOUNT_FIGURES: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  accountAssets: ['available', 'frozen'],
  futuresAccount: ['amount', 'size', 'open_value', 'isolated_margin'],
};

/**
 * An exchange that lies for some seconds, then is honest for some, until the strategy rests. All is drawn from a stream of its own. Each lie
 * about one fill or figure is the same for as long as the act lasts.
 */
export class Liar {
  readonly #random: Random;
  readonly #acts: readonly Act[];
  #act: Act | undefined;
  /** What each record that the act changes has become, by its place. */
  #told = new Map<string, string>();
  /** The last honest reply about a ticker, by symbol. */
  readonly #tickers = new Map<string, WireReply>();
  /** The true id of a fill, by symbol and the id that was told in its place. */
  readonly #trueIds = new Map<string, string>();
  /** Fills of each symbol whose ids were lies. */
  readonly #counts = new Map<string, number>();
  /** Ids of orders of which one has a fill of the other. */
  readonly #pairs: (readonly [string, string])[] = [];
  #world: World | undefined;
  /** Since when an instrument is halted. */
  readonly #haltedSince = new Map<string, number>();

  constructor(seed: number, lies: Lies = 'yes') {
    this.#random = new Random(seed, 'lies');
    const lying = this.#random.uniform() < SHARE;
    const left = ACTS.filter((act) => !DECEITS.includes(act));
    const count = 1 + Math.floor(this.#random.uniform() * MOST_ACTS);
    const drawn = Array.from({ length: count }, () => left.splice(Math.floor(this.#random.uniform() * left.length), 1)[0]!);
    const deceit = new Random(seed, 'deceit');
    const acts = deceit.uniform() < DECEIVING ? [DECEITS[Math.floor(deceit.uniform() * DECEITS.length)]!] : drawn;
    if (lies === 'all' || (lies === 'yes' && lying)) this.#acts = acts;
    else this.#acts = lies === 'yes' || lies === 'no' ? [] : [lies];
  }

  /** A person looks after the bot. */
  get isThere(): boolean {
    return this.#acts.length > 0;
  }

  /** What is apart may stay apart. The person leaves halted what is halted: to reset is to accept. */
  get deceives(): boolean {
    return this.#acts.some((act) => DECEITS.includes(act));
  }

  /** The id that the exchange has given to a fill that was told under this one. */
  idOf({ symbol }: Instrument, fillId: string): string {
    return this.#trueIds.get(`${wireSymbol(symbol).toUpperCase()} ${fillId}`) ?? fillId;
  }

  /** Sets of orders, by the ids of the exchange, whose fills were told as those of each other. */
  get swapped(): readonly (readonly string[])[] {
    const sets: Set<string>[] = [];
    for (const pair of this.#pairs) {
      const met = sets.filter((set) => pair.some((id) => set.has(id)));
      for (const set of met) sets.splice(sets.indexOf(set), 1);
      sets.push(new Set([...pair, ...met.flatMap((set) => [...set])]));
    }
    return sets.map((set) => [...set]);
  }

  /** @param life the one that is there. */
  begin(world: World, life: () => Life): void {
    if (!this.isThere) return;
    this.#world = world;
    const { clock } = world;
    const isOver = () => world.restsFrom <= clock.now();
    const turn = () => {
      this.#act = this.#act === undefined && !isOver() ? this.#acts[Math.floor(this.#random.uniform() * this.#acts.length)] : undefined;
      this.#told = new Map();
      if (isOver()) return;
      const [least, most] = this.#act === undefined ? HONEST_MS : LIES_MS;
      clock.schedule(clock.now() + this.#random.between(least, most), turn);
    };
    clock.schedule(clock.now() + this.#random.between(...HONEST_MS), turn);
    const look = () => {
      if (isOver()) return;
      this.see(life());
      clock.schedule(clock.now() + LOOKS_EVERY_MS, look);
    };
    clock.schedule(clock.now() + LOOKS_EVERY_MS, look);
  }

  /** The strategy rests: no lie any more. */
  end(): void {
    this.#act = undefined;
  }

  /** A person resets what has stayed halted. */
  see({ over, bot, clock }: Life): void {
    if (!this.isThere || this.deceives || over || clock.dead || !bot.reconciled) return;
    const halted = new Set<string>();
    for (const { condition, symbol } of bot.state.health.values()) if (condition === 'halted') halted.add(symbol);
    for (const symbol of this.#haltedSince.keys()) if (!halted.has(symbol)) this.#haltedSince.delete(symbol);
    for (const symbol of halted) if (!this.#haltedSince.has(symbol)) this.#haltedSince.set(symbol, clock.now());
    if (![...this.#haltedSince.values()].some((since) => clock.now() - since >= PATIENCE_MS)) return;
    this.#haltedSince.clear();
    bot.reset();
  }

  /** The reply that the bot receives in place of this one. */
  tell(operation: OperationName, target: string, now: number, reply: WireReply): WireReply {
    if (!this.isThere) return reply;
    const other = this.#otherTicker(operation, target, reply);
    if (this.#act === undefined || reply.status !== 200) return reply;
    if (this.#act === 'ticker') {
      if (other === undefined) return reply;
      this.#strike('ticker');
      return other;
    }
    if (this.#act === 'refusal') return this.#refusal(operation, now, reply);
    // A gateway's page is no answer of the exchange.
    if (!reply.body.startsWith('{') && !reply.body.startsWith('[') && !/^\d/.test(reply.body)) return reply;
    const body = parseJson(reply.body);
    const changed = this.#change(this.#act, operation, body);
    if (!changed) return reply;
    this.#strike(this.#act);
    return { ...reply, body: writeJson(body) };
  }

  #strike(act: Act): void {
    const struck = this.#world?.struck;
    struck?.set(`lie: ${act}`, (struck.get(`lie: ${act}`) ?? 0) + 1);
  }

  #otherTicker(operation: OperationName, target: string, reply: WireReply): WireReply | undefined {
    if (operation !== 'ticker' && operation !== 'futuresTicker') return undefined;
    if (reply.status === 200) this.#tickers.set(target, reply);
    return [...this.#tickers].find(([one]) => one !== target && one.split('?')[0] === target.split('?')[0])?.[1];
  }

  #refusal(operation: OperationName, now: number, reply: WireReply): WireReply {
    if (!PLACING.has(operation) || this.#random.uniform() >= STRIKES) return reply;
    this.#strike('refusal');
    const code = REFUSALS[Math.floor(this.#random.uniform() * REFUSALS.length)]!;
    const { status, meaning } = EXCHANGE_CODES[code];
    return { ...reply, status, body: writeJson(errorBody(code, meaning, now)) };
  }

  /** Changes a parsed body in place. @returns whether it did. */
  #change(act: Act, operation: OperationName, body: unknown): boolean {
    const fields = operation === 'fills' || operation === 'futuresFills' ? FILL_FIELDS[operation] : undefined;
    const records = fields === undefined ? [] : listIn(body, fields.list);
    switch (act) {
      case 'number':
        return this.#random.uniform() < STRIKES && this.#wrongNumber(body);
      case 'fill':
        return records.filter((record) => this.#wrongFill(record, fields!)).length > 0;
      case 'secondId': {
        const seconds = records.flatMap((record) => this.#second(record, fields!));
        records.push(...seconds);
        return seconds.length > 0;
      }
      case 'sharedIds':
        return records.filter((record) => this.#shared(record, fields!)).length > 0;
      case 'swapped':
        return fields !== undefined && this.#swap(records, fields);
      case 'roundedId':
        return PLACING.has(operation) && roundIds(body);
      case 'time':
        return (operation === 'spotTime' || operation === 'futuresTime') && this.#wrongTime(body);
      case 'account':
        return this.#wrongFigures(ACCOUNT_FIGURES[operation] ?? [], body);
      case 'endless':
        return endless(body);
      case 'refusal':
      case 'ticker':
        return false;
      default:
        act satisfies never;
        return false;
    }
  }

  #wrongNumber(body: unknown): boolean {
    const places: (readonly [holder: Wire, name: string, text: string])[] = [];
    walk(body, (holder, name, value) => {
      const digits = typeof value === 'string' ? value : numberText(value);
      if (digits !== undefined && /^-?\d+(\.\d+)?$/.test(digits) && !NO_FIGURES.test(name)) places.push([holder, name, digits]);
    });
    const place = places[Math.floor(this.#random.uniform() * places.length)];
    if (place === undefined) return false;
    const [holder, name, digits] = place;
    const plausible = MAY_BE_SO.test(name) ? [] : [`-${digits}`, '0'];
    const wrong = [...plausible, `${digits}${'0'.repeat(30)}`, '1e400', 'NaN', `${digits}e0`];
    holder[name] = wrong[Math.floor(this.#random.uniform() * wrong.length)];
    return true;
  }

  /** Drawn once for each place. */
  #draw(key: string, of: () => string): string {
    const known = this.#told.get(key);
    if (known !== undefined) return known;
    const drawn = this.#random.uniform() < STRIKES ? of() : '';
    this.#told.set(key, drawn);
    return drawn;
  }

  #wrongFill(record: Wire, { id, side, size, value, fee }: FillFields): boolean {
    const kinds = ['larger', 'side', 'price', 'fee', 'rebate'];
    const kind = this.#draw(String(record[id]), () => kinds[Math.floor(this.#random.uniform() * kinds.length)]!);
    const times = (name: string, factor: number) => {
      record[name] = (Number(String(record[name])) * factor).toFixed(10);
    };
    if (kind === 'larger') for (const name of [size, value]) times(name, 10_000);
    else if (kind === 'side') {
      const said = String(record[side]);
      const other = said.toLowerCase() === 'buy' ? 'sell' : 'buy';
      record[side] = said === said.toUpperCase() ? other.toUpperCase() : other;
    } else if (kind === 'price') {
      // A market order has no limit: nothing shows such a lie.
      if (!this.#isLimit(String(record.orderId))) return false;
      const isBuy = String(record[side]).toLowerCase() === 'buy';
      times(value, isBuy ? 1.5 : 0.5);
      if ('fillPrice' in record && record.fillPrice !== '' && record.fillPrice !== null) times('fillPrice', isBuy ? 1.5 : 0.5);
    } else if (kind === 'fee') record[fee] = String(record[value]);
    else if (kind === 'rebate') record[fee] = `-${String(record[value])}`;
    return kind !== '';
  }

  #isLimit(orderId: string): boolean {
    return this.#world?.account.orders.all.find((one) => one.orderId === orderId)?.request.type === 'limit';
  }

  #second(record: Wire, { id }: FillFields): Wire[] {
    const told = this.#draw(String(record[id]), () => String(BigInt(String(record[id])) + 1_000_000_007n));
    if (told === '') return [];
    this.#trueIds.set(`${symbolOf(record)} ${told}`, String(record[id]));
    return [{ ...record, [id]: told }];
  }

  #shared(record: Wire, { id }: FillFields): boolean {
    const symbol = symbolOf(record);
    const key = `${symbol} ${String(record[id])}`;
    let told = this.#told.get(key);
    if (told === undefined) {
      const count = (this.#counts.get(symbol) ?? 0) + 1;
      this.#counts.set(symbol, count);
      told = String(count);
      this.#told.set(key, told);
    }
    this.#trueIds.set(`${symbol} ${told}`, String(record[id]));
    record[id] = told;
    return true;
  }

  #swap(records: readonly Wire[], { id, side }: FillFields): boolean {
    let count = 0;
    for (const record of records) {
      const mine = String(record.orderId);
      const told = this.#draw(String(record[id]), () => {
        const isLike = (one: Wire) => symbolOf(one) === symbolOf(record) && one[side] === record[side] && String(one.orderId) !== mine;
        const other = records.find((one) => isLike(one) && !this.#told.has(String(one[id])));
        if (other === undefined) return '';
        this.#told.set(String(other[id]), mine);
        this.#pairs.push([mine, String(other.orderId)]);
        return String(other.orderId);
      });
      if (told === '') continue;
      record.orderId = typeof record.orderId === 'string' ? told : BigInt(told);
      count++;
    }
    return count > 0;
  }

  #wrongTime(body: unknown): boolean {
    const holder = body as Wire;
    const name = 'data' in holder ? 'data' : 'timestamp';
    const wrong = [0, 1, 4_102_444_800_000, Number(String(holder[name])) - 3_600_000, Number(String(holder[name])) + 45_000];
    holder[name] = wrong[Math.floor(this.#random.uniform() * wrong.length)];
    return true;
  }

  #wrongFigures(names: readonly string[], body: unknown): boolean {
    if (names.length === 0) return false;
    let count = 0;
    let place = 0;
    walk(body, (holder, name, value) => {
      if (!names.includes(name)) return;
      const factor = this.#draw(`${name} ${place++}`, () => ['-1', '2', '1000'][Math.floor(this.#random.uniform() * 3)]!);
      if (factor === '' || Number(String(value)) === 0) return;
      holder[name] = (Number(String(value)) * Number(factor)).toFixed(10);
      count++;
    });
    return count > 0;
  }
}

/** Numbers that are words, ids or times of the request. */
const NO_FIGURES = /^(code|requestTime|status|type|order_type|triggerPriceType|err_code|version|contract_id|.*[iI]d|.*_id|coin_id|.*oid)$/;
/** Figures that may be zero or negative without contradicting anything: nothing shows such a lie. */
const MAY_BE_SO = /fee|profit|pnl|cum_|filled|frozen|fillQuantity|fillTotalAmount|^price/i;

function symbolOf({ symbol }: Wire): string {
  return String(symbol).toUpperCase();
}

/** A list anywhere near the top of a body. */
function listIn(body: unknown, name: string): Wire[] {
  const { data, ...top } = body as Wire;
  const inner = (typeof data === 'object' && data !== null ? data : top) as Wire;
  const list = inner[name] ?? top[name];
  return Array.isArray(list) ? (list as Wire[]) : [];
}

/** Calls `visit` for each member of each object. */
function walk(value: unknown, visit: (holder: Wire, name: string, value: unknown) => void): void {
  if (Array.isArray(value)) {
    for (const one of value as readonly unknown[]) walk(one, visit);
    return;
  }
  if (typeof value !== 'object' || value === null || numberText(value) !== undefined) return;
  for (const [name, inner] of Object.entries(value)) {
    visit(value as Wire, name, inner);
    walk(inner, visit);
  }
}

/** Bare numbers alone: text stays as it is. */
function roundIds(body: unknown): boolean {
  let count = 0;
  walk(body, (holder, name, value) => {
    if (typeof value !== 'bigint' || !/order_?id$/i.test(name)) return;
    holder[name] = BigInt(Number(value));
    count++;
  });
  return count > 0;
}

function endless(body: unknown): boolean {
  let count = 0;
  walk(body, (holder, name, value) => {
    if (!['nextPage', 'nextFlag', 'hasNextPage'].includes(name) || value === true) return;
    holder[name] = true;
    count++;
  });
  return count > 0;
}
