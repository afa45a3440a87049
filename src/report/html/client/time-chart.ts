import type * as Charts from 'lightweight-charts';
import type { ChartOptions, DeepPartial, IChartApi, ITimeScaleApi, Time } from 'lightweight-charts';
import type { Palette } from '../palette.ts';
import { byId, clock, data, make } from './page.ts';
import { onPaint, repaint } from './theme.ts';
import { tickLabel } from './tick-label.ts';

/** The charting library: a classic script of its own, with its licence notice, on pages that have charts over time. */
export const library = (globalThis as unknown as { readonly LightweightCharts: typeof Charts }).LightweightCharts;

const YEAR_SECONDS = 365 * 86_400;

/** The time axis of a chart. */
interface Extent {
  /** The distance of two points: decides whether the axis shows times of day, and seconds. */
  readonly stepSeconds: number;
  /** How many points there are. */
  readonly count: number;
}

/** A chart in its frame, and a function that shows a part of it. */
interface TimeChart {
  readonly chart: IChartApi;
  readonly frame: HTMLElement;
  readonly show: (part: Range) => void;
}

/** Every chart that is drawn now, by its element. */
const drawn = new Map<HTMLElement, IChartApi>();

/**
 * A chart over UTC time in its own frame within `element`, in the page's colours. It fits all its data, also after each resize. The wheel
 * zooms it only after a click, so that the page still scrolls; with the focus, keys control it. The shown period, when it is not the whole,
 * is printed in `<id>-period`.
 */
export function timeChart(element: HTMLElement, { stepSeconds, count }: Extent): TimeChart {
  drawn.get(element)?.remove();
  const frame = make('div', 'frame');
  frame.tabIndex = 0;
  frame.setAttribute('role', 'application');
  frame.setAttribute('aria-label', element.dataset.label ?? '');
  frame.setAttribute('aria-describedby', 'chart-keys');
  element.replaceChildren(frame);
  const withYear = stepSeconds * count > YEAR_SECONDS;
  const chart = library.createChart(frame, {
    autoSize: true,
    layout: { attributionLogo: false },
    localization: { locale: 'en-GB', timeFormatter: (time: Time) => clock(Number(time)) },
    // A finger that moves up or down scrolls the page.
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false, axisDoubleClickReset: true },
    timeScale: {
      timeVisible: stepSeconds < 86_400,
      secondsVisible: stepSeconds < 60,
      tickMarkFormatter: (time: Time, weight: number) => tickLabel(Number(time), weight, withYear),
      tickMarkMaxCharacterLength: withYear ? 11 : 7,
      minBarSpacing: 0.01,
      fixLeftEdge: true,
      fixRightEdge: true,
    },
  });
  drawn.set(element, chart);
  const wheel = (on: boolean) => chart.applyOptions({ handleScroll: { mouseWheel: on }, handleScale: { mouseWheel: on } });
  const fit = () => frame.isConnected && chart.timeScale().fitContent();
  frame.addEventListener('click', () => wheel(true));
  frame.addEventListener('mouseleave', () => wheel(false));
  frame.addEventListener('dblclick', fit);
  new ResizeObserver(() => requestAnimationFrame(fit)).observe(frame);
  onPaint(frame, (palette) => chart.applyOptions(colours(palette)));
  const show = steerByKeys(frame, chart.timeScale(), count);
  const period = byId(`${element.id.replace('-chart', '')}-period`);
  chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
    const shown = chart.timeScale().getVisibleRange();
    if (period === undefined || range === null || shown === null) return;
    const zoomed = range.to - range.from < count - 1.5;
    period.textContent = zoomed ? `${clock(Number(shown.from))} to ${clock(Number(shown.to))}` : '';
  });
  return { chart, frame, show };
}

