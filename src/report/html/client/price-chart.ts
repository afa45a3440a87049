import type { FillColumns, OrderColumns, PriceColumns } from '../page-data.ts';
import { addCandles } from './candles.ts';
import { fillMarks, orderMarks, type Stretch } from './marks.ts';
import { amount, byId, clock, data, type LegendPart, lastAtOrBefore, number, placeOf, setLegend } from './page.ts';
import { addPlots, plotPanes } from './plots.ts';
import { onPaint } from './theme.ts';
import { timeChart } from './time-chart.ts';

/** Candles on each side of the fill that the keys n and p show. */
const AROUND_FILL = 30;

/** Candles of one symbol at a time, with the run's orders and fills; n and p go from fill to fill. */
export function drawPrices(): void {
  const [element, legend, note] = [byId('price-chart'), byId('price-legend'), byId('price-note')];
  const picker = byId<HTMLSelectElement>('price-symbol');
  if (element === undefined || legend === undefined || note === undefined) return;
  let shownIndex = 0;
  let goTo: (from: number, to: number) => void = () => {};
  const select = (index: number) => {
    const shown = data.charts[index]!;
    shownIndex = index;
    note.textContent = shown.note;
    goTo = drawSymbol(element, legend, shown);
  };
  picker?.addEventListener('change', () => select(Number(picker.value)));
  select(0);
  document.addEventListener('click', ({ target }) => {
    const jump = target instanceof Element ? target.closest<HTMLElement>('[data-jump]')?.dataset.jump : undefined;
    if (jump === undefined) return;
    const [index, from, to] = jump.split(' ').map(Number);
    if (picker !== undefined) picker.value = String(index);
    if (index === shownIndex) {
      goTo(from!, to!);
      return;
    }
    select(index!);
    // A new chart shows everything in its second frame, when it knows its size.
    inFrames(3, () => goTo(from!, to!));
  });
}

function inFrames(count: number, act: () => void): void {
  if (count === 0) act();
  else requestAnimationFrame(() => inFrames(count - 1, act));
}

/** @returns a function that shows the candles around two times, in epoch seconds. */
function drawSymbol(element: HTMLElement, legend: HTMLElement, shown: PriceColumns): (from: number, to: number) => void {
  const { bars, fills, places, intervalMs } = shown;
  const seconds = intervalMs / 1000;
  element.style.setProperty('--panes', String(plotPanes(shown).length));
  const { chart, frame, show } = timeChart(element, { stepSeconds: seconds, count: bars.t.length });
  const candles = addCandles(chart, frame, bars, places);
  const fillPlaces = fills.t.map((time) => placeOf(bars, seconds, time));
  const marks = { orders: ordersOf(shown, seconds), fills: fillMarks(fills, fillPlaces) };
  for (const [name, layer] of Object.entries(marks)) {
    candles.attachPrimitive(layer);
    const box = byId<HTMLInputElement>(`price-${name}`);
    const toggle = () => layer.show(box?.checked !== false);
    box?.addEventListener('change', toggle);
    toggle();
  }
  onPaint(frame, (palette) => {
    for (const layer of Object.values(marks)) layer.paint(palette);
  });
  const plots = addPlots(chart, frame, shown);
  const lines = priceLegend(shown);
  const barOf = new Map(bars.t.map((time, bar) => [time, bar]));
  const showLegend = (bar: number) => {
    const [candle = [], ...others] = lines(bar);
    setLegend(legend, [candle, ...plots.legend(bar), ...others]);
  };
  // Without a candle under the pointer, the last one with its plots, whose few lines cover no prices.
  const showLast = () => {
    const bar = bars.t.length - 1;
    setLegend(legend, [...lines(bar).slice(0, 1), ...plots.legend(bar)]);
  };
  const box = byId<HTMLInputElement>('price-plots');
  const toggle = () => {
    plots.show(box?.checked !== false);
    if (bars.t.length > 0) showLast();
  };
  box?.addEventListener('change', toggle);
  toggle();
  chart.subscribeCrosshairMove(({ time }) => {
    const bar = barOf.get(Number(time));
    if (bar === undefined) showLast();
    else showLegend(bar);
  });
  stepThroughFills(frame, fillPlaces, (place) => {
    show({ from: place - AROUND_FILL, to: place + AROUND_FILL });
    showLegend(Math.max(0, Math.min(bars.t.length - 1, Math.round(place))));
  });
  chart.timeScale().fitContent();
  return (from, to) => {
    const [first, last] = [placeOf(bars, seconds, from), placeOf(bars, seconds, to)];
    show({ from: first - AROUND_FILL, to: last + AROUND_FILL });
    showLegend(Math.max(0, Math.min(bars.t.length - 1, Math.round(first))));
  };
}

