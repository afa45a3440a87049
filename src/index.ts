/** What a strategy author imports as `tidegate`. */
export * from 'rxjs';
export { z } from 'zod';
export type { AccountEvent, OrderEvent, TimerFired } from './model/account-events.ts';
export { Decimal } from './model/decimal.ts';
export { TidegateError } from './model/errors.ts';
export type { Fill } from './model/fill.ts';
export type { Instrument } from './model/instrument.ts';
export type { ExitLevel, ExitOffset, Exits, Intent, PlaceOrder, TakeProfit, TrailingStop } from './model/intents.ts';
export { Bar, type ChangedLevels, Depth, Funding, Mark, type MarketEvent, Quote, Ticker, Trade } from './model/market-events.ts';
export type { OrderType, PositionSide, Side, TimeInForce } from './model/order.ts';
export type { OrderView } from './state/order.ts';
export type { ReadonlyState } from './state/state.ts';
export { cancel, cancelTimer, place, protect, setTimer } from './strategy/intents.ts';
export { Sma } from './strategy/sma.ts';
export type { StrategyNeeds } from './strategy/strategy.ts';
export { type Intents, Strategy } from './strategy/strategy.ts';
export type { BookView, Level, MarginView, MarketView, PositionView, RequestsView } from './strategy/views.ts';
export { select$ } from './strategy/views.ts';
