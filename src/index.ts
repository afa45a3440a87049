/** What a strategy author imports as `tidegate`. */
export * from 'rxjs';
export { z } from 'zod';
export { Decimal } from './model/decimal.ts';
export { TidegateError } from './model/errors.ts';
export type { Fill } from './model/fill.ts';
export type { Instrument } from './model/instrument.ts';
export type { Exits, Intent, PlaceOrder } from './model/intents.ts';
export { Bar, type MarketEvent, Quote, Ticker, Trade } from './model/market-events.ts';
export type { OrderType, Side, TimeInForce } from './model/order.ts';
export type { AccountEvent, OrderEvent, TimerFired } from './model/order-events.ts';
export type { OrderView } from './state/order.ts';
export { select$ } from './state/select.ts';
export type { ReadonlyState } from './state/state.ts';
export { cancel, cancelTimer, place, protect, setTimer } from './strategy/intents.ts';
export type { StrategyNeeds } from './strategy/needs.ts';
export { Sma } from './strategy/sma.ts';
export { type Intents, Strategy } from './strategy/strategy.ts';
export type { MarketView, PositionView } from './strategy/views.ts';
