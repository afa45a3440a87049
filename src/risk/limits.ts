import { Decimal } from '../model/decimal.ts';
import type { TrackedFigures } from '../state/state.ts';

/** The action of a latch in addition to denying: cancel orders that could open a position, or also close positions. */
type BreachAction = 'cancel' | 'flatten';

/** A fall of equity at which trading latches. */
export interface EquityLimit {
  /** As a fraction of the value from which the fall is measured. */
  readonly share: number;
  readonly onBreach: BreachAction;
  /** `midnight`: reset at the end of the UTC day; absent: only by a reset. */
  readonly resetAt?: 'midnight' | undefined;
}

/** The limit for the loss of one trade; if both are given, the smaller counts. */
export interface LossPerTrade {
  /** In the account's currency. */
  readonly amount?: Decimal | undefined;
  /** As a fraction of equity. */
  readonly share?: number | undefined;
  /** An open trade that loses more is closed. */
  readonly close: boolean;
}

/** Largest value of positions and open orders in one symbol or asset, over equity. */
interface Concentration {
  readonly symbol?: number | undefined;
  /** All instruments of one base asset together. */
  readonly asset?: number | undefined;
}

/** After this many losing trades in a row, trading is latched for this long. */
interface Cooldown {
  readonly losses: number;
  readonly forMs: number;
}

/** After a trade in a symbol has ended, no position is opened in that symbol for this long. */
export interface SymbolCooldown {
  readonly after: 'close' | 'loss';
  readonly forMs: number;
}

/** After this many losing stops within a time, no position is opened for this long: in their symbol, or in all. */
export interface StopLossGuard {
  readonly stops: number;
  readonly withinMs: number;
  readonly forMs: number;
  readonly scope: 'symbol' | 'all';
}

/** This many errors of the venue in a window latch trading: `forMs` for this long, else until a reset. */
export interface ErrorBudget {
  readonly errors: number;
  readonly perMs: number;
  readonly forMs?: number | undefined;
}

/** Limits of the account, or of one strategy for itself. An absent one does not limit. Fractions are shares of one. */
export interface ScopeLimits {
  /** Largest fall of equity from its peak before trading is latched. */
  readonly maxDrawdown?: EquityLimit | undefined;
  /** The same from the equity at the start of the UTC day. */
  readonly dailyLoss?: EquityLimit | undefined;
  readonly maxLossPerTrade?: LossPerTrade | undefined;
  readonly cooldown?: Cooldown | undefined;
  readonly symbolCooldown?: SymbolCooldown | undefined;
  readonly stopLossGuard?: StopLossGuard | undefined;
  readonly errorBudget?: ErrorBudget | undefined;
  readonly concentration?: Concentration | undefined;
  /** When new positions may be opened: inside any of these. */
  readonly tradingWindows?: readonly TradingWindow[] | undefined;
  /** Age in ms of an instrument's newest price above which only reducing orders pass. */
  readonly maxDataAgeMs?: number | undefined;
  /** Only reducing orders pass. */
  readonly reducing?: boolean | undefined;
  /** Orders that would meet an own order are denied. */
  readonly selfTrade?: 'deny' | undefined;
  /** Largest gross exposure (positions and open orders), in the account's currency. */
  readonly maxExposure?: Decimal | undefined;
  /** Largest value of futures, positions and open orders, over equity. */
  readonly maxLeverage?: Decimal | undefined;
  /** Largest margin of positions and opening orders, as a fraction of the equity of their collateral (for a strategy: of its own). */
  readonly maxMarginUse?: number | undefined;
  /** Smallest distance from the mark to the liquidation price that an opening order may leave, as a fraction of the mark. */
  readonly minLiquidationDistance?: number | undefined;
  readonly maxOpenOrders?: number | undefined;
  /** Largest number of open positions, with those that open orders may open. */
  readonly maxOpenPositions?: number | undefined;
  readonly orderRate?: { readonly orders: number; readonly perMs: number } | undefined;
  /** Largest distance of a limit price from the last price, as a fraction of it. */
  readonly priceCollar?: Decimal | undefined;
  /** For every order: base units and quote amount. */
  readonly maxQuantity?: Decimal | undefined;
  readonly maxNotional?: Decimal | undefined;
  /** Largest absolute net position by symbol (on margin, of each side), open orders included, in base units. */
  readonly maxPosition: ReadonlyMap<string, Decimal>;
}

