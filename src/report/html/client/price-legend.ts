import type { FillColumns, OrderColumns, PriceColumns } from '../page/page-data.ts';
import type { LegendPart } from './legend.ts';
import { lastAtOrBefore } from './places.ts';
import { amount, clock, number } from './text.ts';

const LISTED = 5;

/** The lines of a legend for one candle: its prices, its fills, the orders that lived in it. */
export function priceLegend(chart: PriceColumns): (bar: number) => LegendPart[][] {
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
  return [[clock(bars.t[bar]!)], ['O'], price('o'), ['H'], price('h'), ['L'], price('l'), ['C'], price('c')];
}

function fillLine({ fills, places }: PriceColumns, fill: number): LegendPart[] {
  const { q, p, t, tag } = fills;
  return [fillName(fills, fill), [`${amount(q[fill]!)} at ${number(p[fill]!, places)}`, 'b'], [clock(t[fill]!)], [tag[fill]!]];
}

/** The mark of a fill and what it did, in the colour of the mark. */
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

/** Its price, and every later one. */
function priceText({ p, changes }: OrderColumns, order: number, places: number): string {
  const prices = [p[order], ...changes.filter(([index]) => index === order).map(([, , price]) => price)];
  const known = prices.filter((price) => typeof price === 'number').map((price) => number(price, places));
  return known.length === 0 ? '' : `at ${known.filter((text, index) => text !== known[index - 1]).join(' → ')}`;
}
