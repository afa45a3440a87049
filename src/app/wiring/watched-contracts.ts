import { recordType } from '../../exchange/mapping.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import type { FuturesAccount } from '../../matching/futures/futures-account.ts';
import type { OrderRecord } from '../../matching/futures/records.ts';
import type { VenueEvent } from '../../model/account-events.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../model/order.ts';
import type { Rejection } from '../../model/reasons.ts';
import type { Log } from '../../ports/log.ts';
import type { TrackedOrder } from '../../venues/reconcile/order-record.ts';
import { RECONCILE_DEFAULTS } from '../../venues/reconcile/settings.ts';
import type { ListedOrder } from '../../venues/rest/futures/attribution/listed-states.ts';
import { FuturesWatch } from '../../venues/rest/futures/futures-watch.ts';
import type { ExpectedContract } from '../../venues/rest/futures/contract-settings.ts';
import {
  type AccountSnapshot,
  type CollateralFigures,
  type PositionFigures,
  type Read,
  SHARED,
} from '../../venues/rest/futures/snapshot/account-snapshot.ts';
import { SAME_GRIDS } from '../../venues/rest/listed-grids.ts';
import { type ContractObserver, type ContractObserverParts, FORGETFUL } from '../../venues/simulated/polled/polled-venue.ts';

/**
 * Watches the contracts of a polled backtest by the same rules as a bot watches the exchange. Snapshots and lists come from the
 * simulator, at once and without errors, as the local exchange would show them.
 */
export class WatchedContracts implements ContractObserver {
  readonly #parts: ContractObserverParts;
  readonly #watch: FuturesWatch;
  readonly #coins: readonly string[];
  /** The last snapshot of each coin. */
  readonly #snapshots = new Map<string, AccountSnapshot>();
  /** The result of the order that is being sent: its id, or the reason of its rejection. */
  #reply: string | Rejection = '';

  constructor(parts: ContractObserverParts, expected: readonly ExpectedContract[], log: Log) {
    this.#parts = parts;
    const { clock, settings, report } = parts;
    const instruments = parts.instruments.filter(({ contract }) => contract !== undefined);
    this.#coins = [...new Set(instruments.map(({ quote }) => quote))].sort();
    this.#watch = new FuturesWatch({
      instruments,
      expected,
      settings: { ...RECONCILE_DEFAULTS, ...settings },
      isOwn: () => false,
      adopterOf: () => undefined,
      grids: SAME_GRIDS,
      context: { clock, memory: FORGETFUL, log, report, settled: () => {}, fail },
      // Every request has a reply, so no order has an unknown outcome.
      sending: {
        cancel: (order) => this.#sendCancel(order),
        probe: (_order, over) => over(),
        takeBack: (order) => this.#sendCancel(order),
      },
    });
  }

  get nextDue(): number {
    return this.#watch.nextDue;
  }

  get waits(): boolean {
    return this.#watch.waits;
  }

  begin(): void {
    this.#watch.begin(new Map(this.#coins.map((coin) => [coin, this.#read(coin)])));
    this.#watch.opened = true;
  }

  take(event: VenueEvent): void {
    if (event.kind === 'orderAccepted') this.#reply = event.orderId;
    else if (event.kind === 'orderRejected' && this.#reply === '') this.#reply = event.reason;
  }

  submit(orders: readonly ApprovedOrder[]): void {
    for (const request of orders) {
      const order = this.#watch.place(request);
      this.#parts.send(() => this.#place(order, request));
    }
  }

  cancel({ clientOrderId, reason }: CancelRequest): void {
    const { report, clock } = this.#parts;
    const order = this.#watch.orders.find(clientOrderId);
    if (order?.alive !== true) {
      report({ kind: 'cancelRejected', time: clock.now(), clientOrderId });
      return;
    }
    // As in a bot, an order that has not been sent is withdrawn.
    if (order.phase === 'sending') {
      this.#watch.life.withdrawn(order, reason);
      this.#watch.listedStates.answered(order);
      return;
    }
    this.#watch.life.cancelQueued(order, reason);
    this.#sendCancel(order);
  }

  *look(full: boolean): Generator<void, void> {
    const watch = this.#watch;
    if (!watch.look(full)) return;
    const first = yield* this.#readAll();
    const due = watch.due(full, first);
    for (const instrument of due) {
      const asked = watch.lists.request(instrument);
      yield;
      watch.lists.note(asked, this.#list(instrument));
    }
    watch.commit(due.length > 0 ? yield* this.#readAll() : first);
  }

  finish(): void {
    const { report, clock } = this.#parts;
    for (const order of this.#watch.orders.alive) {
      report({ kind: 'orderExpired', time: clock.now(), clientOrderId: order.clientOrderId, reason: 'endOfRun' });
      this.#watch.orders.end(order);
    }
  }

  /** Reads the snapshots coin by coin. */
  *#readAll(): Generator<void, ReadonlyMap<string, Read>> {
    const found = new Map<string, Read>();
    for (const coin of this.#coins) {
      yield;
      found.set(coin, this.#read(coin));
    }
    return found;
  }

  #read(coin: string): Read {
    const { account, clock, instruments } = this.#parts;
    const snapshot = snapshotOfAccount(account.futures!, coin, instruments, this.#snapshots.get(coin));
    this.#snapshots.set(coin, snapshot);
    return { requestedAt: clock.now(), snapshot };
  }

  /** The open orders of a contract, as operation 14 lists them: without ended ones. */
  #list(instrument: Instrument): ListedOrder[] {
    const { matching, account } = this.#parts;
    return matching.orders(account).flatMap((order) => (order.instrument === instrument ? [listed(order)] : []));
  }

  #place(order: TrackedOrder, request: ApprovedOrder): boolean {
    if (!order.alive) return false;
    const { matching, account, clock } = this.#parts;
    const { life, listedStates: sights } = this.#watch;
    this.#reply = '';
    matching.submit(account, request, clock.now());
    if (matching.marginDue) matching.liquidate(clock.now());
    if (typeof this.#reply === 'string') life.accepted(order, this.#reply);
    else life.rejected(order, this.#reply);
    sights.answered(order);
    return true;
  }

  #sendCancel(order: TrackedOrder): void {
    this.#parts.send(() => this.#cancel(order));
  }

  #cancel(order: TrackedOrder): boolean {
    if (!order.alive || order.pendingCancel === undefined) return false;
    const { matching, account, clock } = this.#parts;
    const { life, listedStates: sights } = this.#watch;
    const { clientOrderId } = order;
    const works = matching.orders(account).some((one) => one.clientOrderId === clientOrderId);
    if (works) matching.cancel(account, clientOrderId, clock.now(), order.pendingCancel.reason);
    life.cancelAnswered(order, works ? 'taken' : 'refused');
    sights.answered(order);
    life.lookIn(order, 0);
    return true;
  }
}

