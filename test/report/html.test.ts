import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { clientScript } from '../../src/app/write-report.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { pageColumns } from '../../src/report/html/page-columns.ts';
import { renderHtml } from '../../src/report/html/render-html.ts';
import { pageReport } from '../../src/report/page-report.ts';
import type { RunReport } from '../../src/report/run-report.ts';
import { definitionsOf } from '../../src/statistics/statistics.ts';
import { breakdownRow, closedTrade, runReport } from './builders.ts';
import { fullReport } from './full-report.ts';
import { futuresReport } from './futures-report.ts';

const HOSTILE = '</script><img src=x onerror="alert(1)">\'&';
const script = await clientScript();
const render = (report: RunReport) => renderHtml(pageReport(report), script);
const page = render(fullReport());
const futuresPage = render(futuresReport());

/** The page without the charting library and the page's own script and style. */
function markup(html: string): string {
  return html.replace(/<(script|style)>[\s\S]*?<\/\1>/g, '');
}

test('every inline script and style is allowed by its hash, and nothing else is', () => {
  const policy = /Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1] ?? '';
  const hashes = [...page.matchAll(/<(script|style)>([\s\S]*?)<\/\1>/g)].map(
    ([, kind, text]) => [kind, `'sha256-${createHash('sha256').update(text!).digest('base64')}'`] as const,
  );
  const of = (wanted: string) => hashes.flatMap(([kind, hash]) => (kind === wanted ? [hash] : []));
  expect(of('script')).toHaveLength(2);
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src ${of('script').join(' ')}`,
    `style-src ${of('style').join(' ')}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ]);
});

