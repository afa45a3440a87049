import { type ComponentChild, Fragment, h } from 'preact';
import type { BotDetail, BotRow } from '../../api/bot-schemas.ts';
import { useApi } from './api.ts';
import { count, duration, exact, size } from './format.ts';
import { Denials, Fills, Latches, Log, Orders } from './journal.ts';
import { Ago, At, amount, Empty, Mode, profit, Section, State, Tile, Trouble, useSurroundings } from './parts.ts';
import { Equity } from './series.ts';
import { Acts } from './steering.ts';
import { table } from './table.ts';

const DETAIL_MS = 2_000;

const TABS = [
  ['', 'Now'],
  ['equity', 'Equity'],
  ['orders', 'Orders'],
  ['fills', 'Fills'],
  ['denials', 'Denials'],
  ['latches', 'Latches'],
  ['log', 'Log'],
] as const;

interface BotProps {
  readonly id: string;
  readonly tab: string;
  /** Its row of the fleet, until its whole status is there. */
  readonly row: BotRow | undefined;
}

/** One bot. */
export function Bot({ id, tab, row }: BotProps): ComponentChild {
  const { data, problem, again } = useApi('bot', `api/bots/${encodeURIComponent(id)}`, DETAIL_MS);
  const shown = row ?? data;
  if (shown === undefined) {
    if (problem?.code === 'NOT_FOUND') return h(Empty, null, 'There is no bot of this address. ', h('a', { href: '#/' }, 'All bots'));
    return problem === undefined ? h(Empty, null, 'Looking at the bot …') : h(Trouble, { problem, what: 'The bot' });
  }
  return h(
    Fragment,
    null,
    h(BotHead, { row: shown }),
    data !== undefined && h(Acts, { bot: data, onDone: again }),
    h(
      'nav',
      { class: 'tabs', 'aria-label': `Parts of ${shown.name}` },
      TABS.map(([name, text]) =>
        h('a', { key: name, href: `#/bots/${id}${name && `/${name}`}`, 'aria-current': tab === name ? 'page' : undefined }, text),
      ),
    ),
    problem !== undefined && tab === '' && h(Trouble, { problem, what: 'The status' }),
    tab === '' && data !== undefined && h(Now, { bot: data }),
    tab === 'equity' && h(Equity, { id }),
    tab === 'orders' && h(Orders, { id }),
    tab === 'fills' && h(Fills, { id }),
    tab === 'denials' && h(Denials, { id }),
    tab === 'latches' && h(Latches, { id }),
    tab === 'log' && h(Log, { id }),
  );
}

/** Name, state and proof of a bot, and its figures. */
export function BotHead({ row }: { readonly row: BotRow }): ComponentChild {
  const { now } = useSurroundings();
  const { name, mode, folder, state, proof, why, seenAt, isWatched, isCounted, figures } = row;
  const age = figures !== null && !isCounted && h('span', { class: 'age' }, `${duration(Math.max(0, now - figures.time))} old`);
  const tick = figures?.lastTickAgeMs;
  return h(
    Fragment,
    null,
    h(
      'div',
      { class: 'bot-head' },
      h('h1', null, name),
      h(Mode, { mode }),
      h(State, { state, proof }),
      h(
        'span',
        { class: 'muted' },
        'last sign of life ',
        h(Ago, { time: seenAt }),
        isWatched ? ' · a watchdog runs' : ' · no watchdog runs',
      ),
    ),
    h('p', { class: 'lead' }, h('b', null, `${state}: `), `${proof}.`, why !== '' && h('span', { class: 'why' }, ` ${why}`)),
    h('p', { class: 'note path' }, folder),
    figures !== null &&
      h(
        'dl',
        { class: `tiles${isCounted ? '' : ' uncounted'}` },
        h(Tile, { label: 'Equity', note: [figures.currency, age] }, amount(figures.equity)),
        h(Tile, { label: 'Profit today (UTC day)', note: age }, profit(figures.today)),
        h(Tile, { label: 'Profit in total', note: age }, profit(figures.total)),
        h(Tile, { label: 'Open orders', note: age }, count(figures.openOrders)),
        h(Tile, { label: 'Newest price', note: age }, tick === null || tick === undefined ? 'none' : `${duration(tick)} old`),
      ),
  );
}

