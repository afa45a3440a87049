import { byId, clock, data, make, number } from './page.ts';

/** The greatest distance between the pointer and a dot, in pixels. */
const REACH = 14;

/** Each dot of the scatter plots shows its trade when the pointer is on it. */
export function startDots(): void {
  const card = byId('scatter')?.querySelector<HTMLElement>('.plots');
  if (card === undefined || card === null || data.dots === undefined) return;
  const tip = make('div', 'tip dot-tip');
  card.append(tip);
  for (const plot of card.querySelectorAll<SVGSVGElement>('.plot')) {
    const places = placesOf(plot);
    plot.addEventListener('pointermove', ({ clientX, clientY }) => {
      const { left, top, width } = plot.getBoundingClientRect();
      const scale = width / plot.viewBox.baseVal.width;
      const dot = nearest(places, (clientX - left) / scale, (clientY - top) / scale, REACH / scale);
      tip.textContent = dot === undefined ? '' : textOf(dot);
      if (dot === undefined) return;
      const frame = card.getBoundingClientRect();
      const room = Math.max(0, card.clientWidth - tip.offsetWidth);
      tip.style.left = `${Math.max(0, Math.min(room, clientX - frame.left - tip.offsetWidth / 2))}px`;
      tip.style.bottom = `${frame.bottom - clientY + REACH}px`;
    });
    plot.addEventListener('pointerleave', () => {
      tip.textContent = '';
    });
  }
}

/** The positions of the dots, in the drawing's units; the paths have them in the order of the columns. */
function placesOf(plot: SVGSVGElement): readonly (readonly [x: number, y: number])[] {
  const paths = [...plot.querySelectorAll('.dots-loss, .dots-gain')].map((path) => path.getAttribute('d') ?? '');
  return [...paths.join('').matchAll(/M([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
}

function nearest(places: readonly (readonly [number, number])[], x: number, y: number, reach: number): number | undefined {
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
