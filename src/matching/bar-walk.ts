import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Side } from '../model/order.ts';
import type { HeldLevels } from '../ports/execution-venue.ts';
import type { Book } from './books/book.ts';
import { exitWorth } from './exit-worth.ts';
import type { Resting } from './resting.ts';
import type { BarPath } from './settings.ts';

/**
 * Finds out, while one path through a bar is walked, whether another path of the same bar could have come to something
 * else. It rather says so too often than too seldom.
 *
 * - Both sides of the open reach something, or a stop trails by less than the bar's range: all that fills here hangs.
 * - What is reached after a fill hangs; so does what fills on the way back from what was reached without one, such as the
 *   trigger of a stop limit order.
 * - At the end something that was armed here still stands inside the bar: its price had been passed before.
 * - A fill has armed a stop that trails: how far it has come by the end is a matter of what came after the fill.
 */
class PathWatch {
  /** What came of the bar hangs on its path, whatever its fills say. */
  hangs = false;
  #newestBefore: Fill | undefined;
  /** Which way the path went when it first reached something; `undefined` before. */
  #firstUp: boolean | undefined;

  /** @param matters what the open tells already. */
  begin(book: Book, matters: boolean): void {
    book.pathMatters = matters;
    this.hangs = matters;
    this.#newestBefore = book.newestFill;
    this.#firstUp = undefined;
  }

  /** The path comes to something, which is about to happen. */
  reach(book: Book, up: boolean): void {
    if (this.filled(book)) this.hangs = true;
    else if (this.#firstUp === !up) book.pathMatters = true;
    this.#firstUp ??= up;
  }

  /** Whether the path has reached anything in this bar. */
  get reached(): boolean {
    return this.#firstUp !== undefined;
  }

  /** Whether anything has filled inside this bar. */
  filled(book: Book): boolean {
    return book.newestFill !== this.#newestBefore;
  }
}

/** Turns between the extremes of one bar: a strategy that answers every fill with a new stop must not hold it for ever. */
const MAX_TURNS = 100;

/** What the walk asks of the world around it. */
interface WalkContext {
  readonly held: HeldLevels;
  /** The first price on the way that fires a trigger order or leaves a position without margin. */
  forced(book: Book, from: number, to: number): number | undefined;
  /** The path stands at such a price. */
  judge(book: Book): void;
  /** Tells the engine that the path stands at this price; it may release held orders before returning. */
  pause(book: Book, ticks: number): void;
  /** Net steps over all accounts. */
  positionSteps(instrument: Instrument): number;
  /** What came of the bar hung on its path. @param filled whether anything has filled inside it. */
  hung(book: Book, filled: boolean): void;
}

/**
 * Walks the price from a bar's open to its close over both extremes, stopping at every resting order, every
 * trigger (of the venue or held by the engine) and every liquidation it reaches. At one price resting orders fill
 * first, then triggers fire, then the engine answers, then what lacks margin is liquidated.
 *
 * - `ohlc` and `olhc` visit the extremes as named; `nearest` the one nearer to the open first (a tie: low).
 * - `worst` goes, at every step, to the extreme not yet visited that hurts: the low while long, the high
 *   while short; while flat, to where entries wait (buys: high first, so that the low is still to come
 *   once they fill); with entries on both sides or on none, to the nearer one.
 * - Where a trigger follows the price, `worst` goes first to the extreme after which the exits leave the account less: both
 *   orders of the extremes are tried on all exits of the instrument (`exitWorth`), in ticks. Where both leave the same, the
 *   rule above decides. Example, long with a stop at 95 that trails by 5, bar 100, 106, 97, 104: low first, the stop follows
 *   to 101 and the bar ends at 104; high first, the stop follows to 101 and fills there. `worst` goes up first.
 * - `best` goes, at every step, to the other one than `worst` would.
 */
export class BarWalk {
  /** Bars so far in which a stop trailed by no more than the range: both orders of the extremes reach it, each elsewhere. */
  narrowTrails = 0;
  readonly #watch = new PathWatch();

  constructor(
    private readonly path: BarPath,
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
      const wanted = highLeft && (!lowLeft || this.#highFirst(book, position, high, low, close));
      if (wanted !== up && (turns++ < MAX_TURNS || !(highLeft && lowLeft))) up = wanted;
      const target = up ? high : low;
      position = this.#step(book, position, target);
      if (position !== target) continue;
      if (up) highLeft = false;
      else lowLeft = false;
    }
    while (position !== close) position = this.#step(book, position, close);
    // A fill may have armed one.
    if (narrow || (this.#watch.filled(book) && this.#trails(book, high, low))) this.narrowTrails++;
    if (this.#watch.hangs || this.#leaves(book, high, low, close)) this.context.hung(book, this.#watch.filled(book));
    book.setPrice(close, book.sequence, book.time);
    book.walking = false;
  }

  /** Goes towards the target, at most to the next price at which something happens. */
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
    // After a fill too: what it armed counts for the rest of the bar.
    if (pauses || reached) this.context.pause(book, at);
    return at;
  }

  /** The next price on the way at which a resting order fills, unless the bar's volume is used up. */
  #ownFill(book: Book, from: number, target: number, up: boolean): number | undefined {
    if (book.sharedBudget <= 0) return undefined;
    const ticks = this.resting.fillTicks(book, up ? 'sell' : 'buy');
    const between = up ? ticks > from && ticks <= target : ticks < from && ticks >= target;
    // An order released at this very price has met it already; what the path has passed fills here.
    return between ? ticks : undefined;
  }

  #highFirst(book: Book, position: number, high: number, low: number, close: number): boolean {
    switch (this.path) {
      case 'ohlc':
        return true;
      case 'olhc':
        return false;
      case 'nearest':
        return high - position < position - low;
      case 'worst':
        return this.#highHurtsMore(book, position, high, low, close);
      case 'best':
        return !this.#highHurtsMore(book, position, high, low, close);
    }
  }

  #highHurtsMore(book: Book, position: number, high: number, low: number, close: number): boolean {
    const { held } = this.context;
    if (held.moves(book.instrument)) {
      const exits = held.exits(book.instrument);
      const highFirst = exitWorth(exits, [position, high, low, close], this.penetration);
      const lowFirst = exitWorth(exits, [position, low, high, close], this.penetration);
      if (highFirst !== lowFirst) return highFirst < lowFirst;
    }
    const steps = this.context.positionSteps(book.instrument);
    if (steps !== 0) return steps < 0;
    const buys = this.#entryWaits(book, 'buy');
    const sells = this.#entryWaits(book, 'sell');
    return buys === sells ? high - position < position - low : buys;
  }

  #entryWaits(book: Book, side: Side): boolean {
    return book.queue(side).size > 0 || book.triggers.hasEntry(side) || this.context.held.hasEntry(book.instrument, side);
  }

  /** Whether something stands inside the bar at its end that the path would have met, had it come here in another order. */
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

/** Whichever is nearer to `from`; `undefined` means nowhere. */
function nearest(from: number, a: number | undefined, b: number | undefined): number {
  if (a === undefined) return b!;
  if (b === undefined) return a;
  return Math.abs(a - from) <= Math.abs(b - from) ? a : b;
}