test('the page names no other file: one link for the attribution, which loads nothing', () => {
  const addresses = [...markup(page).matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(([, address]) => address);
  expect(addresses).toEqual(['data:,', 'https://www.tradingview.com/']);
  expect(markup(page)).not.toMatch(/ style=| on\w+=|@import|url\(/);
});

test('the charting library keeps its licence notice', () => {
  expect(page).toMatch(
    /TradingView Lightweight Charts™ v[\d.]+\s+\* Copyright \(c\) \d+ TradingView, Inc\.\s+\* Licensed under Apache License 2\.0/,
  );
});

test('nothing that a user wrote becomes markup', () => {
  const row = breakdownRow({ key: HOSTILE });
  const html = render(
    runReport({
      name: HOSTILE,
      currency: HOSTILE,
      summary: { name: HOSTILE },
      tables: { bySymbol: [row], byTag: [row], bySide: [row] },
      charts: [0, 1].map(() => ({
        symbol: HOSTILE,
        intervalMs: 1_000,
        bars: [{ time: 0, open: 1, high: 1, low: 1, close: 1 }],
        fills: [{ time: 0, side: 'buy', price: 1, quantity: 1, tag: HOSTILE }],
      })),
      trades: [closedTrade({ tag: HOSTILE, exitTag: HOSTILE, strategyId: HOSTILE, symbol: HOSTILE })],
      benchmark: { label: HOSTILE, equity: [], dayEquity: [] },
      findings: [{ id: HOSTILE, severity: 'info', title: HOSTILE, figures: { [HOSTILE]: HOSTILE }, advice: HOSTILE }],
      denied: [{ code: HOSTILE, count: 1, example: HOSTILE }],
      configText: HOSTILE,
      data: [{ name: HOSTILE, sha256: HOSTILE, facts: [{ label: HOSTILE, value: HOSTILE }] }],
      warnings: [HOSTILE],
    }),
  );
  expect(html).not.toContain('<img');
  expect(html.match(/<\/script>/g)).toHaveLength(3);
  expect(markup(html)).toContain('&lt;/script&gt;&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&#39;&amp;');
});

test.each([
  ['a spot account', false, page],
  ['a futures account', true, futuresPage],
])('every statistic of %s is there with its formula', (_, futures, html) => {
  for (const { key, formula } of definitionsOf(futures)) {
    const escaped = formula.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    expect(html).toContain(`id="formula-${key}">${escaped}`);
  }
});

test('statistics of futures are only on the page of a futures account', () => {
  expect(markup(page)).not.toMatch(/funding|max leverage|liquidat|margin|By side|<h3>(Futures|Long|Short)/i);
});

test('for futures the headline has funding, both sides, leverage with margin use, and liquidations', () => {
  for (const [label, shown, under] of [
    ['Funding', /[\u2212\d.,]+/, /received [\d.,]+, paid [\d.,]+/],
    ['Long net profit', /[\u2212\d.,]+/, /short [\u2212\d.,]+/],
    ['Max leverage', /[\d.]+/, /margin use up to [\d.]+ %/],
    ['Liquidations', /\d+/, /their fees [\d.,]+/],
  ] as const)
    expect(futuresPage).toMatch(new RegExp(`<span>${label}</span><strong[^>]*>${shown.source}</strong><em>${under.source}</em>`));
});

test('trades of futures have funding next to the fees, and a cross where the venue liquidated', () => {
  const trade = closedTrade({ funding: new Decimal('-1.25'), exitTag: 'liquidation', liquidated: true });
  const html = render(runReport({ futures: true, definitions: definitionsOf(true), trades: [trade] }));
  expect(html).toContain('<th scope="col">Fees</th><th scope="col">Funding</th>');
  expect(html).toContain('<td class="loss">\u22121.25</td>');
  expect(html).toContain('<td class="text word loss" title="✕ liquidation">✕ liquidation</td>');
});

test('trades name their strategy only where there are several', () => {
  const trades = ['a', 'b'].map((strategyId) => closedTrade({ strategyId }));
  expect(render(runReport({ trades }))).toContain('>Strategy</th>');
  expect(render(runReport({ trades: trades.slice(1) }))).not.toContain('>Strategy</th>');
});

test('results by strategy are on the page where several strategies share the account', () => {
  const of = (...keys: string[]) =>
    render(runReport({ breakdowns: { ...runReport().breakdowns, strategy: keys.map((key) => breakdownRow({ key })) } }));
  expect(of('trend', 'grid')).toMatch(/<h2 id="by-strategy-title">By strategy<\/h2>[\s\S]*>trend<[\s\S]*>grid</);
  expect(of('trend')).not.toContain('By strategy');
});

test('the first screen is the result: what decided the run, then its curve beside the figures with the market, before all warnings', () => {
  const end = { rule: 'maxDrawdown', time: Date.UTC(2024, 0, 3), lastFill: Date.UTC(2024, 0, 3) };
  const full = fullReport();
  const html = markup(
    render({ ...full, end, warnings: ['a warning'], statistics: { ...full.statistics, totalReturn: 0.091, benchmarkReturn: -0.028 } }),
  );
  const places = [
    'class="decided">Trading ended with maxDrawdown at 2024-01-03 00:00 UTC',
    'id="equity-chart"',
    'class="tiles"',
    'a warning',
  ];
  const found = places.map((text) => html.indexOf(text));
  expect(found).toEqual([...found].sort((a, b) => a - b));
  expect(Math.min(...found)).toBeGreaterThan(0);
  expect(html).toContain('9.10 %</strong><em>market \u22122.80 %</em>');
});

test('a ratio that is not available gives its tile to a figure that is', () => {
  const tiles = (statistics: RunReport['statistics']) => {
    const [, text = ''] = /<div class="tiles">(.*?)<\/header>/s.exec(render({ ...fullReport(), statistics }))!;
    return [...text.matchAll(/<div class="tile"><span>([^<]*)</g)].map(([, label]) => label);
  };
  const { statistics } = fullReport();
  const all = tiles({ ...statistics, cagr: 0.1, sharpe: 1 });
  expect(tiles({ ...statistics, cagr: null, sharpe: null })).toEqual(
    all.map((label) => (label === 'CAGR' ? 'Final equity' : label === 'Sharpe ratio' ? 'Exposure' : label)),
  );
});

test('a figure that has its own tile is under no other', () => {
  const under = (statistics: RunReport['statistics']) => {
    const [, text = ''] = /<div class="tiles">(.*?)<\/header>/s.exec(render({ ...fullReport(), statistics }))!;
    return [...text.matchAll(/<span>Fees<\/span><strong[^>]*>[^<]*<\/strong><em>([^<]*)</g)].map(([, shown]) => shown);
  };
  const { statistics } = fullReport();
  expect(under({ ...statistics, cagr: 0.1, sharpe: 1, exposure: 0.5 })).toEqual(['exposure 50.00 %']);
  // Exposure takes the tile of the second ratio that is not available.
  expect(under({ ...statistics, cagr: null, sharpe: null, exposure: 0.5 })).toEqual(['']);
});

test('the error of a ratio is smaller than the ratio', () => {
  const { statistics } = fullReport();
  const html = render({ ...fullReport(), statistics: { ...statistics, sharpe: -0.94, sharpeError: 3.45 } });
  expect(html).toContain('\u22120.94 <small>± 3.45</small></strong>');
});

test.each([
  [20, ' open'],
  [21, ''],
])('a configuration of %d lines is %j', (lines, open) => {
  const configText = 'line\n'.repeat(lines);
  expect(render(runReport({ configText }))).toContain(`<details class="card"${open}><summary>Configuration</summary>`);
});

test('a long table is closed at first, a short one is open', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => closedTrade({ exitTime: index }));
  const html = markup(render(runReport({ trades: rows(21) })));
  expect(html).toContain('<details class="rows"><summary>21 rows</summary><div class="card scroll');
  expect(markup(render(runReport({ trades: rows(20) })))).not.toContain('class="rows"');
});

