import type { ChartOptions, DeepPartial, IChartApi, Time } from 'lightweight-charts';
import type { Palette } from '../page/palette.ts';
import { type Range, steerByKeys } from './chart-keys.ts';
import { library } from './library.ts';
import { byId, make } from './page.ts';
import { clock, tickLabel } from './text.ts';
import { onPaint } from './theme.ts';

/** What a chart is of, in time. */
export interface Extent {
  /** The distance of two points: whether the axis shows times of day, and seconds. */
  readonly stepSeconds: number;
  /** How many points there are. */
  readonly count: number;
}

/** A chart in its frame, and what shows a part of it. */
export interface TimeChart {
  readonly chart: IChartApi;
  readonly frame: HTMLElement;
  readonly show: (part: Range) => void;
}

/** Every chart that is drawn now, by the element that holds it. */
export const drawn = new Map<HTMLElement, IChartApi>();

/**
 * A chart over UTC time in a frame of its own within `element`, in the page's colours. It fits all its data, again whenever it
 * is resized. The wheel zooms it only after a click, so that the page still scrolls; with the focus it is steered by keys. What
 * it shows, when that is not all, stands in `<id>-period`.
 */
export function timeChart(element: HTMLElement, { stepSeconds, count }: Extent): TimeChart {
  drawn.get(element)?.remove();
  const frame = make('div', 'frame');
  frame.tabIndex = 0;
  frame.setAttribute('role', 'application');
  frame.setAttribute('aria-label', element.dataset.label ?? '');
  frame.setAttribute('aria-describedby', 'chart-keys');
  element.replaceChildren(frame);
  const chart = library.createChart(frame, {
    autoSize: true,
    layout: { attributionLogo: false },
    localization: { locale: 'en-GB', timeFormatter: (time: Time) => clock(Number(time)) },
    handleScroll: { mouseWheel: false },
    handleScale: { mouseWheel: false, axisDoubleClickReset: true },
    timeScale: {
      timeVisible: stepSeconds < 86_400,
      secondsVisible: stepSeconds < 60,
      tickMarkFormatter: (time: Time, weight: number) => tickLabel(Number(time), weight),
      tickMarkMaxCharacterLength: 7,
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
