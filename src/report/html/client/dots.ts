import { byId, clock, data, make, number } from './page.ts';

/** The greatest distance between the pointer and a dot, in pixels. */
const REACH = 14;

/** Each dot of the scatter plots shows its trade when the pointer is on it. */
export function startDots(): void {
  const card = byId('scatter')?.querySelector<HTMLElement>('.plots');
  if (card === undefined || card === null || data.dots === undefined) return;
  startTips(card, placesOf, textOf);
}

/** A place on a drawing, in its units; further numbers belong to the caller. */
type Place = readonly [x: number, y: number, ...more: number[]];

/**
 * Shows a text at the place under the pointer.
 * @param placesIn the places of a plot, read when the pointer comes to it.
 * @param textAt the text of a place, by its index.
 * @param leave called when no place is under the pointer any more.
 */
export function startTips(
  card: HTMLElement,
  placesIn: (plot: SVGSVGElement) => readonly Place[],
  textAt: (index: number, place: Place) => string,
  leave: () => void = () => {},
): void {
  const tip = make('div', 'tip dot-tip');
  card.append(tip);
  const hide = () => {
    tip.textContent = '';
    leave();
  };
  for (const plot of card.querySelectorAll<SVGSVGElement>('.plot')) {
    let places: readonly Place[] = [];
    plot.addEventListener('pointerenter', () => {
      places = placesIn(plot);
    });
    plot.addEventListener('pointermove', ({ clientX, clientY }) => {
      const { left, top, width } = plot.getBoundingClientRect();
      const scale = width / plot.viewBox.baseVal.width;
      const index = nearest(places, (clientX - left) / scale, (clientY - top) / scale, REACH / scale);
      if (index === undefined) return hide();
      tip.textContent = textAt(index, places[index]!);
      const frame = card.getBoundingClientRect();
      const room = Math.max(0, card.clientWidth - tip.offsetWidth);
      tip.style.left = `${Math.max(0, Math.min(room, clientX - frame.left - tip.offsetWidth / 2))}px`;
      tip.style.bottom = `${frame.bottom - clientY + REACH}px`;
    });
    plot.addEventListener('pointerleave', hide);
  }
}

/** The positions of the dots, in the drawing's units; the paths have them in the order of the columns. */
export function placesOf(plot: SVGSVGElement): readonly Place[] {
  const paths = [...plot.querySelectorAll('.dots-loss, .dots-gain, .dots-missed, .dots-trial')].map((path) => path.getAttribute('d') ?? '');
  return [...paths.join('').matchAll(/M([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
}

function nearest(places: readonly Place[], x: number, y: number, reach: number): number | undefined {
  let [found, least] = [undefined as number | undefined, reach];
  places.forEach(([ownX, ownY], index) => {
    const distance = Math.hypot(ownX - x, ownY - y);
    if (distance <= least) [found, least] = [index, distance];
  });
  return found;
}

function textOf(dot: number): string {
  const { names, name, t, held, gain, mae, mfe } = data.dots!;
  const percent = (column: readonly number[]) => `${number(column[dot]!, 2).replace('-', '\u2212')} %`;
  const [from, to] = [clock(t[dot]! - held[dot]!), clock(t[dot]!)];
  return `${names[name[dot]!]}, ${from} to ${to}: return ${percent(gain)}, MAE ${percent(mae)}, MFE ${percent(mfe)}`;
}
