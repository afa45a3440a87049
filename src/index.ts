/** The exports that strategy authors import from `tidegate`. */
export { z } from 'zod';
export type * from './model/account-events.ts';
export type { NamedAccountEvent as AccountEvent, NamedOrderEvent as OrderEvent } from './model/account-events.ts';
export type { BarInterval } from './model/bar-interval.ts';
export { Decimal } from './model/decimal.ts';
export { type ErrorCategory, type ErrorCode, TidegateError } from './model/errors.ts';
export type { Fill, Liquidity, PathLeg } from './model/fill.ts';
export type { Grid } from './model/grid.ts';
export type { Contract, Instrument, InstrumentKind } from './model/instrument.ts';
export type * from './model/intents.ts';
export type { Balance, Wallet } from './model/ledger.ts';
export {
  Bar,
  type ChangedLevels,
  Depth,
  Funding,
  Mark,
  type MarketEvent,
  type MarketEventKind,
  Quote,
  Ticker,
  Trade,
} from './model/market-events.ts';
export type { OrderType, PositionSide, Side, TimeInForce } from './model/order.ts';
export type { OrderStatus } from './model/order-state.ts';
export type { CancelReason, Denial, DenialCode, DenialNumbers, ExpiryReason, Rejection, RejectionCode } from './model/reasons.ts';
export type { SignalReceived, SignalReceived as Signal, SignalValue } from './model/signal.ts';
export type { Log } from './ports/log.ts';
export type * from './ports/models.ts';
export type { Plot, PlotColor, PlotStyle, Plots } from './ports/plots.ts';
export * from './rxjs.ts';
export type { OrderView } from './state/order.ts';
export type { ReadonlyBook, ReadonlyMarket, ReadonlyPosition, ReadonlyState } from './state/state.ts';
export type { BarField, IndicatorBars, IndicatorView, Updatable } from './strategy/indicators.ts';
export { amend, cancel, cancelTimer, closePosition, lock, place, protect, sellAll, setTimer, targetPosition } from './strategy/intents.ts';
export type { PlotOptions } from './strategy/plots.ts';
export { Sma } from './strategy/sma.ts';
export { select$ } from './strategy/state-stream.ts';
export type { DeclaredNeeds, RunMode, StrategyContext, StrategyNeeds } from './strategy/strategy.ts';
export { type Intents, Strategy } from './strategy/strategy.ts';
export type {
  AccountView,
  BalanceView,
  BookView,
  Level,
  MarginView,
  MarketView,
  PositionView,
  RequestsView,
} from './strategy/views.ts';
