import { numberText, parseJson, writeJson } from '../../src/exchange/json.ts';
import type { Operation } from '../../src/exchange/operations/operation-table.ts';
import { OPERATIONS } from '../../src/exchange/operations/operations.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { EACH, nameOf, READ, type ReadName, type ReplyField, replyFields } from './fields.ts';

/** What is done to a field, or to a whole reply. */
type Act =
  | 'missing'
  | 'null'
  | 'type'
  | 'negative'
  | 'zero'
  | 'huge'
  | 'tiny'
  | 'exponent'
  | 'other'
  | 'unknown'
  | 'earlier'
  | 'later'
  | 'empty'
  | 'repeated'
  | 'old'
  /** One of the words that are known. */
  | `=${string}`;

const ALWAYS: readonly Act[] = ['missing', 'null', 'type'];
const NUMBERS: readonly Act[] = ['negative', 'zero', 'huge', 'tiny', 'exponent'];
const ACTS: Readonly<Record<ReplyField['kind'], readonly Act[]>> = {
  id: ['zero', 'negative', 'other', 'unknown'],
  clientId: ['empty', 'other', 'unknown'],
  symbol: ['empty', 'other', 'unknown'],
  coin: ['other', 'unknown'],
  word: ['unknown'],
  flag: ['other'],
  time: ['zero', 'negative', 'huge', 'earlier', 'later'],
  count: NUMBERS,
  price: NUMBERS,
  quantity: NUMBERS,
  money: NUMBERS,
  rate: NUMBERS,
  text: ['empty', 'other'],
  list: ['empty', 'repeated'],
};

/**
 * When it lies: while the bot trades; while its orders rest, so that a difference of money counts; while it is started again; or at the
 * minute at which payments are read.
 */
export type Moment = 'trading' | 'resting' | 'starting' | 'minute';

/** One case: a field, or a whole reply, and what is done to it. */
export interface Lie {
  /** `futuresAccount.position.size:negative`; with `@resting` and so on where it is another moment than `trading`. */
  readonly name: string;
  readonly moment: Moment;
  readonly operation: ReadName;
  readonly field: ReplyField | undefined;
  readonly act: Act;
}

/** The moments at which a running bot reads each. */
const MOMENTS: { readonly [N in ReadName]?: readonly Moment[] } = {
  spotTime: ['starting'],
  exchangeInfo: ['starting'],
  contracts: ['starting'],
  fundingHistory: ['minute'],
  accountAssets: ['trading', 'resting'],
  transferRecords: ['resting'],
  futuresAccount: ['trading', 'resting'],
  futuresBills: ['trading', 'resting'],
};

/** Each field in turn with each thing that may be done to its kind; each reply in turn as it was some time ago. */
export function allLies(): readonly Lie[] {
  const acts: [ReadName, ReplyField | undefined, Act][] = [
    ...replyFields().flatMap((field) =>
      [...ALWAYS, ...ACTS[field.kind], ...field.words.map((word): Act => `=${word}`)].map((act): [ReadName, ReplyField, Act] => [
        field.operation,
        field,
        act,
      ]),
    ),
    ...READ.map((operation): [ReadName, undefined, Act] => [operation, undefined, 'old']),
  ];
  return acts.flatMap(([operation, field, act]) =>
    (MOMENTS[operation] ?? ['trading']).map((moment) => {
      const name = `${field === undefined ? operation : nameOf(field)}:${act}${moment === 'trading' ? '' : `@${moment}`}`;
      return { name, moment, operation, field, act };
    }),
  );
}

const HOUR_MS = 3_600_000;
/** Symbols and coins of the same account. */
const SYMBOLS: Readonly<Record<string, string>> = {
  BTCUSDT_SPBL: 'ETHUSDT_SPBL',
  ETHUSDT_SPBL: 'BTCUSDT_SPBL',
  cmt_btcusdt: 'cmt_ethusdt',
  cmt_ethusdt: 'cmt_btcusdt',
};
const COINS: Readonly<Record<string, string>> = { BTC: 'ETH', ETH: 'USDT', USDT: 'BTC' };

/** Says one lie: changes the body of a reply, or gives an earlier one in its place. */
export class Liar {
  /** How many replies were another one than the exchange gave. */
  told = 0;
  /** Replies to each request, and values of ids, before the first lie. */
  readonly #earlier = new Map<string, string>();
  readonly #ids = new Set<string>();

  constructor(private readonly lie: Lie) {}

