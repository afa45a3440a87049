import { median } from '../../statistics/returns/moments.ts';
import { formatCount, formatDuration, formatShare, formatValue } from '../format.ts';
import {
  counts,
  curvesOf,
  dotsOf,
  STUDY_LIMITS,
  type StudyCurve,
  type StudyParameter,
  type StudyReport,
  type StudyTrial,
  type Valued,
} from '../study-report.ts';
import {
  type Axis,
  escapeHtml,
  figure,
  niceDuration,
  niceStep,
  type Places,
  percentTick,
  type Section,
  section,
  svgPlot,
} from './markup.ts';

/** The objective of a trial for people. */
export function objectiveText({ unit }: StudyReport['objective'], value: number | undefined): string {
  if (value === undefined) return 'n/a';
  return unit === undefined ? figure(String(Number(value.toPrecision(6)))) : figure(formatValue(unit, value));
}

const WIDE = { width: 1160, height: 320 };
/** The size and the look of slices, by their number: three stand side by side. */
const SLICES = [
  { size: WIDE, look: ' one wide' },
  { size: { width: 580, height: 320 }, look: ' two' },
  { size: { width: 400, height: 300 }, look: '' },
] as const;

/** The trials of the plots, and the axis of the objective that all of them share. */
export interface DrawnTrials {
  readonly report: StudyReport;
  /** In the order in which they are drawn: those that miss a constraint first. */
  readonly dots: readonly Valued[];
  readonly axis: Axis;
  /** Dots outside of the axis, which are drawn at its edge. */
  readonly outside: number;
}

/** @returns undefined if no trial has an objective. */
export function drawnTrials(report: StudyReport): DrawnTrials | undefined {
  const thinned = dotsOf(report);
  if (thinned.length === 0) return undefined;
  const dots = [...thinned.filter((trial) => !counts(trial)), ...thinned.filter(counts)];
  const axis = objectiveAxis(report, thinned);
  return { report, dots, axis, outside: dots.filter(({ value }) => value < axis.from || value > axis.to).length };
}

/** The share of the trials on either side that may be outside of the axis, if the others need much less room. */
const RARE = 0.02;
const MUCH = 1.5;

/** From the worst trial to the best one; without rare values that would leave no room for the others. */
function objectiveAxis({ objective, ranked }: StudyReport, trials: readonly Valued[]): Axis {
  const sorted = Float64Array.from(trials, ({ value }) => value).sort();
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))]!;
  // The best trial that counts is always on the axis.
  const best = ranked[0]!.value ?? at(1);
  const [low, high] = [Math.min(at(RARE), best), Math.max(at(1 - RARE), best)];
  const isCut = at(1) - at(0) > MUCH * (high - low) && high > low;
  const [from, to] = isCut ? [low, high] : [at(0), at(1)];
  const range = Math.max(to - from, Math.abs(to) * 1e-6, 1e-9);
  const step = objective.unit === 'duration' ? niceDuration(range, 4) : niceStep(range, 4);
  const ends = [Math.floor(from / step) * step, Math.ceil(to / step) * step] as const;
  return {
    label: objective.label,
    from: ends[0],
    to: ends[1] > ends[0] ? ends[1] : ends[0] + step,
    step,
    format: (value) => valueTick(objective, value, step),
  };
}

function valueTick({ unit }: StudyReport['objective'], value: number, step: number): string {
  if (unit === 'share') return percentTick(value, step);
  if (unit === 'duration') return value === 0 ? '0' : formatDuration(value);
  if (unit === 'time') return formatValue(unit, value);
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const fine = Math.abs(step * 10 ** places - Math.round(step * 10 ** places)) > 1e-6 ? places + 1 : places;
  const text =
    Math.abs(value) >= 1e9 || fine > 8
      ? value.toPrecision(3)
      : value.toLocaleString('en-US', { minimumFractionDigits: fine, maximumFractionDigits: fine });
  return text.replace(/^-(0(\.0+)?)$/, '$1').replace('-', '\u2212');
}

/** Dots of the trials in the order of the page's data; `x` places a trial. */
function dotPaths({ dots, axis }: DrawnTrials, { y }: Places, x: (trial: Valued) => number): string {
  const place = (value: number) => y(Math.max(axis.from, Math.min(axis.to, value)));
  const path = (className: string, own: readonly Valued[]) =>
    own.length === 0 ? '' : `<path class="${className}" d="${own.map((trial) => `M${x(trial)} ${place(trial.value)}h.1`).join('')}"/>`;
  return (
    path(
      'dots-missed',
      dots.filter((trial) => !counts(trial)),
    ) + path('dots-trial', dots.filter(counts))
  );
}

/** Few dots are larger. */
const FEW = 200;

