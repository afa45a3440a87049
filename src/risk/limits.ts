import { Decimal } from '../model/decimal.ts';
import type { Followed } from '../state/state.ts';

/** What a latch does beyond denying: cancels what could still open something, or closes positions too. */
type BreachAction = 'cancel' | 'flatten';

/** A fall of equity at which trading latches. */
export interface EquityLimit {
  /** As a fraction of where the fall is measured from. */
  readonly share: number;
  readonly onBreach: BreachAction;
  /** `midnight`: taken back when the UTC day ends; absent: by a reset alone. */
  readonly resetAt?: 'midnight' | undefined;
}

/** What one trade may lose; where both are given, the smaller counts. */
export interface LossPerTrade {
  /** In the account's currency. */
  readonly amount?: Decimal | undefined;
  /** As a fraction of equity. */
  readonly share?: number | undefined;
  /** An open trade that loses more is closed. */
  readonly close: boolean;
}

/** Largest value of what moves together, positions and open orders, over equity. */
interface Concentration {
  readonly symbol?: number | undefined;
  /** All instruments of one base asset together. */
  readonly asset?: number | undefined;
}

/** So many losing trades in a row end trading for so long. */
interface Cooldown {
  readonly losses: number;
  readonly forMs: number;
}

/** So many errors of the venue in a window latch; `forMs`: for so long, else until a reset. */
export interface ErrorBudget {
  readonly errors: number;
  readonly perMs: number;
  readonly forMs?: number | undefined;
}

/** Limits of the account, or of one strategy for itself; what is absent does not limit. Fractions are shares of one. */
export interface ScopeLimits {
  /** Largest fall of equity from its peak before trading is latched. */
  readonly maxDrawdown?: EquityLimit | undefined;
  /** The same from where equity began the UTC day. */
  readonly dailyLoss?: EquityLimit | undefined;
  readonly maxLossPerTrade?: LossPerTrade | undefined;
  readonly cooldown?: Cooldown | undefined;
  readonly errorBudget?: ErrorBudget | undefined;
  readonly concentration?: Concentration | undefined;
  /** When new positions may be opened: inside any of these. */
  readonly tradingWindows?: readonly TradingWindow[] | undefined;
  /** Age in ms of an instrument's newest price from which only what reduces passes. */
  readonly maxDataAgeMs?: number | undefined;
  /** Only what reduces passes. */
  readonly reducing?: boolean | undefined;
  /** Orders that would meet one of our own are denied. */
  readonly selfTrade?: 'deny' | undefined;
  /** Largest gross exposure (positions and open orders), in the account's currency. */
  readonly maxExposure?: Decimal | undefined;
  /** Largest value of contracts on margin, held and on order, over equity. */
  readonly maxLeverage?: Decimal | undefined;
  /** Largest margin of positions and opening orders over the equity of their collateral (of a strategy: over its own), as a fraction. */
  readonly maxMarginUse?: number | undefined;
  /** Least distance from the mark to the liquidation price that an opening order may leave, as a fraction of the mark. */
  readonly minLiquidationDistance?: number | undefined;
  readonly maxOpenOrders?: number | undefined;
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
  /** What it begins with, in the account's currency; absent: the account's first equity. */
  readonly capital?: Decimal | undefined;
}

/** The limits of a config: the account's, and those of strategies by their ids. */
export interface RiskLimits extends ScopeLimits {
  /** What the bot may trade with, in the account's currency: falls are measured on it; absent: on the whole account. */
  readonly capital?: Decimal | undefined;
  readonly strategies?: ReadonlyMap<string, StrategyLimits> | undefined;
  /** Most orders that may wait to be sent; of bots, whose requests wait for the exchange's limits. */
  readonly maxQueuedOrders?: number | undefined;
}

/** What one trade may lose now, in the account's currency. @param equity asked for only where the limit is a share of it. */
export function lossLimit({ amount, share }: LossPerTrade, equity: () => Decimal): Decimal {
  const ofEquity = share === undefined ? undefined : Decimal.max(equity().times(share), 0);
  if (amount === undefined || ofEquity === undefined) return amount ?? ofEquity ?? new Decimal(Number.POSITIVE_INFINITY);
  return Decimal.min(amount, ofEquity);
}

/** What the state has to follow for these limits. */
export function followedFor(limits: RiskLimits): Followed {
  const strategies = [...(limits.strategies ?? [])];
  const equities = new Map<string, Decimal | undefined>();
  for (const [id, own] of strategies) if (needsEquity(own)) equities.set(id, own.capital);
  const results = [limits, ...strategies.map(([, own]) => own)].some(({ cooldown }) => cooldown !== undefined);
  return { day: limits.dailyLoss !== undefined, results, equities, capital: limits.capital };
}

function needsEquity({ maxDrawdown, dailyLoss, concentration, maxLeverage, maxMarginUse, maxLossPerTrade }: ScopeLimits): boolean {
  const measured = [maxDrawdown, dailyLoss, concentration, maxLeverage, maxMarginUse, maxLossPerTrade?.share];
  return measured.some((limit) => limit !== undefined);
}

/** Days as `Intl` names them in English. */
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

/** Hours of some days in a time zone; where the end is not after the beginning, it is that of the next day. */
interface TradingWindow {
  readonly days: readonly Day[];
  /** Minutes of the day: the first inside, and the first after it (1440: midnight). */
  readonly fromMinute: number;
  readonly toMinute: number;
  /** IANA name, such as `UTC` or `Europe/Berlin`. */
  readonly zone: string;
}

/** A moment as the clocks of a zone show it. */
interface LocalTime {
  readonly day: Day;
  readonly minute: number;
}

const DAY_MINUTES = 1440;
const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError for a zone that the system does not know. */
export function localTime(time: number, zone: string): LocalTime {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    formats.set(zone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
  return { day: parts.weekday!.toLowerCase() as Day, minute: Number(parts.hour) * 60 + Number(parts.minute) };
}

/** Whether the moment lies inside the window; one that ends after midnight belongs to the day on which it begins. */
export function isInside({ days, fromMinute, toMinute }: TradingWindow, { day, minute }: LocalTime): boolean {
  if (fromMinute < toMinute) return days.includes(day) && minute >= fromMinute && minute < toMinute;
  if (minute >= fromMinute && minute < DAY_MINUTES) return days.includes(day);
  return minute < toMinute && days.includes(DAYS[(DAYS.indexOf(day) + DAYS.length - 1) % DAYS.length]!);
}
