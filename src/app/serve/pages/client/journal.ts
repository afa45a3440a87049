import { type ComponentChild, Fragment, h } from 'preact';
import { useState } from 'preact/hooks';
import type { Answer } from '../../api/routes.ts';
import { type ApiError, type Known, useApi } from './api.ts';
import { count, exact } from './format.ts';
import { Ago, At, Empty, Section, Trouble } from './parts.ts';
import { type Column, table } from './table.ts';

const LIST_MS = 10_000;
const LOG_MS = 5_000;
const LIMIT = 500;

const pathOf = (id: string, rest: string) => `api/bots/${encodeURIComponent(id)}/${rest}`;

type Reading = Answer<'orders' | 'fills' | 'denials' | 'latches' | 'series'>;

/** How far the journal was read, where that is not all. */
export function Read({
  answer: { isWhole, trouble, lastId },
}: {
  readonly answer: Pick<Reading, 'isWhole' | 'trouble' | 'lastId'>;
}): ComponentChild {
  if (trouble !== null)
    return h('p', { class: 'trouble', role: 'status' }, `The journal was read up to record ${count(lastId)}: ${trouble}.`);
  return isWhole
    ? null
    : h('p', { class: 'note', role: 'status' }, `The journal is still being read: this is up to record ${count(lastId)}.`);
}

interface Listed<Row> {
  readonly rows: readonly Row[];
  readonly kept: number;
}

interface ListProps<Data extends Reading, Row> {
  readonly title: string;
  readonly known: { readonly data?: Data; readonly problem?: ApiError };
  readonly rowsOf: (answer: Data) => Listed<Row>;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string | number;
  readonly more?: (row: Row) => ComponentChild;
  readonly empty: string;
}

/** A list of the journal. */
function list<Data extends Reading, Row>(props: ListProps<Data, Row>): ComponentChild {
  const { title, known, rowsOf, columns, keyOf, more, empty } = props;
  const { data, problem } = known;
  if (data === undefined)
    return h(Section, { title }, problem === undefined ? h(Empty, null, 'Reading the journal …') : h(Trouble, { problem, what: title }));
  const { rows, kept } = rowsOf(data);
  // The server keeps a number of each list, whatever the journal has: a full list may lack older rows.
  const isCut = rows.length >= Math.min(LIMIT, kept);
  const note = isCut ? `The newest ${count(rows.length)}; there may be older ones` : `${count(rows.length)}, the newest first`;
  return h(
    Section,
    { title, note },
    problem !== undefined &&
      h('p', { class: 'trouble', role: 'status' }, 'As it was ', h(Ago, { time: data.time }), `: ${problem.message}.`),
    h(Read, { answer: data }),
    rows.length === 0
      ? h(Empty, null, empty)
      : table({ name: title.toLowerCase(), rows, columns, keyOf, ...(more !== undefined && { more }) }),
  );
}

type Order = Answer<'orders'>['orders'][number];

/** Orders with their life. */
export function Orders({ id }: { readonly id: string }): ComponentChild {
  const known = useApi('orders', pathOf(id, `orders?limit=${LIMIT}`), LIST_MS);
  return orderList(id, known);
}

export function orderList(id: string, known: Known<'orders'>): ComponentChild {
  return list<Answer<'orders'>, Order>({
    ...{ title: 'Orders', known, rowsOf: ({ orders, kept }) => ({ rows: orders, kept }), keyOf: ({ clientOrderId }) => clientOrderId },
    empty: 'The journal has no order.',
    more: (order) => h(Life, { id, order }),
    columns: [
      { label: 'Submitted', value: ({ time }) => time, cell: ({ time }) => h(At, { time }) },
      { label: 'Strategy', value: ({ strategy }) => strategy, cell: ({ strategy }) => strategy },
      { label: 'Symbol', value: ({ symbol }) => symbol, cell: ({ symbol }) => symbol },
      {
        label: 'Order',
        value: ({ side, type }) => `${side} ${type}`,
        cell: ({ side, type }) => h('span', { class: side }, `${side} ${type}`),
      },
      { label: 'State', value: ({ state }) => state, cell: ({ state }) => h('span', { class: `order-${state}` }, state) },
      {
        label: 'Quantity',
        kind: 'figure',
        value: ({ quantity }) => quantity,
        cell: ({ quantity }) => (quantity === null ? '–' : exact(quantity)),
      },
      { label: 'Filled', kind: 'figure', value: ({ filled }) => filled, cell: ({ filled }) => exact(filled) },
      {
        label: 'Price',
        kind: 'figure',
        value: ({ price }) => price,
        cell: ({ price, stopPrice }) => (price !== null ? exact(price) : stopPrice !== null ? `stop ${exact(stopPrice)}` : 'market'),
      },
      { label: 'Tag', value: ({ tag }) => tag, cell: ({ tag }) => tag },
      { label: 'Reason', kind: 'wrap', value: ({ reason }) => reason, cell: ({ reason }) => reason },
    ],
  });
}