test('the page warns of ruin with its time, symbol and price', () => {
  const ruin = { time: Date.UTC(2024, 2, 5, 12), symbol: 'BTC-USDT-PERP', price: 61234.5 };
  expect(render(runReport({ ruin }))).toContain('equity reached zero at 2024-03-05 12:00 UTC, at a price of 61,234.5 for BTC-USDT-PERP.');
});

test('the worst drawdowns have their times and lengths, and the average is above them', () => {
  const HOUR = 3_600_000;
  const drawdowns = [
    { depth: 0.5, peakTime: 0, troughTime: HOUR, recoveredTime: 3 * HOUR, lengthMs: 3 * HOUR },
    { depth: 0.1, peakTime: 4 * HOUR, troughTime: 5 * HOUR, recoveredTime: null, lengthMs: 2 * HOUR },
  ];
  const statistics = { drawdowns: 1200, averageDrawdown: 0.01, averageDrawdownMs: 2 * HOUR };
  const html = render(runReport({ drawdowns, statistics }));
  expect(html).toContain('The 2 deepest of 1,200 on the points of the equity curve: average depth 1.00 %, average length 2 h.');
  expect(html).toMatch(/50\.00 %<\/td>.*1970-01-01 03:00<\/td><td[^>]*>3 h<\/td><td[^>]*>1 h<\/td><td[^>]*>2 h</);
  expect(html).toMatch(/10\.00 %<\/td>.*not recovered<\/td><td[^>]*>2 h</);
});

test('the benchmark has a column of its own, and the returns by year', () => {
  const statistics = { cagr: 0.1, benchmarkCagr: 0.2, sharpe: 1, benchmarkSharpe: 1.5, maxDrawdown: 0.3, benchmarkMaxDrawdown: 0.4 };
  const benchmark = { label: 'buy and hold', equity: [], dayEquity: [] };
  const html = render(runReport({ statistics, benchmark, years: [{ year: '2024', run: 0.1, benchmark: 0.25 }] }));
  expect(html).toMatch(/CAGR<\/td><td>10\.00 %<\/td><td>20\.00 %</);
  expect(html).toMatch(/Max drawdown<\/td><td>30\.00 %<\/td><td>40\.00 %</);
  expect(html).toMatch(/2024<\/td><td class="gain">10\.00 %<\/td><td class="gain">25\.00 %<\/td><td class="loss">\u221215\.00 %</);
  expect(render(runReport({ statistics }))).not.toContain('Run and benchmark');
});

test('the crises that a run covers are on the page', () => {
  const crises = [{ name: 'COVID-19', from: '2020-02-10', to: '2020-09-20', run: -0.1, benchmark: null, drawdown: 0.2 }];
  expect(render(runReport({ crises }))).toMatch(/COVID-19<.*\u221210\.00 %<.*n\/a<.*20\.00 %</);
});

test('the allocation has a chart and a row for each symbol, where there are several', () => {
  const symbol = (name: string) => ({ symbol: name, mean: 0.175, lowest: -0.4, highest: 0.5, last: 0, held: 0.25 });
  const of = (...names: string[]) =>
    runReport({
      allocation: {
        times: [0, 1_000, 2_000, 2_000],
        each: 4,
        curves: names.map((label) => ({ label, shares: [0, 0.125, -0.4, 0.1] })),
        symbols: names.map(symbol),
      },
    });
  const html = render(of('BTC-USDT', 'ETH-USDT'));
  expect(html).toContain('id="allocation-chart"');
  expect(html).toContain('Each point is the mean of 4 points of the equity curve.');
  expect(html).toMatch(/ETH-USDT<\/td><td>17\.50 %<\/td><td>\u221240\.00 %<\/td><td>50\.00 %<\/td><td>0\.00 %<\/td><td>25\.00 %</);
  expect(pageColumns(pageReport(of('BTC-USDT', 'ETH-USDT'))).allocation).toMatchObject({
    t: [0, 1, 2],
    curves: [{ shares: [0, 12.5, 10] }, {}],
  });
  expect(render(of('BTC-USDT'))).not.toContain('Asset allocation');
});

