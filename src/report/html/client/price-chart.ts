/** Browser code: candles of one symbol with its fills marked; the legend lists the fills of the candle under the pointer. */
export const PRICE_SCRIPT = `
const LISTED_FILLS = 5;

function drawPrice(element, legend, note, picker) {
  let chart;
  let paint = () => {};
  onPaint((palette) => paint(palette));
  function select(index) {
    chart?.remove();
    const shown = data.charts[index];
    const { t, o, h, l, c } = shown.bars;
    chart = createChart(element, shown.intervalMs / 1000);
    const candles = chart.addSeries(LightweightCharts.CandlestickSeries, {
      borderVisible: false, priceLineVisible: false, lastValueVisible: false,
      priceFormat: { type: 'custom', minMove: 10 ** -shown.places, formatter: (value) => number(value, shown.places) },
    });
    candles.setData(t.map((time, bar) => ({ time, open: o[bar], high: h[bar], low: l[bar], close: c[bar] })));
    candles.priceScale().applyOptions({ scaleMargins: { top: 0.12, bottom: 0.06 }, entireTextOnly: true });
    const marks = new FillMarks(t, shown.intervalMs / 1000, shown.fills);
    candles.attachPrimitive(marks);
    paint = (palette) => {
      chart.applyOptions(baseOptions(palette));
      candles.applyOptions({ upColor: palette.candleUp, downColor: palette.candleDown, wickUpColor: palette.candleUp, wickDownColor: palette.candleDown });
      marks.paint(palette);
    };
    paint(data.palettes[dark.matches ? 'dark' : 'light']);
    const fillsOf = new Map();
    shown.fills.t.forEach((time, fill) => {
      const bar = lastAtOrBefore(t, time);
      if (!fillsOf.has(bar)) fillsOf.set(bar, []);
      fillsOf.get(bar).push(fill);
    });
    const barOf = new Map(t.map((time, bar) => [time, bar]));
    const show = (bar) => setLegend(legend, [candleLine(shown, bar), ...fillLines(shown, fillsOf.get(bar) ?? [])]);
    chart.subscribeCrosshairMove((move) => show(barOf.get(move.time) ?? t.length - 1));
    if (t.length > 0) show(t.length - 1);
    note.textContent = shown.note;
    chart.timeScale().fitContent();
  }
  picker?.addEventListener('change', () => select(Number(picker.value)));
  select(0);
}

function candleLine({ bars, places }, bar) {
  const price = (column) => [number(bars[column][bar], places), 'b'];
  return [[clock(bars.t[bar])], ['O'], price('o'), ['H'], price('h'), ['L'], price('l'), ['C'], price('c')];
}

/** The mark of a fill and what it did, in the colour of the mark. */
function fillName({ buy, what, liquidations }, fill) {
  if (liquidations?.includes(fill)) return ['✕ ' + what[fill], 'mark-liquidation'];
  const name = what ? what[fill] : buy[fill] ? 'buy' : 'sell';
  return [(buy[fill] ? '▲ ' : '▼ ') + name, buy[fill] ? 'mark-buy' : 'mark-sell'];
}

function fillLines({ fills, places }, indices) {
  const lines = indices.slice(0, LISTED_FILLS).map((fill) => [
    fillName(fills, fill),
    [fills.q[fill].toLocaleString('en-US', { maximumFractionDigits: 10 }) + ' at ' + number(fills.p[fill], places), 'b'],
    [clock(fills.t[fill])],
    [fills.tag[fill]],
  ]);
  return indices.length > LISTED_FILLS ? [...lines, [['and ' + (indices.length - LISTED_FILLS) + ' more']]] : lines;
}
`;
