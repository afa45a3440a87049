import type { ExchangeClient } from '../../../../src/exchange/client/exchange-client.ts';
import type { PayloadOf } from '../../../../src/exchange/operations/operations.ts';
import { Decimal } from '../../../../src/model/decimal.ts';
import { PERP } from '../../../local-exchange/local.ts';
import { type FuturesRow, isCancel } from '../row.ts';

type WireOrder = PayloadOf<'futuresOrders'>[number];
type Picture = PayloadOf<'futuresAccount'>;
type Collateral = Picture['collateral'][number];
type Side = 'long' | 'short';

/** What was last seen of an order. */
interface Seen {
  readonly filled: Decimal;
  readonly value: Decimal;
  readonly fee: Decimal;
  readonly triggered: boolean;
  readonly ended: boolean;
}

const ZERO = new Decimal(0);
const NEW: Seen = { filled: ZERO, value: ZERO, fee: ZERO, triggered: false, ended: false };
const SIDES: readonly Side[] = ['long', 'short'];

/** Reads operations 10 and 14 to 16 now and then, and tells in a row's words what has changed since. */
export class WireWatch {
  readonly events: string[] = [];
  readonly contradictions: string[] = [];
  readonly #orders = new Map<string, Seen>();
  readonly #funding: Record<Side, Decimal> = { long: ZERO, short: ZERO };
  readonly #triggers: ReadonlySet<string>;

  constructor(
    private readonly client: ExchangeClient,
    private readonly row: FuturesRow,
  ) {
    const steps = row.steps.flatMap((step) => (isCancel(step) || step.trigger === undefined ? [] : [step.id]));
    this.#triggers = new Set(steps);
  }

  /** What happened by now. */
  async look(seconds: number): Promise<void> {
    // Oldest first.
    for (const order of (await this.client.futuresOrders()).reverse()) this.#order(seconds, order);
    const { position } = await this.account();
    for (const side of SIDES) {
      const funding = sumOf(sided(position, side), ({ cum_funding_fee }) => cum_funding_fee);
      const amount = funding.minus(this.#funding[side]);
      if (!amount.isZero()) this.events.push(`${seconds} funding ${side} ${amount.toFixed()}`);
      this.#funding[side] = funding;
    }
  }

  /** Operation 16, held against operations 10 and 15. */
  async account(): Promise<Picture & { readonly frozen: string }> {
    const picture = await this.client.futuresAccount({ coinId: '2' });
    const single = await this.client.singlePosition({ symbol: PERP });
    const [asset] = await this.client.futuresAssets();
    this.#same('positions', JSON.stringify(single.map(ofPosition)), JSON.stringify(picture.position.map(ofPosition)));
    for (const collateral of picture.collateral) {
      const sums = Object.entries(collateral).flatMap(([name, amount]) => (name.startsWith('cum_') ? [String(amount)] : []));
      this.#same('sums of a collateral', sumOf(sums, String).toFixed(), collateral.amount);
    }
    const { equity = '0', unrealizePnl = '0', frozen = '0', available = '0' } = asset ?? {};
    this.#same('wallet', new Decimal(equity).minus(unrealizePnl ?? '0').toFixed(), totalOf(picture.collateral).toFixed());
    // The profit of isolated positions is theirs alone.
    const free = Decimal.max(ZERO, new Decimal(equity).minus(frozen)).toFixed();
    if (this.row.margin?.mode !== 'isolated') this.#same('free', available, free);
    return { ...picture, frozen };
  }

  #order(seconds: number, order: WireOrder): void {
    const { order_id, client_oid: id, filled_qty, price_avg, status, type } = order;
    const before = this.#orders.get(order_id) ?? NEW;
    const filled = new Decimal(filled_qty);
    const value = filled.times(price_avg || '0');
    const fee = new Decimal(order.fee || '0');
    const triggered = before.triggered || status === 'open' || !filled.isZero();
    this.#orders.set(order_id, { filled, value, fee, triggered, ended: status === 'canceled' });
    if (triggered && !before.triggered && this.#triggers.has(id)) this.events.push(`${seconds} ${id} triggered`);
    const quantity = filled.minus(before.filled);
    if (!quantity.isZero()) {
      const [notional, paid] = [value.minus(before.value), fee.minus(before.fee)];
      const size = `${quantity.toFixed()}@${notional.div(quantity).toFixed()}`;
      const forced = /^(offset|burst)_liquidate_(long|short)$/.exec(type);
      this.events.push(
        forced === null
          ? `${seconds} ${id} ${type.replace('_', ' ')} ${size} ${this.#liquidity(notional, paid)}`
          : `${seconds} liquidated ${forced[1]} ${forced[2]} ${size} ${paid.toFixed()}`,
      );
    }
    if (status === 'canceled' && !before.ended) this.events.push(`${seconds} ${id} ended`);
    this.#same(`${id} filled`, String(status === 'filled'), String(filled.equals(order.size)));
  }

  /** Who was maker, told by the fee. */
  #liquidity(notional: Decimal, fee: Decimal): string {
    const { makerFee = '0', takerFee = '0' } = this.row;
    if (fee.equals(notional.times(takerFee))) return 'taker';
    return fee.equals(notional.times(makerFee)) ? 'maker' : `for ${fee.toFixed()}`;
  }

  #same(what: string, one: string, other: string): void {
    if (one !== other) this.contradictions.push(`${what}: ${one} and ${other}`);
  }
}

/** The wallet, isolated margin included. */
export function totalOf(collateral: readonly Collateral[]): Decimal {
  return sumOf(collateral, ({ legacy_amount }) => legacy_amount);
}

export function heldOf(positions: Picture['position'], side: Side): number {
  return sumOf(sided(positions, side), ({ size }) => size).toNumber();
}

export function sumOf<T>(items: readonly T[], amount: (item: T) => string): Decimal {
  return items.reduce((sum, item) => sum.plus(amount(item)), ZERO);
}

function sided(positions: Picture['position'], side: Side): Picture['position'] {
  return positions.filter((position) => position.side.toLowerCase() === side);
}

/** What operations 15 and 16 spell the same. */
function ofPosition(position: Picture['position'][number] | PayloadOf<'singlePosition'>[number]) {
  const { id, side, size, open_value, isolated_margin, funding_fee, leverage } = position;
  return [id, side, size, open_value, isolated_margin, funding_fee, leverage];
}