test('a rolling figure of a few points is no chart', () => {
  const points = (count: number) => Array.from({ length: count }, (_, index) => ({ time: index, sharpe: 1, volatility: 0.1 }));
  const of = (count: number) => render(runReport({ rolling: [{ days: 30, points: points(count) }] }));
  expect(of(5)).toContain('id="rolling-chart"');
  expect(of(4)).not.toContain('id="rolling-chart"');
});

test('the head names the run, its strategies and their parameters', () => {
  const strategies = [{ id: 'sma', symbols: ['BTC-USDT'], params: { fast: 20, mode: 'long' } }];
  const html = render(runReport({ name: 'cross', summary: { out: 'runs/cross-7' }, strategies }));
  expect(html).toContain('<title>cross, fast 20, mode long - Tidegate run report</title>');
  expect(html).toContain('Run <b>cross-7</b>');
  expect(html).toContain('<b>sma</b> (BTC-USDT): fast 20, mode long</p>');
});

test('the entry of a trade is a link to its candles, where its symbol has a chart', () => {
  const bars = [{ time: 0, open: 1, high: 1, low: 1, close: 1 }];
  const charts = ['ETH-USDT', 'BTC-USDT'].map((symbol) => ({ symbol, intervalMs: 60_000, bars, fills: [] }));
  const trades = [closedTrade({ entryTime: 60_000, exitTime: 120_000 }), closedTrade({ symbol: 'SOL-USDT' })];
  const html = markup(render(runReport({ charts, trades })));
  expect(html).toContain('<a href="#price" data-jump="1 60 120">1970-01-01 00:01</a>');
  expect(html.match(/data-jump/g)).toHaveLength(1);
});

test('the diagnosis groups thousands, and leaves dates as they are', () => {
  const figures = { final: '-12345.67 USDT', time: '2024-03-05 12:00 UTC' };
  const html = render(runReport({ findings: [{ id: 'x', severity: 'info', title: 'T', figures, advice: 'A' }] }));
  expect(html).toContain('final -12,345.67 USDT, time 2024-03-05 12:00 UTC');
});

test('up to a thousand trades are all on the page', () => {
  const html = render(runReport({ trades: Array.from({ length: 3 }, () => closedTrade({ tag: 'only-here' })) }));
  expect(html).toContain('All 3.');
  expect(html.match(/>only-here<\/td>/g)).toHaveLength(3);
});

test('of more, those with the largest profits and losses are shown in order, and the page states it', () => {
  const trades = Array.from({ length: 1_002 }, (_, index) =>
    closedTrade({ tag: `t${index}`, netProfit: new Decimal(index === 5 ? -2_000 : index) }),
  );
  const html = render(runReport({ trades }));
  expect(html).toContain('The 1,000 of 1,002 that gained or lost most; the others are left out here and in print.');
  const tags = [...html.matchAll(/>(t\d+)<\/td>/g)].map(([, tag]) => tag);
  expect(tags.slice(0, 5)).toEqual(['t2', 't3', 't4', 't5', 't6']);
  expect(tags).toHaveLength(1_000);
});

test.each([1, 7, 9_999])('of ten thousand, the largest are shown, in whatever order their sizes come (every %i)', (stride) => {
  // 9,999 visits them backwards.
  const sizes = Array.from({ length: 10_000 }, (_, index) => (index * stride) % 10_000);
  const trades = sizes.map((size) => closedTrade({ tag: `t${size}`, netProfit: new Decimal(size % 2 === 0 ? size : -size) }));
  const shown = pageReport(runReport({ trades })).trades.map(({ tag }) => tag);
  expect(shown).toEqual(sizes.filter((size) => size >= 9_000).map((size) => `t${size}`));
});

test('findings are present if a diagnosis was requested, even if there are none', () => {
  expect(render(runReport())).not.toContain('id="findings"');
  expect(render(runReport({ findings: [] }))).toContain('No findings.');
  expect(page).toContain('>share 81 %</td>');
});

test('a finding has its figures in words, as in the terminal, and no code marks in its advice', () => {
  const figures = { worstExcursion: '-2.0 %', all: '5.00 USDT' };
  const html = render(runReport({ findings: [{ id: 'x', severity: 'info', title: 't', figures, advice: 'Set `a.b` twice.' }] }));
  expect(html).toContain('>worst excursion -2.0 %, all 5.00 USDT</td><td class="text wrap">Set a.b twice.</td>');
});