function steps(
  rows: readonly { readonly id: number; readonly time: number; readonly words: string; readonly name: string }[],
): ComponentChild {
  return h(
    'ol',
    { class: 'steps' },
    rows.map(({ id, time, words, name }) => h('li', { key: `${id} ${name}` }, h(At, { time }), h('b', null, name), h('span', null, words))),
  );
}

/** The events of an order, and on request what caused them. */
function Life({ id, order: { clientOrderId, orderId, life } }: { readonly id: string; readonly order: Order }): ComponentChild {
  const [isExplained, setExplained] = useState(false);
  return h(
    'div',
    { class: 'life' },
    h('p', { class: 'note' }, 'Ours ', h('code', null, clientOrderId), orderId !== '' && [', of the exchange ', h('code', null, orderId)]),
    steps(life.map(({ kind, ...step }) => ({ ...step, name: kind }))),
    isExplained
      ? h(Explained, { id, order: clientOrderId })
      : h('button', { type: 'button', onClick: () => setExplained(true) }, 'Explain from the data that caused it'),
  );
}

function Explained({ id, order }: { readonly id: string; readonly order: string }): ComponentChild {
  const { data, problem } = useApi('explain', pathOf(id, `orders/${encodeURIComponent(order)}/explain`), LIST_MS);
  if (data === undefined)
    return problem === undefined ? h(Empty, null, 'Reading the journal …') : h(Trouble, { problem, what: 'Explanation' });
  return h(Fragment, null, h('h3', null, 'Explanation'), steps(data.steps.map(({ step, ...rest }) => ({ ...rest, name: step }))));
}

type Fill = Answer<'fills'>['fills'][number];

export function Fills({ id }: { readonly id: string }): ComponentChild {
  return fillList(useApi('fills', pathOf(id, `fills?limit=${LIMIT}`), LIST_MS));
}

export function fillList(known: Known<'fills'>): ComponentChild {
  return list<Answer<'fills'>, Fill>({
    ...{
      title: 'Fills',
      known,
      rowsOf: ({ fills, kept }) => ({ rows: fills, kept }),
      keyOf: ({ id }) => id,
      empty: 'The journal has no fill.',
    },
    columns: [
      { label: 'Time', value: ({ time }) => time, cell: ({ time }) => h(At, { time }) },
      { label: 'Strategy', value: ({ strategy }) => strategy, cell: ({ strategy }) => strategy },
      { label: 'Symbol', value: ({ symbol }) => symbol, cell: ({ symbol }) => symbol },
      {
        label: 'Side',
        value: ({ side }) => side,
        cell: ({ side, positionSide }) => h('span', { class: side }, [side, positionSide].filter(Boolean).join(' ')),
      },
      { label: 'Quantity', kind: 'figure', value: ({ quantity }) => quantity, cell: ({ quantity }) => exact(quantity) },
      { label: 'Price', kind: 'figure', value: ({ price }) => price, cell: ({ price }) => exact(price) },
      {
        label: 'Fee',
        kind: 'figure',
        value: ({ fee }) => fee,
        cell: ({ fee, feeAsset }) => [exact(fee), h('small', { class: 'unit' }, feeAsset)],
      },
      { label: 'Liquidity', value: ({ liquidity }) => liquidity, cell: ({ liquidity }) => liquidity },
      { label: 'Tag', value: ({ tag }) => tag, cell: ({ tag }) => tag },
      { label: 'Order', value: ({ clientOrderId }) => clientOrderId, cell: ({ clientOrderId }) => h('code', null, clientOrderId) },
    ],
  });
}

type Denial = Answer<'denials'>['denials'][number];

export function Denials({ id }: { readonly id: string }): ComponentChild {
  return denialList(useApi('denials', pathOf(id, `denials?limit=${LIMIT}`), LIST_MS));
}

