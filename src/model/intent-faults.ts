import type {
  AmendOrder,
  CancelOrders,
  CancelTimer,
  ClosePosition,
  ExitOffset,
  Exits,
  Intent,
  LockSymbol,
  OrderSize,
  PlaceOrder,
  PositionSize,
  ProfitAfter,
  Protect,
  SellAll,
  SetTimer,
  TakeProfit,
  TargetPosition,
  TrailingStop,
} from './intents.ts';
import { nearest } from './nearest.ts';

/** Why a value does not fit its field, as text. @param name of the field, as a message shows it. */
type Check = (name: string, value: unknown) => string | undefined;
/** Every field of a type with its check. A field that is not in the table is refused. */
type Fields<T> = { readonly [K in keyof Required<T>]: Check };

/** Values that risk checks, or the part of the engine that uses them. */
const any: Check = () => undefined;
const amount: Check = (name, value) => {
  if (typeof value === 'number' || typeof value === 'string' || value === undefined || value === null) return undefined;
  return `${name} is a number or decimal text, not ${shown(value)}`;
};
const text: Check = (name, value) => {
  if (value === undefined || typeof value === 'string') return undefined;
  return `${name} is a text, not ${shown(value)}`;
};
const names: Check = (name, value) => {
  if (value === undefined || (typeof value === 'string' && value !== '')) return undefined;
  return `${name} is a text that is not empty, not ${value === '' ? 'an empty one' : shown(value)}`;
};
const truth: Check = (name, value) =>
  value === undefined || typeof value === 'boolean' ? undefined : `${name} is true or false, not ${shown(value)}`;

/** An amount, or an object that names exactly one of these fields. */
function amountOr(fields: object, one: readonly string[]): Check {
  return (name, value) => (typeof value === 'object' && value !== null ? objectFault(name, value, fields, one) : amount(name, value));
}

const partOfOne: Check = (name, value) =>
  value === undefined || (Number(value) > 0 && Number(value) <= 1)
    ? undefined
    : `${name} is a share above 0 and at most 1, not ${shown(value)}`;

const SIZE: Fields<OrderSize> = { percentOfEquity: amount, notional: amount, risk: amount };
const OFFSET: Fields<ExitOffset> = { percent: amount, distance: amount };
const OFFSETS = ['percent', 'distance'];
const level = amountOr(OFFSET, OFFSETS);
const TARGET: Fields<TakeProfit & { price?: unknown }> = { ...OFFSET, price: amount, maker: truth, share: partOfOne };
const TRAIL: Fields<TrailingStop> = { ...OFFSET, activateAt: level };
const STEP: Fields<ProfitAfter> = { after: any, profit: any };

const EXITS: Fields<Exits> = {
  stopLoss: level,
  trailBy: amount,
  trail: (name, value) => {
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'object') return `${name} is { percent } or { distance }, not ${shown(value)}`;
    return objectFault(name, value, TRAIL, OFFSETS);
  },
  takeProfit: amountOr(TARGET, ['percent', 'distance', 'price']),
  after: any,
  steps: (name, value) => {
    if (!Array.isArray(value)) return undefined;
    for (const step of value) {
      const fault = typeof step === 'object' && step !== null ? objectFault(name, step, STEP) : undefined;
      if (fault !== undefined) return fault;
    }
    return undefined;
  },
};

const NAMES: Fields<Pick<PlaceOrder, 'tag' | 'ref' | 'group'>> = { tag: text, ref: names, group: names };

const PLACE: Fields<PlaceOrder> = {
  kind: any,
  symbol: any,
  side: any,
  positionSide: any,
  type: any,
  quantity: amountOr(SIZE, Object.keys(SIZE)),
  quoteQuantity: amount,
  price: amount,
  stopPrice: amount,
  timeInForce: any,
  postOnly: truth,
  reduceOnly: truth,
  atomic: (name, value) =>
    value === undefined || typeof value === 'boolean' || value === 'close' || value === 'hold'
      ? undefined
      : `${name} is true, false, close or hold, not ${shown(value)}`,
  exits: (name, value) => {
    if (value === undefined) return undefined;
    if (typeof value !== 'object' || value === null) return `${name} is an object such as { stopLoss: 95 }, not ${shown(value)}`;
    return objectFault('', value, EXITS);
  },
  ...NAMES,
};
const PROTECT: Fields<Protect> = { kind: any, symbol: any, side: any, quantity: amount, ...EXITS, ...NAMES };
const CLOSE: Fields<ClosePosition> = {
  kind: any,
  symbol: text,
  positionSide: any,
  share: partOfOne,
  ...NAMES,
};
const SELL_ALL: Fields<SellAll> = { kind: any, symbol: text, ...NAMES };
const POSITION_SIZE: Fields<PositionSize> = { percentOfEquity: amount, notional: amount };
const POSITION: Fields<TargetPosition> = {
  kind: any,
  symbol: text,
  quantity: amountOr(POSITION_SIZE, Object.keys(POSITION_SIZE)),
  type: any,
  price: amount,
  timeInForce: any,
  postOnly: truth,
  ...NAMES,
};
const CANCEL: Fields<CancelOrders> = { kind: any, clientOrderId: text, symbol: text, ...NAMES };
const AMEND: Fields<AmendOrder> = { kind: any, clientOrderId: text, ref: names, price: amount, stopPrice: amount, quantity: amount };
const SET_TIMER: Fields<SetTimer> = { kind: any, name: text, at: any, everyMs: any };
const CANCEL_TIMER: Fields<CancelTimer> = { kind: any, name: text };
const LOCK: Fields<LockSymbol> = { kind: any, symbol: any, until: any };