function few({ dots }: DrawnTrials): string {
  return dots.length < FEW ? ' few' : '';
}

/** Which trials the dots of a plot are. */
function dotsNote({ report: { ranked }, dots, outside }: DrawnTrials): string {
  const valued = ranked.filter(({ value }) => value !== undefined).length;
  const without = ranked.length - valued;
  return [
    dots.length < valued
      ? `${formatCount(dots.length)} of ${formatCount(valued)} trials with an objective, evenly chosen, and the best ten.`
      : `All ${formatCount(valued)} trials with an objective.`,
    ...(without > 0 ? [`${formatCount(without)} have none.`] : []),
    ...(dots.some((trial) => !counts(trial)) ? ['Gray squares miss a constraint.'] : []),
    ...(outside > 0 ? [`${formatCount(outside)} beyond the axis are at its edge.`] : []),
    'Point at a dot to see its trial.',
  ].join(' ');
}

/** The objective of each trial in the order of the search, and the best until then. */
export function courseSection(drawn: DrawnTrials): Section {
  const { report, axis } = drawn;
  const trials = report.ranked.toSorted((a, b) => a.number - b.number);
  const last = trials.at(-1)!.number;
  const step = Math.max(1, niceStep(last, 8));
  const numbers: Axis = { label: 'Trial', from: 0, to: Math.max(last, 1), step, format: formatCount };
  const summary = `The objective of ${formatCount(trials.length)} trials in their order, with the best so far.`;
  const plot = svgPlot(WIDE, numbers, axis, summary, (places) => {
    const dots = dotPaths(drawn, places, ({ number }) => places.x(number));
    return `${dots}${bestSoFar(report, trials, places, last)}`;
  });
  const body = `<div class="card plots one wide dotted${few(drawn)}">${plot}</div><p class="note">${dotsNote(drawn)} The line is the best trial so far that meets all constraints, in sample.</p>`;
  return section('course', 'Objective over trials', body, { short: 'Course' });
}

function bestSoFar({ objective }: StudyReport, trials: readonly StudyTrial[], { x, y }: Places, last: number): string {
  let best: number | undefined;
  let path = '';
  for (const trial of trials) {
    const { value, number } = trial;
    if (value === undefined || !counts(trial) || (best !== undefined && (objective.maximize ? value <= best : value >= best))) continue;
    path += best === undefined ? `M${x(number)} ${y(value)}` : `H${x(number)}V${y(value)}`;
    best = value;
  }
  return path === '' ? '' : `<path class="of-run" d="${path}H${x(last)}"/>`;
}

/** Room at the ends of a slice, as a share of the range. */
const EDGE = 0.04;

/** The objective against each parameter, with the median at each value or part of the range. */
export function slicesSection(drawn: DrawnTrials): Section {
  const { report, axis } = drawn;
  const { size, look } = SLICES[Math.min(report.parameters.length, SLICES.length) - 1]!;
  const plots = report.parameters.map((parameter, index) => {
    const values: Axis = {
      label: parameter.name,
      from: -EDGE,
      to: 1 + EDGE,
      step: 1,
      ticks: shownTicks(parameter),
      format: (at) => tickAt(parameter, at),
    };
    const summary = `The objective against ${parameter.name}.`;
    return svgPlot(size, values, axis, summary, (places) => {
      const dots = dotPaths(drawn, places, (trial) => places.x(trial.places[index]!));
      return dots + mediansOf(report, index, places, axis);
    });
  });
  const medians = 'The line is the median of the trials that meet all constraints.';
  const body = `<div class="card plots${look} dotted${few(drawn)}">${plots.join('')}</div><p class="note">${dotsNote(drawn)} ${medians}</p>`;
  return section('slices', 'One parameter at a time', body, { short: 'Slices', long: true });
}

/** Letters of ticks that fit side by side below a slice. */
const TICK_LETTERS = 44;

/** All ticks of a parameter if their texts fit, else its first and last one. */
function shownTicks({ ticks }: StudyParameter): number[] {
  const letters = ticks.reduce((sum, { text }) => sum + Math.min(text.length, SLICE_LETTERS) + 2, 0);
  const shown = letters <= TICK_LETTERS || ticks.length < 2 ? ticks : [ticks[0]!, ticks.at(-1)!];
  return shown.map(({ at }) => at);
}

/** Letters of a tick below a slice. */
const SLICE_LETTERS = 12;

function tickAt({ ticks }: StudyParameter, at: number): string {
  return cut(ticks.find((tick) => tick.at === at)?.text ?? '', SLICE_LETTERS);
}

function cut(text: string, letters: number): string {
  return text.length > letters ? `${text.slice(0, letters - 1)}…` : text;
}

