import { type ComponentChild, h } from 'preact';
import type { BotRow, Fleet } from '../../api/bot-schemas.ts';
import { count, duration, exact } from './format.ts';
import { Ago, amount, Empty, Mode, OLD_MS, profit, Section, State, useSurroundings } from './parts.ts';
import { type Column, table } from './table.ts';

/** All bots, and the sums of their figures. */
export function Overview({ fleet }: { readonly fleet: Fleet }): ComponentChild {
  const { bots, totals, totalsAre, trouble } = fleet;
  const { now } = useSurroundings();
  const notFound =
    trouble !== null &&
    h('p', { class: 'trouble', role: 'status' }, `New bots are not found now: ${trouble}. Those known before are shown.`);
  if (bots.length === 0)
    return h(
      Section,
      { title: 'Bots' },
      notFound,
      h(
        Empty,
        null,
        'No bot was found in the paths of this server. It looks again every 15 s. Start one: ',
        h('code', null, 'npx tidegate paper configs/my-bot.yaml'),
      ),
    );
  const uncounted = bots.filter(({ isCounted }) => !isCounted);
  const note = `${count(bots.length)} ${bots.length === 1 ? 'bot' : 'bots'}`;
  return h(
    'div',
    null,
    notFound,
    h(
      Section,
      { title: 'Totals' },
      totals.length === 0
        ? h(Empty, null, 'No bot answers with figures at this moment.')
        : h(
            'div',
            { class: 'totals' },
            totals.map(({ mode, currency, bots, equity, today }) =>
              h(
                'dl',
                { class: 'total', key: `${mode} ${currency}` },
                h(
                  'div',
                  { class: 'total-of' },
                  h('dt', null, h(Mode, { mode }), ` ${currency}`),
                  h('dd', null, `${count(bots)} ${bots === 1 ? 'bot' : 'bots'}`),
                ),
                h('div', null, h('dt', null, 'Equity'), h('dd', { class: 'big' }, amount(equity))),
                h('div', null, h('dt', null, 'Today'), h('dd', { class: 'big' }, profit(today))),
              ),
            ),
          ),
      h(
        'p',
        { class: 'note' },
        totalsAre,
        uncounted.length > 0 && ` In no total: ${uncounted.map(({ name, state }) => `${name} (${state})`).join(', ')}.`,
      ),
    ),
    h(
      Section,
      { title: 'Bots', note },
      table({
        name: 'bots',
        columns: columnsAt(now),
        rows: bots,
        keyOf: ({ id }) => id,
        cards: true,
        classOf: ({ isCounted }) => (isCounted ? '' : 'uncounted'),
      }),
      h(States, { bots }),
    ),
  );
}

/** Figures that are not of this moment say how old they are. */
function old({ figures, isCounted }: BotRow, now: number): ComponentChild {
  return !isCounted && figures !== null && h('small', { class: 'age' }, `${duration(Math.max(0, now - figures.time))} old`);
}

function columnsAt(now: number): Column<BotRow>[] {
  const none = h('span', { class: 'muted' }, '–');
  const figure = (
    label: string,
    of: (figures: NonNullable<BotRow['figures']>) => string | number,
    cell: (row: BotRow) => unknown,
  ): Column<BotRow> => ({
    ...{ label, kind: 'figure', value: ({ figures }) => (figures === null ? null : of(figures)) },
    cell: (row) => (row.figures === null ? none : [cell(row) as ComponentChild, old(row, now)]),
  });
  return [
    {
      label: 'Bot',
      value: ({ name }) => name,
      cell: ({ id, name, folder }) => h('a', { href: `#/bots/${id}`, class: 'name', title: folder }, name),
    },
    { label: 'State', value: ({ state }) => state, cell: ({ state, proof }) => h(State, { state, proof }) },
    { label: 'Mode', value: ({ mode }) => mode, cell: ({ mode }) => h(Mode, { mode }) },
    figure(
      'Equity',
      ({ equity }) => equity,
      ({ figures }) => [amount(figures!.equity), h('small', { class: 'unit' }, figures!.currency)],
    ),
    figure(
      'Today',
      ({ today }) => today,
      ({ figures }) => profit(figures!.today),
    ),
    figure(
      'Orders',
      ({ openOrders }) => openOrders,
      ({ figures }) => count(figures!.openOrders),
    ),
    {
      label: 'Positions',
      value: ({ figures }) => Object.keys(figures?.positions ?? {}).join(' '),
      cell: (row) => [h(Positions, { positions: row.figures?.positions ?? null }), old(row, now)],
    },
    { label: 'Sign of life', kind: 'figure', value: ({ seenAt }) => seenAt, cell: (row) => h(Ago, { time: row.seenAt }) },
    {
      label: 'Watchdog',
      value: ({ isWatched }) => (isWatched ? 'runs' : 'none'),
      cell: ({ isWatched }) => (isWatched ? 'runs' : h('span', { class: 'muted' }, 'none')),
    },
    { label: 'Why', kind: 'wrap', value: ({ why }) => why, cell: (row) => whyOf(row) },
  ];
}

/** The facts behind the state, and an old price, which a bot that is ready may have for good reason. */
function whyOf({ why, figures, isCounted }: BotRow): string {
  const tick = figures?.lastTickAgeMs ?? null;
  const price = isCounted && tick !== null && tick >= OLD_MS * 4 ? `newest price ${duration(tick)} old` : '';
  return [why, price].filter(Boolean).join('; ');
}

function Positions({ positions }: { readonly positions: Readonly<Record<string, string>> | null }): ComponentChild {
  const held = Object.entries(positions ?? {}).filter(([, quantity]) => Number(quantity) !== 0);
  if (held.length === 0) return h('span', { class: 'muted' }, positions === null ? '–' : 'flat');
  return h(
    'ul',
    { class: 'held' },
    held.map(([symbol, quantity]) => h('li', { key: symbol }, symbol, ' ', h('b', null, exact(quantity)))),
  );
}

/** The proof of each state that is on the page. */
function States({ bots }: Pick<Fleet, 'bots'>): ComponentChild {
  const states = [...new Map(bots.map(({ state, proof }) => [state, proof]))];
  return h(
    'details',
    { class: 'proofs' },
    h('summary', null, 'What the states mean'),
    h(
      'dl',
      null,
      states.map(([state, proof]) => h('div', { key: state }, h('dt', null, h(State, { state, proof })), h('dd', null, proof))),
    ),
  );
}
