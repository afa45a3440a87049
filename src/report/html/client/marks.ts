import type { IChartApi, ISeriesPrimitive, SeriesAttachedParameter, Time } from 'lightweight-charts';
import type { FillColumns, OrderColumns } from '../page-data.ts';
import type { Palette } from '../palette.ts';

/** The drawing tools of marks; x and y are in pixels of the canvas. */
interface Pen {
  readonly context: CanvasRenderingContext2D;
  readonly palette: Palette;
  /** Pixels of the canvas for one pixel of the page, across and down. */
  readonly across: number;
  readonly down: number;
  readonly width: number;
  /** The width of a candle with its gap. */
  readonly spacing: number;
  x(place: number): number;
  y(price: number): number;
}

type Attached = SeriesAttachedParameter<Time>;

/**
 * Marks on a candle chart at their exact time, within the candle, and at their exact price. The library's own markers move to the nearest
 * candle.
 */
class Marks implements ISeriesPrimitive<Time> {
  #attached: Attached | undefined;
  #palette: Palette | undefined;
  #shown = true;

  constructor(private readonly drawAll: (pen: Pen) => void) {}

  attached(parameters: Attached): void {
    this.#attached = parameters;
  }

  paint(palette: Palette): void {
    this.#palette = palette;
    this.#attached?.requestUpdate();
  }

  show(shown: boolean): void {
    this.#shown = shown;
    this.#attached?.requestUpdate();
  }

  paneViews(): ReturnType<NonNullable<ISeriesPrimitive<Time>['paneViews']>> {
    return [
      {
        zOrder: () => 'normal',
        renderer: () => ({
          draw: (target) =>
            target.useBitmapCoordinateSpace(({ context, bitmapSize, horizontalPixelRatio, verticalPixelRatio }) => {
              const [attached, palette] = [this.#attached, this.#palette];
              if (!this.#shown || attached === undefined || palette === undefined) return;
              const { x, spacing } = xOf(attached.chart, horizontalPixelRatio);
              const y = (price: number) => (attached.series.priceToCoordinate(price) ?? Number.NaN) * verticalPixelRatio;
              context.save();
              this.drawAll({
                ...{ context, palette, x, y, spacing },
                ...{ across: horizontalPixelRatio, down: verticalPixelRatio, width: bitmapSize.width },
              });
              context.restore();
            }),
        }),
      },
    ];
  }
}

function xOf(chart: Pick<IChartApi, 'timeScale'>, ratio: number): { x: Pen['x']; spacing: number } {
  const scale = chart.timeScale();
  // The library takes only whole candles.
  const at = (index: number) => scale.logicalToCoordinate(index as Parameters<typeof scale.logicalToCoordinate>[0]) ?? Number.NaN;
  const origin = at(0);
  const spacing = at(1) - origin;
  return { x: (place) => (origin + place * spacing) * ratio, spacing };
}

/** From more marks on the screen on, those of one side keep a distance of so many times their size. */
const CROWD = 120;
const GAP = 2.4;

/** Fills at their own time and price: a triangle below pointing up to a buy, one above pointing down to a sell, a cross on a liquidation. */
export function fillMarks(fills: FillColumns, places: readonly number[]): Marks {
  const liquidations = new Set(fills.liquidations);
  return new Marks((pen) => {
    const { context, palette, across } = pen;
    const size = Math.min(9, Math.max(5.5, pen.spacing)) * across;
    context.lineWidth = across;
    context.strokeStyle = palette.card;
    const crosses: [x: number, y: number][] = [];
    const seen = (place: number) => pen.x(place) > -size && pen.x(place) < pen.width + size;
    const gap = places.filter(seen).length > CROWD ? size * GAP : 0;
    const drawn = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    places.forEach((place, index) => {
      if (!seen(place)) return;
      const x = pen.x(place);
      const side = fills.buy[index]!;
      if (!liquidations.has(index)) {
        if (x - drawn[side]! < gap) return;
        drawn[side] = x;
      }
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

/** Above all triangles, and drawn twice: a wide one in the colour of the card separates it from the candles. */
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

/** The price of an order from a position on; null without a price. */
export interface Stretch {
  readonly place: number;
  readonly price: number | null;
}

/** Above this many visible lines, each is drawn fainter, so that overlapping lines remain readable. */
const CROWDED = 60;
/** Then lines shorter than so many pixels are left out: they would show only their crosses. */
const SHORTEST = 6;

/**
 * Each order as a line at its price, from its placing (a short vertical line) to its end, with a step where it was changed: solid for
 * limits, dashed for triggers. An order that ended without a fill ends with a small cross. Market orders have no line: their fills are
 * their marks.
 */
export function orderMarks(orders: OrderColumns, lives: readonly (readonly Stretch[])[], ends: readonly number[]): Marks {
  const stops = new Set(orders.stops);
  return new Marks((pen) => {
    const { context, palette, across, down } = pen;
    const seen = ends.flatMap((end, index) => (pen.x(end) > 0 && pen.x(lives[index]![0]!.place) < pen.width ? [index] : []));
    context.globalAlpha = Math.max(0.25, Math.min(0.9, Math.sqrt(CROWDED / Math.max(1, seen.length))));
    const shortest = seen.length > CROWDED ? SHORTEST * across : 0;
    for (const index of seen) {
      if (pen.x(ends[index]!) - pen.x(lives[index]![0]!.place) < shortest) continue;
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
