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
import type { Instrument } from '../../../model/instrument.ts';
import type { Exits, Intent, PlaceOrder } from '../../../model/intents.ts';
import type { LedgerEntry, LedgerReason } from '../../../model/ledger.ts';
import { isLiquidation, isStop } from '../../../model/order.ts';
import { isTerminal } from '../../../model/order-state.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { Order } from '../../../state/order.ts';
import type { State } from '../../../state/state.ts';
import type { AccountMove } from '../../../statistics/comparison/compared-run.ts';
import { FillColumns } from '../../../statistics/fill-columns.ts';
import { type FundingRecord, worthOf } from '../../../statistics/run-record.ts';
import type { FillReason } from '../../../statistics/trades/trade.ts';
import { CurrencyRateRecorder } from './currency-rates.ts';
import { Denials, type DeniedRow } from './denials.ts';
import { ENDED_KEPT, Newest } from './newest.ts';
import { PriceRecorder } from './price-tape.ts';

/** Receives the rows of the tables during the run. */
export interface RowTables {
  /**
   * Called in the order in which orders end; orders that are still open come last. The order does not change any more.
   * @param endTime epoch ms; absent if it is still open.
   * @param reason why it did not fill; empty if it did.
   */
  order(order: Order, endTime: number | undefined, reason: string): void;
  /** @param made the fill as the venue made it: it knows its place on the path, and its number. */
  fill(fill: Fill, made: Fill): void;
  denied(row: DeniedRow): void;
}

/** When and why an order ended. */
interface End {
  readonly endTime: number;
  readonly reason: string;
}

/** The newest fill that a venue made for an instrument, and its indices: a liquidation is shared by several strategies. */
interface NewestFill {
  readonly made: Fill;
  readonly indices: number[];
}

/** Records orders when they end, fills and refusals; for futures also funding and liquidations. */
export class RunRecorder implements Journal {
  readonly fills = new FillColumns();
  readonly denials = new Denials();
  readonly funding: FundingRecord[] = [];
  readonly liquidations: PositionLiquidated[] = [];
  /** Changes of balances that are not fills. */
  readonly moves: AccountMove[] = [];
  readonly rates: CurrencyRateRecorder;
  readonly prices: PriceRecorder;
  /** Payments of the insurance fund for losses beyond the collateral, in the account's currency at the rates of their times. */
  insurancePaid: Decimal = ZERO;
  /** The newest ended orders with their ends. A late fill may still change them. */
  readonly #ended = new Map<Order, End>();
  readonly #newestEnded = new Newest<Order>(ENDED_KEPT);
  readonly #newest = new Map<Instrument, NewestFill>();
  /** The number of protective stops of each strategy, linked ones included, by its id. */
  readonly stopsAsked = new Map<string, number>();
  /** Stops and closes that could not be sent, whether they were tried again or not. */
  readonly unsentExits: (ExitRefused | ExitDelayed)[] = [];
  intents = 0;
  /** The number of intents about orders, without timers. */
  orderIntents = 0;
  orders = 0;

  /** The venue's fill of each liquidation order, by order id. Strategies receive copies, for which the venue has no path. */
  readonly #liquidationFills = new Map<string, Fill>();

  constructor(
    private readonly state: State,
    private readonly tables: readonly RowTables[] = [],
    /** Whether a fill depends on the assumed path inside a bar. This is final once the venue has made another fill of the instrument. */
    private readonly dependsOnPath: (fill: Fill) => boolean = () => false,
  ) {
    this.rates = new CurrencyRateRecorder(state.portfolio, state.instruments, this.fills);
    this.prices = new PriceRecorder(state, state.account.dayZone);
  }

  observe(engine: Pick<Engine, 'watchEach'>): void {
    engine.watchEach(this.state.instruments, (instrument) => this.prices.tapeOf(instrument));
  }