function fail(error: unknown): never {
  throw error;
}

function listed({ orderId, clientOrderId, instrument, side, positionSide, status, filledQuantity }: OrderRecord): ListedOrder {
  return {
    order_id: orderId,
    client_oid: clientOrderId,
    symbol: wireSymbol(instrument.symbol),
    type: recordType({ side, positionSide: positionSide === 'short' ? 'short' : 'long' }),
    status,
    filled_qty: filledQuantity.toFixed(),
  };
}

type Position = ReturnType<FuturesAccount['positionRecords']>[number];

type Collateral = ReturnType<FuturesAccount['collateralRecords']>[number];

/**
 * The snapshot of one coin that the exchange would give of a simulated account. It has no flat positions.
 * @param last the snapshot before, which is returned if nothing has changed.
 */
function snapshotOfAccount(
  account: FuturesAccount,
  coin: string,
  instruments: readonly Instrument[],
  last: AccountSnapshot | undefined,
): AccountSnapshot {
  const version = String(account.version);
  if (last?.version === version) return last;
  return {
    coin,
    version,
    positions: account
      .positionRecords()
      .filter(({ instrument, steps }) => steps !== 0 && instrument.quote === coin && instruments.includes(instrument))
      .map(position),
    collaterals: account
      .collateralRecords()
      .filter(({ currency }) => currency === coin)
      .map(collateral),
  };
}

function position({ instrument, cumulative, ...record }: Position): PositionFigures {
  const { step } = instrument;
  return {
    id: record.positionId,
    born: String(record.createdSequence),
    symbol: wireSymbol(instrument.symbol),
    positionSide: record.positionSide,
    orderId: record.openOrderId ?? '',
    isolated: record.mode === 'isolated',
    steps: record.steps,
    openedSteps: step.floorUnits(cumulative.openQuantity),
    closedSteps: step.floorUnits(cumulative.closeQuantity),
    state: 'listed',
    leverage: record.leverage,
    openValue: record.openValue,
    openFee: record.openFee,
    margin: record.isolatedMargin,
    openedValue: cumulative.openValue,
    openedFee: cumulative.openFee,
    closedValue: cumulative.closeValue,
    closedFee: cumulative.closeFee,
    funding: cumulative.funding,
    liquidationFee: cumulative.liquidationFee,
  };
}

function collateral({ mode, positionId, amount, cumulative }: Collateral): CollateralFigures {
  return { ...cumulative, amount, key: mode === 'isolated' && positionId !== undefined ? positionId : SHARED };
}
