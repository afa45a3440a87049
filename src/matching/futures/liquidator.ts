import { Decimal, ZERO } from '../../model/decimal.ts';
import { maintenanceMargin } from '../../model/margin.ts';
import { forcedWords, type LiquidationType } from '../../model/order.ts';
import type { SimulatedAccount } from '../accounts/simulated-account.ts';
import type { Book } from '../books/book.ts';
import type { Executor } from '../executor.ts';
import { WorkingOrder, type WorkingOrders } from '../working-order.ts';
import type { ContractBook } from './contract-book.ts';
import type { FuturesAccount } from './futures-account.ts';
import type { FuturesPosition } from './futures-position.ts';
import type { MarginPool } from './margin-pool.ts';
import type { TriggerDesk } from './trigger-desk.ts';

/** The functions that the liquidator needs of the exchange. */
interface LiquidatorOutlets {
  book(position: FuturesPosition): Book;
  nextOrderId(): string;
  cancel(order: WorkingOrder, time: number): void;
}

/**
 * Closes positions whose margin balance is at or below their maintenance margin.
 *
 * - Isolated positions first, each with its own margin; one that appends margin automatically first takes from the shared collateral.
 * Then the shared positions of each currency, with their common collateral.
 * - First all orders of their contracts are canceled; for an isolated position, those of its side.
 * - Then the position with the largest maintenance margin is closed: completely in the first tier, else in part, down to the border of the
 *   next lower tier. This repeats while margin is lacking.
 * - It closes at the price in the book, for any size. The fee goes to the insurance fund and takes no more than is left; the fund pays a
 *   negative rest at the end.
 */
export class Liquidator {
  constructor(
    private readonly working: WorkingOrders,
    private readonly executor: Executor,
    private readonly outlets: LiquidatorOutlets,
  ) {}

  run(account: SimulatedAccount, futures: FuturesAccount, time: number): void {
    for (const { isolated, shared } of futures.purses) {
      for (const pool of [...isolated.values()]) {
        if (!pool.due) continue;
        futures.append(pool, time);
        this.#relieve(account, pool, time);
      }
      this.#relieve(account, shared, time);
    }
  }

  /**
   * Closes the positions on one side of a contract at this price, without a fee: by agreement, or by auto-deleveraging. Orders of that side
   * are canceled before.
   * @param most the largest quantity, in steps.
   */
  close(
    account: SimulatedAccount,
    positions: readonly FuturesPosition[],
    { type, ticks, most }: { readonly type: LiquidationType; readonly ticks: number; readonly most: number },
    time: number,
  ): void {
    let left = most;
    for (const position of positions.filter(({ steps }) => steps > 0)) {
      const steps = Math.min(left, position.steps);
      if (steps === 0) return;
      left -= steps;
      for (const order of this.working.of(account)) {
        const { instrument, positionSide } = order.request;
        if (instrument === position.instrument && positionSide === position.positionSide) this.outlets.cancel(order, time);
      }
      const book = this.outlets.book(position);
      const order = this.#orderOf(account, position, steps, book.sequence, type, time);
      this.executor.liquidate(book, order, position, type, ZERO, ticks);
    }
  }