/** Limits of one strategy, measured on its own positions, orders and equity. */
export interface StrategyLimits extends ScopeLimits {
  /** Its initial capital, in the account's currency; absent: the account's first equity. */
  readonly capital?: Decimal | undefined;
}

/** The limits of a config: the account's, and those of strategies by their ids. */
export interface RiskLimits extends ScopeLimits {
  /** The capital of the bot, in the account's currency, from which falls are measured; absent: the whole account. */
  readonly capital?: Decimal | undefined;
  readonly strategies?: ReadonlyMap<string, StrategyLimits> | undefined;
  /** An exit below the minimum of an order joins another one of its position (the default), or closes the position. */
  readonly exitsBelowMinimum?: 'join' | 'close' | undefined;
  /** Most orders that may wait in the request queue. Only for bots, whose requests wait for rate limits. */
  readonly maxQueuedOrders?: number | undefined;
}

/** Strategies whose losses are not limited: neither the account nor they have `maxDrawdown`, `dailyLoss` or `maxLossPerTrade`. */
export function unlimitedLosses({ strategies, ...account }: RiskLimits, ids: readonly string[]): string[] {
  const isLimited = ({ maxDrawdown, dailyLoss, maxLossPerTrade }: Partial<ScopeLimits>) =>
    maxDrawdown !== undefined || dailyLoss !== undefined || maxLossPerTrade !== undefined;
  return isLimited(account) ? [] : ids.filter((id) => !isLimited(strategies?.get(id) ?? {}));
}

/** The present limit for the loss of one trade, in the account's currency. @param equity called only if the limit is a share of it. */
export function lossLimit({ amount, share }: LossPerTrade, equity: () => Decimal): Decimal {
  const ofEquity = share === undefined ? undefined : Decimal.max(equity().times(share), 0);
  if (amount === undefined || ofEquity === undefined) return amount ?? ofEquity ?? new Decimal(Number.POSITIVE_INFINITY);
  return Decimal.min(amount, ofEquity);
}

/** The figures that the state must track for these limits. */
export function trackedFiguresFor(limits: RiskLimits): TrackedFigures {
  const strategies = [...(limits.strategies ?? [])];
  const equities = new Map<string, Decimal | undefined>();
  for (const [id, own] of strategies) if (needsEquity(own)) equities.set(id, own.capital);
  const scopes: ScopeLimits[] = [limits, ...strategies.map(([, own]) => own)];
  const counted = scopes.some(({ cooldown, symbolCooldown, stopLossGuard }) => (cooldown ?? symbolCooldown ?? stopLossGuard) !== undefined);
  const results = counted ? { stopsWithinMs: Math.max(...scopes.map(({ stopLossGuard }) => stopLossGuard?.withinMs ?? 0)) } : undefined;
  return { day: limits.dailyLoss !== undefined, results, equities, capital: limits.capital };
}

function needsEquity({ maxDrawdown, dailyLoss, concentration, maxLeverage, maxMarginUse, maxLossPerTrade }: ScopeLimits): boolean {
  const measured = [maxDrawdown, dailyLoss, concentration, maxLeverage, maxMarginUse, maxLossPerTrade?.share];
  return measured.some((limit) => limit !== undefined);
}

/** Days as `Intl` names them in English. */
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

/** Hours of some days in a time zone. An end that is not after the start is on the next day. */
interface TradingWindow {
  readonly days: readonly Day[];
  /** Minutes of the day: the first inside, and the first after it (1440: midnight). */
  readonly fromMinute: number;
  readonly toMinute: number;
  /** IANA name, such as `UTC` or `Europe/Berlin`. */
  readonly zone: string;
}

/** A moment in the local time of a zone. */
interface LocalTime {
  readonly day: Day;
  readonly minute: number;
}

const DAY_MINUTES = 1440;
const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError for a zone that the system does not have. */
export function localTime(time: number, zone: string): LocalTime {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    formats.set(zone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
  return { day: parts.weekday!.toLowerCase() as Day, minute: Number(parts.hour) * 60 + Number(parts.minute) };
}

/** Whether the moment is inside the window; one that ends after midnight belongs to the day on which it begins. */
export function isInside({ days, fromMinute, toMinute }: TradingWindow, { day, minute }: LocalTime): boolean {
  if (fromMinute < toMinute) return days.includes(day) && minute >= fromMinute && minute < toMinute;
  if (minute >= fromMinute && minute < DAY_MINUTES) return days.includes(day);
  return minute < toMinute && days.includes(DAYS[(DAYS.indexOf(day) + DAYS.length - 1) % DAYS.length]!);
}