/** The status of the bot, as it gives it at this moment. */
export function Now({ bot: { status, latches, health, journal } }: { readonly bot: BotDetail }): ComponentChild {
  if (status === null)
    return h(Empty, null, 'The bot does not answer: what it says of itself is not known. Its journal is in the other parts.');
  const {
    positions,
    strategies,
    orders,
    balances,
    unprotected,
    denied,
    differences,
    requests,
    uptimeMs,
    pid,
    pollMs,
    trading,
    phase,
    changes,
    closes,
  } = status;
  const held = strategies.flatMap(({ id, positions: own }) =>
    Object.entries(own)
      .filter(([, quantity]) => Number(quantity) !== 0)
      .map(([symbol, quantity]) => ({ strategy: id, symbol, quantity })),
  );
  const bare = Object.entries(unprotected);
  return h(
    Fragment,
    null,
    latches.length + health.length + bare.length + differences.length > 0 &&
      h(
        Section,
        { title: 'Needs attention' },
        h(
          'ul',
          { class: 'attention' },
          latches.map(({ rule, time, reason, strategy, symbol, until }) =>
            h(
              'li',
              { key: `${rule} ${time}` },
              h('b', null, `Latch ${rule}`),
              [strategy, symbol].filter(Boolean).map((of) => ` · ${of}`),
              ` – ${reason}, since `,
              h(At, { time }),
              until !== undefined && [', until ', h(At, { time: until })],
            ),
          ),
          health.map(({ subject, symbol, condition, reason, since }) =>
            h(
              'li',
              { key: `${subject} ${symbol} ${condition}` },
              h('b', null, `${symbol || subject} ${condition}`),
              ` – ${reason}`,
              since !== undefined && [', since ', h(At, { time: since })],
            ),
          ),
          bare.map(([what, quantity]) =>
            h('li', { key: what }, h('b', null, `${what} unprotected`), ` – ${exact(quantity)} without the exit that it had`),
          ),
          differences.map(({ what, subject, journal: ours, exchange, cause }) =>
            h(
              'li',
              { key: `${what} ${subject}` },
              h('b', null, `${what} ${subject} differs`),
              ` – journal ${ours}, exchange ${exchange}: ${cause}`,
            ),
          ),
        ),
      ),
    h(
      Section,
      { title: 'Positions', note: 'By strategy. A symbol of the account may have more: what was there before, or is of others.' },
      held.length === 0
        ? h(Empty, null, 'The strategies hold nothing.')
        : table({
            name: 'positions',
            rows: held,
            keyOf: ({ strategy, symbol }) => `${strategy} ${symbol}`,
            columns: [
              { label: 'Strategy', cell: ({ strategy }) => strategy },
              { label: 'Symbol', cell: ({ symbol }) => symbol },
              { label: 'Quantity', kind: 'figure', cell: ({ quantity }) => exact(quantity) },
              { label: 'Of the account', kind: 'figure', cell: ({ symbol }) => exact(positions[symbol] ?? '0') },
            ],
          }),
    ),
    h(
      Section,
      { title: 'Open orders' },
      orders.length === 0
        ? h(Empty, null, 'No order is open.')
        : table({
            name: 'open orders',
            rows: orders,
            keyOf: ({ clientOrderId }) => clientOrderId,
            columns: [
              { label: 'Since', value: ({ time }) => time, cell: ({ time }) => h(At, { time }) },
              { label: 'Strategy', value: ({ strategy }) => strategy, cell: ({ strategy }) => strategy },
              { label: 'Symbol', value: ({ symbol }) => symbol, cell: ({ symbol }) => symbol },
              {
                label: 'Order',
                value: ({ side, type }) => `${side} ${type}`,
                cell: ({ side, type }) => h('span', { class: side }, `${side} ${type}`),
              },
              { label: 'State', value: ({ state }) => state, cell: ({ state }) => state },
              { label: 'Quantity', kind: 'figure', cell: ({ quantity = '' }) => exact(quantity) },
              { label: 'Filled', kind: 'figure', cell: ({ filled = '' }) => exact(filled) },
              {
                label: 'Price',
                kind: 'figure',
                cell: ({ price, stopPrice }) =>
                  price !== undefined ? exact(price) : stopPrice !== undefined ? `stop ${exact(stopPrice)}` : 'market',
              },
              { label: 'Id', cell: ({ clientOrderId }) => h('code', null, clientOrderId) },
            ],
          }),
    ),
    h(
      Section,
      { title: 'Balances' },
      table({
        name: 'balances',
        rows: Object.entries(balances),
        keyOf: ([asset]) => asset,
        columns: [
          { label: 'Asset', cell: ([asset]) => asset },
          { label: 'Total', kind: 'figure', cell: ([, { total }]) => exact(total) },
          { label: 'In orders', kind: 'figure', cell: ([, { frozen }]) => exact(frozen) },
        ],
      }),
    ),
    h(
      Section,
      { title: 'Process' },
      h(
        'dl',
        { class: 'facts' },
        fact('Process', `${pid}, ${phase}, for ${duration(uptimeMs)}`),
        fact('May open', trading),
        fact('Polls', `market every ${duration(pollMs.marketMs)}, account every ${duration(pollMs.accountMs)}`),
        fact(
          'Settings changed while it ran',
          changes.map(({ setting, value, was }) => `${setting} ${value} (was ${was})`).join(', ') || 'none',
        ),
        fact(
          'Positions being closed',
          closes.pending.map(({ symbol, strategy, side }) => [symbol, side, strategy].filter(Boolean).join(' ')).join(', ') || 'none',
        ),
        fact(
          'Requests that wait',
          requests.queued === 0 ? 'none' : `${count(requests.queued)}, the oldest for ${duration(requests.oldestWaitMs)}`,
        ),
        fact(
          'Denied in the last hour',
          Object.entries(denied)
            .map(([code, times]) => `${code} ${count(times)}`)
            .join(', ') || 'none',
        ),
        journal !== null && fact('Journal', `${size(journal.bytes)}, ${journal.path}`),
      ),
    ),
  );
}

function fact(name: string, text: string): ComponentChild {
  return h('div', { key: name }, h('dt', null, name), h('dd', null, text));
}
