import { recordType } from '../../exchange/mapping.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import type { FuturesAccount } from '../../matching/futures/futures-account.ts';
import type { OrderRecord } from '../../matching/futures/records.ts';
import type { VenueEvent } from '../../model/account-events.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../model/order.ts';
import type { Rejection } from '../../model/reasons.ts';
import type { Log } from '../../ports/log.ts';
import type { ListedOrder } from '../../venues/rest/futures/attribution/sights.ts';
import { FuturesWatch } from '../../venues/rest/futures/futures-watch.ts';
import type { ExpectedContract } from '../../venues/rest/futures/margin-binding.ts';
import {
  type AccountPicture,
  type CollateralFigures,
  type PositionFigures,
  type Read,
  SHARED,
} from '../../venues/rest/futures/picture/account-picture.ts';
import type { TrackedOrder } from '../../venues/rest/tracked-orders.ts';
import { REST_DEFAULTS } from '../../venues/rest/trading.ts';
import type { ContractObserver, ContractObserverParts } from '../../venues/simulated/polled/polled-venue.ts';

/**
 * The contracts of a polled backtest, watched by the very rules that the bot watches an exchange's by: pictures and lists
 * are the simulator's, at once and without fail, as the local exchange would show them.
 */
export class WatchedContracts implements ContractObserver {
  readonly #parts: ContractObserverParts;
  readonly #watch: FuturesWatch;
  readonly #coins: readonly string[];
  /** The last of each coin. */
  readonly #pictures = new Map<string, AccountPicture>();
  /** What came of the order that is being sent: its id, or why it was refused. */
  #reply: string | Rejection = '';

  constructor(parts: ContractObserverParts, expected: readonly ExpectedContract[], log: Log) {
    this.#parts = parts;
    const { clock, settings, tell } = parts;
    const instruments = parts.instruments.filter(({ contract }) => contract !== undefined);
    this.#coins = [...new Set(instruments.map(({ quote }) => quote))].sort();
    this.#watch = new FuturesWatch({
      instruments,
      expected,
      settings: { ...REST_DEFAULTS, ...settings },
      isOwn: () => false,
      adopterOf: () => undefined,
      outlets: { clock, memory: FORGETFUL, log, tell, settled: () => {}, fail },
      // Every request is answered, so that no order is ever in doubt.
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
    const { tell, clock } = this.#parts;
    const order = this.#watch.orders.find(clientOrderId);
    if (order?.alive !== true) {
      tell({ kind: 'cancelRejected', time: clock.now(), clientOrderId });
      return;
    }
    // As a bot does: what has not left is taken back.
    if (order.phase === 'sending') {
      this.#watch.life.takenBack(order, reason);
      this.#watch.sights.answered(order);
      return;
    }
    this.#watch.life.wished(order, reason);
    this.#sendCancel(order);
  }

  *look(full: boolean): Generator<void, void> {
    const watch = this.#watch;
    if (!watch.look(full)) return;
    const first = yield* this.#asked();
    const due = watch.due(full, first);
    for (const instrument of due) {
      const asked = watch.lists.ask(instrument);
      yield;
      watch.lists.note(asked, this.#list(instrument));
    }
    watch.commit(due.length > 0 ? yield* this.#asked() : first);
  }

  finish(): void {
    const { tell, clock } = this.#parts;
    for (const order of this.#watch.orders.alive) {
      tell({ kind: 'orderExpired', time: clock.now(), clientOrderId: order.clientOrderId, reason: 'endOfRun' });
      this.#watch.orders.end(order);
    }
  }

  /** Pictures are asked for coin by coin. */
  *#asked(): Generator<void, ReadonlyMap<string, Read>> {
    const found = new Map<string, Read>();
    for (const coin of this.#coins) {
      yield;
      found.set(coin, this.#read(coin));
    }
    return found;
  }

  #read(coin: string): Read {
    const { account, clock, instruments } = this.#parts;
    const picture = pictureOfAccount(account.futures!, coin, instruments, this.#pictures.get(coin));
    this.#pictures.set(coin, picture);
    return { askedAt: clock.now(), picture };
  }

  /** The current orders of a contract, as operation 14 lists them: those that are over it does not. */
  #list(instrument: Instrument): ListedOrder[] {
    const { matching, account } = this.#parts;
    return matching.orders(account).flatMap((order) => (order.instrument === instrument ? [listed(order)] : []));
  }

  #place(order: TrackedOrder, request: ApprovedOrder): boolean {
    if (!order.alive) return false;
    const { matching, account, clock } = this.#parts;
    const { life, sights } = this.#watch;
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
    if (!order.alive || order.wish === undefined) return false;
    const { matching, account, clock } = this.#parts;
    const { life, sights } = this.#watch;
    const { clientOrderId } = order;
    const works = matching.orders(account).some((one) => one.clientOrderId === clientOrderId);
    if (works) matching.cancel(account, clientOrderId, clock.now(), order.wish.reason);
    life.cancelHeard(order, works ? 'taken' : 'refused');
    sights.answered(order);
    life.lookIn(order, 0);
    return true;
  }
}

/** Nothing outlives a backtest. */
const FORGETFUL = { remember() {}, recall: () => undefined, request() {}, reply() {} };

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
 * The picture of a simulated account that the exchange would give of one coin: flat positions are not listed.
 * @param last the one before, which is given again where nothing has changed.
 */
function pictureOfAccount(
  account: FuturesAccount,
  coin: string,
  instruments: readonly Instrument[],
  last: AccountPicture | undefined,
): AccountPicture {
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
