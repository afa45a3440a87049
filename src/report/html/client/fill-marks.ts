import type { FillColumns } from '../page/page-data.ts';
import { Marks, type Pen } from './marks.ts';

/** Fills at their own time and price: a triangle below pointing up to a buy, one above pointing down to a sell, a cross on a liquidation. */
export function fillMarks(fills: FillColumns, places: readonly number[]): Marks {
  const liquidations = new Set(fills.liquidations);
  return new Marks((pen) => {
    const { context, palette, across } = pen;
    const size = Math.min(9, Math.max(5.5, pen.spacing)) * across;
    context.lineWidth = across;
    context.strokeStyle = palette.card;
    const crosses: [x: number, y: number][] = [];
    places.forEach((place, index) => {
      const x = pen.x(place);
      if (!(x > -size && x < pen.width + size)) return;
      const y = pen.y(fills.p[index]!);
      if (liquidations.has(index)) crosses.push([x, y]);
      else triangle(pen, x, y, size, fills.buy[index] === 1);
    });
    for (const [x, y] of crosses) cross(pen, x, y, size);
  });
}

function triangle({ context, palette }: Pen, x: number, y: number, size: number, buy: boolean): void {
  const down = buy ? 1 : -1;
  context.fillStyle = buy ? palette.buy : palette.sell;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - size * 0.7, y + down * size * 1.3);
  context.lineTo(x + size * 0.7, y + down * size * 1.3);
  context.closePath();
  context.fill();
  context.stroke();
}

/** On top of all triangles, and twice: a wide one in the colour of the card sets it off from the candles. */
function cross({ context, palette, across }: Pen, x: number, y: number, size: number): void {
  for (const [style, width] of [
    [palette.card, 6],
    [palette.loss, 3],
  ] as const) {
    context.strokeStyle = style;
    context.lineWidth = width * across;
    context.beginPath();
    context.moveTo(x - size, y - size);
    context.lineTo(x + size, y + size);
    context.moveTo(x + size, y - size);
    context.lineTo(x - size, y + size);
    context.stroke();
  }
}
