import { expect, test } from '@jest/globals';
import { type ComponentChild, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { BotRow } from '../../../../src/app/serve/api/bot-schemas.ts';
import { ApiError, type Known } from '../../../../src/app/serve/pages/client/api.ts';
import { Frame, Lost } from '../../../../src/app/serve/pages/client/app.ts';
import { BotHead, Now } from '../../../../src/app/serve/pages/client/bot.ts';
import { denialList, fillList, latchList, logLines, orderList } from '../../../../src/app/serve/pages/client/journal.ts';
import { dataList, runList, studyList } from '../../../../src/app/serve/pages/client/lists.ts';
import { merged } from '../../../../src/app/serve/pages/client/live.ts';
import { Overview } from '../../../../src/app/serve/pages/client/overview.ts';
import { Surrounding, type Surroundings } from '../../../../src/app/serve/pages/client/parts.ts';
import { equityOf } from '../../../../src/app/serve/pages/client/series.ts';
import { ActForm, ActResult, Acts, resultOf } from '../../../../src/app/serve/pages/client/steering.ts';
import { arranged } from '../../../../src/app/serve/pages/client/table.ts';
import { detail, figures, fleet, NOW, row } from './fixtures.ts';

function html(part: ComponentChild, around: Partial<Surroundings> = {}): string {
  return renderToString(h(Surrounding.Provider, { value: { zone: 'UTC', now: NOW, role: 'operator', dark: false, ...around } }, part));
}

/** The words of a page, one space between any two. */
function text(part: ComponentChild, around: Partial<Surroundings> = {}): string {
  const plain = html(part, around).replace(/<[^>]+>/g, ' ');
  return plain.replace(/&amp;/g, '&').replace(/\s+/g, ' ').trim();
}

const SCRIPT = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>';
const reading = { time: NOW, lastId: 9, isWhole: true, trouble: null, kept: 2_000 };

test('shows each bot with state, mode, figures, positions, sign of life, watchdog and reason', () => {
  const held = row({ name: 'held', state: 'trading', why: 'BTC-USDT: old price', isWatched: true, seenAt: NOW - 90_000 });
  const shown = text(
    h(Overview, {
      fleet: fleet([
        { ...held, figures: figures({ equity: '12345.678', today: '-3.2', positions: { 'BTC-USDT': '1500.5' }, openOrders: 2 }) },
      ]),
    }),
  );
  expect(shown).toContain('held ● trading paper 12,345.68 USDT \u22123.20 2 BTC-USDT 1,500.5 1 min ago runs BTC-USDT: old price');
});

test('a number of a bot that has fallen silent has its age, and the bot is named as in no total', () => {
  const silent = row({ name: 'silent', state: 'unreachable', isCounted: false, figures: figures({ time: NOW - 180_000 }) });
  const shown = text(
    h(Overview, { fleet: fleet([row(), silent], [{ mode: 'paper', currency: 'USDT', bots: 1, equity: '100', today: '1.5' }]) }),
  );
  expect(shown.match(/3 min old/g)).toHaveLength(4);
  expect(shown).toContain('Sums of the rows that answer. In no total: silent (unreachable).');
});

test('a bot that was never seen to answer has no figures, and no zeros', () => {
  const shown = text(
    h(Overview, { fleet: fleet([row({ state: 'never started', figures: null, isCounted: false, seenAt: null, mode: null })]) }),
  );
  expect(shown).toContain('○ never started ? – – – – never none');
});

test('without a bot, says so and how to start one', () => {
  expect(text(h(Overview, { fleet: fleet([]) }))).toContain('No bot was found');
  const troubled = { ...fleet([row()]), trouble: 'configs/a.yaml: line 3' };
  expect(text(h(Overview, { fleet: troubled }))).toContain('New bots are not found now: configs/a.yaml: line 3.');
});

test('each total is the sum of the rows that are shown as counted, by mode and currency', () => {
  const bots: BotRow[] = [
    row({ name: 'a', figures: figures({ equity: '0.1', today: '-0.3' }) }),
    row({ name: 'b', figures: figures({ equity: '0.2', today: '0.1' }) }),
    row({ name: 'c', mode: 'live', figures: figures({ equity: '7.005' }) }),
    row({ name: 'd', isCounted: false, state: 'unreachable', figures: figures({ equity: '1000' }) }),
  ];
  const totals = [
    { mode: 'paper', currency: 'USDT', bots: 2, equity: '0.3', today: '-0.2' },
    { mode: 'live', currency: 'USDT', bots: 1, equity: '7.005', today: '1.5' },
  ] as const;
  const page = html(h(Overview, { fleet: fleet(bots, [...totals]) }));
  // Amounts are shown short; all their digits are in `value`. In thousandths, as 0.1 + 0.2 is no double.
  const amounts = (part: string) => [...part.matchAll(/<data value="([^"]+)"/g)].map(([, value]) => Math.round(Number(value) * 1_000));
  const rows = [...page.matchAll(/<tr[^>]*>.*?<\/tr>/g)]
    .map(([whole]) => whole)
    .filter((one) => one.includes('<data') && !one.includes('uncounted'));
  const sum = (mode: string, at: number) =>
    rows.filter((one) => one.includes(`mode ${mode}`)).reduce((total, one) => total + amounts(one)[at]!, 0);
  const shown = [...page.matchAll(/<dl class="total">.*?<\/dl>/g)].map(([whole]) => amounts(whole));
  expect(rows).toHaveLength(3);
  expect(shown).toEqual([
    [sum('paper', 0), sum('paper', 1)],
    [sum('live', 0), sum('live', 1)],
  ]);
  expect(shown).toEqual([
    [300, -200],
    [7_005, 1_500],
  ]);
});

test('merges changed rows, drops those that are gone, and keeps the others with their order', () => {
  const before = fleet([row({ name: 'a' }), row({ name: 'c' }), row({ name: 'd' })]);
  const after = merged(before, { ...fleet([row({ name: 'c', state: 'crashed' }), row({ name: 'b' })]), time: NOW + 1, gone: ['id-d'] });
  expect(after.bots.map(({ name, state }) => `${name} ${state}`)).toEqual(['a ready', 'b ready', 'c crashed']);
  expect(after).toMatchObject({ time: NOW + 1 });
  expect(after).not.toHaveProperty('gone');
});

test.each([
  ['connection', 'Connection lost since 11:59:00 UTC (1 min). The figures below are of 11:58:58.'],
  ['session', 'The session has ended; nothing new since 11:59:00 UTC (1 min). The figures below are of 11:58:58.'],
] as const)('a lost %s says since when, and of when the list is', (why, words) => {
  const seen = { fleet: { ...fleet([row()]), time: NOW - 62_000 }, aheadMs: 0, lost: { since: NOW - 60_000, why } };
  expect(text(h(Lost, { seen, onLogin: () => {} }))).toContain(words);
});

test('the zone of all times is on its switch', () => {
  const frame = h(Frame, {
    ...{ route: '#/', seen: { aheadMs: 0, fleet: fleet([]) }, role: 'viewer' },
    onZone() {},
    onTheme() {},
    onLogout() {},
  });
  expect(text(frame)).toContain('live 12:00:00 Times: UTC Dark Log out viewer');
});

test('a bot says its state with the proof, and what needs attention', () => {
  const bot = detail(
    {
      ...{ state: 'latched', proof: 'a latch keeps all from opening' },
      latches: [{ rule: 'maxDrawdown', time: NOW - 1_000, reason: 'drawdown 12 %' }],
      health: [{ subject: 'market', symbol: 'ETH-USDT', condition: 'halted', reason: 'no price' }],
    },
    {
      unprotected: { 'BTC-USDT': '0.5' },
      denied: { maxOrders: 3 },
      changes: [{ setting: 'risk.orders.maxNotional', value: '500', was: '900' }],
    },
  );
  expect(text(h(BotHead, { row: bot }))).toContain('latched: a latch keeps all from opening.');
  const shown = text(h(Now, { bot }));
  expect(shown).toContain('Latch maxDrawdown – drawdown 12 %, since 2026-03-01 11:59:59');
  expect(shown).toContain('ETH-USDT halted – no price');
  expect(shown).toContain('BTC-USDT unprotected – 0.5 without the exit that it had');
  expect(shown).toContain('cross BTC-USDT 0.5 0.75');
  expect(shown).toContain('maxOrders 3');
  expect(shown).toContain('risk.orders.maxNotional 500 (was 900)');
});

test('a bot that does not answer has no status on its page', () => {
  expect(text(h(Now, { bot: detail({ state: 'unreachable' }, null) }))).toContain('The bot does not answer');
});

const known = <Data>(data: Data) => ({ data });

const order = {
  ...{ clientOrderId: 'o-1', orderId: '', time: NOW, strategy: SCRIPT, symbol: SCRIPT, side: 'buy', type: 'limit', state: 'open' as const },
  ...{ quantity: '2', filled: '0.5', price: '1234.5', stopPrice: null, tag: SCRIPT, reason: SCRIPT, life: [] },
};

test('a list that is as long as the server keeps may lack older rows, a shorter one is whole', () => {
  const rows = [order, { ...order, clientOrderId: 'o-2' }];
  expect(text(orderList('id', known({ ...reading, kept: 2, orders: rows })))).toContain('The newest 2; there may be older ones');
  expect(text(orderList('id', known({ ...reading, kept: 3, orders: rows })))).toContain('Orders 2, the newest first');
});

const PAGES: readonly (readonly [string, ComponentChild, string])[] = [
  ['orders', orderList('id', known({ ...reading, orders: [order] })), 'buy limit open 2 0.5 1,234.5'],
  [
    'fills',
    fillList(
      known({
        ...reading,
        fills: [
          {
            ...order,
            id: 1,
            fillId: 'f',
            positionSide: null,
            quantity: '2',
            price: '3',
            fee: '0.002',
            feeAsset: SCRIPT,
            liquidity: 'maker',
          },
        ],
      }),
    ),
    '2 3 0.002',
  ],
  [
    'denials',
    denialList(
      known({
        ...reading,
        denials: [{ id: 1, time: NOW, strategy: SCRIPT, symbol: SCRIPT, side: null, code: 'maxOrders', reason: SCRIPT }],
      }),
    ),
    'maxOrders',
  ],
  [
    'latches',
    latchList(
      known({
        ...reading,
        latches: [{ id: 1, time: NOW, kind: 'set', rule: SCRIPT, strategy: null, symbol: null, until: null, reason: SCRIPT }],
      }),
    ),
    'all all a reset',
  ],
  [
    'log',
    logLines(known({ time: NOW, path: SCRIPT, lines: [{ time: NOW, level: 'warn', message: SCRIPT, fields: { [SCRIPT]: SCRIPT } }] })),
    'warn',
  ],
  [
    'runs',
    runList(
      known({
        ...{ time: NOW, trouble: [SCRIPT] },
        runs: [
          {
            id: 'r',
            folder: SCRIPT,
            name: SCRIPT,
            kind: 'backtest',
            state: 'done',
            date: NOW,
            from: '2026-01-01T00:01:00.000Z',
            to: null,
            currency: 'USDT',
            statistics: {},
            parameters: {},
            differs: { [SCRIPT]: SCRIPT },
            hasPage: true,
            trouble: SCRIPT,
          },
        ],
      }),
    ),
    'backtest done 2026-03-01 12:00:00 2026-01-01 to …',
  ],
  [
    'studies',
    studyList(
      known({
        time: NOW,
        trouble: [SCRIPT],
        studies: [
          {
            id: 's',
            folder: SCRIPT,
            method: 'random',
            objective: null,
            trials: 1_200,
            best: { trial: 3, value: -1.5, params: { fast: '3' } },
            hasPage: true,
            trouble: null,
          },
        ],
      }),
    ),
    'random – 1,200 \u22121.5 fast 3',
  ],
  [
    'data',
    dataList(
      known({
        ...{ time: NOW, trouble: [SCRIPT] },
        recordings: [
          {
            name: SCRIPT,
            folder: SCRIPT,
            series: [
              { symbol: SCRIPT, kind: 'bars', intervalMs: 3_600_000, rows: 5_000, from: null, to: NOW, bytes: 1_500_000, trouble: SCRIPT },
            ],
          },
        ],
      }),
    ),
    'bars 1 h 5,000 – 2026-03-01 12:00:00 1.5 MB',
  ],
  ['bot', h(BotHead, { row: row({ name: SCRIPT, why: SCRIPT, folder: SCRIPT }) }), 'ready:'],
  ['status', h(Now, { bot: detail({ latches: [{ rule: SCRIPT, time: NOW, reason: SCRIPT }] }) }), 'Needs attention'],
  [
    'overview',
    h(Overview, {
      fleet: fleet([row({ name: SCRIPT, why: SCRIPT, figures: figures({ currency: SCRIPT, positions: { [SCRIPT]: '1' } }) })]),
    }),
    '1 bot',
  ],
  [
    'act',
    h(ActForm, { bot: detail({ name: SCRIPT, why: SCRIPT }), act: detail().acts[0]!, isSending: false, onSend() {}, onClose() {} }),
    'Stops the bot.',
  ],
];

test.each(PAGES)('the page of %s shows its figures, and any text as text', (_name, part, figures) => {
  const page = html(part);
  expect(page).not.toMatch(/<(script|img)/i);
  expect(page).toContain('&lt;script>');
  expect(text(part)).toContain(figures);
});

test('what a server does not have is said to be not available, and old lists stay with their age', () => {
  const missing = { problem: new ApiError('NOT_FOUND', 'no such path') };
  for (const [list, name] of [
    [orderList('id', missing), 'Orders'],
    [runList(missing), 'Runs'],
    [studyList(missing), 'Studies'],
    [dataList(missing), 'Data'],
    [equityOf(missing), 'Equity'],
    [logLines(missing), 'Log'],
  ] as const)
    expect(text(list)).toContain(`${name}: not available at this server.`);
  const kept: Known<'denials'> = {
    data: { ...reading, time: NOW - 60_000, denials: [] },
    problem: new ApiError('NO_ANSWER', 'the server does not answer'),
  };
  expect(text(denialList(kept))).toContain('As it was 1 min ago : the server does not answer.');
});

test('profit by day has its total and definition, and the curve has its figures in words', () => {
  const days = [
    { day: '2026-02-28', profit: '2.5', fills: 3 },
    { day: '2026-03-01', profit: '-1', fills: 1 },
  ];
  const series = {
    ...reading,
    currency: 'USDT',
    times: [1, 2, 3],
    equity: [100, null, 98],
    drawdown: [0, null, -0.02],
    days,
    total: '1.5',
  };
  const page = html(equityOf({ data: series }));
  expect(page).toContain('aria-label="Equity in USDT: first 100.00, last 98.00, lowest 98.00, highest 100.00"');
  const shown = text(equityOf({ data: series }));
  expect(shown).toContain('The total is the sum of all days. Total +1.50 USDT in 2 days');
  expect(shown).toContain('2026-03-01 \u22121.00 1 2026-02-28 +2.50 3');
});

test('a viewer has no acts; for an operator, a flatten needs the name of the bot', () => {
  const bot = detail();
  expect(html(h(Acts, { bot, onDone() {} }), { role: 'viewer' })).toBe('');
  expect(text(h(Acts, { bot, onDone() {} }))).toBe('Stop Flatten Reset');
  const form = (at: number) => html(h(ActForm, { bot, act: bot.acts[at]!, isSending: false, onSend() {}, onClose() {} }));
  expect(form(0)).not.toContain('to confirm');
  expect(form(0)).toMatch(/class="act stop">Stop one/);
  expect(form(1)).toContain('Type <b>one</b> to confirm');
  expect(form(1)).toMatch(/class="act flatten" disabled>Flatten one/);
  expect(form(2)).toContain('Not now: the bot does not answer.');
  const pause = { act: 'pause', words: 'Opens nothing.', confirm: 'pause', cannot: null };
  expect(html(h(ActForm, { bot, act: pause, isSending: false, onSend() {}, onClose() {} }))).toMatch(
    /<select name="strategy" required><option value>choose one<\/option><option value="cross">/,
  );
});

test.each([
  ['NO_ANSWER', 'Not known. The server did not answer: the act may have happened or not.'],
  ['NOT_FOUND', 'Refused: nothing was done.'],
  ['NOT_OPERATOR', 'Refused: nothing was done. Nothing was done: no (NOT_OPERATOR).'],
])('an act that ends with %s says what is known', (code, words) => {
  const result = resultOf(new ApiError(code, 'no'));
  expect(text(h(ActResult, { bot: detail(), result, onClose() {} }))).toContain(words);
});

test('a command that waits in the folder says whether a watchdog acts meanwhile', () => {
  const result = { time: NOW, outcome: 'filed' as const, words: 'KILL is in its folder.' };
  const shown = (watchdog: 'runs' | 'none') => text(h(ActResult, { bot: detail(), result: { ...result, watchdog }, onClose() {} }));
  expect(shown('runs')).toContain('obeys as soon as it runs. KILL is in its folder. A watchdog runs');
  expect(shown('none')).toContain('No watchdog runs');
  expect(shown('none')).toContain('The bot now: ● ready');
  const later = { ...result, time: NOW + 1, watchdog: null };
  expect(text(h(ActResult, { bot: detail(), result: later, onClose() {} }))).not.toContain('The bot now');
});

test('sorts figures as numbers and filters by all words', () => {
  const columns = [
    { label: 'Name', cell: () => '', value: ({ name }: { name: string }) => name },
    { label: 'Figure', kind: 'figure' as const, cell: () => '', value: ({ of }: { of: string | null }) => of },
  ];
  const rows = [
    { name: 'ten coins', of: '10' },
    { name: 'nothing', of: null },
    { name: 'nine coins', of: '9' },
  ];
  const names = (filter: string, down: boolean) => arranged(rows, columns, filter, { column: 1, down }).map(({ name }) => name);
  expect(names('', false)).toEqual(['nine coins', 'ten coins', 'nothing']);
  expect(names('', true)).toEqual(['ten coins', 'nine coins', 'nothing']);
  expect(names('coins NINE', true)).toEqual(['nine coins']);
});
