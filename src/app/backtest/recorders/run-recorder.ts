import type { Engine } from '../../../engine/engine.ts';
import type { FlattenCause } from '../../../engine/guards/flattening.ts';
import type {
  AccountEvent,
  BalanceChanged,
  ExitDelayed,
  ExitRefused,
  OrderEvent,
  OrderFilled,
  PositionLiquidated,
} from '../../../model/account-events.ts';
import { type Decimal, ZERO } from '../../../model/decimal.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Exits, Intent, PlaceOrder } from '../../../model/intents.ts';
import type { LedgerEntry, LedgerReason } from '../../../model/ledger.ts';
import {
  isLiquidation,
  type LiquidationType,
  type OrderType,
  type PositionSide,
  type Side,
  type TimeInForce,
} from '../../../model/order.ts';
import { isTerminal, type OrderStatus } from '../../../model/order-state.ts';
import type { Denial, Rejection } from '../../../model/reasons.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { Order } from '../../../state/order.ts';
import type { State } from '../../../state/state.ts';
import type { AccountMove } from '../../../statistics/comparison/compared-run.ts';
import { type FundingRecord, worthOf } from '../../../statistics/run-record.ts';
import type { FillNote, FillReason } from '../../../statistics/trades/trade.ts';
import { CurrencyRateRecorder } from './currency-rates.ts';
import { PriceRecorder } from './price-tape.ts';

/** One order as orders.csv has it. */
export interface OrderRow {
  readonly time: number;
  readonly endTime: number | undefined;
  readonly clientOrderId: string;
  readonly orderId: string;
  readonly strategyId: string;
  readonly symbol: string;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly type: OrderType | LiquidationType;
  readonly timeInForce: TimeInForce;
  readonly price: string;
  readonly stopPrice: string;
  readonly quantity: string;
  readonly filledQuantity: string;
  readonly averagePrice: string;
  readonly status: OrderStatus;
  readonly reason: string;
  readonly tag: string;
}

/** One refusal, as denied.csv has it. */
export interface DeniedRow {
  readonly time: number;
  readonly by: 'risk' | 'venue';
  readonly strategyId: string;
  readonly symbol: string;
  /** Absent where what was asked for has none. */
  readonly side: Side | undefined;
  readonly clientOrderId: string;
  readonly tag: string;
  readonly reason: Denial | Rejection;
}

interface End {
  readonly endTime: number;
  readonly reason: string;
}

/** A fill as a strategy was told of it, the one that the venue made, and what was noted. */
interface NotedFill extends Pick<FillNote, 'reason' | 'range'> {
  readonly fill: Fill;
  readonly made: Fill;
}

/** Gathers what the out folder shows: orders as they end, fills, refusals; of futures also funding and liquidations. */
export class RunRecorder implements Journal {
  readonly fills: Fill[] = [];
  readonly denied: DeniedRow[] = [];
  readonly funding: FundingRecord[] = [];
  readonly liquidations: PositionLiquidated[] = [];
  /** What moved the account beside its fills. */
  readonly moves: AccountMove[] = [];
  readonly rates: CurrencyRateRecorder;
  readonly prices: PriceRecorder;
  /** By the insurance fund for losses beyond the collateral, in the account's currency at the rates of their times. */
  insurancePaid: Decimal = ZERO;
  /** Kept as they are and put in order at the end: a late fill may still come, and the run is not slowed. */
  readonly #ended: (readonly [Order, End])[] = [];
  readonly #notes: NotedFill[] = [];
  /** How many protective stops each strategy asked for, its own and linked ones, by its id. */
  readonly stopsAsked = new Map<string, number>();
  /** Stops and closes that could not be sent, tried again or not. */
  readonly unsentExits: (ExitRefused | ExitDelayed)[] = [];
  intents = 0;
  /** Those about orders: timers apart. */
  orderIntents = 0;
  orders = 0;

  /** The venue's own fills by their orders: strategies are told of them by fills made anew. */
  readonly #liquidationFills = new Map<string, Fill>();

  constructor(
    private readonly state: State,
    /** Whether a fill hung on the assumed path inside a bar; asked when the run is over. */
    private readonly hangsOnPath: (fill: Fill) => boolean = () => false,
  ) {
    this.rates = new CurrencyRateRecorder(state.portfolio, state.instruments);
    this.prices = new PriceRecorder(state);
  }

