import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Side } from '../model/order.ts';
import type { HeldLevels } from '../ports/execution-venue.ts';
import type { PathStep } from '../ports/models.ts';
import type { Book } from './books/book.ts';
import { exitWorth } from './exit-worth.ts';
import { chanceOf, type SeededPath } from './models/paths.ts';
import type { Resting } from './resting.ts';

/**
 * Decides, while one path through a bar is walked, whether another path of the same bar could have had another result. In doubt it says
 * yes.
 *
 * - Both sides of the open reach an order, or a stop trails by less than the bar's range: all fills of the bar depend on the path.
 * - Everything reached after a fill depends on it. So does a fill on the way back from a price that was reached without a fill, such as the
 *   trigger of a stop limit order.
 * - An order that was armed inside the bar is still open at the end, inside the bar's range: its price had been passed before.
 * - A fill has armed a trailing stop: how far it has moved at the end depends on what came after the fill.
 */
class PathWatch {
  /** The result of the bar depends on its path, even if no fill shows it. */
  dependsOnPath = false;
  #newestBefore: Fill | undefined;
  /** The direction of the path when it first reached an order; `undefined` before. */
  #firstUp: boolean | undefined;

  /** @param matters whether the open already shows that the path matters. */
  begin(book: Book, matters: boolean): void {
    book.pathMatters = matters;
    this.dependsOnPath = matters;
    this.#newestBefore = book.newestFill;
    this.#firstUp = undefined;
  }

  /** The path has reached an order, which is about to fill or trigger. */
  reach(book: Book, up: boolean): void {
    if (this.filled(book)) this.dependsOnPath = true;
    else if (this.#firstUp === !up) book.pathMatters = true;
    this.#firstUp ??= up;
  }

  /** Whether the path has reached an order in this bar. */
  get reached(): boolean {
    return this.#firstUp !== undefined;
  }

  /** Whether an order has filled inside this bar. */
  filled(book: Book): boolean {
    return book.newestFill !== this.#newestBefore;
  }
}

/** The most turns between the extremes of one bar: a strategy that answers every fill with a new stop must not block the walk. */
const MAX_TURNS = 100;

/** The functions that the walk needs from the simulator. */
interface WalkContext {
  readonly held: HeldLevels;
  /** The first price on the way that triggers an order or leaves a position without margin. */
  forced(book: Book, from: number, to: number): number | undefined;
  /** The path is at such a price. */
  judge(book: Book): void;
  /** Reports to the engine that the path is at this price; it may release held orders before returning. */
  pause(book: Book, ticks: number): void;
  /** Net steps over all accounts. */
  positionSteps(instrument: Instrument): number;
  /**
   * The result of the bar depended on its path.
   * @param filled whether an order has filled inside it.
   */
  dependedOnPath(book: Book, filled: boolean): void;
}

/** A step of the path while both extremes are left. Figures that few paths use are computed when they are read. */
class WalkStep implements PathStep {
  readonly #book: Book;
  readonly #context: WalkContext;
  readonly #penetration: number;
  readonly #seed: number | undefined;

  constructor(
    book: Book,
    context: WalkContext,
    readonly priceTicks: number,
    readonly openTicks: number,
    readonly highTicks: number,
    readonly lowTicks: number,
    readonly closeTicks: number,
    penetration: number,
    seed: number | undefined,
  ) {
    this.#book = book;
    this.#context = context;
    this.#penetration = penetration;
    this.#seed = seed;
  }

  get symbol(): string {
    return this.#book.instrument.symbol;
  }

  get time(): number {
    return this.#book.time;
  }

  get positionSteps(): number {
    return this.#context.positionSteps(this.#book.instrument);
  }

  get buyWaits(): boolean {
    return this.#entryWaits('buy');
  }

  get sellWaits(): boolean {
    return this.#entryWaits('sell');
  }

