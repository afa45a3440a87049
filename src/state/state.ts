import {
  type CloseOvershot,
  type ExitDelayed,
  type ExitRefused,
  type HealthChanged,
  type LatchReset,
  NO_REQUESTS,
  type RequestsStanding,
  type RiskLatched,
} from '../model/account-events.ts';
import type { Decimal } from '../model/decimal.ts';
import type { ReadonlyDepthBook } from '../model/depth-book.ts';
import { invariant } from '../model/errors.ts';
import type { Instrument } from '../model/instrument.ts';
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

/** How many ended orders stay at hand, for late fills and for strategies that look back. */
const ENDED_ORDERS_KEPT = 1000;

/** What limits want to be followed beside all else; nothing of it costs anything where no limit asks. */
export interface Followed {
  /** The account's fall since the UTC day began. */
  readonly day?: boolean | undefined;
  /** Losing trades in a row. */
  readonly results?: boolean | undefined;
  /** Strategies whose own equity counts, with the capital that each begins with (else the account's first equity). */
  readonly equities?: ReadonlyMap<string, Decimal | undefined> | undefined;
  /** What all strategies together make of the capital that the bot may trade with. */
  readonly capital?: Decimal | undefined;
  /** The same of the account's first equity, where there is no capital: a bot shows its profit. */
  readonly profit?: boolean | undefined;
}

/** The fold of all events of a run: mutable inside `apply`, read-only by type everywhere else. */
export class State {
  /** Epoch ms of the newest event. */
  time = 0;
  /** Sequence of the newest market event. */
  sequence = 0;
  readonly markets: readonly MarketState[];
  readonly portfolio: Portfolio;
  readonly margin: MarginBook;
  readonly books: ReadonlyMap<string, StrategyBook>;
  /** Of strategies that the run does not have and an earlier one had: what their fills came to. */
  readonly formerBooks = new Map<string, StrategyBook>();
  readonly openOrders = new Map<string, Order>();
  readonly endedOrders = new Map<string, Order>();
  /** Set latches by `latchKey`, with the event that set each: only reducing intents pass. */
  readonly latches = new Map<string, RiskLatched>();
  /** What cannot be relied on now, by `subject/symbol`; what is fresh is not here. */
  readonly health = new Map<string, HealthChanged>();
  /** The pressure on requests to the venue, as last published. */
  requests: RequestsStanding = NO_REQUESTS;
  /** Positions that stand without their stop, or that could not be closed; by exit, symbol, side and strategy. */
  readonly refusedExits = new Map<string, ExitRefused | ExitDelayed>();
  /** Coins that are free beside what orders of others hold, by asset: as the venue said at the last refusal, until it takes a sell. */
  readonly freeCoins = new Map<string, string>();
  /** Strategies that have closed what is another's, until they have opened as much anew: by strategy, symbol and side. */
  readonly overshot = new Map<string, CloseOvershot>();
  /** The equity of each strategy that is followed, by its id. */
  readonly ownEquities: ReadonlyMap<string, OwnEquity>;
  /** What all strategies together have made of what the bot began with, where that is followed. */
  readonly traded: OwnEquity | undefined;
  /** What the limits on a fall of the account's equity are measured on. */
  readonly measured: Portfolio | OwnEquity;
  /** Losing trades in a row, where they are counted. */
  readonly results: TradeResults | undefined;
  /** Told of each market event: nobody, unless a limit asks for it. */
  readonly watchers: PriceWatcher[];
  readonly #positions: Positions;
  /** The keys of `endedOrders`; where the next one goes stands the oldest, once there are as many as are kept. */
  readonly #endedIds: string[] = [];
  #nextEnded = 0;

