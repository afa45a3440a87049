import type { IChartApi, ISeriesPrimitive, SeriesAttachedParameter, Time } from 'lightweight-charts';
import type { Palette } from '../page/palette.ts';

/** What marks are drawn with; x and y are in pixels of the canvas. */
export interface Pen {
  readonly context: CanvasRenderingContext2D;
  readonly palette: Palette;
  /** Pixels of the canvas in one of the page's, across and down. */
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
 * Marks on a candle chart that stand at their own time, within its candle, and at their own price: the library's markers move
 * to the nearest candle.
 */
export class Marks implements ISeriesPrimitive<Time> {
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
  // The library takes whole candles alone.
  const at = (index: number) => scale.logicalToCoordinate(index as Parameters<typeof scale.logicalToCoordinate>[0]) ?? Number.NaN;
  const origin = at(0);
  const spacing = at(1) - origin;
  return { x: (place) => (origin + place * spacing) * ratio, spacing };
}