function ordersOf({ bars, orders }: PriceColumns, seconds: number): ReturnType<typeof orderMarks> {
  const place = (time: number) => placeOf(bars, seconds, time);
  const lives = orders.t.map((time, order): Stretch[] => [{ place: place(time), price: orders.p[order]! }]);
  for (const [order, time, price] of orders.changes) lives[order]!.push({ place: place(time), price });
  const ends = orders.end.map((end) => (end === null ? bars.t.length - 0.5 : place(end)));
  return orderMarks(orders, lives, ends);
}

/** n goes to the next fill and p to the previous one, in a circle. */
function stepThroughFills(frame: HTMLElement, places: readonly number[], goTo: (place: number) => void): void {
  let current = -1;
  frame.addEventListener('keydown', ({ key, ctrlKey, metaKey, altKey }) => {
    if ((key !== 'n' && key !== 'p') || ctrlKey || metaKey || altKey || places.length === 0) return;
    current = key === 'n' ? (current + 1) % places.length : (current <= 0 ? places.length : current) - 1;
    goTo(places[current]!);
  });
}

const LISTED = 5;

/** The lines of a legend for one candle: its prices, its fills, and the orders that were open in it. */
function priceLegend(chart: PriceColumns): (bar: number) => LegendPart[][] {
  const { bars, fills, orders, intervalMs } = chart;
  const fillsOf = new Map<number, number[]>();
  fills.t.forEach((time, fill) => {
    const bar = lastAtOrBefore(bars.t, time);
    const before = fillsOf.get(bar);
    if (before === undefined) fillsOf.set(bar, [fill]);
    else before.push(fill);
  });
  return (bar) => {
    const start = bars.t[bar]!;
    const end = start + intervalMs / 1000;
    const alive = [...orders.t.keys()].filter((order) => orders.t[order]! < end && (orders.end[order] ?? end) >= start);
    return [
      candleLine(chart, bar),
      ...listed(fillsOf.get(bar) ?? [], 'fills', (fill) => fillLine(chart, fill)),
      ...listed(alive, 'orders', (order) => orderLine(chart, order)),
    ];
  };
}

function listed(indices: readonly number[], name: string, line: (index: number) => LegendPart[]): LegendPart[][] {
  const lines = indices.slice(0, LISTED).map(line);
  return indices.length > LISTED ? [...lines, [[`and ${indices.length - LISTED} more ${name}`]]] : lines;
}

function candleLine({ bars, places }: PriceColumns, bar: number): LegendPart[] {
  const price = (column: 'o' | 'h' | 'l' | 'c'): LegendPart => [number(bars[column][bar]!, places), 'b'];
  const volume: LegendPart[] = bars.v === undefined ? [] : [['V'], [amount(bars.v[bar]!), 'b']];
  return [[clock(bars.t[bar]!)], ['O'], price('o'), ['H'], price('h'), ['L'], price('l'), ['C'], price('c'), ...volume];
}

function fillLine({ fills, places }: PriceColumns, fill: number): LegendPart[] {
  const { q, p, t, tag } = fills;
  return [fillName(fills, fill), [`${amount(q[fill]!)} at ${number(p[fill]!, places)}`, 'b'], [clock(t[fill]!)], [tag[fill]!]];
}

/** The mark of a fill and its effect, in the colour of the mark. */
function fillName({ buy, what, liquidations }: FillColumns, fill: number): LegendPart {
  const isBuy = buy[fill] === 1;
  const name = what?.[fill] ?? (isBuy ? 'buy' : 'sell');
  if (liquidations?.includes(fill) === true) return [`✕ ${name}`, 'mark-liquidation'];
  return [`${isBuy ? '▲' : '▼'} ${name}`, isBuy ? 'mark-buy' : 'mark-sell'];
}

function orderLine({ orders, places }: PriceColumns, order: number): LegendPart[] {
  const price = priceText(orders, order, places);
  const side = orders.buy[order] === 1 ? 'buy' : 'sell';
  const ended = orders.end[order];
  return [
    [`${orders.stops.includes(order) ? '┅' : '━'} ${side} ${orders.what[order]!}`, `mark-${side}`],
    ...(price === '' ? [] : [[price, 'b'] as LegendPart]),
    [`${clock(orders.t[order]!)} to ${typeof ended === 'number' ? clock(ended) : 'the end'}: ${orders.state[order]!}`],
    [orders.tag[order]!],
  ];
}

/** Its price, and all later prices. */
function priceText({ p, changes }: OrderColumns, order: number, places: number): string {
  const prices = [p[order], ...changes.filter(([index]) => index === order).map(([, , price]) => price)];
  const known = prices.filter((price) => typeof price === 'number').map((price) => number(price, places));
  return known.length === 0 ? '' : `at ${known.filter((text, index) => text !== known[index - 1]).join(' → ')}`;
}
