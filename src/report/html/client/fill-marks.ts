/**
 * Browser code: marks fills on a candle chart, as a lightweight-charts series primitive. The library's own
 * markers move to the nearest candle; these stand at each fill's own time within its candle and at its own
 * price: a triangle below pointing up to a buy, one above pointing down to a sell, a cross on a liquidation.
 */
export const FILL_MARKS_SCRIPT = `
class FillMarks {
  constructor(barTimes, intervalSeconds, fills) {
    this.places = fills.t.map((time) => {
      const bar = lastAtOrBefore(barTimes, time);
      return bar + Math.min(1, Math.max(0, (time - barTimes[bar]) / intervalSeconds)) - 0.5;
    });
    this.fills = fills;
    this.liquidations = new Set(fills.liquidations);
  }

  attached({ chart, series, requestUpdate }) {
    Object.assign(this, { chart, series, requestUpdate });
  }

  paint(palette) {
    this.palette = palette;
    this.requestUpdate();
  }

  paneViews() {
    return [{ zOrder: () => 'top', renderer: () => ({ draw: (target) => target.useBitmapCoordinateSpace((scope) => this.draw(scope)) }) }];
  }

  draw({ context, bitmapSize, horizontalPixelRatio, verticalPixelRatio }) {
    const scale = this.chart.timeScale();
    const origin = scale.logicalToCoordinate(0);
    const spacing = scale.logicalToCoordinate(1) - origin;
    const size = Math.min(9, Math.max(5.5, spacing)) * horizontalPixelRatio;
    context.lineWidth = horizontalPixelRatio;
    context.strokeStyle = this.palette.card;
    const crosses = [];
    for (let index = 0; index < this.places.length; index++) {
      const x = (origin + this.places[index] * spacing) * horizontalPixelRatio;
      if (!(x > -size && x < bitmapSize.width + size)) continue;
      const y = this.series.priceToCoordinate(this.fills.p[index]) * verticalPixelRatio;
      if (this.liquidations.has(index)) {
        crosses.push([x, y]);
        continue;
      }
      const down = this.fills.buy[index] ? 1 : -1;
      context.fillStyle = this.fills.buy[index] ? this.palette.buy : this.palette.sell;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x - size * 0.7, y + down * size * 1.3);
      context.lineTo(x + size * 0.7, y + down * size * 1.3);
      context.closePath();
      context.fill();
      context.stroke();
    }
    for (const [x, y] of crosses) this.cross(context, x, y, size, horizontalPixelRatio);
  }

  /** On top of all triangles, and twice: a wide one in the colour of the card sets it off from the candles. */
  cross(context, x, y, size, pixelRatio) {
    context.save();
    for (const [style, width] of [[this.palette.card, 6], [this.palette.loss, 3]]) {
      context.strokeStyle = style;
      context.lineWidth = width * pixelRatio;
      context.beginPath();
      context.moveTo(x - size, y - size);
      context.lineTo(x + size, y + size);
      context.moveTo(x + size, y - size);
      context.lineTo(x - size, y + size);
      context.stroke();
    }
    context.restore();
  }
}

/** The index of the last time at or before the given one; 0 when all are later. */
function lastAtOrBefore(times, time) {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (times[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
`;
