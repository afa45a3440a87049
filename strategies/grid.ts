import { type Bar, type Fill, type OrderEvent, place, Strategy, z } from 'tidegate';

const Params = z.object({
  cells: z.int().min(1).max(100).default(12).describe('cells of the grid: each buys at its floor and sells at its ceiling'),
  below: z.int().min(0).max(100).default(9).describe('how many of them lie below the first price'),
  spacing: z.number().positive().max(0.2).default(0.005).describe('height of a cell, as a fraction of its floor'),
  quantity: z.number().positive().default(0.05).describe('base units that a cell buys'),
  pauseMs: z.int().min(0).default(3_600_000).describe('how long nothing is bought after an order was refused, in ms'),
});

interface Saved {
  readonly lines: number[];
  readonly held: number[];
}

/**
 * Lays a grid of price lines around the first price that it sees. Each cell between two lines is a trade of its own: it
 * bids at its floor, and what it has bought it offers at its ceiling. A cell never has two orders. Lines, and what each
 * cell holds, are saved with every turn: a restarted grid stands where it stood, counts what was filled meanwhile, and
 * asks only for the orders that are missing. Other `cells`, `below` or `spacing` need a new grid. It trades one symbol.
 *
 * An example, and no promise of profit: it earns small change while prices swing, and below its last line it is left
 * with all that it bought on the way down.
 */
export class Grid extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1m' };
  readonly symbol = this.symbols[0]!;
  /** Prices from low to high: cell n lies between lines n and n + 1. Empty before the first price. */
  lines: readonly number[] = [];
  /** Base units that each cell has bought and not sold. */
  held: number[] = [];
  /** Cells that were asked for an order which is not among the open ones yet. */
  readonly asked = new Set<string>();
  buysFrom = 0;

  save(): Saved {
    return { lines: [...this.lines], held: this.held };
  }

  restore({ lines, held }: Saved) {
    this.lines = lines;
    this.held = [...held];
  }

  onBar({ close }: Bar) {
    if (this.lines.length === 0) this.lay(close);
    return this.missing(close);
  }

  onOrder(event: OrderEvent) {
    if (event.kind === 'orderSubmitted') this.asked.delete(event.request.tag);
    if (event.kind === 'orderFilled') return this.count(event.fill, event.complete);
    if (event.kind !== 'orderDenied' && event.kind !== 'orderRejected') return [];
    if (event.kind === 'orderDenied') this.asked.delete(event.tag);
    this.buysFrom = this.now + this.params.pauseMs;
    this.log.warn('refused', { kind: event.kind, reason: event.reason });
    return [];
  }

  /**
   * What is filled changes hands between the cell and the account; a whole order makes way for the next of its cell alone.
   * After a restart fills are told one by one whose orders are gone all at once: those of other cells may still come.
   */
  count({ tag, side, quantity, fee, feeAsset }: Fill, complete: boolean) {
    const cell = this.held.findIndex((_, n) => tag === `cell-${n}`);
    if (cell < 0) {
      // Not one of its own: somebody had the position closed.
      this.held.fill(0);
      return [];
    }
    // A spot buy pays its fee in what it buys: that much less can be sold.
    const net = side === 'buy' ? quantity - (feeAsset === this.instrument(this.symbol).base ? fee.toNumber() : 0) : -quantity;
    this.held[cell] = Math.max(0, this.held[cell]! + net);
    return complete ? this.missing(this.market(this.symbol).last!, [cell]) : [];
  }

  lay(price: number) {
    const { cells, below, spacing } = this.params;
    let line = price;
    for (let n = 0; n < below; n++) line /= 1 + spacing;
    this.lines = Array.from({ length: cells + 1 }, () => {
      const here = line;
      line *= 1 + spacing;
      return here;
    });
    this.held = Array.from({ length: cells }, () => 0);
  }

  /** An order for every one of these cells that has none and can use one. */
  missing(price: number, cells: readonly number[] = [...this.held.keys()]) {
    const busy = new Set([...this.orders(this.symbol).map(({ tag }) => tag), ...this.asked]);
    const orders = cells.flatMap((cell) => (busy.has(`cell-${cell}`) ? [] : this.order(cell, this.held[cell]!, price)));
    for (const { tag } of orders) this.asked.add(tag!);
    return orders;
  }

  order(cell: number, held: number, price: number) {
    const common = { symbol: this.symbol, type: 'limit', tag: `cell-${cell}` } as const;
    const [floor, ceiling] = [this.lines[cell]!, this.lines[cell + 1]!];
    // Less than a step is dust, and stays in the cell until its next purchase.
    if (held >= this.instrument(this.symbol).step.toNumber(1)) return [place({ ...common, side: 'sell', price: ceiling, quantity: held })];
    if (floor >= price || this.now < this.buysFrom) return [];
    return [place({ ...common, side: 'buy', price: floor, quantity: this.params.quantity })];
  }
}