function mediansOf({ ranked, parameters }: StudyReport, index: number, { x, y }: Places, axis: Axis): string {
  const { cells, ordered } = parameters[index]!;
  const values = cells.map(() => [] as number[]);
  for (const trial of ranked) if (counts(trial)) values[trial.cells[index]!]!.push(trial.value!);
  const points = cells.flatMap(({ at }, cell) => {
    const middle = median(values[cell]!);
    return middle === undefined ? [] : [[x(at), y(Math.max(axis.from, Math.min(axis.to, middle)))] as const];
  });
  const path =
    ordered && points.length > 1
      ? `M${points.map(([left, top]) => `${left} ${top}`).join('L')}`
      : points.map(([left, top]) => `M${left - 9} ${top}h18`).join('');
  return path === '' ? '' : `<path class="curve-median" d="${path}"/>`;
}

const PARALLEL = { width: 1160, height: 380, left: 70, right: 80, top: 44, bottom: 44 };
/** The best trials have lines of their own. */
const BEST = 10;
const GROUPS = [
  ['q3', 1],
  ['q2', 0.25],
  ['q1', 0.1],
] as const;

/** Each trial as a line from parameter to parameter to its objective, the best ones in front. */
export function parallelSection({ report, axis }: DrawnTrials): Section[] {
  const { parameters, ranked, objective } = report;
  if (parameters.length < 2) return [];
  const whole = ranked.filter(counts);
  const axes = parameters.slice(0, STUDY_LIMITS.axes);
  const limit = Math.min(STUDY_LIMITS.lines, Math.floor(STUDY_LIMITS.linePoints / (axes.length + 1)));
  const each = Math.max(1, Math.ceil(whole.length / limit));
  // By rank, so that the lines that are left out are of all ranks.
  const drawn = whole.filter((_, rank) => rank < BEST || rank % each === 0);
  const { width, height, left, right, top, bottom } = PARALLEL;
  const x = (place: number) => tenth(left + (place * (width - left - right)) / axes.length);
  const labelOf = axisLabels(axes.length + 1, (width - left - right) / axes.length);
  const y = (share: number) => tenth(height - bottom - Math.max(0, Math.min(1, share)) * (height - top - bottom));
  const pathOf = (trial: StudyTrial) => {
    const share = (trial.value! - axis.from) / (axis.to - axis.from);
    return `M${[...axes.map((_, place) => y(trial.places[place]!)), y(share)].map((at, place) => `${x(place)} ${at}`).join('L')}`;
  };
  const rankOf = new Map(whole.map((trial, rank) => [trial, rank]));
  const groups = GROUPS.map(([name, upTo], index) => {
    const above = GROUPS[index + 1]?.[1] ?? 0;
    const own = drawn.filter((trial) => {
      const rank = rankOf.get(trial)!;
      return rank >= BEST && rank < upTo * whole.length && rank >= above * whole.length;
    });
    return `<path class="${name}" d="${own.map(pathOf).join('')}"/>`;
  });
  const best = drawn.slice(0, BEST).reverse();
  const lines = best.map((trial) => `<path class="q0" d="${pathOf(trial)}"><title>Trial ${trial.number}</title></path>`);
  const axesOf = [
    ...axes.map((parameter, place) => uprightAxis(x(place), y, parameter.name, labelOf(place), parameter.ticks, -1)),
    objectiveAxisOf(x(axes.length), y, axis, labelOf(axes.length)),
  ];
  const summary = `${formatCount(drawn.length)} trials as lines over ${axes.length} parameters and the objective.`;
  const svg = `<svg class="plot parallel" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(summary)}">${groups.join('')}${lines.join('')}${axesOf.join('')}</svg>`;
  const shows = [
    ['all', 'all'],
    ['quarter', 'best quarter'],
    ['tenth', 'best tenth'],
    ['ten', 'best ten'],
  ].map(([value, name]) => `<option value="${value}">${name}</option>`);
  const aside = `<div class="note choices screen"><label>Trials <select id="parallel-shows" autocomplete="off">${shows.join('')}</select></label></div>`;
  const notes = [
    drawn.length < whole.length
      ? `${formatCount(drawn.length)} of the ${formatCount(whole.length)} trials that meet all constraints: the best ten, and one of every ${each} by rank.`
      : `All ${formatCount(whole.length)} trials that meet all constraints.`,
    ...(axes.length < parameters.length ? [`The first ${axes.length} of ${parameters.length} parameters.`] : []),
    `The best ten, in sample, are in front; ${objective.maximize ? 'the largest' : 'the smallest'} ${objective.label} is best.`,
  ];
  const body = `<div class="card plots one wide tall" id="parallel-card" data-shows="all">${svg}</div><p class="note">${escapeHtml(notes.join(' '))}</p>`;
  return [section('parallel', 'Parallel coordinates', body, { aside, short: 'Parallel' })];
}