  get chance(): number {
    return chanceOf(this.symbol, this.time, this.#seed);
  }

  get highIsWorse(): boolean {
    const { held } = this.#context;
    const { instrument } = this.#book;
    const { priceTicks: position, highTicks: high, lowTicks: low, closeTicks: close } = this;
    if (held.moves(instrument)) {
      const exits = held.exits(instrument);
      const highFirst = exitWorth(exits, [position, high, low, close], this.#penetration);
      const lowFirst = exitWorth(exits, [position, low, high, close], this.#penetration);
      if (highFirst !== lowFirst) return highFirst < lowFirst;
    }
    const steps = this.positionSteps;
    if (steps !== 0) return steps < 0;
    const { buyWaits, sellWaits } = this;
    return buyWaits === sellWaits ? high - position < position - low : buyWaits;
  }

  #entryWaits(side: Side): boolean {
    const { instrument, triggers } = this.#book;
    return this.#book.queue(side).size > 0 || triggers.hasEntry(side) || this.#context.held.hasEntry(instrument, side);
  }
}

/**
 * Walks the price from a bar's open to its close over both extremes, stopping at every resting order, every trigger (of the venue or held
 * by the engine) and every liquidation it reaches. The order at one price: resting orders fill, triggers are triggered, the engine takes
 * its turn, positions that lack margin are liquidated.
 *
 * - `ohlc` and `olhc` visit the extremes as named; `nearest` the one nearer to the open first (a tie: low).
 * - `worst` goes, at every step, to the unvisited extreme that is worse for the position: the low while long, the high
 *   while short; while flat, to where entries wait (buys: high first, so that the low is still to come
 *   once they fill); with entries on both sides or on none, to the nearer one.
 * - Where a trigger follows the price, `worst` goes first to the extreme after which the exits leave the account less: both
 *   orders of the extremes are tried on all exits of the instrument (`exitWorth`), in ticks. Where both leave the same, the rules above
 *   decide. Example, long with a stop at 95 that trails by 5, bar 100, 106, 97, 104: low first, the stop follows
 *   to 101 and the bar ends at 104; high first, the stop follows to 101 and fills there. `worst` goes up first.
 * - `best` goes, at every step, to the extreme that `worst` would not choose.
 */
export class BarWalk {
  /** Bars so far in which a stop trailed by no more than the range: both orders of the extremes reach it, at different prices. */
  narrowTrails = 0;
  readonly #watch = new PathWatch();

  constructor(
    private readonly path: SeededPath,
    private readonly resting: Resting,
    private readonly context: WalkContext,
    /** Ticks by which the price must pass a take profit. */
    private readonly penetration: number,
  ) {}

  walk(book: Book, open: number, high: number, low: number, close: number): void {
    let position = open;
    let highLeft = true;
    let lowLeft = true;
    let up = false;
    let turns = 0;
    book.walking = true;
    const narrow = this.#trails(book, high, low);
    this.#watch.begin(book, narrow || (this.#reaches(book, open, high) && this.#reaches(book, open, low)));
    while (highLeft || lowLeft) {
      const wanted = highLeft && (!lowLeft || this.path.highFirst(this.#stepAt(book, position, open, high, low, close)));
      if (wanted !== up && (turns++ < MAX_TURNS || !(highLeft && lowLeft))) up = wanted;
      const target = up ? high : low;
      book.leg = up ? 'toHigh' : 'toLow';
      position = this.#step(book, position, target);
      if (position !== target) continue;
      if (up) highLeft = false;
      else lowLeft = false;
    }
    book.leg = 'toClose';
    while (position !== close) position = this.#step(book, position, close);
    // A fill may have armed a trailing stop.
    if (narrow || (this.#watch.filled(book) && this.#trails(book, high, low))) this.narrowTrails++;
    if (this.#watch.dependsOnPath || this.#leaves(book, high, low, close)) this.context.dependedOnPath(book, this.#watch.filled(book));
    book.setPrice(close, book.sequence, book.time);
    book.walking = false;
  }

  #stepAt(book: Book, position: number, open: number, high: number, low: number, close: number): PathStep {
    return new WalkStep(book, this.context, position, open, high, low, close, this.penetration, this.path.seed);
  }

  /** Moves towards the target, at most to the next price at which something happens. */
  #step(book: Book, from: number, target: number): number {
    if (from === target) return target;
    const up = target > from;
    const held = this.context.held.next(book.instrument, from, target);
    const own = this.#ownFill(book, from, target, up);
    const forced = this.context.forced(book, from, target);
    const at = nearest(from, forced, nearest(from, held, nearest(from, own, target)));
    const reached = held === at || own === at || forced === at;
    if (reached) this.#watch.reach(book, up);
    book.setPrice(at, book.sequence, book.time);
    const pauses = this.context.held.follow(book.instrument, at);
    book.triggers.pass(at);
    if (own === at) this.resting.meetBook(book, up ? 'sell' : 'buy', at);
    if (forced === at) this.context.judge(book);
    // Also after a fill: the exits that it armed are active for the rest of the bar.
    if (pauses || reached) this.context.pause(book, at);
    return at;
  }

  /** The next price on the way at which a resting order fills, unless the bar's volume is used up. */
  #ownFill(book: Book, from: number, target: number, up: boolean): number | undefined {
    if (book.sharedBudget <= 0) return undefined;
    const ticks = this.resting.fillTicks(book, up ? 'sell' : 'buy');
    const between = up ? ticks > from && ticks <= target : ticks < from && ticks >= target;
    // An order released at this very price has been matched with it already; an order whose price the path has passed fills here.
    return between ? ticks : undefined;
  }

  /** Whether an order is open inside the bar's range at its end that the path would have reached in another order of prices. */
  #leaves(book: Book, high: number, low: number, close: number): boolean {
    if (!this.#watch.reached) return false;
    if (this.#ownFill(book, close, high, true) !== undefined || this.#ownFill(book, close, low, false) !== undefined) return true;
    // Only fills arm stops and exits inside a bar.
    if (!this.#watch.filled(book)) return false;
    return this.context.held.moves(book.instrument) || this.#reaches(book, close, high) || this.#reaches(book, close, low);
  }

  #trails({ instrument }: Book, high: number, low: number): boolean {
    return this.context.held.trails(instrument, high, low);
  }

  #reaches(book: Book, from: number, to: number): boolean {
    if (from === to) return false;
    if (this.context.held.next(book.instrument, from, to) !== undefined || this.#ownFill(book, from, to, to > from) !== undefined)
      return true;
    return this.context.forced(book, from, to) !== undefined;
  }
}

/** The value nearer to `from`; `undefined` values are ignored. */
function nearest(from: number, a: number | undefined, b: number | undefined): number {
  if (a === undefined) return b!;
  if (b === undefined) return a;
  return Math.abs(a - from) <= Math.abs(b - from) ? a : b;
}
