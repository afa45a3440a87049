import { escapeHtml } from './escape.ts';
import { ticksBetween } from './svg-axis.ts';

/** One axis: the range that it shows, the distance of its ticks, and how they read. */
export interface Axis {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly format: (value: number) => string;
}

/** Maps values to places on the drawing, in its units. */
export interface Places {
  x(value: number): number;
  y(value: number): number;
}

export interface PlotSize {
  readonly width: number;
  readonly height: number;
}

const MARGIN = { left: 52, right: 26, top: 30, bottom: 44 };

/**
 * A plot as inline SVG without script: it prints, and follows the page's colours by classes. `draw` gives the marks; `summary`
 * says in words what the picture shows.
 */
export function svgPlot({ width, height }: PlotSize, xAxis: Axis, yAxis: Axis, summary: string, draw: (places: Places) => string): string {
  const inner = { width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
  const share = ({ from, to }: Axis, value: number) => (value - from) / (to - from || 1);
  const x = (value: number) => round(MARGIN.left + inner.width * share(xAxis, value));
  const y = (value: number) => round(MARGIN.top + inner.height * (1 - share(yAxis, value)));
  const bottom = MARGIN.top + inner.height;
  const rows = ticksBetween(yAxis.from, yAxis.to, yAxis.step).map((tick) => {
    const at = y(tick);
    const line = `<path class="${tick === 0 ? 'zero' : 'grid'}" d="M${MARGIN.left} ${at}H${width - MARGIN.right}"/>`;
    return `${line}<text x="${MARGIN.left - 8}" y="${round(at + 4)}" text-anchor="end">${escapeHtml(yAxis.format(tick))}</text>`;
  });
  const columns = ticksBetween(xAxis.from, xAxis.to, xAxis.step).map((tick) => {
    const at = x(tick);
    const line = tick === 0 && xAxis.from < 0 ? `<path class="zero" d="M${at} ${MARGIN.top}V${bottom}"/>` : '';
    return `${line}<text x="${at}" y="${bottom + 18}" text-anchor="middle">${escapeHtml(xAxis.format(tick))}</text>`;
  });
  const names = [
    `<text class="axis" x="${width - MARGIN.right}" y="${height - 6}" text-anchor="end">${escapeHtml(xAxis.label)}</text>`,
    `<text class="axis" x="4" y="14">${escapeHtml(yAxis.label)}</text>`,
  ];
  return `<svg class="plot" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(summary)}">${[...rows, ...columns, ...names].join('')}${draw({ x, y })}</svg>`;
}

/** A tenth of a unit is finer than a pixel. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
