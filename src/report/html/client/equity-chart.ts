/** Browser code: equity above, drawdown below, two panes over one time axis. */
export const EQUITY_SCRIPT = `
function drawEquity(element, legend) {
  const { t, e, d } = data.equity;
  const distinct = t.map((_, index) => index).filter((index) => t[index] !== t[index + 1]);
  const span = (t.at(-1) - t[0]) / Math.max(1, t.length - 1);
  const chart = createChart(element, span);
  const places = Math.max(...e) - Math.min(...e) < 20 ? 2 : 0;
  const money = (value) => number(value, places);
  const equity = chart.addSeries(LightweightCharts.AreaSeries, { lineWidth: 2, priceLineVisible: false, priceFormat: { type: 'custom', minMove: 0.01, formatter: money } }, 0);
  const start = equity.createPriceLine({ price: e[0], lineWidth: 1, lineStyle: 2, axisLabelVisible: false, title: '' });
  const drawdown = chart.addSeries(
    LightweightCharts.BaselineSeries,
    { baseValue: { type: 'price', price: 0 }, lineWidth: 1, priceLineVisible: false, priceFormat: { type: 'custom', minMove: 0.01, formatter: (value) => value.toFixed(1) + ' %' } },
    1,
  );
  equity.setData(distinct.map((index) => ({ time: t[index], value: e[index] })));
  drawdown.setData(distinct.map((index) => ({ time: t[index], value: d[index] })));
  drawdown.priceScale().applyOptions({ scaleMargins: { top: 0.04, bottom: 0.08 } });
  equity.priceScale().applyOptions({ scaleMargins: { top: 0.14, bottom: 0.08 }, entireTextOnly: true });
  chart.panes()[0].setStretchFactor(2.4);
  chart.panes()[1].setStretchFactor(1);
  onPaint((palette) => {
    chart.applyOptions(baseOptions(palette));
    equity.applyOptions({ lineColor: palette.accent, topColor: palette.accentSoft, bottomColor: 'rgba(0, 0, 0, 0)' });
    start.applyOptions({ color: palette.muted });
    drawdown.applyOptions({
      topLineColor: palette.loss, topFillColor1: 'rgba(0, 0, 0, 0)', topFillColor2: 'rgba(0, 0, 0, 0)',
      bottomLineColor: palette.loss, bottomFillColor1: palette.lossSoft, bottomFillColor2: palette.lossSoft,
    });
  });
  const show = (index) => setLegend(legend, [[[clock(t[index])], ['Equity'], [number(e[index], 2) + ' ' + data.currency, 'b'], ['Drawdown'], [number(Math.abs(d[index]), 2) + ' %', 'b']]]);
  const byTime = new Map(distinct.map((index) => [t[index], index]));
  chart.subscribeCrosshairMove((move) => show(byTime.get(move.time) ?? t.length - 1));
  show(t.length - 1);
  chart.timeScale().fitContent();
}
`;
