import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { VenueEvent } from '../../src/model/account-events.ts';
import { type Decimal, ZERO } from '../../src/model/decimal.ts';
import type { MarketEvent } from '../../src/model/market-events.ts';
import { FuturesOracle, type OracleOrder, UNIT } from './futures-oracle.ts';
import { type FuturesCase, futuresCase, LIQUIDATION_FEE } from './futures-runs.ts';
import { type FuturesWorld, runCase, type SentOrder, type Watcher } from './futures-world.ts';

const RUNS = 150;
const MARK_MAX_AGE_MS = 60_000;
const REACHED = [
  'orderFilled',
  'orderTriggered',
  'orderCanceled',
  'marginTooLow',
  'nothingToClose',
  'fundingCharged',
  'offsetLiquidation',
  'burstLiquidation',
];
/** What moves a balance beside the profit of closes. */
const MONEY = new Set(['fee', 'funding', 'liquidationFee', 'insurance']);
const SIDES = ['long', 'short'] as const;

/** A decimal in the oracle's units; it must be a whole number of them. */
function units(value: Decimal): bigint {
  const [whole = '', places = ''] = value.toFixed().split('.');
  holds(places.length <= 30, `${value.toFixed()} has at most 30 places`);
  return BigInt(whole + places.padEnd(30, '0'));
}

/** Many thousands of times a case: `expect` would take longer than the case itself. */
function holds(condition: boolean, rule: string): void {
  if (!condition) throw new Error(`expected: ${rule}`);
}

function same(what: string, actual: bigint, expected: bigint): void {
  holds(actual === expected, `${what} is ${expected}, not ${actual}`);
}

/** Follows a case with the oracle, and complains where the simulator did anything else. */
class Checker implements Watcher {
  readonly oracle: FuturesOracle;
  readonly seen = new Map<string, number>();
  readonly #sent = new Map<string, SentOrder>();
  readonly #last = new Map<string, { price: bigint; time: number }>();
  readonly #mark = new Map<string, { price: bigint; time: number }>();
  /** What the fund gained and paid, by what was told. */
  insurance = 0n;
  #paid = 0n;

  constructor(private readonly given: FuturesCase) {
    this.oracle = new FuturesOracle(given.settings, BigInt(given.deposit));
  }

  price(event: MarketEvent): void {
    if (event.kind === 'ticker') this.#last.set(event.symbol, { price: BigInt(event.lastTicks), time: event.time });
    if (event.kind === 'mark') this.#mark.set(event.symbol, { price: BigInt(event.units), time: event.time });
    const last = this.#last.get(event.symbol);
    const mark = this.#mark.get(event.symbol);
    const fresh = mark !== undefined && event.time - mark.time <= MARK_MAX_AGE_MS;
    const value = fresh ? mark : last;
    if (value !== undefined) this.oracle.marks.set(event.symbol, value.price);
  }

  sent(order: SentOrder): void {
    this.#sent.set(order.id, order);
  }

  told(event: VenueEvent): void {
    this.seen.set(event.kind, (this.seen.get(event.kind) ?? 0) + 1);
    const { oracle } = this;
    switch (event.kind) {
      case 'orderAccepted': {
        const order = { ...this.#orderOf(event.clientOrderId), orderId: event.orderId };
        if (!order.closes && !order.asleep) holds(oracle.bound(order) <= oracle.free(), 'an accepted order has its margin');
        oracle.orders.set(order.id, order);
        return;
      }
      case 'orderTriggered': {
        const order = oracle.orders.get(event.clientOrderId)!;
        const { limit } = this.#limits(order.id);
        // Asleep it bound nothing; awake it may be refused, so it is looked at again when it fills or ends.
        oracle.orders.set(order.id, { ...order, price: limit ?? BigInt(event.priceTicks), asleep: false });
        return;
      }
      case 'orderRejected':
        this.#rejected(event);
        return;
      case 'orderFilled': {
        const { fill, complete } = event;
        const order = oracle.orders.get(event.clientOrderId)!;
        if (order.closes) holds(BigInt(fill.steps) <= oracle.held(order.symbol, order.side), 'no close goes beyond the position');
        oracle.fill(order, BigInt(fill.priceTicks), BigInt(fill.steps), fill.liquidity === 'maker');
        if (complete) oracle.orders.delete(order.id);
        this.#makeGood();
        return;
      }
      case 'orderCanceled':
      case 'orderExpired':
        if (event.kind === 'orderExpired' && event.reason === 'positionClosed') {
          const { symbol, side } = oracle.orders.get(event.clientOrderId)!;
          same('what is left to close', oracle.held(symbol, side), 0n);
        }
        oracle.orders.delete(event.clientOrderId);
        return;
      case 'fundingCharged': {
        const { instrument, positionSide, amount, rate } = event;
        same('funding', units(amount), oracle.charge(instrument.symbol, positionSide as 'long', BigInt(rate.times(1e6).toFixed())));
        return;
      }
      case 'positionLiquidated':
        this.#liquidated(event);
        return;
      case 'balanceChanged':
        if (event.entry?.reason !== 'insurance') return;
        // Told before the fill that it makes good.
        this.#paid += units(event.entry.amount);
        this.insurance -= units(event.entry.amount);
        return;
      default:
    }
  }

  /** The fund is one for all accounts. */
  reportedOpponent(event: VenueEvent): void {
    if (event.kind !== 'balanceChanged' || event.entry === undefined) return;
    const { reason, amount } = event.entry;
    if (reason === 'insurance' || reason === 'liquidationFee') this.insurance -= units(amount);
  }

  settled({ account, matching, instruments }: FuturesWorld): void {
    const { oracle } = this;
    const { total, frozen } = account.balances.find(({ asset }) => asset === 'USDT')!;
    same('the balance', units(total), oracle.wallet);
    same('what is frozen', units(frozen), oracle.frozen());
    for (const { symbol } of instruments) {
      for (const side of SIDES) {
        const records = matching.positions(account, symbol, side);
        same(
          'held',
          records.reduce((sum, { steps }) => sum + BigInt(steps), 0n),
          oracle.held(symbol, side),
        );
        same(
          'the open value',
          records.reduce((sum, { openValue }) => sum + units(openValue), 0n),
          oracle.openValue(symbol, side),
        );
      }
    }
    holds(oracle.due().length === 0, 'nothing that lacks margin outlives its instant');
    same('the fund', units(matching.insuranceFund('USDT')), this.insurance);
  }

  #makeGood(): void {
    this.oracle.wallet += this.#paid;
    this.#paid = 0n;
  }