  #relieve(account: SimulatedAccount, pool: MarginPool, time: number): void {
    if (!pool.due) return;
    pool.collateral.liquidating = true;
    this.#cancelOrders(account, pool, time);
    while (pool.due) this.#reduce(account, pool, time);
    pool.collateral.liquidating = false;
  }

  #cancelOrders(account: SimulatedAccount, pool: MarginPool, time: number): void {
    const { instrument, positionSide } = pool.positions[0]!;
    for (const order of this.working.of(account)) {
      const { request } = order;
      const concerned = pool.isolated
        ? request.instrument === instrument && request.positionSide === positionSide
        : request.positionSide !== 'net' && request.instrument.quote === instrument.quote;
      if (concerned) this.outlets.cancel(order, time);
    }
  }

  #reduce(account: SimulatedAccount, pool: MarginPool, time: number): void {
    const position = largest(pool.positions);
    const steps = stepsToClose(position);
    const type: LiquidationType = steps === position.steps ? 'burstLiquidation' : 'offsetLiquidation';
    const book = this.outlets.book(position);
    const order = this.#orderOf(account, position, steps, book.sequence, type, time);
    this.executor.liquidate(book, order, position, type, feeOf(position, pool, book.closingTicks(order.request.side), steps));
  }

  /** The exchange's own order that closes this much of a position. */
  #orderOf(
    account: SimulatedAccount,
    { instrument, positionSide }: FuturesPosition,
    steps: number,
    sequence: number,
    type: LiquidationType,
    time: number,
  ): WorkingOrder {
    const side = positionSide === 'long' ? 'sell' : 'buy';
    return new WorkingOrder(
      account,
      {
        clientOrderId: '',
        strategyId: '',
        instrument,
        side,
        positionSide,
        type: 'market',
        timeInForce: 'IOC',
        postOnly: false,
        reduceOnly: true,
        priceTicks: undefined,
        triggerTicks: undefined,
        fromNextBar: false,
        steps,
        quoteQuantity: undefined,
        tag: forcedWords(type).tag,
        released: false,
        decidedSequence: sequence,
        seenSequence: 0,
      },
      this.outlets.nextOrderId(),
      0,
      time,
      type,
    );
  }
}

/** The position with the largest maintenance margin; of equals the first instrument, its long side, its oldest. */
function largest(positions: readonly FuturesPosition[]): FuturesPosition {
  const ranked = positions.map((position) => ({ position, margin: maintenanceMargin(position, position.book.prices.exact) }));
  const order = (a: FuturesPosition, b: FuturesPosition) =>
    a.instrument.index - b.instrument.index || Number(a.positionSide === 'short') - Number(b.positionSide === 'short');
  return ranked.sort((a, b) => b.margin.comparedTo(a.margin) || order(a.position, b.position))[0]!.position;
}

/** The whole position in the first tier; else the smallest quantity that brings its value to the border of the next lower tier. */
function stepsToClose({ steps, book: { contract, instrument, prices } }: FuturesPosition): number {
  const { step } = instrument;
  const { from } = contract.tiers.of(step.toDecimal(steps).times(prices.exact));
  return from.isZero() ? steps : steps - step.floorUnits(from.div(prices.exact));
}

/** At most the margin balance after the loss. */
function feeOf({ instrument, positionSide, book }: FuturesPosition, pool: MarginPool, ticks: number, steps: number): Decimal {
  const notional = instrument.notional(ticks, steps);
  const slipped = notional.minus(instrument.step.toDecimal(steps).times(book.prices.exact));
  const left = positionSide === 'long' ? pool.balance.plus(slipped) : pool.balance.minus(slipped);
  return Decimal.max(ZERO, Decimal.min(notional.times(book.contract.liquidationFee), left));
}

/** Notes that an open position may lack margin. */
interface MarginFlag {
  marginDue: boolean;
}

/** Applies the prices of contracts: triggers orders, checks margins, and liquidates positions that lack margin. */
export class ContractDesk {
  constructor(
    private readonly flag: MarginFlag,
    private readonly triggers: TriggerDesk,
    private readonly liquidator: Liquidator,
    private readonly accounts: () => Iterable<SimulatedAccount>,
    /** False: positions that lack margin stay open. */
    private readonly liquidates: boolean,
  ) {}

  /**
   * Called at every price.
   * @param moved false where the value of positions is unchanged.
   */
  judge(book: Book, contract: ContractBook, time: number, moved = true): void {
    this.triggers.judge(book, contract, time);
    if (moved && !this.flag.marginDue && this.liquidates && contract.mayLack()) this.flag.marginDue = true;
  }

  /** The first price on the way at which an order triggers or a margin is too small. */
  next(book: Book, from: number, to: number): number | undefined {
    const { contract } = book;
    if (contract === undefined) return undefined;
    const trigger = this.triggers.next(book, contract, from, to);
    const due = this.liquidates ? contract.dueTicks(from, trigger ?? to) : undefined;
    return due ?? trigger;
  }

  noteLack(): void {
    if (this.liquidates) this.flag.marginDue = true;
  }

  liquidate(time: number): void {
    if (this.liquidates) {
      for (const account of this.accounts()) if (account.futures !== undefined) this.liquidator.run(account, account.futures, time);
    }
    this.flag.marginDue = false;
  }
}
