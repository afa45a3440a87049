import type { ITimeScaleApi, Time } from 'lightweight-charts';

type Scale = Pick<ITimeScaleApi<Time>, 'getVisibleLogicalRange' | 'setVisibleLogicalRange' | 'fitContent'>;
/** A part of a chart, counted in its points; the first is 0. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const ZOOM = 0.6;
/** The fewest points that keys zoom to. */
const FEWEST = 4;

/** What each key makes of the part shown. */
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
 * Arrows and Page keys move, + and - (or up and down) zoom, Home and End go to the ends, 0 shows all `count` points; other keys
 * stay the browser's. @returns what shows a part of the chart.
 */
export function steerByKeys(element: HTMLElement, scale: Scale, count: number): (part: Range) => void {
  // The chart takes a range over with its next frame: until then keys go on from what the last one asked for.
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

/** The part, cut to what there is and never shorter than a few points. */
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