function colours(palette: Palette): DeepPartial<ChartOptions> {
  const line = { color: palette.muted, labelBackgroundColor: palette.accent };
  return {
    layout: {
      background: { type: library.ColorType.Solid, color: palette.card },
      textColor: palette.muted,
      fontFamily: getComputedStyle(document.body).fontFamily,
      fontSize: 12,
      panes: { separatorColor: palette.rule, separatorHoverColor: palette.rule, enableResize: true },
    },
    grid: { vertLines: { visible: false }, horzLines: { color: palette.rule } },
    crosshair: { mode: library.CrosshairMode.Normal, vertLine: line, horzLine: line },
    rightPriceScale: { borderVisible: false },
    timeScale: { borderColor: palette.rule },
  };
}

/** For printing, charts become pictures in light colours, as wide as the paper, and folded parts open. */
export function startPrint(): void {
  let folded: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    repaint({ ...data.palettes.light, card: '#ffffff', paper: '#ffffff' });
    for (const [element, chart] of drawn) {
      const picture = make('img', 'picture');
      picture.alt = element.dataset.label ?? '';
      picture.src = chart.takeScreenshot().toDataURL('image/png');
      element.querySelector('.picture')?.remove();
      element.append(picture);
    }
    folded = [...document.querySelectorAll<HTMLDetailsElement>('details:not([open])')];
    for (const element of folded) element.open = true;
  });
  addEventListener('afterprint', () => {
    repaint();
    for (const picture of document.querySelectorAll('.picture')) picture.remove();
    for (const element of folded) element.open = false;
  });
}

type Scale = Pick<ITimeScaleApi<Time>, 'getVisibleLogicalRange' | 'setVisibleLogicalRange' | 'fitContent'>;
/** A part of a chart, counted in its points; the first is 0. */
interface Range {
  readonly from: number;
  readonly to: number;
}

const ZOOM = 0.6;
/** The fewest points that keys zoom to. */
const FEWEST = 4;

/** The new part after each key. */
const KEYS: Readonly<Record<string, (range: Range, count: number) => Range>> = {
  ArrowLeft: (range) => moved(range, -0.15),
  ArrowRight: (range) => moved(range, 0.15),
  PageUp: (range) => moved(range, -0.9),
  PageDown: (range) => moved(range, 0.9),
  Home: ({ from, to }) => ({ from: 0, to: to - from }),
  End: ({ from, to }, count) => ({ from: count - (to - from), to: count }),
  '+': (range) => zoomed(range, ZOOM),
  '=': (range) => zoomed(range, ZOOM),
  ArrowUp: (range) => zoomed(range, ZOOM),
  '-': (range) => zoomed(range, 1 / ZOOM),
  ArrowDown: (range) => zoomed(range, 1 / ZOOM),
};

/**
 * Arrows and Page keys move, + and - (or up and down) zoom, Home and End go to the ends, 0 shows all `count` points; the browser keeps its
 * other keys.
 * @returns a function that shows a part of the chart.
 */
function steerByKeys(element: HTMLElement, scale: Scale, count: number): (part: Range) => void {
  // The chart applies a range with its next frame: until then keys continue from the last requested range.
  let asked: Range | undefined;
  const show = (part: Range | undefined) => {
    asked = part === undefined ? { from: -0.5, to: count - 0.5 } : within(part, count);
    if (part === undefined) scale.fitContent();
    else scale.setVisibleLogicalRange(asked);
    requestAnimationFrame(() => {
      asked = undefined;
    });
  };
  element.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const change = KEYS[event.key];
    const range = asked ?? scale.getVisibleLogicalRange();
    if (event.key === '0') show(undefined);
    else if (change !== undefined && range !== null) show(change(range, count));
    else return;
    event.preventDefault();
  });
  return show;
}

/** The part, cut to the available points and never shorter than a few. */
function within({ from, to }: Range, count: number): Range {
  const middle = (from + to) / 2;
  const length = Math.min(count, Math.max(FEWEST, to - from));
  const start = Math.max(-0.5, Math.min(middle - length / 2, count - 0.5 - length));
  return { from: start, to: start + length };
}

function moved({ from, to }: Range, share: number): Range {
  const step = (to - from) * share;
  return { from: from + step, to: to + step };
}

function zoomed({ from, to }: Range, factor: number): Range {
  const middle = (from + to) / 2;
  const half = ((to - from) / 2) * factor;
  return { from: middle - half, to: middle + half };
}
