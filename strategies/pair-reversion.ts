import { type Bar, type Fill, type OrderEvent, place, Strategy, z } from 'tidegate';
import { getZScore } from 'trading-signals';

/** Bars of history before the run begins, and so the longest window. */
const HISTORY = 288;

const Params = z
  .object({
    window: z.int().min(20).max(HISTORY).default(144).describe('bars that hedge ratio and z-score are taken over'),
    enter: z.number().positive().default(3).describe('distance of the spread from its mean, in standard deviations, that moves weight'),
    leave: z.number().min(0).default(0.5).describe('distance at or below which the weight moves back'),
    leg: z.number().positive().max(0.5).default(0.35).describe('share of the equity in each coin at rest'),
    tilt: z.number().positive().max(0.5).default(0.25).describe('share of the equity that at most moves from or to a coin'),
    tolerance: z.number().min(0).max(0.1).default(0.01).describe('difference to a target, as a share of the equity, that is ignored'),
  })
  .refine(({ leave, enter }) => leave < enter, 'leave must be below enter, or weight would move to and fro')
  .refine(({ leg, tilt }) => tilt <= leg, 'tilt must not exceed leg: without shorts no more can be sold than is held')
  .refine(({ leg, tilt }) => 2 * leg + tilt / 2 <= 0.98, 'two legs and half a tilt must leave 0.02 of the equity for fees');

/** Hedge ratios within which two coins count as a pair: beyond them one leg hardly hedges the other. */
const RATIOS = { least: 0.5, most: 2 };

/** After a refusal, the strategy waits an hour before the next request. */
const PAUSE_MS = 3_600_000;

interface Saved {
  readonly tilt: number;
  /** Base units to hold, by symbol. */
  readonly targets: [string, number][];
}

/**
 * Trades the spread of two coins back to its mean, on a spot account, which has no shorts. It holds both coins, and
 * moves weight from the expensive one to the cheap one. Compared with the weights at rest, this is long one and short
 * the other, in the proportion of the hedge ratio. The first symbol is regressed on the second, in logarithms of the
 * closes. The z-score of the residual decides. Shows two symbols whose bars belong together, targets that survive a
 * restart, and orders that bring holdings to a target, whatever happened to earlier orders.
 *
 * An example, and no promise of profit: a spread that widens may never return, two coins can fall together, and each
 * move of weight pays four fees.
 */
export class PairReversion extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '5m', history: HISTORY };
  readonly first = this.symbols[0]!;
  readonly second = this.symbols[1]!;
  readonly closes = new Map<string, number[]>(this.symbols.map((symbol) => [symbol, []]));
  /** For each symbol, the bar that waits for the bar of the other one. */
  readonly waiting = new Map<string, Bar>();
  /** 1: weight in the first, -1: in the second, 0: at rest. */
  tilt = 0;
  targets = new Map<string, number>();
  /** Intents that risk has not checked yet. */
  unchecked = 0;
  /** No order is requested before this time. */
  quietUntil = 0;

  save(): Saved {
    return { tilt: this.tilt, targets: [...this.targets] };
  }

  restore({ tilt, targets }: Saved) {
    this.tilt = tilt;
    this.targets = new Map(targets);
  }

  onStart() {
    if (this.symbols.length !== 2) throw new Error(`a pair has two symbols, not ${this.symbols.length}`);
    for (const symbol of this.symbols) for (const bar of this.history(symbol)) this.take(bar);
  }

  onBar(bar: Bar) {
    if (!this.take(bar) || this.closes.get(this.first)!.length < this.params.window) return [];
    this.decide();
    return this.approach();
  }

  /** A sell has filled: its money is available for the buys. */
  onFill(_fill: Fill) {
    return this.approach();
  }

  onOrder({ kind }: OrderEvent) {
    if (kind === 'orderSubmitted' || kind === 'orderDenied') this.unchecked = Math.max(0, this.unchecked - 1);
    if (kind === 'orderDenied' || kind === 'orderRejected') this.quietUntil = this.now + PAUSE_MS;
  }

  /** @returns whether both bars of a moment have arrived; a bar whose partner never arrives is ignored. */
  take(bar: Bar): boolean {
    this.waiting.set(bar.symbol, bar);
    const bars = this.symbols.map((symbol) => this.waiting.get(symbol));
    if (bars.some((one) => one?.openTime !== bar.openTime)) return false;
    for (const [symbol, closes] of this.closes) {
      closes.push(this.waiting.get(symbol)!.close);
      if (closes.length > this.params.window) closes.shift();
    }
    return true;
  }

  /** Sets new targets if the spread is far enough from its mean, or has returned. */
  decide() {
    const spread = spreadOf(this.closes.get(this.first)!, this.closes.get(this.second)!);
    if (spread === undefined) return;
    const { ratio, score } = spread;
    const { enter, leave, leg, tilt } = this.params;
    const isPair = ratio >= RATIOS.least && ratio <= RATIOS.most;
    const wide = Math.abs(score) >= enter && isPair ? -Math.sign(score) : 0;
    const next = this.tilt !== 0 && this.tilt * score < -leave && isPair ? this.tilt : wide;
    if (next === this.tilt && this.targets.size > 0) return;
    this.log.info('targets', { tilt: next, ratio, score });
    this.tilt = next;
    // One unit of the first in value is hedged by `ratio` of the second; the larger move is `tilt`.
    const unit = (next * tilt) / Math.max(1, ratio);
    this.targets = new Map([
      [this.first, this.quantityOf(this.first, leg + unit)],
      [this.second, this.quantityOf(this.second, leg - ratio * unit)],
    ]);
  }

  quantityOf(symbol: string, share: number): number {
    return (share * this.account.equity) / this.closes.get(symbol)!.at(-1)!;
  }

  /** Sells the excess first, then buys the missing part. */
  approach() {
    if (this.unchecked > 0 || this.orders().length > 0 || this.now < this.quietUntil) return [];
    const orders = [...this.targets].flatMap(([symbol, target]) => {
      const difference = target - this.position(symbol).quantity;
      const worth = Math.abs(difference) * this.market(symbol).last!;
      if (worth <= this.params.tolerance * this.account.equity) return [];
      const side = difference > 0 ? ('buy' as const) : ('sell' as const);
      return [place({ symbol, side, type: 'market', quantity: Math.abs(difference), tag: this.tilt === 0 ? 'rest' : 'tilt' })];
    });
    const sales = orders.filter(({ side }) => side === 'sell');
    const due = sales.length > 0 ? sales : orders;
    this.unchecked += due.length;
    return due;
  }
}

/**
 * The hedge ratio of two series of prices, and the distance of the last pair from it: the slope of a least-squares line through
 * their logarithms, and the z-score of the last distance from it. `undefined` if one of them does not move.
 */
export function spreadOf(first: readonly number[], second: readonly number[]): { ratio: number; score: number } | undefined {
  const [ys, xs] = [first.map(Math.log), second.map(Math.log)];
  const mean = (values: readonly number[]) => values.reduce((total, value) => total + value, 0) / values.length;
  const [meanX, meanY] = [mean(xs), mean(ys)];
  const together = xs.reduce((total, x, n) => total + (x - meanX) * (ys[n]! - meanY), 0);
  const alone = xs.reduce((total, x) => total + (x - meanX) ** 2, 0);
  if (alone === 0) return undefined;
  const ratio = together / alone;
  const spreads = ys.map((y, n) => y - ratio * xs[n]!);
  if (spreads.every((spread) => spread === spreads[0])) return undefined;
  return { ratio, score: getZScore(spreads) };
}