  #orderOf(id: string): OracleOrder {
    const { symbol, side, closes, quantity, price, triggered } = this.#sent.get(id)!;
    return { id, symbol, side, closes, price: BigInt(price), left: BigInt(quantity), asleep: triggered };
  }

  #limits(id: string): { limit: bigint | undefined } {
    const index = Number(id.slice(1));
    const { price } = this.#sent.get(id)!;
    return { limit: this.given.actions[index]!.limit === undefined ? undefined : BigInt(price) };
  }

  #rejected({ clientOrderId, reason }: Extract<VenueEvent, { kind: 'orderRejected' }>): void {
    const { oracle } = this;
    const order = oracle.orders.get(clientOrderId) ?? this.#orderOf(clientOrderId);
    oracle.orders.delete(clientOrderId);
    this.seen.set(reason.code, (this.seen.get(reason.code) ?? 0) + 1);
    if (reason.code === 'marginTooLow') holds(oracle.bound(order) > oracle.free(), 'an order refused for its margin lacks it');
    if (reason.code === 'nothingToClose') same('what is left to close', oracle.held(order.symbol, order.side), 0n);
  }

  #liquidated({ fill, type, positionId }: Extract<VenueEvent, { kind: 'positionLiquidated' }>): void {
    const { oracle } = this;
    const { instrument, positionSide, priceTicks, steps, fee } = fill;
    const side = positionSide as 'long' | 'short';
    const lots = oracle.due().filter((lot) => lot.symbol === instrument.symbol && lot.side === side);
    holds(lots.length > 0, 'only what lacks margin is liquidated');
    this.seen.set(type, (this.seen.get(type) ?? 0) + 1);
    oracle.liquidate(lots, positionId, BigInt(priceTicks), BigInt(steps));
    const most = (BigInt(priceTicks) * BigInt(steps) * BigInt(LIQUIDATION_FEE) * UNIT) / 1_000_000n;
    holds(units(fee) >= 0n && units(fee) <= most, 'a liquidation fee is at most its rate');
    oracle.payLiquidation(units(fee));
    this.#makeGood();
    this.insurance += units(fee);
  }
}

const cases = (check: (given: FuturesCase) => void) => fc.assert(fc.property(futuresCase, check), { numRuns: RUNS });

describe('over random lives of a futures account', () => {
  test('every decision, and every figure after every instant, is that of a slow and obvious model', () => {
    const seen = new Map<string, number>();
    cases((given) => {
      const checker = new Checker(given);
      runCase(given, checker);
      for (const [kind, count] of checker.seen) seen.set(kind, (seen.get(kind) ?? 0) + count);
    });
    // The cases reach what they are there for.
    const missed = REACHED.filter((kind) => !seen.has(kind));
    expect(missed).toEqual([]);
  });

  test('no money appears or disappears: all accounts, the exchange and the insurance fund together keep the deposits', () => {
    fc.assert(
      fc.property(futuresCase, fc.boolean(), (given, autoAppend) => {
        const world = runCase({ ...given, autoAppend }, { settled: conserved(given.deposit) });
        conserved(given.deposit)(world);
      }),
      { numRuns: RUNS },
    );
  });

  test('equity is the balance plus unrealised profit, and profit is the proceeds of sales less the cost of purchases', () => {
    cases((given) => {
      let cash = BigInt(given.deposit) * UNIT;
      runCase(given, {
        told(event) {
          if (event.kind === 'balanceChanged' && MONEY.has(event.entry?.reason ?? '')) cash += units(event.entry!.amount);
          if (event.kind !== 'orderFilled' && event.kind !== 'positionLiquidated') return;
          const { side, notional } = event.fill;
          cash += side === 'sell' ? units(notional) : -units(notional);
        },
        settled({ account, matching }) {
          const open = matching
            .positions(account)
            .reduce((sum, { positionSide, openValue }) => sum + (positionSide === 'long' ? units(openValue) : -units(openValue)), 0n);
          same('the balance', units(account.balances.find(({ asset }) => asset === 'USDT')!.total), cash + open);
        },
      });
    });
  });

  test('the same case has the same life', () => {
    cases((given) => {
      const life = () => {
        const told: string[] = [];
        runCase(given, { told: (event) => told.push(JSON.stringify(event, (key, value) => (key === 'instrument' ? undefined : value))) });
        return told;
      };
      expect(life()).toEqual(life());
    });
  });
});

function conserved(deposit: number) {
  return ({ matching, account, opponent }: FuturesWorld) => {
    const own = [...account.balances, ...opponent.balances].reduce((sum, { total }) => sum.plus(total), ZERO);
    const others = matching.exchangeBook.total('USDT');
    expect(own.plus(others).toFixed()).toBe('0');
    expect(matching.exchangeBook.balance('deposits', 'USDT').toFixed()).toBe(String(-2 * deposit));
  };
}
