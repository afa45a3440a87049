/** Ticks of one page: small enough that single far levels cost little, large enough that the busy ones share a page. */
const PAGE_TICKS = 256;
/** Exact, as it is a power of two, and faster than a division. */
const PAGES_A_TICK = 1 / PAGE_TICKS;

interface Page {
  readonly number: number;
  readonly steps: Float64Array;
  /** Levels of the page that are not empty. */
  levels: number;
}

/**
 * One side of an order book: steps by whole ticks, and its best price. Levels are in pages of neighbouring
 * ticks, and the pages with levels are kept in order: setting a level costs the same at any depth, and the next level is a
 * short walk away.
 */
export class Ladder {
  /** The best price in ticks; `NaN` while the side is empty, which no comparison passes. */
  bestTicks = Number.NaN;
  readonly #pages = new Map<number, Page>();
  /** Numbers of the pages that hold levels, ascending. */
  readonly #order: number[] = [];
  readonly #spare: Page['steps'][] = [];
  #newest: Page | undefined;

  /** @param side `buy`: the highest price is best; `sell`: the lowest. */
  constructor(readonly side: 'buy' | 'sell') {}

  /** Steps at a price; 0 if there are none. */
  stepsAt(ticks: number): number {
    const number = Math.floor(ticks * PAGES_A_TICK);
    const page = this.#newest?.number === number ? this.#newest : this.#pages.get(number);
    return page === undefined ? 0 : page.steps[ticks - number * PAGE_TICKS]!;
  }

  /** Sets the steps at a price; 0 removes the level. @returns the steps before. */
  set(ticks: number, steps: number): number {
    const number = Math.floor(ticks * PAGES_A_TICK);
    let page = this.#newest;
    if (page?.number !== number) {
      page = this.#pages.get(number);
      if (page === undefined) {
        if (steps === 0) return 0;
        page = this.#open(number);
      }
      this.#newest = page;
    }
    const at = ticks - number * PAGE_TICKS;
    const before = page.steps[at]!;
    page.steps[at] = steps;
    if (before === 0) {
      if (steps === 0) return 0;
      page.levels++;
      if (!(this.side === 'buy' ? ticks <= this.bestTicks : ticks >= this.bestTicks)) this.bestTicks = ticks;
    } else if (steps === 0) {
      page.levels--;
      if (ticks === this.bestTicks) this.bestTicks = this.next(ticks);
      if (page.levels === 0) this.#close(page);
    }
    return before;
  }

  /** The nearest price behind `ticks` (lower for bids, higher for asks) with steps; `NaN` if there is none. */
  next(ticks: number): number {
    const number = Math.floor(ticks * PAGES_A_TICK);
    const page = this.#pages.get(number);
    const down = this.side === 'buy';
    const at = ticks - number * PAGE_TICKS;
    const here = page === undefined ? -1 : down ? levelBelow(page.steps, at - 1) : levelAbove(page.steps, at + 1);
    if (here >= 0) return number * PAGE_TICKS + here;
    const place = this.#placeOf(number);
    const following = this.#order[down ? place - 1 : this.#order[place] === number ? place + 1 : place];
    if (following === undefined) return Number.NaN;
    const { steps } = this.#pages.get(following)!;
    return following * PAGE_TICKS + (down ? levelBelow(steps, PAGE_TICKS - 1) : levelAbove(steps, 0));
  }

  clear(): void {
    this.#pages.clear();
    this.#order.length = 0;
    this.#newest = undefined;
    this.bestTicks = Number.NaN;
  }

  #open(number: number): Page {
    const page = { number, steps: this.#spare.pop() ?? new Float64Array(PAGE_TICKS), levels: 0 };
    this.#pages.set(number, page);
    this.#order.splice(this.#placeOf(number), 0, number);
    return page;
  }

  #close(page: Page): void {
    this.#pages.delete(page.number);
    this.#order.splice(this.#placeOf(page.number), 1);
    this.#spare.push(page.steps);
    this.#newest = undefined;
  }

  /** The place of the page in the order, or where it would be inserted. */
  #placeOf(number: number): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#order[middle]! < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The last level at or before `at`; -1 if there is none. */
function levelBelow(steps: Float64Array, at: number): number {
  let place = at;
  while (place >= 0 && steps[place] === 0) place--;
  return place;
}

/** The first level at or after `at`; -1 if there is none. */
function levelAbove(steps: Float64Array, at: number): number {
  let place = at;
  while (place < PAGE_TICKS && steps[place] === 0) place++;
  return place < PAGE_TICKS ? place : -1;
}