/** The fields of each kind of intent. Without a prototype: a lookup finds a field of the table or nothing. */
const INTENTS: { readonly [K in Intent['kind']]: Readonly<Record<string, Check>> } = {
  place: bare(PLACE),
  protect: bare(PROTECT),
  closePosition: bare(CLOSE),
  sellAll: bare(SELL_ALL),
  target: bare(POSITION),
  cancel: bare(CANCEL),
  amend: bare(AMEND),
  setTimer: bare(SET_TIMER),
  cancelTimer: bare(CANCEL_TIMER),
  lock: bare(LOCK),
};

function bare<T extends object>(fields: T): T {
  return Object.assign(Object.create(null), fields) as T;
}

/**
 * A mistake in an intent that only wrong code can make, as text: there are no types at run time. A field that no intent of its kind has
 * is one. Risk denies a value that is only unfit for its market.
 */
export function intentFault(intent: Intent): string | undefined {
  const fields = INTENTS[intent.kind];
  // Not `Object.keys`: every order passes here, and a list would be made for each.
  for (const name in intent) {
    const check = fields[name];
    const fault = check === undefined ? unknownField(intent.kind, name, fields) : check(name, intent[name as keyof Intent]);
    if (fault !== undefined) return fault;
  }
  switch (intent.kind) {
    case 'amend':
      return amendFault(intent);
    case 'setTimer':
      return timerFault(intent);
    case 'lock':
      return Number.isFinite(intent.until) ? undefined : `lock: until is a time in epoch ms, not ${shown(intent.until)}`;
    default:
      return undefined;
  }
}

/** @param path of the object in its intent; empty for exits, whose fields are named without it. @param one of its fields that exactly one is given. */
function objectFault(path: string, value: object, fields: object, one?: readonly string[]): string | undefined {
  const given = value as Readonly<Record<string, unknown>>;
  for (const name in given) {
    if (!Object.hasOwn(fields, name)) return unknownField(path === '' ? 'exits' : path, name, fields);
  }
  if (one !== undefined) {
    const found = one.filter((name) => given[name] !== undefined);
    if (found.length !== 1) return `${path} names one of ${one.join(', ')}, not ${found.length === 0 ? 'none' : found.join(' and ')}`;
  }
  for (const name in given) {
    const fault = (fields as Readonly<Record<string, Check>>)[name]!(path === '' ? name : `${path}.${name}`, given[name]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** `place has no field "reduceonly" (did you mean "reduceOnly"?)`. */
function unknownField(of: string, name: string, fields: object): string {
  const known = Object.keys(fields).filter((field) => field !== 'kind');
  const near = nearest(name, known);
  const fit = near === undefined ? `it has ${known.join(', ')}` : `did you mean "${near}"?`;
  const elsewhere = of === 'place' ? nearest(name, Object.keys(EXITS)) : undefined;
  const belongs = near === undefined && elsewhere !== undefined;
  return `${of} has no field "${name}" (${belongs ? `write exits: { ${elsewhere} }` : fit})`;
}

function amendFault({ clientOrderId, ref, price, stopPrice, quantity }: AmendOrder): string | undefined {
  if ((clientOrderId === undefined) === (ref === undefined)) return 'amend names its order by clientOrderId or by ref';
  if (price === undefined && stopPrice === undefined && quantity === undefined) return 'amend has a price, a stopPrice or a quantity';
  return undefined;
}

function timerFault({ name, at, everyMs }: SetTimer): string | undefined {
  if (at === undefined && everyMs === undefined) return `timer "${name}" needs a time (at) or a period (everyMs)`;
  if (at !== undefined && !Number.isFinite(at)) return `timer "${name}": at is a time in epoch ms, not ${shown(at)}`;
  if (everyMs === undefined || (Number.isFinite(everyMs) && everyMs > 0)) return undefined;
  return `timer "${name}": everyMs is a positive number of ms, not ${shown(everyMs)}`;
}

function shown(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