  constructor(
    readonly instruments: readonly Instrument[],
    strategyIds: readonly string[],
    readonly account: PortfolioOptions,
    { day = false, results = false, equities = new Map(), capital, profit = false }: Followed = {},
  ) {
    this.markets = instruments.map((instrument) => new MarketState(instrument, account.markMaxAgeMs));
    this.portfolio = new Portfolio(account, this.markets);
    this.#positions = new Positions(instruments, account);
    this.margin = new MarginBook(this.markets, account, this.#positions, this.portfolio);
    this.books = new Map(strategyIds.map((id) => [id, new StrategyBook(id, instruments, account)]));
    const { portfolio } = this;
    if (day) portfolio.followDay();
    this.results = results ? new TradeResults() : undefined;
    this.ownEquities = new Map([...equities].map(([id, capital]) => [id, portfolio.share(capital)]));
    this.traded = capital !== undefined || profit ? portfolio.share(capital) : undefined;
    this.measured = capital === undefined || this.traded === undefined ? portfolio : this.traded;
    this.watchers = [...this.ownEquities.values(), ...(this.traded === undefined ? [] : [this.traded])];
  }

  /** The book of a strategy, also of one that the run does not have. */
  bookOf(strategyId: string): StrategyBook {
    const known = this.books.get(strategyId) ?? this.formerBooks.get(strategyId);
    if (known !== undefined) return known;
    const former = new StrategyBook(strategyId, this.instruments, this.account);
    this.formerBooks.set(strategyId, former);
    return former;
  }

  /** Latched by the account's drawdown limit. */
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

  /** The account's position: net, or of a contract on margin one of its two sides. */
  position(instrument: Instrument, side: PositionSide): Position {
    return this.#positions.position(instrument, side);
  }

  /** The account's one net position; or of a contract on margin two: long and short. */
  sides(instrument: Instrument): readonly Position[] {
    return this.#positions.sides(instrument);
  }

  /** Steps of the instrument the account could trade away: the balance on spot, else the net position. */
  heldSteps(instrument: Instrument): number {
    return this.portfolio.heldSteps[instrument.index]!;
  }

  endOrder(order: Order): void {
    const { clientOrderId } = order;
    this.openOrders.delete(clientOrderId);
    this.endedOrders.set(clientOrderId, order);
    // A map finds its own oldest key only by passing over what was deleted before it.
    const forgotten = this.#endedIds[this.#nextEnded];
    if (forgotten !== undefined) this.endedOrders.delete(forgotten);
    this.#endedIds[this.#nextEnded] = clientOrderId;
    this.#nextEnded = (this.#nextEnded + 1) % ENDED_ORDERS_KEPT;
  }
}

/** Key of a latch in the state: its rule, followed by the strategy's id where the latch is one strategy's own. */
export function latchKey({ rule, strategyId }: Pick<RiskLatched | LatchReset, 'rule' | 'strategyId'>): string {
  return strategyId === undefined ? rule : `${rule}/${strategyId}`;
}

/** A strategy that holds something of a side. */
export interface Holder extends Holding {
  readonly position: Position;
}

/** The strategies that hold a side of a contract, in the order of the config; strategies that the config no longer has come last. */
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
    'balances' | 'setBalance' | 'setPosition' | 'setSides' | 'observe' | 'finish' | 'drawdown' | 'day' | 'followDay' | 'share' | 'curve'
  >
> & {
  readonly balances: ReadonlyMap<string, Balance>;
  readonly drawdown: Readonly<Omit<Drawdown, 'observe' | 'finish' | 'restart' | 'onDeeper'>>;
  readonly day: Pick<DayLoss, 'current'> | undefined;
};

/** Positions as they may be looked at: a net one, or long and short. */
interface ReadonlyPositions {
  position(instrument: Instrument, side: PositionSide): ReadonlyPosition;
  sides(instrument: Instrument): readonly ReadonlyPosition[];
}

/** What a strategy is worth. */
interface ReadonlyOwnEquity {
  readonly drawdown: Pick<Drawdown, 'current' | 'depth'>;
  readonly day: Pick<DayLoss, 'current'>;
  exactEquity(): Decimal;
}

/** What one strategy holds. */
export interface ReadonlyBook extends ReadonlyPositions {
  readonly strategyId: string;
}

/** State as strategies, rules and observers see it: nothing of it can be assigned or applied to. */
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
  readonly freeCoins: ReadonlyMap<string, string>;
  market(instrument: Instrument): ReadonlyMarket;
  order(clientOrderId: string): OrderView | undefined;
}
