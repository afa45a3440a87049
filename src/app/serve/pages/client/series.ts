import { type ComponentChild, Fragment, h } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Answer } from '../../api/routes.ts';
import { type Known, useApi } from './api.ts';
import { clock, count, dateTime, money, share } from './format.ts';
import { Read } from './journal.ts';
import { Ago, Empty, profit, Section, Trouble, useSurroundings } from './parts.ts';
import { table } from './table.ts';

const SERIES_MS = 30_000;

/** Equity and drawdown as curves, and profit by day. */
export function Equity({ id }: { readonly id: string }): ComponentChild {
  return equityOf(useApi('series', `api/bots/${encodeURIComponent(id)}/series`, SERIES_MS));
}

export function equityOf({ data, problem }: Known<'series'>): ComponentChild {
  if (data === undefined)
    return h(
      Section,
      { title: 'Equity' },
      problem === undefined ? h(Empty, null, 'Reading the journal …') : h(Trouble, { problem, what: 'Equity' }),
    );
  const { currency, times, equity, drawdown, days, total } = data;
  const known = equity.filter((value) => value !== null);
  return h(
    Fragment,
    null,
    problem !== undefined &&
      h('p', { class: 'trouble', role: 'status' }, 'As it was ', h(Ago, { time: data.time }), `: ${problem.message}.`),
    h(Read, { answer: data }),
    h(
      Section,
      { title: 'Equity', note: `In ${currency}. A gap is a time in which the bot did not run.` },
      known.length < 2
        ? h(Empty, null, 'There is no curve yet.')
        : h(
            Fragment,
            null,
            h(Curve, { name: `Equity in ${currency}`, times, values: equity, shown: (value) => money(String(value)), tone: 'accent' }),
            h('h3', null, 'Drawdown'),
            h(Curve, { name: 'Drawdown, the fall from the highest equity so far', times, values: drawdown, shown: share, tone: 'loss' }),
          ),
    ),
    h(
      Section,
      { title: 'Profit by day', note: "Profit of the strategies' own trades by UTC day. The total is the sum of all days." },
      days.length === 0
        ? h(Empty, null, 'There is no day yet.')
        : h(
            Fragment,
            null,
            h(
              'p',
              { class: 'sum' },
              'Total ',
              h('b', null, profit(total)),
              ` ${currency} in ${count(days.length)} ${days.length === 1 ? 'day' : 'days'}`,
            ),
            table({
              name: 'days',
              rows: days.toReversed(),
              keyOf: ({ day }) => day,
              columns: [
                { label: 'Day (UTC)', value: ({ day }) => day, cell: ({ day }) => day },
                { label: 'Profit', kind: 'figure', value: ({ profit: own }) => own, cell: ({ profit: own }) => profit(own) },
                { label: 'Fills', kind: 'figure', value: ({ fills }) => fills, cell: ({ fills }) => count(fills) },
              ],
            }),
          ),
    ),
  );
}

interface CurveProps {
  readonly name: string;
  readonly times: readonly number[];
  /** Null is a hole. */
  readonly values: Answer<'series'>['equity'];
  readonly shown: (value: number) => string;
  readonly tone: 'accent' | 'loss';
}

const HEIGHT = { accent: 260, loss: 140 };
const SECOND_MS = 1_000;
const AXIS_WIDTH = 78;

/** A curve over time. Screen readers get its first, last, lowest and highest value in words. */
function Curve({ name, times, values, shown, tone }: CurveProps): ComponentChild {
  const place = useRef<HTMLDivElement>(null);
  const { zone, dark } = useSurroundings();
  useEffect(() => {
    const box = place.current!;
    const style = getComputedStyle(document.documentElement);
    const color = (variable: string) => style.getPropertyValue(variable).trim();
    const axis = {
      stroke: color('--muted'),
      grid: { stroke: color('--rule'), width: 1 },
      ticks: { stroke: color('--rule'), width: 1 },
      font: '12px system-ui, sans-serif',
    };
    const plot = new uPlot(
      {
        ...{ width: box.clientWidth, height: HEIGHT[tone], cursor: { sync: { key: 'tidegate' }, y: false, drag: { x: true, y: false } } },
        tzDate: (seconds) => (zone === 'UTC' ? uPlot.tzDate(new Date(seconds * SECOND_MS), 'Etc/UTC') : new Date(seconds * SECOND_MS)),
        series: [
          {
            label: 'Time',
            value: (_plot, seconds) => (seconds === null || seconds === undefined ? '' : dateTime(seconds * SECOND_MS, zone)),
          },
          {
            ...{
              label: name,
              stroke: color(`--${tone}`),
              width: 1.5,
              fill: color(`--${tone}-soft`),
              spanGaps: false,
              points: { show: false },
            },
            // Without a pointer there is no value either.
            value: (_plot, value, _series, at) => (at === null ? '' : value === null || value === undefined ? 'not running' : shown(value)),
          },
        ],
        axes: [
          {
            ...axis,
            values: (_plot, splits) =>
              labelsOf(
                splits,
                (seconds) => dateTime(seconds * SECOND_MS, zone),
                (seconds) => clock(seconds * SECOND_MS, zone),
              ),
          },
          { ...axis, size: AXIS_WIDTH, values: (_plot, splits) => splits.map(shown) },
        ],
      },
      [times.map((time) => time / SECOND_MS), values as (number | null)[]],
      box,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: HEIGHT[tone] }));
    observer.observe(box);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, values, zone, dark]);
  return h('div', { class: 'curve', role: 'img', 'aria-label': `${name}: ${words(values, shown)}` }, h('div', { ref: place }));
}

/** Labels of an axis of time: the day where it begins or is another than that of the label before, else the time of day. */
function labelsOf(splits: readonly number[], full: (seconds: number) => string, short: (seconds: number) => string): string[] {
  const DATE = 10;
  return splits.map((seconds, index) => {
    const day = full(seconds).slice(0, DATE);
    const isNewDay = index === 0 || full(splits[index - 1]!).slice(0, DATE) !== day;
    const time = short(seconds).replace(/:00$/, '');
    return isNewDay ? (time === '00:00' ? day.slice('2026-'.length) : `${time}\n${day.slice('2026-'.length)}`) : time;
  });
}

function words(values: CurveProps['values'], shown: (value: number) => string): string {
  const known = values.filter((value) => value !== null);
  const [low, high] = known.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  return `first ${shown(known[0]!)}, last ${shown(known.at(-1)!)}, lowest ${shown(low)}, highest ${shown(high)}`;
}