  observe(engine: Pick<Engine, 'watchEach'>): void {
    engine.watchEach(this.state.instruments, (instrument) => this.prices.tapeOf(instrument));
  }

  intent(_sequence: number, _time: number, strategyId: string, intent: Intent): void {
    this.intents++;
    if (intent.kind !== 'setTimer' && intent.kind !== 'cancelTimer') this.orderIntents++;
    if (this.#asksForStop(strategyId, intent)) this.stopsAsked.set(strategyId, (this.stopsAsked.get(strategyId) ?? 0) + 1);
  }

  /** Called after the state has taken the event. */
  event(_sequence: number, event: AccountEvent): void {
    switch (event.kind) {
      case 'orderFilled':
        this.#fill(event);
        return;
      case 'orderDenied':
        this.#deny(event);
        return;
      case 'orderRejected':
        this.#reject(event);
        return;
      case 'orderCanceled':
      case 'orderExpired':
        this.#end(event, event.reason);
        return;
      case 'orderSubmitted':
        if (!event.again) this.orders++;
        return;
      case 'exitRefused':
      case 'exitDelayed':
        this.unsentExits.push(event);
        return;
      case 'balanceChanged':
        this.#move(event);
        return;
      case 'fundingCharged':
        this.funding.push({ charged: event, fillsBefore: this.fills.length });
        this.rates.note(event, event.instrument);
        return;
      case 'positionLiquidated':
        this.liquidations.push(event);
        this.#liquidationFills.set(event.orderId, event.fill);
        this.rates.note(event, event.fill.instrument);
        return;
      default:
    }
  }

  /** Kept in memory alone. */
  commit(): void {}

  /** What is known by now of each fill: a later bar may show that its exits hung on the path. */
  get notes(): ReadonlyMap<Fill, FillNote> {
    return new Map(this.#notes.map(({ fill, made, reason, range }) => [fill, { reason, range, onPath: this.hangsOnPath(made) }]));
  }

  /** Every order of the run, in the order of their ends, those still open last. */
  rows(): OrderRow[] {
    const ended = [...new Map(this.#ended)].map(([order, { endTime, reason }]) => orderRow(order, endTime, reason));
    return [...ended, ...[...this.state.openOrders.values()].map((order) => orderRow(order, undefined, ''))];
  }

  #fill({ fill, complete, time }: OrderFilled): void {
    this.fills.push(fill);
    this.rates.note(fill, fill.instrument);
    const order = this.state.order(fill.clientOrderId);
    if (complete) this.#endOf(order, time, '');
    const reason = order === undefined ? 'signal' : fillReason(order);
    this.#notes.push({ fill, made: this.#liquidationFills.get(fill.orderId) ?? fill, reason, range: this.prices.next(fill.instrument) });
  }

  #asksForStop(strategyId: string, intent: Intent): boolean {
    if (intent.kind === 'protect') return stops(intent);
    if (intent.kind !== 'place') return false;
    const own = intent.type === 'stop' || intent.type === 'stopLimit';
    return (own && this.#wouldClose(strategyId, intent)) || (intent.exits !== undefined && stops(intent.exits));
  }

  /** A stop that opens a position protects none. */
  #wouldClose(strategyId: string, { symbol, side, positionSide, reduceOnly }: PlaceOrder): boolean {
    if (reduceOnly) return true;
    if (positionSide !== undefined) return (positionSide === 'long') === (side === 'sell');
    const instrument = this.state.instruments.find((one) => one.symbol === symbol);
    const sides = instrument === undefined ? [] : (this.state.books.get(strategyId)?.sides(instrument) ?? []);
    return sides.some(({ steps }) => (side === 'sell' ? steps > 0 : steps < 0));
  }

  #move(event: BalanceChanged): void {
    const move = accountMoveOf(event);
    if (move !== undefined) this.moves.push(move);
    if (event.entry?.reason === 'insurance') this.#insure(event.entry);
  }

  #insure({ asset, amount }: LedgerEntry): void {
    const { currency } = this.state.portfolio;
    const rate = asset === currency ? undefined : (this.state.portfolio.rateOf(asset) ?? ZERO);
    this.insurancePaid = this.insurancePaid.plus(worthOf(amount, rate));
  }