export function denialList(known: Known<'denials'>): ComponentChild {
  return list<Answer<'denials'>, Denial>({
    ...{
      title: 'Denials',
      known,
      rowsOf: ({ denials, kept }) => ({ rows: denials, kept }),
      keyOf: ({ id }) => id,
      empty: 'No intent was denied.',
    },
    columns: [
      { label: 'Time', value: ({ time }) => time, cell: ({ time }) => h(At, { time }) },
      { label: 'Strategy', value: ({ strategy }) => strategy, cell: ({ strategy }) => strategy },
      { label: 'Symbol', value: ({ symbol }) => symbol, cell: ({ symbol }) => symbol },
      { label: 'Side', value: ({ side }) => side, cell: ({ side }) => h('span', { class: side ?? '' }, side ?? '–') },
      { label: 'Code', value: ({ code }) => code, cell: ({ code }) => h('b', null, code) },
      { label: 'Reason', kind: 'wrap', value: ({ reason }) => reason, cell: ({ reason }) => reason },
    ],
  });
}

type LatchChange = Answer<'latches'>['latches'][number];

export function Latches({ id }: { readonly id: string }): ComponentChild {
  return latchList(useApi('latches', pathOf(id, `latches?limit=${LIMIT}`), LIST_MS));
}

export function latchList(known: Known<'latches'>): ComponentChild {
  return list<Answer<'latches'>, LatchChange>({
    ...{
      title: 'Latches',
      known,
      rowsOf: ({ latches, kept }) => ({ rows: latches, kept }),
      keyOf: ({ id }) => id,
      empty: 'No latch was ever set.',
    },
    columns: [
      { label: 'Time', value: ({ time }) => time, cell: ({ time }) => h(At, { time }) },
      { label: 'Change', value: ({ kind }) => kind, cell: ({ kind }) => kind },
      { label: 'Rule', value: ({ rule }) => rule, cell: ({ rule }) => h('b', null, rule) },
      { label: 'Strategy', value: ({ strategy }) => strategy, cell: ({ strategy }) => strategy ?? 'all' },
      { label: 'Symbol', value: ({ symbol }) => symbol, cell: ({ symbol }) => symbol ?? 'all' },
      { label: 'Until', value: ({ until }) => until, cell: ({ until }) => (until === null ? 'a reset' : h(At, { time: until })) },
      { label: 'Reason', kind: 'wrap', value: ({ reason }) => reason, cell: ({ reason }) => reason },
    ],
  });
}

/** The end of the log of the bot, or of its watchdog. */
export function Log({ id }: { readonly id: string }): ComponentChild {
  const [of, setOf] = useState<'bot' | 'watchdog'>('bot');
  const known = useApi('log', pathOf(id, `log?limit=${LIMIT}&of=${of}`), LOG_MS);
  const choice = h(
    'label',
    { class: 'choice' },
    'Log of the ',
    h(
      'select',
      { value: of, onChange: (event: Event) => setOf((event.currentTarget as HTMLSelectElement).value as 'bot' | 'watchdog') },
      ['bot', 'watchdog'].map((one) => h('option', { key: one, value: one }, one)),
    ),
  );
  return h(Section, { title: 'Log', note: choice }, logLines(known));
}

export function logLines({ data, problem }: Known<'log'>): ComponentChild {
  if (data === undefined) return problem === undefined ? h(Empty, null, 'Reading the log …') : h(Trouble, { problem, what: 'Log' });
  if (data.lines.length === 0) return h(Empty, null, 'The log has no line.');
  return h(
    Fragment,
    null,
    h('p', { class: 'note path' }, `${data.path}, the newest first`),
    h(
      'ol',
      { class: 'log', tabIndex: 0, 'aria-label': 'Lines of the log' },
      data.lines.toReversed().map(({ time, level, message, fields }, index) =>
        h(
          'li',
          { key: data.lines.length - index, class: `level-${/^(warn|error|fatal)$/.test(level) ? level : 'info'}` },
          time === null ? h('span', { class: 'muted' }, '–') : h(At, { time }),
          h('b', null, level),
          h(
            'span',
            null,
            message,
            ' ',
            h(
              'span',
              { class: 'muted' },
              Object.entries(fields)
                .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
                .join(' '),
            ),
          ),
        ),
      ),
    ),
  );
}