/** The name of an axis: its height, and how many letters fit. */
interface AxisLabel {
  readonly top: number;
  readonly letters: number;
}

/** Where more axes are, their names are in two rows. */
const ONE_ROW = 8;
const LETTER = 7.5;

function axisLabels(count: number, spacing: number): (place: number) => AxisLabel {
  const rows = count > ONE_ROW ? 2 : 1;
  return (place) => ({ top: rows === 2 && place % 2 === 0 ? 12 : 30, letters: Math.floor((rows * spacing) / LETTER) });
}

/** A vertical axis with its name above it, and texts at its ticks. */
function uprightAxis(
  x: number,
  y: (share: number) => number,
  name: string,
  { top, letters }: AxisLabel,
  ticks: StudyParameter['ticks'],
  side: -1 | 1,
): string {
  const texts = ticks.map(
    ({ at, text }) =>
      `<text x="${tenth(x + side * 7)}" y="${tenth(y(at) + 4)}"${side < 0 ? ' text-anchor="end"' : ''}>${escapeHtml(text)}</text>`,
  );
  return `<path class="zero" d="M${x} ${y(0)}V${y(1)}"/><text class="axis" x="${x}" y="${top}" text-anchor="middle">${escapeHtml(cutInside(name, letters))}</text>${texts.join('')}`;
}

function objectiveAxisOf(x: number, y: (share: number) => number, { label, from, to, step, format }: Axis, place: AxisLabel): string {
  const last = Math.round((to - from) / step);
  const ticks = Array.from({ length: last + 1 }, (_, index) => ({ at: index / Math.max(1, last), text: format(from + index * step) }));
  return uprightAxis(x, y, label, place, ticks, 1);
}

/** A name that keeps its begin and its end: names often differ at their ends. */
function cutInside(text: string, letters: number): string {
  if (text.length <= letters) return text;
  const end = Math.max(1, Math.floor((letters - 1) / 2));
  return `${text.slice(0, Math.max(1, letters - 1 - end))}…${text.slice(-end)}`;
}

/** Curves that are drawn at first, and colors for them. */
const SHOWN = 10;
const LOOKS = 10;

/** The equity of the best trials over each other; the reader chooses which. */
export function equitySection(report: StudyReport): Section[] {
  const { curves, each } = curvesOf(report);
  if (curves.length === 0) return [];
  const all = curves.flatMap(({ growth }) => growth);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const step = niceStep(Math.max(high - low, 1e-4), 5);
  const [from, to] = [Math.floor(low / step) * step, Math.ceil(high / step) * step];
  const growth: Axis = {
    label: 'Growth of equity',
    from,
    to: to > from ? to : from + step,
    step,
    format: (value) => percentTick(value, step),
  };
  const last = Math.max(...curves.map(({ days }) => days.at(-1)!));
  const days: Axis = {
    label: 'Days with market data',
    from: 0,
    to: Math.max(1, last),
    step: Math.max(1, niceStep(last, 8)),
    format: formatCount,
  };
  const summary = `Growth of equity of the ${curves.length} best trials, in sample.`;
  // The best one is drawn last, over the others.
  const plot = svgPlot({ width: WIDE.width, height: 400 }, days, growth, summary, (places) =>
    curves
      .map(
        (curve, index) =>
          `<path class="run c${index % LOOKS}" data-trial="${curve.trial.number}"${index < SHOWN ? '' : ' hidden'} d="${curvePath(curve, places)}"/>`,
      )
      .reverse()
      .join(''),
  );
  const chips = curves.map(({ trial, growth }, index) => {
    const name = `trial ${trial.number}, ${formatShare(growth.at(-1)!)}`;
    return `<button type="button" class="chip c${index % LOOKS}" aria-pressed="${index < SHOWN}" aria-label="${escapeHtml(name)}" data-trial="${trial.number}"><i></i>${trial.number}</button>`;
  });
  const whole = report.ranked.filter(counts).length;
  const notes = [
    `Click the numbers to choose trials: the ${formatCount(curves.length)} best of ${formatCount(whole)}, the best first. All curves are in sample.`,
    ...(each > 1 ? [`Each is drawn with one day of every ${each} and its last day: single days may be higher or lower.`] : []),
  ];
  const body = `<div class="chips screen" id="curve-chips" role="group" aria-label="Trials whose curves are shown">${chips.join('')}</div><div class="card plots one wide tall" id="curves">${plot}</div><p class="note">${notes.join(' ')}</p>`;
  return [section('equity', 'Equity curves of the best trials, in sample', body, { short: 'Equity' })];
}

function curvePath({ days, growth }: StudyCurve, { x, y }: Places): string {
  return `M${days.map((day, index) => `${x(day)} ${y(growth[index]!)}`).join('L')}`;
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
