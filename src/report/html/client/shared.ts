/**
 * Browser code, kept as text: it is inlined in the page, so it is plain ES2022 without imports. The scripts
 * share one scope (`clientScript`). Here: the data, the chart options by colour scheme, and small formats.
 */
export const SHARED_SCRIPT = String.raw`
const data = JSON.parse(document.getElementById('data').textContent);
const dark = matchMedia('(prefers-color-scheme: dark)');
const painters = [];

function repaint(palette) {
  for (const paint of painters) paint(palette);
}

function onPaint(paint) {
  painters.push(paint);
  paint(data.palettes[dark.matches ? 'dark' : 'light']);
}

function baseOptions(palette) {
  return {
    layout: {
      background: { type: 'solid', color: palette.card },
      textColor: palette.muted,
      fontFamily: getComputedStyle(document.body).fontFamily,
      fontSize: 12,
      panes: { separatorColor: palette.rule, separatorHoverColor: palette.rule, enableResize: true },
    },
    grid: { vertLines: { visible: false }, horzLines: { color: palette.rule } },
    crosshair: { mode: 0, vertLine: { color: palette.muted, labelBackgroundColor: palette.accent }, horzLine: { color: palette.muted, labelBackgroundColor: palette.accent } },
    rightPriceScale: { borderVisible: false },
    timeScale: { borderColor: palette.rule },
  };
}

/** A chart in a frame of its own that fits all its data, again whenever it is resized; the wheel zooms it only after a click, so that the page still scrolls. */
function createChart(element, stepSeconds) {
  const frame = document.createElement('div');
  frame.className = 'frame';
  element.replaceChildren(frame);
  const chart = LightweightCharts.createChart(frame, {
    autoSize: true,
    layout: { attributionLogo: false },
    localization: { locale: 'en-GB', timeFormatter: clock },
    handleScroll: { mouseWheel: false },
    handleScale: { mouseWheel: false, axisDoubleClickReset: true },
    timeScale: { timeVisible: stepSeconds < 86400, secondsVisible: stepSeconds < 60, tickMarkFormatter: tickLabel, tickMarkMaxCharacterLength: 7, minBarSpacing: 0.01, fixLeftEdge: true, fixRightEdge: true },
  });
  const wheel = (on) => chart.applyOptions({ handleScroll: { mouseWheel: on }, handleScale: { mouseWheel: on } });
  const fit = () => frame.isConnected && chart.timeScale().fitContent();
  frame.addEventListener('click', () => wheel(true));
  frame.addEventListener('mouseleave', () => wheel(false));
  frame.addEventListener('dblclick', fit);
  new ResizeObserver(() => requestAnimationFrame(fit)).observe(frame);
  return chart;
}

/** UTC, to the second only where there are seconds. */
function clock(seconds) {
  return new Date(seconds * 1000).toISOString().replace('T', ' ').replace(/(:00)?\.000Z$/, '').replace('Z', '');
}

/** Years, months, days with their month, times of day: by the weight that the library gives a mark. */
function tickLabel(seconds, weight) {
  const date = new Date(seconds * 1000);
  const month = date.toLocaleString('en-GB', { month: 'short', timeZone: 'UTC' });
  if (weight === 0) return String(date.getUTCFullYear());
  if (weight === 1) return month;
  if (weight === 2) return date.getUTCDate() + ' ' + month;
  return date.toISOString().slice(11, weight === 3 ? 16 : 19);
}

function number(value, places) {
  return value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places });
}

/** Replaces the legend's lines; each is a list of [text, class]. Texts are never read as HTML. */
function setLegend(element, lines) {
  element.replaceChildren(
    ...lines.map((parts) => {
      const line = document.createElement('div');
      for (const [text, name] of parts) {
        const part = document.createElement(name === 'b' ? 'b' : 'span');
        if (name !== 'b') part.className = name || '';
        part.textContent = text + ' ';
        line.append(part);
      }
      return line;
    }),
  );
}

dark.addEventListener('change', () => repaint(data.palettes[dark.matches ? 'dark' : 'light']));
addEventListener('beforeprint', () => repaint({ ...data.palettes.light, card: '#ffffff', paper: '#ffffff' }));
addEventListener('afterprint', () => repaint(data.palettes[dark.matches ? 'dark' : 'light']));
`;
