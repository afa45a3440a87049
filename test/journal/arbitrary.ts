import fc from 'fast-check';
import type { AccountEvent } from '../../src/model/account-events.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { Fill } from '../../src/model/fill.ts';
import { Bar, Funding, Mark, type MarketEvent, Quote, Ticker, Trade } from '../../src/model/market-events.ts';
import type { OrderRequest } from '../../src/model/order.ts';
import { instrument, perpetual } from '../state/builders.ts';

/** What every value of these arbitraries is about. */
export const INSTRUMENTS = [
  instrument(0, { tickSize: '0.01', stepSize: '0.00001' }),
  instrument(1, { symbol: 'ETH-USDT', tickSize: '0.1' }),
  perpetual(2),
];

const instruments = fc.constantFrom(...INSTRUMENTS);
const text = fc.string({ unit: 'binary', maxLength: 12 });
const time = fc.double({ min: 0, max: 4e12, noNaN: true });
const whole = fc.maxSafeInteger();
const number = fc.double();
const side = fc.constantFrom('buy' as const, 'sell' as const);
const positionSide = fc.constantFrom('net' as const, 'long' as const, 'short' as const);
const perhaps = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

export const decimals = fc.oneof(
  fc
    .tuple(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.integer({ min: -20, max: 40 }))
    .map(([units, exponent]) => new Decimal(`${units}e${exponent}`)),
  fc.constantFrom('0', '-0', 'NaN', 'Infinity', '-Infinity').map((word) => new Decimal(word)),
);

export const marketEvents: fc.Arbitrary<MarketEvent> = fc.oneof(
  fc.tuple(instruments, time, whole, whole, whole, whole, whole, whole, number).map((own) => new Bar(...own)),
  fc.tuple(instruments, time, whole, whole, whole, whole, whole).map((own) => new Quote(...own)),
  fc.tuple(instruments, time, whole, whole, whole, perhaps(side)).map((own) => new Trade(...own)),
  fc.tuple(instruments, time, whole, whole).map((own) => new Ticker(...own)),
  fc.tuple(instruments, time, whole, whole, fc.nat(15)).map((own) => new Mark(...own)),
  fc.tuple(instruments, time, whole, decimals).map((own) => new Funding(...own)),
);

export const fills = fc
  .tuple(
    fc.tuple(text, text, text, text, instruments, side, positionSide, whole, whole, decimals, decimals, text),
    fc.tuple(fc.constantFrom('maker' as const, 'taker' as const), text, time, whole, whole, time),
  )
  .map(([first, last]) => new Fill(...first, ...last));

export const requests: fc.Arbitrary<OrderRequest> = fc.record({
  clientOrderId: text,
  strategyId: text,
  instrument: instruments,
  side,
  positionSide,
  type: fc.constantFrom('market' as const, 'limit' as const),
  timeInForce: fc.constantFrom('GTC' as const, 'IOC' as const, 'FOK' as const),
  postOnly: fc.boolean(),
  reduceOnly: fc.boolean(),
  priceTicks: perhaps(whole),
  triggerTicks: perhaps(whole),
  fromNextBar: fc.boolean(),
  steps: perhaps(whole),
  quoteQuantity: perhaps(decimals),
  tag: text,
  released: fc.boolean(),
  decidedSequence: whole,
  seenSequence: whole,
});

const liquidation = fc.constantFrom('offsetLiquidation' as const, 'burstLiquidation' as const);
const balance = fc.record({ wallet: fc.constantFrom('spot' as const, 'futures' as const), asset: text, total: decimals, frozen: decimals });
const entry = fc.record({ asset: text, amount: decimals, reason: fc.constantFrom('fee' as const, 'profit' as const), fillId: text });
const kindOf = <K extends AccountEvent['kind']>(kind: K) => ({ kind: fc.constant(kind), time });
const ofOrder = <K extends AccountEvent['kind']>(kind: K) => ({ ...kindOf(kind), clientOrderId: text });

const latchRule = fc.constantFrom('maxDrawdown' as const, 'dailyLoss' as const, 'cooldown' as const, 'kill' as const, 'lock' as const);

