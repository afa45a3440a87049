import type { Side } from '../../model/order.ts';
import type { SlippageModel, TakerFill } from '../../ports/models.ts';
import type { Book } from '../books/book.ts';
import type { FillSettings, SlippageSettings } from '../settings.ts';
import { answerOf, isFlag, isOwnModel, madeModel, type OwnModel, requireField } from './own-model.ts';

/**
 * The slippage of takers, in ticks against them, rounded to the worse whole tick and never below one: `slippageBps` of the price, plus the
 * part of the model.
 */
export class Slippage {
  /** The slippage of an order depends on its size. */
  readonly bySize: boolean;
  readonly #model: SlippageModel | undefined;
  readonly #bps: number;
  readonly #halfSpreadTicks: number;

  constructor({ slippage, slippageBps, halfSpreadTicks }: Pick<FillSettings, 'slippage' | 'slippageBps' | 'halfSpreadTicks'>) {
    this.#model = slippage && (isOwnModel(slippage) ? new CheckedSlippage(slippage) : builtIn(slippage));
    this.#bps = slippageBps;
    this.#halfSpreadTicks = halfSpreadTicks;
    this.bySize = this.#model !== undefined && this.#model.bySize !== false;
  }

  /** The number of days of which the model needs volatility and volume. */
  get days(): number | undefined {
    return this.#model?.days;
  }

  /** The price of a taker of this many steps; `NaN` before the first price. */
  ticks(book: Book, side: Side, steps: number): number {
    const ticks = book.takeTicks(side);
    const slippageBps = this.#bps;
    if (this.#model === undefined && slippageBps === 0) return ticks;
    if (Number.isNaN(ticks)) return ticks;
    const more = this.#model?.slippageTicks(new BookFill(book, side, steps, ticks, this.#halfSpreadTicks)) ?? 0;
    // The tolerance is for rates that doubles do not represent exactly.
    return side === 'buy'
      ? Math.ceil((ticks * (1e4 + slippageBps)) / 1e4 + more - 1e-9)
      : Math.max(1, Math.floor((ticks * (1e4 - slippageBps)) / 1e4 - more + 1e-9));
  }
}

/**
 * The models of Tidegate.
 *
 * - `spread`: a share of the spread.
 * - `volumeShare`: impact x share² of the price; the share is what own orders take of the bar's volume. Its limit is a budget of the bar.
 * - `squareRoot`: coefficient x volatility x square root of quantity / volume, both of the last days, of the price.
 */
function builtIn(settings: SlippageSettings): SlippageModel {
  if ('spread' in settings) return { bySize: false, slippageTicks: ({ spreadTicks }) => settings.spread * spreadTicks };
  if ('volumeShare' in settings) {
    const { impact } = settings.volumeShare;
    return { slippageTicks: ({ volumeShare, priceTicks }) => impact * volumeShare ** 2 * priceTicks };
  }
  const { coefficient, days } = settings.squareRoot;
  return { days, slippageTicks: ({ rootImpact, priceTicks }) => coefficient * rootImpact * priceTicks };
}

/** A fill at the prices of a book. Figures that few models use are computed when they are read. */
class BookFill implements TakerFill {
  readonly #book: Book;
  readonly #halfSpreadTicks: number;

  constructor(
    book: Book,
    readonly side: Side,
    readonly steps: number,
    readonly priceTicks: number,
    halfSpreadTicks: number,
  ) {
    this.#book = book;
    this.#halfSpreadTicks = halfSpreadTicks;
  }

  get symbol(): string {
    return this.#book.instrument.symbol;
  }

  get spreadTicks(): number {
    const { twoSided, askTicks, bidTicks } = this.#book;
    const spread = twoSided ? askTicks - bidTicks : Number.NaN;
    return Number.isNaN(spread) ? 2 * this.#halfSpreadTicks : spread;
  }

  get volumeShare(): number {
    return this.#book.volumeShare(this.steps);
  }

  get rootImpact(): number {
    return this.#book.activity?.rootImpact(this.steps) ?? 0;
  }

  get tickSize(): number {
    return this.#book.instrument.tick.toNumber(1);
  }

  get stepSize(): number {
    return this.#book.instrument.step.toNumber(1);
  }

  get time(): number {
    return this.#book.time;
  }
}

/** A model of the user whose answers are checked. */
class CheckedSlippage implements SlippageModel {
  readonly days: number | undefined;
  readonly bySize: boolean | undefined;
  readonly #model: SlippageModel;

  constructor(private readonly own: OwnModel<SlippageModel>) {
    this.#model = madeModel(own);
    const { days, bySize } = this.#model;
    requireField(own, 'days', days, isDays, 'a number of days above 0');
    requireField(own, 'bySize', bySize, isFlag, 'true or false');
    this.days = days;
    this.bySize = bySize;
  }

  slippageTicks(fill: TakerFill): number {
    return answerOf(
      this.own,
      `slippageTicks(${fill.side} ${fill.steps} steps of ${fill.symbol} at ${fill.priceTicks} ticks)`,
      () => this.#model.slippageTicks(fill),
      isSlippage,
      'a number of ticks of at least 0',
    );
  }
}

/** Whether a model may answer this: never better than the price. */
export function isSlippage(ticks: unknown): boolean {
  return typeof ticks === 'number' && ticks >= 0 && ticks <= MOST_TICKS;
}

/** A price with more ticks is not exact. */
const MOST_TICKS = Number.MAX_SAFE_INTEGER / 2;

/** Whether volatility and volume can be measured over this period. */
export function isDays(days: unknown): boolean {
  return typeof days === 'number' && days > 0 && Number.isFinite(days);
}
