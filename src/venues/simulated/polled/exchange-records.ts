import type { SimulatedAccount } from '../../../matching/accounts/simulated-account.ts';
import type { VenueEvent } from '../../../model/account-events.ts';
import { ZERO } from '../../../model/decimal.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Balance, LedgerEntry } from '../../../model/ledger.ts';
import { closes, type LiquidationType, type OrderRequest } from '../../../model/order.ts';
import type { Rejection } from '../../../model/reasons.ts';
import type {
  Lookups,
  Question,
  SeenBalance,
  SeenBill,
  SeenFill,
  SeenOrder,
  SeenPicture,
  SeenStatus,
  Since,
} from '../../reconcile/records.ts';

/** An order in the exchange's records. */
interface OrderRecord {
  readonly request: OrderRequest;
  /** Empty until it is accepted. */
  orderId: string;
  refusal: Rejection | undefined;
  filledSteps: number;
  isTriggered: boolean;
  over: 'filled' | 'canceled' | undefined;
  readonly fills: SeenFill[];
}

/** The records of one wallet of the simulated exchange: events write them, and they answer the questions of a reconciliation at once. */
export class ExchangeRecords implements Lookups {
  readonly #orders = new Map<string, OrderRecord>();
  readonly #byOrderId = new Map<string, OrderRecord>();
  /** Closes by the exchange, by the id of its order. */
  readonly #forced = new Map<string, { readonly type: LiquidationType; readonly fill: Fill }>();
  readonly #fills = new Map<Instrument, SeenFill[]>();
  readonly #balances = new Map<string, Balance>();
  #bills: (SeenBill & { readonly coin: string })[] = [];
  #billCount = 0;
  /** Entries of the ledger since the last fill or payment. */
  #entries: LedgerEntry[] = [];
  #picture: SeenPicture | undefined;

  constructor(private readonly account: () => SimulatedAccount) {}

  /** An order is about to arrive. */
  open(request: OrderRequest): void {
    const isTriggered = request.triggerTicks === undefined;
    const unknown = { orderId: '', refusal: undefined, filledSteps: 0, over: undefined };
    this.#orders.set(request.clientOrderId, { request, isTriggered, ...unknown, fills: [] });
  }

  /** The exchange's id of the order it has just accepted, or the reason why it has not. */
  replyTo(clientOrderId: string): { readonly orderId: string } | { readonly refusal: Rejection } {
    const { orderId = '', refusal } = this.#orders.get(clientOrderId) ?? {};
    return refusal === undefined ? { orderId } : { refusal };
  }

  /** Whether the order can still be canceled. */
  isOpen(clientOrderId: string): boolean {
    const record = this.#orders.get(clientOrderId);
    return record !== undefined && record.orderId !== '' && record.over === undefined;
  }

  /** Drops the orders that are over, but for those of which `isWanted`. */
  forget(isWanted: (clientOrderId: string) => boolean): void {
    for (const [clientOrderId, { orderId, over, refusal }] of this.#orders) {
      if ((over === undefined && refusal === undefined) || isWanted(clientOrderId)) continue;
      this.#orders.delete(clientOrderId);
      this.#byOrderId.delete(orderId);
    }
  }

  /** Takes the events of the simulated exchange's account. */
  take(event: VenueEvent): void {
    switch (event.kind) {
      case 'balanceChanged':
        this.#balances.set(event.balance.asset, event.balance);
        if (event.entry !== undefined) this.#entries.push(event.entry);
        break;
      case 'positionLiquidated':
      case 'positionDeleveraged':
        this.#forced.set(event.orderId, event);
        this.#fill(event.fill, true);
        break;
      case 'fundingCharged': {
        const [entry] = this.#entries.splice(0);
        // A payment of nothing has no record.
        if (entry === undefined) break;
        const { asset, amount } = entry;
        const positionSide = event.positionSide === 'net' ? undefined : event.positionSide;
        this.#bill(asset, 'funding', amount, event.time, { instrument: event.instrument, positionSide });
        break;
      }
      default:
        if ('clientOrderId' in event) this.#order(event, this.#orders.get(event.clientOrderId));
    }
  }

  order({ id }: Question<'order'>): SeenOrder | undefined {
    const record = 'orderId' in id ? this.#byOrderId.get(id.orderId) : this.#orders.get(id.clientOrderId);
    if (record !== undefined && record.orderId !== '') return seenOrder(record);
    const forced = 'orderId' in id ? this.#forced.get(id.orderId) : undefined;
    if (forced === undefined) return undefined;
    const { orderId, instrument, side, steps } = forced.fill;
    const filled = instrument.step.toDecimal(steps);
    const unsaid = { clientOrderId: '', type: '', price: undefined, createdAt: undefined };
    return { ...unsaid, orderId, symbol: instrument.symbol, side, quantity: filled, filled, status: 'filled', forced: forced.type };
  }