  /** Before it lies: what it hears. @param asked whether two requests ask for the same. */
  hear(asked: string, body: string): void {
    if (this.lie.act === 'old' && !this.#earlier.has(asked)) this.#earlier.set(asked, body);
  }

  tell(asked: string, body: string): string {
    const { field, act, operation } = this.lie;
    const lied = field === undefined ? (this.#earlier.get(asked) ?? body) : this.#changed(operation, field, act, body);
    if (lied !== body) this.told++;
    return lied;
  }

  #changed(name: ReadName, { path, kind }: ReplyField, act: Act, body: string): string {
    const whole = parseJson(body) as Record<string, unknown>;
    const operation = OPERATIONS[name] as Operation;
    const isWrapped = operation.payloadAt === 'data' && operation.envelope !== 'bare';
    // A refusal has no payload.
    if (operation.envelope !== 'bare' && String(whole.code) !== '00000' && String(whole.code) !== '200') return body;
    if (operation.envelope === 'bare' && !Array.isArray(whole) && whole.code !== undefined && operation.payloadAt !== 'top') return body;
    let isChanged = false;
    const alter = (value: unknown): unknown => {
      const altered = this.#altered(value, kind, act);
      if (altered !== value) isChanged = true;
      return altered;
    };
    const walk = (value: unknown, at: number): unknown => {
      if (at === path.length) return alter(value);
      if (typeof value !== 'object' || value === null) return value;
      const step = path[at]!;
      if (Array.isArray(value)) return value.map((one: unknown) => walk(one, at + 1));
      const keys = step === EACH ? Object.keys(value) : [step];
      const copy = { ...(value as Record<string, unknown>) };
      for (const key of keys) {
        if (!(key in copy)) continue;
        const inner = walk(copy[key], at + 1);
        if (inner === MISSING) delete copy[key];
        else copy[key] = inner;
      }
      return copy;
    };
    const payload = walk(isWrapped ? whole.data : whole, 0);
    if (!isChanged) return body;
    if (payload === MISSING) return isWrapped ? writeJson({ ...whole, data: undefined }) : '{}';
    return writeJson(isWrapped ? { ...whole, data: payload } : payload);
  }

  #altered(value: unknown, kind: ReplyField['kind'], act: Act): unknown {
    if (act.startsWith('=')) return like(value, act.slice(1));
    switch (act) {
      case 'missing':
        return MISSING;
      case 'null':
        return null;
      case 'type':
        return Array.isArray(value) ? {} : [{}];
      case 'empty':
        return Array.isArray(value) ? (value.length === 0 ? value : []) : '';
      case 'repeated':
        return Array.isArray(value) && value.length > 0 ? value.flatMap((one: unknown) => [one, one]) : value;
      case 'other':
        return this.#other(value, kind);
      case 'unknown':
        return kind === 'id' ? like(value, '7777777777777777777') : kind === 'symbol' ? 'XYZUSDT_SPBL' : 'nonsense';
      default:
        return numeric(value, kind, act);
    }
  }

  #other(value: unknown, kind: ReplyField['kind']): unknown {
    const text = typeof value === 'string' ? value : (numberText(value) ?? String(value));
    switch (kind) {
      case 'flag':
        return typeof value === 'boolean' ? !value : value === 'true' ? 'false' : 'true';
      case 'symbol':
        return SYMBOLS[text] ?? Object.keys(SYMBOLS)[0];
      case 'coin':
        return COINS[text] ?? 'BTC';
      case 'id':
      case 'clientId': {
        // That of another record that it has seen.
        const other = [...this.#ids].find((id) => id !== text && id !== '' && id !== '0');
        this.#ids.add(text);
        return other === undefined ? value : like(value, other);
      }
      default:
        return `${text}x`;
    }
  }
}

const MISSING = Symbol('missing');

/** As a number on the wire where the value is one, else as text. */
function like(value: unknown, text: string): unknown {
  return numberText(value) === undefined || !/^-?\d/.test(text) ? text : parseJson(text);
}

function numeric(value: unknown, kind: ReplyField['kind'], act: Act): unknown {
  const text = typeof value === 'string' ? value : (numberText(value) ?? '');
  const isNumber = /^-?\d+(\.\d+)?$/.test(text);
  const number = new Decimal(isNumber ? text : 0);
  const whole = kind === 'time' || kind === 'count' || kind === 'id';
  switch (act) {
    case 'negative':
      return like(value, number.isZero() ? '-1' : number.abs().negated().toFixed());
    case 'zero':
      return like(value, '0');
    case 'huge':
      return like(value, number.isZero() ? '1000000' : number.times(kind === 'time' ? 1_000 : 1_000_000).toFixed());
    case 'tiny':
      return like(value, whole ? '1' : number.isZero() ? '0.000001' : number.div(1_000_000).toFixed());
    case 'exponent':
      return like(value, `${number.isZero() ? '1' : text}e400`);
    case 'earlier':
      return like(value, number.minus(HOUR_MS).toFixed());
    case 'later':
      return like(value, number.plus(HOUR_MS).toFixed());
    default:
      throw new Error(`${act} is nothing that a number can be`);
  }
}
