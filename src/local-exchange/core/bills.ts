import type { VenueEvent } from '../../model/account-events.ts';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { LedgerEntry } from '../../model/ledger.ts';
import { closes } from '../../model/order.ts';
import type { WireIds } from './order-store.ts';

/** One movement of the futures wallet, in its coin. */
export interface Bill {
  readonly billId: string;
  readonly coin: string;
  /** The contract; `undefined` for movements that concern none. */
  readonly instrument: Instrument | undefined;
  readonly kind: string;
  /** The change of the balance before the fee. */
  readonly amount: Decimal;
  /** Positive where it was paid. */
  readonly fee: Decimal;
  /** The balance after it. */
  readonly balance: Decimal;
  readonly reason: string;
  /** Epoch ms. */
  readonly time: number;
}

/**
 * The bills of an account, made of the movements of its futures wallet: the sum of their amounts less their fees is the balance. The
 * movements of a fill or a funding payment come before the event that names its contract, and become one bill with it.
 */
export class BillBook {
  /** Oldest first. */
  readonly bills: Bill[] = [];
  readonly #profits = new Map<string, Decimal>();
  #moved: LedgerEntry[] = [];
  #balance: Decimal = ZERO;

  constructor(private readonly ids: WireIds) {}

  /** The profit that a fill realised, without its fee; zero for a fill that opened. */
  profitOf(fillId: string): Decimal {
    return this.#profits.get(fillId) ?? ZERO;
  }

  take(event: VenueEvent): void {
    switch (event.kind) {
      case 'balanceChanged': {
        const { balance, entry, time } = event;
        if (balance.wallet !== 'futures' || entry === undefined) return;
        this.#balance = balance.total;
        if (entry.reason === 'deposit') this.#transferred(entry, time);
        else this.#moved.push(entry);
        break;
      }
      case 'orderFilled':
        this.#filled(event.fill, false);
        break;
      case 'positionLiquidated':
      case 'positionDeleveraged':
        this.#filled(event.fill, event.kind === 'positionLiquidated');
        break;
      case 'fundingCharged': {
        const [entry] = this.#moved.splice(0);
        if (entry !== undefined) this.#add(entry.asset, event.instrument, 'position_funding', event.amount, ZERO, event.time);
        break;
      }
      default:
    }
  }

  #transferred({ asset, amount }: LedgerEntry, time: number): void {
    this.#add(asset, undefined, amount.isNegative() ? 'transfer_out' : 'transfer_in', amount, ZERO, time);
  }

  #filled(fill: Fill, forced: boolean): void {
    const { instrument, positionSide, fillId, time } = fill;
    if (instrument.kind !== 'futures') return;
    const moved = this.#moved.splice(0);
    const sumOf = (...reasons: LedgerEntry['reason'][]) =>
      moved.filter(({ reason }) => reasons.includes(reason)).reduce((sum, { amount }) => sum.plus(amount), ZERO);
    const profit = sumOf('profit');
    const insured = sumOf('insurance');
    if (!profit.isZero()) this.#profits.set(fillId, profit);
    const kind = `position_${closes(fill) ? 'close' : 'open'}_${positionSide}`;
    if (forced) this.#add(instrument.quote, instrument, 'start_liquidate', ZERO, ZERO, time);
    // The wallet's balance has all movements already: the insurance is shown as a bill of its own, after this one.
    const balance = this.#balance.minus(insured);
    this.#add(instrument.quote, instrument, kind, profit, sumOf('fee', 'liquidationFee').negated(), time, '', balance);
    if (!insured.isZero()) this.#add(instrument.quote, instrument, 'transfer_in', insured, ZERO, time, 'insurance_fund');
    if (forced) this.#add(instrument.quote, instrument, 'finish_liquidate', ZERO, ZERO, time);
  }

  #add(
    coin: string,
    instrument: Instrument | undefined,
    kind: string,
    amount: Decimal,
    fee: Decimal,
    time: number,
    reason = '',
    balance = this.#balance,
  ): void {
    this.bills.push({ billId: this.ids.bill(), coin, instrument, kind, amount, fee, balance, reason, time });
  }
}