  #deny(event: Extract<OrderEvent, { kind: 'orderDenied' }>): void {
    const { time, strategyId, symbol, side, clientOrderId, tag, reason } = event;
    this.denied.push({ time, by: 'risk', strategyId, symbol, side, clientOrderId, tag, reason });
    if (clientOrderId !== '') this.#end(event, reason.code);
  }

  #reject(event: Extract<OrderEvent, { kind: 'orderRejected' }>): void {
    const { time, clientOrderId, reason } = event;
    const order = this.state.order(clientOrderId);
    const { strategyId = '', symbol = '', tag = '' } = order ?? {};
    this.denied.push({ time, by: 'venue', strategyId, symbol, side: order?.side, clientOrderId, tag, reason });
    this.#end(event, reason.code);
  }

  #end({ clientOrderId, time }: OrderEvent, reason: string): void {
    this.#endOf(this.state.order(clientOrderId), time, reason);
  }

  #endOf(order: Order | undefined, endTime: number, reason: string): void {
    if (order !== undefined && isTerminal(order.status)) this.#ended.push([order, { endTime, reason }]);
  }
}

function stops({ stopLoss, trailBy, trail }: Exits): boolean {
  return stopLoss !== undefined || trailBy !== undefined || trail !== undefined;
}

function orderRow(order: Order, endTime: number | undefined, reason: string): OrderRow {
  const { request, instrument, filledSteps, filledNotional } = order;
  const price = request.priceTicks === undefined ? '' : instrument.tick.toText(request.priceTicks);
  const filled = instrument.step.toDecimal(filledSteps);
  return {
    time: order.submittedTime,
    endTime,
    clientOrderId: order.clientOrderId,
    orderId: order.orderId,
    strategyId: order.strategyId,
    symbol: order.symbol,
    side: order.side,
    positionSide: request.positionSide,
    type: order.type,
    timeInForce: request.timeInForce,
    price,
    stopPrice: order.stopTicks === undefined ? '' : instrument.tick.toText(order.stopTicks),
    quantity: request.steps === undefined ? '' : instrument.step.toText(request.steps),
    filledQuantity: filled.toFixed(),
    averagePrice: filledSteps === 0 ? '' : filledNotional.div(filled).toSignificantDigits(20).toFixed(),
    status: order.status,
    reason,
    tag: order.tag,
  };
}

/** How the engine tags the orders that it makes itself; all of them only reduce. */
const OWN_TAGS: Readonly<Record<FlattenCause | 'endOfRun', FillReason>> = {
  maxDrawdown: 'flatten',
  dailyLoss: 'flatten',
  maxLossPerTrade: 'flatten',
  venueErrors: 'flatten',
  cooldown: 'flatten',
  reduce: 'flatten',
  kill: 'flatten',
  endOfRun: 'endOfRun',
};

/** What kind of order it was, told by its type and, of what the engine makes itself, by its tag. */
export function fillReason({ type, tag, request: { reduceOnly } }: Order): FillReason {
  if (isLiquidation(type)) return 'liquidation';
  if (type === 'stop' && (tag === 'trailingStop' || tag.endsWith(':trailingStop'))) return 'trailing';
  if (type === 'stop' || type === 'stopLimit') return 'stop';
  if (!reduceOnly) return 'signal';
  if (tag === 'takeProfit' || tag.endsWith(':takeProfit')) return 'takeProfit';
  return Object.hasOwn(OWN_TAGS, tag) ? OWN_TAGS[tag as keyof typeof OWN_TAGS] : 'signal';
}

/** What fills tell by themselves. */
const OF_FILLS: ReadonlySet<LedgerReason> = new Set(['trade', 'fee', 'profit']);

/** What moved a balance, where that was no fill of the account's own orders. */
export function accountMoveOf({ time, entry }: BalanceChanged): AccountMove | undefined {
  if (entry === undefined || OF_FILLS.has(entry.reason)) return undefined;
  const { asset, amount, reason } = entry;
  return { time, asset, amount, reason: reason as AccountMove['reason'] };
}
