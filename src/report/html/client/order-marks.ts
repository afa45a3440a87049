import type { OrderColumns } from '../page/page-data.ts';
import { Marks, type Pen } from './marks.ts';

/** The price of an order from some place on; null: it has none. */
export interface Stretch {
  readonly place: number;
  readonly price: number | null;
}

/** Above this many lines in view each is drawn fainter, so that what lies on top of each other can still be read. */
const CROWDED = 60;

/**
 * The life of each order as a line at its price, from its placing (a short upright) to its end, with a step where it was
 * changed: whole for limits, dashed for what waits for a trigger. One that ended without a fill ends in a small cross.
 * Market orders have no price to wait at: their fills are their marks.
 */
export function orderMarks(orders: OrderColumns, lives: readonly (readonly Stretch[])[], ends: readonly number[]): Marks {
  const stops = new Set(orders.stops);
  return new Marks((pen) => {
    const { context, palette, across, down } = pen;
    const seen = ends.flatMap((end, index) => (pen.x(end) > 0 && pen.x(lives[index]![0]!.place) < pen.width ? [index] : []));
    context.globalAlpha = Math.max(0.25, Math.min(0.9, Math.sqrt(CROWDED / Math.max(1, seen.length))));
    for (const index of seen) {
      context.strokeStyle = orders.buy[index] === 1 ? palette.buy : palette.sell;
      context.lineWidth = (stops.has(index) ? 1 : 1.5) * down;
      context.setLineDash(stops.has(index) ? [4 * across, 3 * across] : []);
      line(pen, lives[index]!, ends[index]!);
      context.setLineDash([]);
      context.lineWidth = across;
      const state = orders.state[index]!;
      if (!state.startsWith('filled') && orders.end[index] !== null) endCross(pen, lives[index]!.at(-1)!, ends[index]!);
    }
  });
}

function line({ context, x, y, down }: Pen, life: readonly Stretch[], end: number): void {
  context.beginPath();
  life.forEach(({ place, price }, index) => {
    if (price === null) return;
    const [left, right, level] = [x(place), x(life[index + 1]?.place ?? end), y(price)];
    if (index === 0) {
      context.moveTo(left, level - 3 * down);
      context.lineTo(left, level + 3 * down);
      context.moveTo(left, level);
    } else context.lineTo(left, level);
    context.lineTo(right, level);
  });
  context.stroke();
}

function endCross({ context, x, y, across }: Pen, { price }: Stretch, end: number): void {
  if (price === null) return;
  const [at, level, size] = [x(end), y(price), 2.5 * across];
  context.beginPath();
  context.moveTo(at - size, level - size);
  context.lineTo(at + size, level + size);
  context.moveTo(at + size, level - size);
  context.lineTo(at - size, level + size);
  context.stroke();
}
