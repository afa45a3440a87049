import { type Bar, type Fill, type OrderEvent, place, Strategy, z } from 'tidegate';

const Params = z.object({
  cells: z.int().min(1).max(100).default(12).describe('cells of the grid: each buys at its floor and sells at its ceiling'),
  below: z.int().min(0).max(100).default(9).describe('how many of them are below the first price'),
  spacing: z.number().positive().max(0.2).default(0.005).describe('height of a cell, as a fraction of its floor'),
  quantity: z.number().positive().default(0.05).describe('base units that a cell buys'),
  pauseMs: z.int().min(0).default(3_600_000).describe('how long nothing is bought after an order was refused, in ms'),
});

interface Saved {
  readonly lines: number[];
  readonly held: number[];
}

/**
 * Sets a grid of price lines around the first price that it receives. Each cell between two lines trades alone: it
 * bids at its floor, and offers what it has bought at its ceiling. A cell never has two orders. The lines and the
 * content of each cell are saved with every turn. A restarted grid continues where it was, counts what has filled
 * meanwhile, and places only the missing orders. Other `cells`, `below` or `spacing` need a new grid. It trades one
 * symbol.
 *
 * An example, and no promise of profit: it earns a little while prices swing. Below its last line it keeps all that it
 * bought on the way down.
 */
export class Grid extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1m' };
  readonly symbol = this.symbols[0]!;
  /** Prices from low to high: cell n is between lines n and n + 1. Empty before the first price. */
  lines: readonly number[] = [];
  /** Base units that each cell has bought and not sold. */
  held: number[] = [];
  /** Cells whose order has been requested and is not open yet. */
  readonly unchecked = new Set<string>();
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
    if (event.kind === 'orderSubmitted') this.unchecked.delete(event.request.tag);
    if (event.kind === 'orderFilled') return this.count(event.fill, event.complete);
    if (event.kind !== 'orderDenied' && event.kind !== 'orderRejected') return [];
    if (event.kind === 'orderDenied') this.unchecked.delete(event.tag);
    this.buysFrom = this.now + this.params.pauseMs;
    this.log.warn('refused', { kind: event.kind, reason: event.reason });
    return [];
  }

  /**
   * Books the fill in its cell. A completely filled order is followed only by the next order of its own cell: after a restart the
   * state already includes all fills, but the strategy receives them one by one, and those of other cells may still come.
   */
  count({ tag, side, quantity, fee, feeAsset }: Fill, complete: boolean) {
    const cell = this.held.findIndex((_, n) => tag === `cell-${n}`);
    if (cell < 0) {
      // Not an order of the grid: a kill or a limit closed the position.
      this.held.fill(0);
      return [];
    }
    // A spot buy pays its fee in the coin: that much less can be sold.
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

  /** An order for each of these cells that has none and needs one. */
  missing(price: number, cells: readonly number[] = [...this.held.keys()]) {
    const busy = new Set([...this.orders(this.symbol).map(({ tag }) => tag), ...this.unchecked]);
    const orders = cells.flatMap((cell) => (busy.has(`cell-${cell}`) ? [] : this.order(cell, this.held[cell]!, price)));
    for (const { tag } of orders) this.unchecked.add(tag!);
    return orders;
  }

  order(cell: number, held: number, price: number) {
    const common = { symbol: this.symbol, type: 'limit', tag: `cell-${cell}` } as const;
    const [floor, ceiling] = [this.lines[cell]!, this.lines[cell + 1]!];
    // A rest below one step stays in the cell until its next buy.
    if (held >= this.instrument(this.symbol).step.toNumber(1)) return [place({ ...common, side: 'sell', price: ceiling, quantity: held })];
    if (floor >= price || this.now < this.buysFrom) return [];
    return [place({ ...common, side: 'buy', price: floor, quantity: this.params.quantity })];
  }
}