  openOrders({ instrument }: Question<'openOrders'>): readonly SeenOrder[] {
    return [...this.#orders.values()]
      .filter(({ request, orderId, over }) => request.instrument === instrument && orderId !== '' && over === undefined)
      .map(seenOrder);
  }

  fills({ instrument, from }: Question<'fills'>): Since<SeenFill> {
    const kept = this.#fills.get(instrument) ?? [];
    const first = kept.findIndex(({ time }) => time >= from);
    // Older ones are not asked for again.
    kept.splice(0, first === -1 ? kept.length : first);
    return { records: kept, from, whole: true };
  }

  fillsOf({ orderId }: Question<'fillsOf'>): readonly SeenFill[] {
    return this.#byOrderId.get(orderId)?.fills ?? [];
  }

  balances(): readonly SeenBalance[] {
    return [...this.#balances.values()];
  }

  transfers({ from }: Question<'transfers'>): Since<never> {
    return { records: [], from, whole: true };
  }

  picture({ coin }: Question<'picture'>): SeenPicture {
    const { futures } = this.account();
    const version = `${coin} ${futures?.version}`;
    if (this.#picture?.version === version) return this.#picture;
    const records = futures?.positionRecords().filter(({ steps, instrument }) => steps !== 0 && instrument.quote === coin) ?? [];
    const positions = records.map(({ instrument, positionSide, steps, openValue, leverage, mode, isolatedMargin, ...record }) => ({
      instrument,
      positionSide,
      steps,
      openValue,
      leverage,
      isolatedMargin: mode === 'isolated' ? isolatedMargin : undefined,
      orderId: record.openOrderId ?? '',
      funding: record.cumulative.funding,
      id: `${record.positionId} ${record.createdSequence}`,
    }));
    this.#picture = { version, total: this.#balances.get(coin)?.total ?? ZERO, positions };
    return this.#picture;
  }

  bills({ coin, from }: Question<'bills'>): Since<SeenBill> {
    this.#bills = this.#bills.filter(({ time }) => time >= from);
    return { records: this.#bills.filter((bill) => bill.coin === coin), from, whole: true };
  }

  /** @param record undefined for a foreign order on the account: only its reserved funds are visible. */
  #order(event: VenueEvent, record: OrderRecord | undefined): void {
    if (record === undefined) return;
    switch (event.kind) {
      case 'orderAccepted':
        record.orderId = event.orderId;
        this.#byOrderId.set(event.orderId, record);
        break;
      case 'orderTriggered':
        record.isTriggered = true;
        break;
      case 'orderRejected':
        // Refused on arrival, it never existed; refused later, it ends.
        if (record.orderId === '') record.refusal = event.reason;
        else record.over = 'canceled';
        break;
      case 'orderFilled':
        record.filledSteps += event.fill.steps;
        record.isTriggered = true;
        record.fills.push(this.#fill(event.fill, false));
        if (event.complete) record.over = 'filled';
        break;
      case 'orderCanceled':
      case 'orderExpired':
        record.over = 'canceled';
        break;
      default:
    }
  }

  #fill(fill: Fill, isForced: boolean): SeenFill {
    const { fillId, orderId, side, instrument, steps, notional, fee, positionSide } = fill;
    const quantity = instrument.step.toDecimal(steps);
    const entries = this.#entries.splice(0);
    const sumOf = (reason: LedgerEntry['reason']) =>
      entries.filter((entry) => entry.reason === reason).reduce((sum, { amount }) => sum.plus(amount), ZERO);
    // Records have whole ms.
    const time = Math.floor(fill.time);
    const common = { fillId, orderId, side, quantity, notional, time };
    const seen: SeenFill =
      positionSide === 'net'
        ? { ...common, price: instrument.tick.toDecimal(fill.priceTicks), fee, known: fill }
        : {
            ...common,
            price: notional.div(quantity),
            positionSide,
            profit: closes(fill) ? sumOf('profit') : ZERO,
            fee: isForced ? ZERO : fee,
            liquidationFee: isForced ? fee : ZERO,
          };
    const insured = positionSide === 'net' ? ZERO : sumOf('insurance');
    if (!insured.isZero()) this.#bill(instrument.quote, 'insurance', insured, fill.time, { instrument, positionSide: undefined });
    const kept = this.#fills.get(instrument);
    if (kept === undefined) this.#fills.set(instrument, [seen]);
    else kept.push(seen);
    return seen;
  }

  #bill(
    coin: string,
    kind: SeenBill['kind'],
    amount: SeenBill['amount'],
    time: number,
    of: Pick<SeenBill, 'instrument' | 'positionSide'>,
  ): void {
    this.#bills.push({ coin, billId: String(++this.#billCount), kind, amount, ...of, text: kind, time: Math.floor(time) });
  }
}

function seenOrder({ request, orderId, filledSteps, over, isTriggered }: OrderRecord): SeenOrder {
  const { clientOrderId, instrument, side, positionSide } = request;
  const open: SeenStatus = filledSteps > 0 ? 'partiallyFilled' : isTriggered ? 'open' : 'untriggered';
  return {
    orderId,
    clientOrderId,
    symbol: instrument.symbol,
    side,
    positionSide: positionSide === 'net' ? undefined : positionSide,
    type: '',
    price: undefined,
    quantity: undefined,
    filled: instrument.step.toDecimal(filledSteps),
    status: over ?? open,
    createdAt: undefined,
    isTriggered,
  };
}
