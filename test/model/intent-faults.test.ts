import { expect, test } from '@jest/globals';
import { intentFault } from '../../src/model/intent-faults.ts';
import type {
  AmendOrder,
  CancelOrders,
  CancelTimer,
  ClosePosition,
  Exits,
  Intent,
  LockSymbol,
  OrderSize,
  PlaceOrder,
  PositionSize,
  Protect,
  SellAll,
  SetTimer,
  TargetPosition,
  TrailingStop,
} from '../../src/model/intents.ts';
import { cancel, place, protect } from '../../src/strategy/intents.ts';

/** One intent of each kind with every field that it can have: the compiler shows a field that is missing. */
const TRAIL: Required<TrailingStop> = { percent: 1, distance: undefined, activateAt: { percent: 2 } };
const SIZES: readonly Required<OrderSize>[] = [{ percentOfEquity: 5, notional: undefined, risk: undefined }];
const EXITS: Required<Exits> = {
  stopLoss: { percent: 1 },
  trailBy: 5,
  trail: TRAIL,
  takeProfit: { price: 110, maker: true, share: 1 },
  after: '4h',
  steps: [{ after: '0m', profit: 0.1 }],
};
const NAMES = { tag: 't', ref: 'r', group: 'g' };
const PLACE: Required<PlaceOrder> = {
  kind: 'place',
  symbol: 'BTC-USDT',
  side: 'buy',
  positionSide: 'long',
  type: 'limit',
  quantity: SIZES[0]!,
  quoteQuantity: 5,
  price: 100,
  stopPrice: 100,
  timeInForce: 'GTC',
  postOnly: true,
  reduceOnly: false,
  exits: EXITS,
  atomic: true,
  ...NAMES,
};
const PROTECT: Required<Protect> = { kind: 'protect', symbol: 'BTC-USDT', side: 'sell', quantity: 1, ...EXITS, ...NAMES };
const CLOSE: Required<ClosePosition> = { kind: 'closePosition', symbol: 'BTC-USDT', positionSide: 'long', share: 0.5, ...NAMES };
const SELL_ALL: Required<SellAll> = { kind: 'sellAll', symbol: 'BTC-USDT', ...NAMES };
const POSITION_SIZE: Required<PositionSize> = { percentOfEquity: -5, notional: undefined };
const TARGET: Required<TargetPosition> = {
  kind: 'target',
  symbol: 'BTC-USDT',
  quantity: POSITION_SIZE,
  type: 'limit',
  price: 5,
  timeInForce: 'GTC',
  postOnly: true,
  ...NAMES,
};
const CANCEL: Required<CancelOrders> = { kind: 'cancel', clientOrderId: 'a', symbol: 'BTC-USDT', ...NAMES };
const AMEND: Required<Omit<AmendOrder, 'ref'>> = { kind: 'amend', clientOrderId: 'a', price: 1, stopPrice: 1, quantity: 1 };
const SET_TIMER: Required<SetTimer> = { kind: 'setTimer', name: 'hourly', at: 1, everyMs: 1 };
const CANCEL_TIMER: Required<CancelTimer> = { kind: 'cancelTimer', name: 'hourly' };
const LOCK: Required<LockSymbol> = { kind: 'lock', symbol: 'BTC-USDT', until: 1 };

const WHOLE: readonly Intent[] = [PLACE, PROTECT, CLOSE, SELL_ALL, TARGET, CANCEL, AMEND, SET_TIMER, CANCEL_TIMER, LOCK];
const withExits = (exits: object): Intent => ({ ...PLACE, exits }) as Intent;

/** Every object of an intent: its name in messages, and the intent with another value in its place. */
const OBJECTS: readonly [name: string, object: object, inIntent: (object: object) => Intent][] = [
  ...WHOLE.map((intent): (typeof OBJECTS)[number] => [intent.kind, intent, (changed) => changed as Intent]),
  ['exits', EXITS, withExits],
  ['quantity', SIZES[0]!, (quantity) => ({ ...PLACE, quantity }) as Intent],
  ['quantity', POSITION_SIZE, (quantity) => ({ ...TARGET, quantity }) as Intent],
  ['trail', TRAIL, (trail) => withExits({ trail })],
  ['trail.activateAt', { percent: 2, distance: undefined }, (activateAt) => withExits({ trail: { percent: 1, activateAt } })],
  ['stopLoss', { percent: 2, distance: undefined }, (stopLoss) => withExits({ stopLoss })],
  ['takeProfit', { price: 2, percent: undefined, distance: undefined, maker: true }, (takeProfit) => withExits({ takeProfit })],
  ['steps', { after: '0m', profit: 1 }, (step) => withExits({ steps: [step] })],
];

const FIELDS = OBJECTS.flatMap(([name, object, inIntent]) =>
  Object.keys(object)
    .filter((field) => field !== 'kind')
    .map((field) => [name, field, object, inIntent] as const),
);

test.each(WHOLE.map((intent) => [intent.kind, intent] as const))('%s with every field that it has is no mistake', (_, intent) => {
  expect(intentFault(intent)).toBeUndefined();
});

test.each(FIELDS)('%s: a misspelt %s is a mistake with the right name', (name, field, object, inIntent) => {
  const { [field as keyof typeof object]: value, ...rest } = object;
  const plain = field.toLowerCase();
  const misspelt = plain === field ? `${field}${field.at(-1)}` : plain;
  expect(intentFault(inIntent({ ...rest, [misspelt]: value }))).toBe(`${name} has no field "${misspelt}" (did you mean "${field}"?)`);
});

test.each<[string, () => unknown, string]>([
  [
    'an exit beside exits',
    () => place({ symbol: 'A-B', side: 'buy', type: 'market', quantity: 1, exits: { stopLoss: 1 }, takeProfit: 5 } as never),
    'place has no field "takeProfit" (write exits: { takeProfit })',
  ],
  [
    'a name of another program',
    () => cancel({ label: 'a' } as never),
    'cancel has no field "label" (it has clientOrderId, symbol, tag, ref, group)',
  ],
  ['a truth as text', () => place({ ...PLACE, postOnly: 'yes' as never }), 'postOnly is true or false, not yes'],
  ['exits that are a price', () => place({ ...PLACE, exits: 95 as never }), 'exits is an object such as { stopLoss: 95 }, not 95'],
  ['an empty group', () => protect({ ...PROTECT, group: '' }), 'group is a text that is not empty, not an empty one'],
])('%s is refused where the intent is made', (_, make, said) => {
  expect(make).toThrow(new TypeError(said));
});

test('a field that is inherited counts as well', () => {
  const order = Object.assign(Object.create({ reduceonly: true }), { kind: 'place', symbol: 'A-B' }) as Intent;
  expect(intentFault(order)).toBe('place has no field "reduceonly" (did you mean "reduceOnly"?)');
});
