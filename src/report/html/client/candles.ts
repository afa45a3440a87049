import type { IChartApi, ISeriesApi, UTCTimestamp } from 'lightweight-charts';
import type { BarColumns } from '../page-data.ts';
import { number } from './page.ts';
import { onPaint } from './theme.ts';
import { library } from './time-chart.ts';

/** The height of the prices, where the volume below them has 1. */
const PRICE_TO_VOLUME = 5;

/** Candles and, where their volumes are known, bars of volume in a pane below, in the colours of the page. */
export function addCandles(chart: IChartApi, frame: HTMLElement, bars: BarColumns, places: number): ISeriesApi<'Candlestick'> {
  const candles = chart.addSeries(library.CandlestickSeries, {
    borderVisible: false,
    priceLineVisible: false,
    lastValueVisible: false,
    priceFormat: { type: 'custom', minMove: 10 ** -places, formatter: (value: number) => number(value, places) },
  });
  const time = (bar: number) => bars.t[bar] as UTCTimestamp;
  const rows = [...bars.t.keys()];
  candles.setData(rows.map((bar) => ({ time: time(bar), open: bars.o[bar]!, high: bars.h[bar]!, low: bars.l[bar]!, close: bars.c[bar]! })));
  candles.priceScale().applyOptions({ scaleMargins: { top: 0.12, bottom: 0.06 }, entireTextOnly: true });
  const { v } = bars;
  const volumes = v && chart.addSeries(library.HistogramSeries, VOLUME, 1);
  volumes?.setData(rows.map((bar) => ({ time: time(bar), value: v![bar]! })));
  volumes?.priceScale().applyOptions({ scaleMargins: { top: 0.1, bottom: 0 }, entireTextOnly: true });
  chart.panes()[0]?.setStretchFactor(PRICE_TO_VOLUME);
  onPaint(frame, (palette) => {
    candles.applyOptions({
      ...{ upColor: palette.candleUp, downColor: palette.candleDown },
      ...{ wickUpColor: palette.candleUp, wickDownColor: palette.candleDown },
    });
    volumes?.applyOptions({ color: palette.volume });
  });
  return candles;
}

const VOLUME = { priceLineVisible: false, lastValueVisible: false, priceFormat: { type: 'volume' } } as const;
