import {
  type CloseOvershot,
  type ExitDelayed,
  type ExitRefused,
  type HealthChanged,
  type LatchReset,
  NO_REQUESTS,
  type RequestsState,
  type RiskLatched,
} from '../model/account-events.ts';
import type { Decimal } from '../model/decimal.ts';
import type { ReadonlyDepthBook } from '../model/depth-book.ts';
import { invariant } from '../model/errors.ts';
import type { Instrument, ListedLimits } from '../model/instrument.ts';
import type { Balance } from '../model/ledger.ts';
import type { PositionSide } from '../model/order.ts';
import type { Holding, Position } from '../model/position.ts';
import type { DayLoss, Drawdown } from './drawdown.ts';
import { MarginBook } from './margin-book.ts';
import { MarketState } from './market-state.ts';
import type { Order, OrderView } from './order.ts';
import type { OwnEquity, PriceWatcher } from './own-equity.ts';
import { Portfolio, type PortfolioOptions } from './portfolio.ts';
import { Positions, StrategyBook } from './positions.ts';
import { TradeResults } from './trade-results.ts';
import { type Guarded, unprotected } from './unprotected.ts';

/** How many ended orders are kept, for late fills and for strategies that read them. */
const ENDED_ORDERS_KEPT = 1000;

/** Optional measures that limits need; each costs nothing where no limit uses it. */
export interface TrackedFigures {
  /** The account's fall since the UTC day began. */
  readonly day?: boolean | undefined;
  /** Trades that have ended, and losing trades in a row. Losing stops are kept for so many ms. */
  readonly results?: { readonly stopsWithinMs: number } | undefined;
  /** Strategies whose own equity is computed, with their starting capital (else the account's first equity). */
  readonly equities?: ReadonlyMap<string, Decimal | undefined> | undefined;
  /** The capital with which the bot may trade; the equity of all strategies together is computed from it. */
  readonly capital?: Decimal | undefined;
  /** Without a capital, the equity of all strategies starts with the account's first equity: a bot shows its profit. */
  readonly profit?: boolean | undefined;
}

/** The state of a run, built from all its events: mutable inside `apply`, read-only by type everywhere else. */
export class State {
  /** Epoch ms of the newest event. */
  time = 0;
  /** Sequence of the newest market event. */
  sequence = 0;
  readonly markets: readonly MarketState[];
  readonly portfolio: Portfolio;
  readonly margin: MarginBook;
  readonly books: ReadonlyMap<string, StrategyBook>;
  /** Positions from fills of strategies that an earlier run had and this run does not have. */
  readonly formerBooks = new Map<string, StrategyBook>();
  readonly openOrders = new Map<string, Order>();
  readonly endedOrders = new Map<string, Order>();
  /** Set latches by `latchKey`, each with the event that set it. Only reducing intents pass. */
  readonly latches = new Map<string, RiskLatched>();
  /** Data that cannot be trusted at present, by `subject/symbol`. Fresh data has no entry. */
  readonly health = new Map<string, HealthChanged>();
  /** The exchange's limits on orders, by symbol; empty where the config alone counts. */
  readonly listedLimits = new Map<string, ListedLimits>();
  /** The pressure on requests to the venue, as last published. */
  requests: RequestsState = NO_REQUESTS;
  /** Positions without their stop, or that could not be closed; by exit, symbol, side and strategy. */
  readonly refusedExits = new Map<string, ExitRefused | ExitDelayed>();
  /** The positions of strategies that have had a stop, or only another exit, since they were flat; see `unprotected`. */
  readonly guarded = new Map<string, Guarded>();
  /** Coins that orders of others do not use, by asset: as the venue reported at its last refusal, until it accepts a sell. */
  readonly freeCoins = new Map<string, string>();
  /** Strategies that have closed a quantity of another strategy, until they have opened as much again; by strategy, symbol and side. */
  readonly overshot = new Map<string, CloseOvershot>();
  /** The equity of each strategy for which it is computed, by id. */
  readonly ownEquities: ReadonlyMap<string, OwnEquity>;
  /** The equity of all strategies together, where it is computed. */
  readonly traded: OwnEquity | undefined;
  /** The equity that the account's drawdown limits use. */
  readonly measured: Portfolio | OwnEquity;
  /** Losing trades in a row, where they are counted. */
  readonly results: TradeResults | undefined;
  /** Receives each market event; there is none unless a limit needs it. */
  readonly watchers: PriceWatcher[];
  readonly #positions: Positions;
  /** The keys of `endedOrders`, as a ring: the next key replaces the oldest once the ring is full. */
  readonly #endedIds: string[] = [];
  #nextEnded = 0;