test('a section leads to its place: every one of the navigation is there, once', () => {
  const ids = [...markup(page).matchAll(/<a href="#([^"]+)">/g)].map(([, id]) => id!);
  expect(ids.length).toBeGreaterThan(12);
  for (const id of ids) expect(markup(page).split(`<section id="${id}"`)).toHaveLength(2);
});

test('months are coloured by their share of the largest, and empty without data', () => {
  const months = [0.1, -0.04, 0.0001, ...new Array<null>(9).fill(null)];
  const html = render(runReport({ monthly: [{ year: 2024, months, total: 0.0561 }] }));
  expect(html).toContain(
    `2024</th><td class="p5">10.0</td><td class="n2">\u22124.0</td><td class="">0.0</td>${'<td></td>'.repeat(9)}<td class="total">5.6</td>`,
  );
});

test('trades by month, hour and so on have a table each, of which the first two are open if they are short', () => {
  const sample = fullReport();
  const tables = [...page.matchAll(/<details class="fold"( open)?><summary>([^<]+)<\/summary>.*?<tbody>(.*?)<\/tbody>/gs)];
  expect(tables.map(([, open, title, rows]) => [open === ' open', title, rows!.split('<tr>').length - 1])).toEqual([
    [true, 'By month (UTC)', 14],
    [false, 'By hour of exit (UTC)', 24],
    [false, 'By weekday of exit (UTC)', 7],
    [false, 'By week (UTC, ISO 8601)', sample.breakdowns.week.length],
    [false, 'By day (UTC), the last 200 of 400', 200],
    [false, 'By year (UTC)', 2],
  ]);
});

test('of more than 200 days the last are shown, and the table states it', () => {
  const day = Array.from({ length: 202 }, (_, index) => breakdownRow({ key: `day-${index}` }));
  const html = render(runReport({ breakdowns: { ...runReport().breakdowns, day } }));
  expect(html).toContain('<summary>By day (UTC), the last 200 of 202</summary>');
  expect([...html.matchAll(/>(day-\d+)<\/td>/g)].map(([, key]) => key)).toEqual(day.slice(2).map(({ key }) => key));
});

test('trades are distinguished by exit reason, open ones too', () => {
  const exitReason = [breakdownRow({ key: 'open', trades: 0 }), breakdownRow({ key: 'stop' })];
  const html = render(runReport({ breakdowns: { ...runReport().breakdowns, exitReason } }));
  expect(html).toMatch(/<section id="by-exit-reason".*>open<\/td>.*>stop<\/td>/s);
});

test('every dot of the scatters has a length, as paper leaves out square ends of lines that have none', () => {
  const paths = [...page.matchAll(/class="dots-(?:loss|gain)" d="([^"]+)"/g)].map(([, path]) => path!);
  expect(paths).toHaveLength(6);
  for (const path of paths) expect(path.replace(/M[\d.]+ [\d.]+h\.1/g, '')).toBe('');
});

test('a run without a fill or a point still makes a page', () => {
  expect(render(runReport())).toContain('No closed trade: a trade ends when its strategy is flat in the symbol.');
});

test('a year of two symbols stays under 2 MB', () => {
  expect(Buffer.byteLength(page)).toBeLessThan(2_000_000);
});

test('so does a run as large as can be: whatever is long is thinned', () => {
  const sample = fullReport();
  const [chart] = sample.charts;
  const fills = Array.from({ length: 30_000 }, (_, index) => ({
    ...chart!.fills.at(index % chart!.fills.length)!,
    price: 40_000.01 + (index % 997),
  }));
  const orders = Array.from({ length: 30_000 }, (_, index) => ({
    ...chart!.orders!.at(index % chart!.orders!.length)!,
    price: 40_000.01 + (index % 991),
  }));
  const trades = Array.from({ length: 20_000 }, (_, index) => ({ ...sample.trades.at(index % sample.trades.length)! }));
  const equity = Array.from({ length: 80_000 }, (_, index) => ({ ...sample.equity[index % sample.equity.length]!, time: index * 60_000 }));
  const benchmark = { label: 'b', equity: equity.map((_, index) => 100_000 + index / 7), dayEquity: [] };
  const charts = Array.from({ length: 5 }, () => ({ ...chart!, fills, orders }));
  const days = Array.from({ length: 5_000 }, (_, index) =>
    breakdownRow({ key: `day-${index}`, netProfit: `-${12_345.67 + index}`, volume: '1234567.89', equityReturn: -0.1 }),
  );
  const breakdowns = { ...sample.breakdowns, day: days, week: days, month: days };
  expect(Buffer.byteLength(render({ ...sample, charts, trades, equity, benchmark, breakdowns }))).toBeLessThan(2_000_000);
});