  intent(_sequence: number, _time: number, strategyId: string, intent: Intent): void {
    this.intents++;
    if (intent.kind !== 'setTimer' && intent.kind !== 'cancelTimer') this.orderIntents++;
    if (this.#asksForStop(strategyId, intent)) this.stopsAsked.set(strategyId, (this.stopsAsked.get(strategyId) ?? 0) + 1);
  }

  /** Called after the state has processed the event. */
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
        this.rates.noteCharge(event, event.instrument);
        return;
      case 'positionLiquidated':
        this.liquidations.push(event);
        this.#liquidationFills.set(event.orderId, event.fill);
        this.rates.noteCharge(event, event.fill.instrument);
        return;
      default:
    }
  }

  /** Does nothing: the records are only in memory. */
  commit(): void {}

  /** Called after the last event. */
  finish(): void {
    this.prices.finish();
    for (const newest of this.#newest.values()) this.#settlePath(newest);
    for (const [order, { endTime, reason }] of this.#ended) this.#write(order, endTime, reason);
    for (const order of this.state.openOrders.values()) this.#write(order, undefined, '');
    this.#ended.clear();
  }

  #fill({ fill, complete, time }: OrderFilled): void {
    const order = this.state.order(fill.clientOrderId);
    const reason = order === undefined ? 'signal' : fillReason(order);
    const rate = this.rates.rateAt(fill.instrument);
    const made = this.#liquidationFills.get(fill.orderId) ?? fill;
    const index = this.fills.add(fill, {
      reason,
      range: this.prices.next(fill.instrument),
      rate,
      since: made.since,
      ref: order?.ref,
      group: order?.group,
    });
    if (rate?.isNaN() === true) this.rates.settleFill(index, fill.instrument);
    for (const table of this.tables) table.fill(fill, made);
    if (complete) this.#endOf(order, time, '');
    this.#notePath(index, made);
  }

  /** Notes the newest fill of an instrument, and settles the fill before it. Fills may arrive in another order than the venue made them. */
  #notePath(index: number, made: Fill): void {
    const newest = this.#newest.get(made.instrument);
    if (newest?.made === made) newest.indices.push(index);
    else if (newest !== undefined && placeOf(made) < placeOf(newest.made)) this.#settlePath({ made, indices: [index] });
    else {
      if (newest !== undefined) this.#settlePath(newest);
      this.#newest.set(made.instrument, { made, indices: [index] });
    }
  }

  #settlePath({ made, indices }: NewestFill): void {
    if (this.dependsOnPath(made)) for (const index of indices) this.fills.markPath(index);
  }

  #asksForStop(strategyId: string, intent: Intent): boolean {
    if (intent.kind === 'protect') return stops(intent);
    if (intent.kind !== 'place') return false;
    return (isStop(intent.type) && this.#wouldClose(strategyId, intent)) || (intent.exits !== undefined && stops(intent.exits));
  }

  /** A stop that opens a position is not protective. */
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
    const { time, strategyId, symbol, side, clientOrderId, tag, ref = '', reason } = event;
    this.#refuse({ time, by: 'risk', strategyId, symbol, side, clientOrderId, tag, ref, reason });
    if (clientOrderId !== '') this.#end(event, reason.code);
  }

  #reject(event: Extract<OrderEvent, { kind: 'orderRejected' }>): void {
    const { time, clientOrderId, reason } = event;
    const order = this.state.order(clientOrderId);
    const { strategyId = '', symbol = '', tag = '', ref = '' } = order ?? {};
    this.#refuse({ time, by: 'venue', strategyId, symbol, side: order?.side, clientOrderId, tag, ref, reason });
    this.#end(event, reason.code);
  }

  #refuse(row: DeniedRow): void {
    this.denials.add(row);
    for (const table of this.tables) table.denied(row);
  }

  #end({ clientOrderId, time }: OrderEvent, reason: string): void {
    this.#endOf(this.state.order(clientOrderId), time, reason);
  }

  #endOf(order: Order | undefined, endTime: number, reason: string): void {
    if (this.tables.length === 0 || order === undefined || !isTerminal(order.status)) return;
    const known = this.#ended.has(order);
    this.#ended.set(order, { endTime, reason });
    const oldest = known ? undefined : this.#newestEnded.add(order);
    if (oldest === undefined) return;
    const end = this.#ended.get(oldest)!;
    this.#ended.delete(oldest);
    this.#write(oldest, end.endTime, end.reason);
  }

  #write(order: Order, endTime: number | undefined, reason: string): void {
    for (const table of this.tables) table.order(order, endTime, reason);
  }
}

/** The place among the venue's fills: 1 for the first one. */
export function placeOf({ fillId }: Pick<Fill, 'fillId'>): number {
  return Number(fillId.slice(1));
}

function stops({ stopLoss, trailBy, trail }: Exits): boolean {
  return stopLoss !== undefined || trailBy !== undefined || trail !== undefined;
}

/** The tags of the engine's own orders, which are all reducing. */
const OWN_TAGS: Readonly<Record<FlattenCause | 'endOfRun', FillReason>> = {
  maxDrawdown: 'flatten',
  dailyLoss: 'flatten',
  maxLossPerTrade: 'flatten',
  venueErrors: 'flatten',
  cooldown: 'flatten',
  reduce: 'flatten',
  kill: 'flatten',
  closeByCommand: 'flatten',
  endOfRun: 'endOfRun',
};

/** The kind of an order: by its type, and for the engine's own orders by its tag. */
export function fillReason({ type, tag, request: { reduceOnly } }: Order): FillReason {
  if (type === 'autoDeleveraging') return 'deleveraging';
  if (isLiquidation(type)) return 'liquidation';
  if (type === 'stop' && (tag === 'trailingStop' || tag.endsWith(':trailingStop'))) return 'trailing';
  if (isStop(type)) return 'stop';
  if (!reduceOnly) return 'signal';
  if (tag === 'takeProfit' || tag.endsWith(':takeProfit')) return 'takeProfit';
  if (tag === 'after' || tag.endsWith(':after')) return 'age';
  return Object.hasOwn(OWN_TAGS, tag) ? OWN_TAGS[tag as keyof typeof OWN_TAGS] : 'signal';
}

/** Reasons of ledger entries that fills already have. */
const OF_FILLS: ReadonlySet<LedgerReason> = new Set(['trade', 'fee', 'profit']);

/** The reason of a change of a balance that is not a fill of the account's own orders. */
export function accountMoveOf({ time, entry }: BalanceChanged): AccountMove | undefined {
  if (entry === undefined || OF_FILLS.has(entry.reason)) return undefined;
  const { asset, amount, reason } = entry;
  return { time, asset, amount, reason: reason as AccountMove['reason'] };
}