  constructor(
    readonly instruments: readonly Instrument[],
    strategyIds: readonly string[],
    readonly account: PortfolioOptions,
    { day = false, results, equities = new Map(), capital, profit = false }: TrackedFigures = {},
  ) {
    this.markets = instruments.map((instrument) => new MarketState(instrument, account.markMaxAgeMs));
    this.portfolio = new Portfolio(account, this.markets);
    this.#positions = new Positions(instruments, account);
    this.margin = new MarginBook(this.markets, account, this.#positions, this.portfolio);
    this.books = new Map(strategyIds.map((id) => [id, new StrategyBook(id, instruments, account)]));
    const { portfolio } = this;
    portfolio.books = [...this.books.values()];
    portfolio.unprotected = () => unprotected(this).length;
    if (day) portfolio.followDay();
    this.results = results === undefined ? undefined : new TradeResults(results.stopsWithinMs);
    this.ownEquities = new Map([...equities].map(([id, capital]) => [id, portfolio.share(capital)]));
    this.traded = capital !== undefined || profit ? portfolio.share(capital) : undefined;
    this.measured = capital === undefined || this.traded === undefined ? portfolio : this.traded;
    this.watchers = [...this.ownEquities.values(), ...(this.traded === undefined ? [] : [this.traded])];
  }

  /** The book of a strategy, also of one that this run does not have. */
  bookOf(strategyId: string): StrategyBook {
    const known = this.books.get(strategyId) ?? this.formerBooks.get(strategyId);
    if (known !== undefined) return known;
    const former = new StrategyBook(strategyId, this.instruments, this.account);
    this.formerBooks.set(strategyId, former);
    return former;
  }

  /** The account's drawdown limit has latched. */
  get drawdownLatched(): boolean {
    return this.latches.has('maxDrawdown');
  }

  order(clientOrderId: string): Order | undefined {
    return this.openOrders.get(clientOrderId) ?? this.endedOrders.get(clientOrderId);
  }

  market(instrument: Instrument): MarketState {
    const market = this.markets[instrument.index];
    invariant(market !== undefined, `instrument ${instrument.symbol} is part of the run`);
    return market;
  }

  /** The account's position: net, or for a contract with margin one of its two sides. */
  position(instrument: Instrument, side: PositionSide): Position {
    return this.#positions.position(instrument, side);
  }

  /** The account's one net position; for a contract with margin two: long and short. */
  sides(instrument: Instrument): readonly Position[] {
    return this.#positions.sides(instrument);
  }

  /** Steps of the instrument that the account can trade away: the balance on spot, else the net position. */
  heldSteps(instrument: Instrument): number {
    return this.portfolio.heldSteps[instrument.index]!;
  }

  endOrder(order: Order): void {
    const { clientOrderId } = order;
    this.openOrders.delete(clientOrderId);
    this.endedOrders.set(clientOrderId, order);
    // A map finds its own oldest key only by skipping all keys that were deleted before it.
    const forgotten = this.#endedIds[this.#nextEnded];
    if (forgotten !== undefined) this.endedOrders.delete(forgotten);
    this.#endedIds[this.#nextEnded] = clientOrderId;
    this.#nextEnded = (this.#nextEnded + 1) % ENDED_ORDERS_KEPT;
  }

  /** A record of a vanished or rejected order has turned up. */
  reopenOrder(order: Order): void {
    this.endedOrders.delete(order.clientOrderId);
    this.openOrders.set(order.clientOrderId, order);
  }
}

/** Key of a latch in the state: its rule, plus the strategy's id and the symbol for a latch of one strategy or symbol. */
export function latchKey({ rule, strategyId, symbol }: Pick<RiskLatched | LatchReset, 'rule' | 'strategyId' | 'symbol'>): string {
  const key = strategyId === undefined ? rule : `${rule}/${strategyId}`;
  return symbol === undefined ? key : `${key}:${symbol}`;
}

/** A strategy that holds a position on a side. */
export interface Holder extends Holding {
  readonly position: Position;
}

/** The strategies that hold a side of a contract, in the order of the config. Strategies that the config no longer has come last. */
export function holdersOf(state: State, instrument: Instrument, side: PositionSide): Holder[] {
  return [...state.books.values(), ...state.formerBooks.values()].flatMap((book) => {
    const position = book.position(instrument, side);
    const steps = side === 'short' ? -position.steps : position.steps;
    return steps > 0 ? [{ strategyId: book.strategyId, position, steps }] : [];
  });
}

type MarketMutation = 'apply' | 'applyQuote' | 'followQuotes' | 'goToQuote' | 'leaveQuotes';
export type ReadonlyMarket = Omit<MarketState, MarketMutation | 'book'> & { readonly book: ReadonlyDepthBook | undefined };
export type ReadonlyPosition = Readonly<Omit<Position, 'apply'>>;
type ReadonlyPortfolio = Readonly<
  Omit<
    Portfolio,
    | 'balances'
    | 'setBalance'
    | 'setPosition'
    | 'setSides'
    | 'observe'
    | 'finish'
    | 'drawdown'
    | 'day'
    | 'followDay'
    | 'follow'
    | 'onFill'
    | 'awaitFill'
    | 'onUnknown'
    | 'takeActivity'
    | 'share'
    | 'curve'
    | 'books'
  >
> & {
  readonly balances: ReadonlyMap<string, Balance>;
  readonly drawdown: Readonly<Omit<Drawdown, 'observe' | 'hold' | 'finish' | 'restart' | 'onDeeper'>>;
  readonly day: Pick<DayLoss, 'current'> | undefined;
};

/** Read-only positions: one net position, or long and short. */
interface ReadonlyPositions {
  position(instrument: Instrument, side: PositionSide): ReadonlyPosition;
  sides(instrument: Instrument): readonly ReadonlyPosition[];
}

/** The equity of a strategy, read-only. */
interface ReadonlyOwnEquity {
  readonly drawdown: Pick<Drawdown, 'current' | 'depth'>;
  readonly day: Pick<DayLoss, 'current'>;
  exactEquity(): Decimal;
}

/** The positions of one strategy, read-only. */
export interface ReadonlyBook extends ReadonlyPositions {
  readonly strategyId: string;
}

/** The state as strategies, rules and observers see it: read-only. */
export interface ReadonlyState
  extends ReadonlyPositions,
    Readonly<Pick<State, 'time' | 'sequence' | 'drawdownLatched' | 'instruments' | 'account' | 'heldSteps' | 'requests'>> {
  readonly markets: readonly ReadonlyMarket[];
  readonly portfolio: ReadonlyPortfolio;
  readonly margin: Omit<MarginBook, 'apply'>;
  readonly books: ReadonlyMap<string, ReadonlyBook>;
  readonly openOrders: ReadonlyMap<string, OrderView>;
  readonly latches: ReadonlyMap<string, RiskLatched>;
  readonly ownEquities: ReadonlyMap<string, ReadonlyOwnEquity>;
  readonly measured: { readonly drawdown: Pick<Drawdown, 'depth'>; readonly day: Pick<DayLoss, 'current'> | undefined };
  readonly health: ReadonlyMap<string, HealthChanged>;
  readonly listedLimits: ReadonlyMap<string, ListedLimits>;
  readonly freeCoins: ReadonlyMap<string, string>;
  market(instrument: Instrument): ReadonlyMarket;
  order(clientOrderId: string): OrderView | undefined;
}