/** One arbitrary a kind: a kind that is added to the model is asked for here by the type. */
const BY_KIND: { readonly [K in AccountEvent['kind']]: fc.Arbitrary<Extract<AccountEvent, { kind: K }>> } = {
  orderSubmitted: fc.record({
    ...ofOrder('orderSubmitted'),
    request: requests,
    type: fc.constantFrom('market' as const, 'stopLimit' as const),
    stopTicks: perhaps(whole),
    again: fc.boolean(),
  }),
  orderAdopted: fc.record({
    ...ofOrder('orderAdopted'),
    orderId: text,
    request: requests,
    filledSteps: whole,
    filledNotional: decimals,
    fillIds: fc.array(text),
  }),
  orderAccepted: fc.record({ ...ofOrder('orderAccepted'), orderId: text, held: fc.boolean() }),
  orderTriggered: fc.record({ ...ofOrder('orderTriggered'), priceTicks: whole }),
  orderFilled: fc.record({ ...ofOrder('orderFilled'), fill: fills, complete: fc.boolean() }),
  cancelSubmitted: fc.record(ofOrder('cancelSubmitted')),
  orderCanceled: fc.record({ ...ofOrder('orderCanceled'), reason: fc.constantFrom('requested' as const, 'riskLatch' as const) }),
  cancelRejected: fc.record(ofOrder('cancelRejected')),
  orderRejected: fc.record({
    ...ofOrder('orderRejected'),
    reason: fc.record({ code: fc.constant('duplicateClientOrderId' as const), clientOrderId: text }),
  }),
  orderExpired: fc.record({ ...ofOrder('orderExpired'), reason: fc.constantFrom('ioc' as const, 'endOfRun' as const) }),
  orderDenied: fc.record({
    ...ofOrder('orderDenied'),
    strategyId: text,
    symbol: text,
    side: perhaps(side),
    tag: text,
    reason: fc.record({ code: fc.constant('noMarketPrice' as const), symbol: text }),
  }),
  orderUnknown: fc.record(ofOrder('orderUnknown')),
  orderVanished: fc.record({
    ...ofOrder('orderVanished'),
    reason: fc.record({ looks: text, waitedMs: text, reserved: fc.constantFrom('released', 'kept', 'none') }),
  }),
  balanceChanged: fc.record({ ...kindOf('balanceChanged'), balance, entry: perhaps(entry) }),
  fundingCharged: fc.record({
    ...kindOf('fundingCharged'),
    instrument: instruments,
    positionSide,
    steps: whole,
    rate: decimals,
    markPrice: decimals,
    amount: decimals,
  }),
  marginChanged: fc.record({
    ...kindOf('marginChanged'),
    instrument: instruments,
    positionSide,
    margin: decimals,
    parts: fc.array(fc.tuple(text, decimals)).map((pairs) => new Map(pairs)),
  }),
  positionLiquidated: fc.record({
    ...kindOf('positionLiquidated'),
    orderId: text,
    type: liquidation,
    positionId: perhaps(text),
    fill: fills,
  }),
  positionDeleveraged: fc.record({
    ...kindOf('positionDeleveraged'),
    orderId: text,
    type: fc.constant('autoDeleveraging' as const),
    positionId: perhaps(text),
    fill: fills,
  }),
  limitsListed: fc.record({
    ...kindOf('limitsListed'),
    instrument: instruments,
    limits: fc.record({ most: perhaps(text), buyCollar: perhaps(text) }),
  }),
  requestsChanged: fc.record({ ...kindOf('requestsChanged'), queued: whole, since: perhaps(time), free: number }),
  signalReceived: fc.record({
    ...kindOf('signalReceived'),
    name: text,
    symbol: perhaps(text),
    sourceTime: time,
    values: fc.dictionary(text, fc.oneof(number, text, fc.constant(null))),
  }),
  timerFired: fc.record({ ...kindOf('timerFired'), strategyId: text, name: text }),
  riskLatched: fc.record({
    ...kindOf('riskLatched'),
    rule: latchRule,
    strategyId: perhaps(text),
    symbol: perhaps(text),
    drawdown: number,
    limit: number,
    count: perhaps(whole),
    until: perhaps(time),
    reason: perhaps(text),
    flatten: perhaps(fc.boolean()),
  }),
  latchReset: fc.record({ ...kindOf('latchReset'), rule: latchRule, strategyId: perhaps(text), symbol: perhaps(text) }),
  tradeStopped: fc.record({ ...kindOf('tradeStopped'), strategyId: text, instrument: instruments, loss: text, limit: text }),
  exitRefused: fc.record({
    ...kindOf('exitRefused'),
    strategyId: text,
    instrument: instruments,
    positionSide: fc.constantFrom('net' as const, 'long' as const, 'short' as const),
    exit: fc.constantFrom('stop' as const, 'flatten' as const),
    code: fc.constantFrom('venueRefused' as const, 'quantityBelowMinimum' as const),
  }),
  exitDelayed: fc.record({
    ...kindOf('exitDelayed'),
    strategyId: text,
    instrument: instruments,
    positionSide: fc.constantFrom('net' as const, 'long' as const, 'short' as const),
    exit: fc.constantFrom('stop' as const, 'flatten' as const),
    code: fc.constantFrom('venueRefused' as const, 'quantityBelowMinimum' as const),
    retryAt: time,
  }),
  closeOvershot: fc.record({
    ...kindOf('closeOvershot'),
    strategyId: text,
    instrument: instruments,
    positionSide: fc.constantFrom('net' as const, 'long' as const, 'short' as const),
    steps: whole,
  }),
  positionFound: fc.record({
    ...kindOf('positionFound'),
    instrument: instruments,
    positionSide: fc.constantFrom('long' as const, 'short' as const),
    action: fc.constantFrom('opened' as const, 'closed' as const),
    steps: whole,
    notional: decimals,
    orderId: text,
  }),
  healthChanged: fc.record({
    ...kindOf('healthChanged'),
    subject: fc.constantFrom('market' as const, 'account' as const, 'instrument' as const),
    symbol: text,
    condition: fc.constantFrom('fresh' as const, 'stale' as const, 'halted' as const),
    reason: text,
  }),
};

export const accountEvents = fc.oneof(...(Object.values(BY_KIND) as fc.Arbitrary<AccountEvent>[]));

/** What a snapshot of held orders or a strategy's own memory may be: anything plain around what the model knows. */
export const plainValues = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.oneof(fc.constantFrom(null, true, false, Number.NaN, -0, Number.NEGATIVE_INFINITY), number, text),
    fc.oneof(decimals, instruments, fills, requests, marketEvents),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('$d', '$m', '$', '__proto__', 'constructor', '0')), tie('value'), { maxKeys: 4 }),
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 3 }).map((pairs) => new Map(pairs)),
  ),
})).value;
