import type { StudyColumns } from '../page-data.ts';
import { placesOf, startTips } from './dots.ts';
import { valueText } from './heat-map.ts';
import { byId, data } from './page.ts';

/** The plots of a study: dots that show their trials, curves that the reader chooses, lines of some ranks. */
export function startStudy(): void {
  const { study } = data;
  if (study === undefined) return;
  for (const card of document.querySelectorAll<HTMLElement>('.dotted')) startTips(card, placesOf, (dot) => dotText(study, dot));
  startCurves(study);
  const [card, shows] = [byId('parallel-card'), byId<HTMLSelectElement>('parallel-shows')];
  shows?.addEventListener('change', () => {
    if (card !== undefined) card.dataset.shows = shows.value;
  });
}

function dotText(study: StudyColumns, dot: number): string {
  const trial = study.dots[dot]!;
  return `${trialText(study, trial)}: ${study.label} ${valueText(study, study.dotValues[dot]!, 5)}`;
}

/** The number of a trial, with its parameters where the heat map has it. */
function trialText({ parameters, trials, cells }: StudyColumns, trial: number): string {
  const index = trials.indexOf(trial);
  if (index < 0) return `Trial ${trial}`;
  const params = parameters.map(({ name, cells: texts }, place) => `${name} ${texts[cells[place]![index]!]}`);
  return `Trial ${trial}, ${params.join(', ')}`;
}

/** Each button shows and hides the curve of its trial; the curve under the pointer is named. */
function startCurves(study: StudyColumns): void {
  const [chips, card] = [byId('curve-chips'), byId('curves')];
  if (chips === undefined || card === undefined) return;
  const curves = new Map([...card.querySelectorAll<SVGPathElement>('.run')].map((path) => [path.dataset.trial, path]));
  chips.addEventListener('click', ({ target }) => {
    const chip = (target as Element).closest<HTMLElement>('.chip');
    const curve = curves.get(chip?.dataset.trial);
    if (chip === null || curve === undefined) return;
    const shown = curve.hasAttribute('hidden');
    curve.toggleAttribute('hidden', !shown);
    chip.setAttribute('aria-pressed', String(shown));
  });
  const pointsOf = (plot: SVGSVGElement) => {
    const shown = [...plot.querySelectorAll<SVGPathElement>('.run:not([hidden])')];
    return shown.flatMap((path) => pathPoints(path).map(([x, y]) => [x, y, Number(path.dataset.trial)] as const));
  };
  const nameOf = (_: number, place: readonly number[]) => {
    const trial = place[2]!;
    for (const curve of curves.values()) curve.classList.toggle('near', Number(curve.dataset.trial) === trial);
    const growth = chips.querySelector(`[data-trial="${trial}"]`)?.getAttribute('aria-label')?.split(', ').at(-1) ?? '';
    return `${trialText(study, trial)}: ${growth} at the end, in sample`;
  };
  const leave = () => {
    for (const curve of curves.values()) curve.classList.remove('near');
  };
  startTips(card, pointsOf, nameOf, leave);
}

function pathPoints(path: SVGPathElement): (readonly [number, number])[] {
  return [...(path.getAttribute('d') ?? '').matchAll(/[ML]([\d.-]+) ([\d.-]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
}
