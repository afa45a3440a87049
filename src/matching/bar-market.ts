import type { Instrument } from '../model/instrument.ts';
import type { Bar } from '../model/market-events.ts';
import type { HeldLevels } from '../ports/execution-venue.ts';
import type { Arrivals } from './arrivals.ts';
import { BarWalk } from './bar-walk.ts';
import type { Book } from './books/book.ts';
import type { Executor } from './executor.ts';
import type { ContractDesk } from './futures/liquidator.ts';
import { isOwnModel } from './models/own-model.ts';
import { pathOf } from './models/paths.ts';
import type { Resting } from './resting.ts';
import { type FillSettings, penetrationTicks } from './settings.ts';

/** The functions that bars need from the engine and the accounts. */
export interface BarContext {
  readonly settings: FillSettings;
  readonly held: HeldLevels;
  /** The path is at this price: the engine checks its held orders before this returns. */
  readonly pause: (instrument: Instrument, time: number, sequence: number, ticks: number) => void;
  /** Net steps over all accounts. */
  positionSteps(instrument: Instrument): number;
  marginDue(): boolean;
}

/** Bars as prices: their open, the path inside them, their close. */
export class BarMarket {
  /** Bars in which the price passed a stop that was not active before the next open, over all instruments. */
  unguarded = 0;
  readonly #walk: BarWalk;
  /** The share of a bar's volume that own orders may take. */
  readonly #volumeShare: number | undefined;
  readonly #countsVolume: boolean;

  constructor(
    private readonly context: BarContext,
    private readonly executor: Executor,
    private readonly resting: Resting,
    private readonly arrivals: Arrivals,
    private readonly contracts: ContractDesk,
  ) {
    const { settings, held } = context;
    this.#volumeShare = volumeShareOf(settings);
    this.#countsVolume = isOwnModel(settings.slippage);
    this.#walk = new BarWalk(
      pathOf(settings.path),
      resting,
      {
        held,
        forced: (book, from, to) => contracts.next(book, from, to),
        judge: (book) => contracts.judge(book, book.contract!, book.time),
        pause: (book, ticks) => this.#pauseInside(book, ticks),
        positionSteps: (instrument) => context.positionSteps(instrument),
        dependedOnPath: (book, filled) => executor.countPath(book, filled || context.positionSteps(book.instrument) !== 0),
      },
      penetrationTicks(settings.limit),
    );
  }

  /** Bars in which a stop trailed by no more than the bar's range. */
  get narrowTrails(): number {
    return this.#walk.narrowTrails;
  }

  /** The first price for waiting orders. Positions that lack margin at it are liquidated at the end of its instant. */
  open(book: Book, time: number, sequence: number, openTicks: number, volume: number): void {
    const { instrument, contract } = book;
    const { held, settings } = this.context;
    const { market } = settings;
    book.setPrice(openTicks, sequence, time);
    book.openTime = time;
    book.leg = 'open';
    if (this.#volumeShare !== undefined) {
      book.sharedBudget = instrument.step.snap(volume * this.#volumeShare, 'down') ?? 0;
      book.barBudget = book.sharedBudget;
      book.barVolume = volume / instrument.step.toNumber(1);
    } else if (this.#countsVolume) {
      // No limit: but the model receives the share that own orders take.
      book.sharedBudget = Number.MAX_SAFE_INTEGER;
      book.barBudget = book.sharedBudget;
      book.barVolume = volume / instrument.step.toNumber(1);
    }
    const { fills } = this.executor;
    if (held.opens(instrument, time, openTicks)) this.context.pause(instrument, time, sequence, openTicks);
    if (contract !== undefined) {
      book.triggers.wake();
      this.contracts.judge(book, contract, time);
    }
    if (!book.idle) {
      this.resting.meetBook(book, 'buy', openTicks, true);
      this.resting.meetBook(book, 'sell', openTicks, true);
      this.arrivals.meetWaiting(book, (order) => market === 'nextOpen' || !order.immediate);
    }
    // Fills here may have armed exits that this same open triggers.
    if (this.executor.fills > fills) this.context.pause(instrument, time, sequence, openTicks);
    book.leg = undefined;
  }

  /** Walks the path; then the close is the price. */
  close(book: Book, bar: Bar): void {
    const { contract } = book;
    book.sequence = bar.sequence;
    book.time = bar.time;
    book.closeTime = bar.time;
    book.leg = 'close';
    if (contract?.prices.age(bar.time)) {
      // From here on, positions are valued at the prices of the path, which begins with the open.
      this.contracts.judge(book, contract, bar.time);
      if (this.context.marginDue()) this.#pauseInside(book, bar.openTicks);
    }
    if (this.#quiet(book, bar)) {
      book.triggers.pass(bar.highTicks);
      book.triggers.pass(bar.lowTicks);
      book.setPrice(bar.closeTicks, bar.sequence, bar.time);
    } else {
      this.#walk.walk(book, bar.openTicks, bar.highTicks, bar.lowTicks, bar.closeTicks);
      if (this.context.settings.market === 'close') this.arrivals.meetWaiting(book, (order) => order.immediate);
    }
    if (contract !== undefined) this.contracts.judge(book, contract, bar.time);
    book.leg = undefined;
    book.activity?.bar(bar);
    if (book.triggers.passedAsleep || this.context.held.passedAsleep(bar.instrument)) this.unguarded++;
  }

  /** Nothing can happen inside this bar. */
  #quiet(book: Book, { openTicks, highTicks, lowTicks }: Bar): boolean {
    if (!book.idle || this.context.held.any(book.instrument)) return false;
    return this.contracts.next(book, openTicks, highTicks) === undefined && this.contracts.next(book, openTicks, lowTicks) === undefined;
  }

  #pauseInside(book: Book, ticks: number): void {
    const { instrument, time, sequence } = book;
    const { pause, marginDue } = this.context;
    const { fills } = this.executor;
    pause(instrument, time, sequence, ticks);
    // Fills of released orders may have armed exits that this same price triggers: it is checked again.
    if (this.executor.fills > fills) pause(instrument, time, sequence, ticks);
    if (!marginDue()) return;
    const before = this.executor.fills;
    this.contracts.liquidate(time);
    if (this.executor.fills > before) pause(instrument, time, sequence, ticks);
  }
}

/** The smaller of the setting and the limit of the slippage model. */
function volumeShareOf({ barVolumeShare, slippage }: FillSettings): number | undefined {
  if (slippage === undefined || isOwnModel(slippage) || !('volumeShare' in slippage)) return barVolumeShare;
  return Math.min(barVolumeShare ?? 1, Number(slippage.volumeShare.limit));
}
