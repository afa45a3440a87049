import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clientScript } from '../../src/app/write-report.ts';
import { formatTime } from '../../src/report/format.ts';
import { PALETTES } from '../../src/report/html/palette.ts';
import { renderHtml } from '../../src/report/html/render-html.ts';
import { pageReport } from '../../src/report/page-report.ts';
import { CHROMIUM, type OpenPage, openPage, pixels, rgb } from './browser.ts';
import { fullReport } from './full-report.ts';
import { futuresReport } from './futures-report.ts';

const HOSTILE = '</script><img src=x onerror=alert(1)>';
const describeInBrowser = CHROMIUM === undefined ? describe.skip : describe;

describeInBrowser('the page in Chromium (skipped without one: set CHROMIUM_PATH)', () => {
  const report = fullReport({ tag: HOSTILE });
  let opened: OpenPage;
  let page: OpenPage['page'];

  beforeAll(async () => {
    opened = await openPage(renderHtml(pageReport(report), await clientScript()));
    page = opened.page;
  });

  afterAll(async () => opened?.close());

  describe.each(['light', 'dark'] as const)('in the %s scheme', (scheme) => {
    beforeAll(async () => page.emulateMedia({ colorScheme: scheme }));

    test('the paper has its colour', async () => {
      const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(paper).toBe(`rgb(${rgb(PALETTES[scheme].paper).join(', ')})`);
    });

    test.each([
      ['equity', '#equity-chart', 'accent'],
      ['benchmark', '#equity-chart', 'benchmark'],
      ['gross exposure', '#exposure-chart', 'accent'],
      ['net exposure', '#exposure-chart', 'buy'],
      ['share of the first symbol', '#allocation-chart', 'accent'],
      ['share of the second symbol', '#allocation-chart', 'sell'],
      ['rolling Sharpe ratio', '#rolling-chart', 'accent'],
      ['drawdown', '#equity-chart', 'loss'],
      ['rising candles', '#price-chart', 'candleUp'],
      ['falling candles', '#price-chart', 'candleDown'],
      ['volumes', '#price-chart', 'volume'],
      ['buys', '#price-chart', 'buy'],
      ['sells', '#price-chart', 'sell'],
      ['points over the candles', '#price-chart', 'warn'],
      ['bars of a pane of plots', '#price-chart', 'loss'],
    ] as const)('the %s are drawn', async (_, selector, color) => {
      expect(await pixels(page, selector, PALETTES[scheme][color])).toBeGreaterThan(50);
    });
  });

  test('equity and drawdown are two panes over one axis', async () => {
    expect(await page.locator('#equity-chart tr').count()).toBeGreaterThanOrEqual(3);
    expect(await page.locator('#equity-legend').innerText()).toMatch(
      /Equity [\d,.]+ USDT.*buy and hold [\d,.]+ USDT.*Underwater -?[\d.]+ %/,
    );
  });

  test.each([1440, 1180, 800, 390])('no text of the equity chart is cut at %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    const cut = '[...document.querySelectorAll("#equity-legend div")].filter((line) => line.scrollWidth > line.clientWidth).length';
    expect(await page.evaluate(cut)).toBe(0);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test('the legend of the allocation has the share of each symbol', async () => {
    expect(await page.locator('#allocation-legend').innerText()).toMatch(/BTC-USDT 33\.0 %.*ETH-USDT -?33\.0 %/);
  });

  test('the legend of the prices has a line for each pane of plots, which the box hides with the plots', async () => {
    const lines = async () => (await page.locator('#price-legend').innerText()).split('\n').map((line) => line.trim());
    expect(await lines()).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\d .* V \d/),
      expect.stringMatching(/^● first [\d,.]+$/),
      expect.stringMatching(/^heights: ▮ height [\d.]+ ━ limit \d+$/),
      expect.stringMatching(/^━ wide (1\.25|-1\.00)e\+300$/),
    ]);
    const height = async () => (await page.locator('#price-chart').boundingBox())!.height;
    expect(await height()).toBe(740);
    await page.locator('#price-plots').uncheck();
    expect(await lines()).toHaveLength(1);
    await page.locator('#price-plots').check();
    expect(await lines()).toHaveLength(4);
  });

  test('the symbol picker draws another symbol', async () => {
    const before = await page.locator('#price-legend').innerText();
    await page.locator('#price-symbol').selectOption('1');
    expect(await page.locator('#price-note').innerText()).toContain('ETH-USDT');
    expect(await page.locator('#price-legend').innerText()).not.toBe(before);
    await page.locator('#price-chart').click();
    await page.mouse.wheel(0, -500);
  });

  test('the tables are filled', async () => {
    const rows = (title: string) => page.locator(`section:has(h2:text-is("${title}")) tbody tr`).count();
    expect(await rows('Trades')).toBe(report.trades.length);
    expect(await rows('By symbol')).toBe(2);
    // Two tags of entries, two of exits: each counts its own fills.
    expect(await rows('By tag')).toBe(4);
    expect(await rows('Monthly returns')).toBe(2);
    expect(await rows('Denied intents')).toBe(2);
    expect(await rows('Diagnosis')).toBe(3);
  });

  test('pointing at a statistic shows its formula', async () => {
    await page
      .locator('.term', { hasText: /^Sharpe ratio/ })
      .first()
      .hover();
    expect(await page.locator('#formula-sharpe').isVisible()).toBe(true);
  });

  test.each([0, 1, 2])('pointing at a dot of scatter %d shows its trade', async (index) => {
    const plot = page.locator('#scatter .plot').nth(index);
    await plot.scrollIntoViewIfNeeded();
    // The trade that gained most is the highest dot, in each of the three.
    const [x, y] = (await plot.evaluate((svg) => {
      const dots = [
        ...svg
          .querySelector('.dots-gain')!
          .getAttribute('d')!
          .matchAll(/M([\d.]+) ([\d.]+)/g),
      ];
      const [, along, up] = dots.sort((a, b) => Number(a[2]) - Number(b[2]))[0]!;
      const { left, top, width } = svg.getBoundingClientRect();
      return [left + (Number(along) * width) / 400, top + (Number(up) * width) / 400];
    })) as [number, number];
    await page.mouse.move(x, y);
    const [best] = [...report.trades].sort((a, b) => b.returnOnEntry - a.returnOnEntry);
    const { symbol, side, entryTime, exitTime, returnOnEntry, maeShare, mfeShare } = best!;
    const [gain, mae, mfe] = [returnOnEntry, maeShare, mfeShare].map((share) => `${(share * 100).toFixed(2).replace('-', '\u2212')} %`);
    const told = `${symbol} ${side}, ${formatTime(entryTime)} to ${formatTime(exitTime)}: return ${gain}, MAE ${mae}, MFE ${mfe}`;
    expect(await page.locator('.dot-tip').innerText()).toBe(told);
    await page.mouse.move(0, 0);
    expect(await page.locator('.dot-tip').isVisible()).toBe(false);
  });

  test('a tag is text, in the table and in the data', async () => {
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('td', { hasText: HOSTILE }).count()).toBeGreaterThan(0);
  });

  test('the page fits a phone', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  test('there were no network requests and no errors', () => {
    expect(opened.requests).toHaveLength(1);
    expect(opened.complaints).toEqual([]);
  });
});

describeInBrowser('the page of a futures account in Chromium (skipped without one: set CHROMIUM_PATH)', () => {
  // Prices from 100 to 187.6, with 12 % of the height left above and 6 % below: the label of 200 would be cut.
  const bars = [1, 2, 3].map((minute) => ({ time: minute * 60_000, open: 110, high: 187.6, low: 100, close: 120 }));
  const sample = futuresReport();
  const report = { ...sample, charts: [...sample.charts, { symbol: 'TOP', intervalMs: 60_000, bars, fills: [] }] };
  let opened: OpenPage;

  beforeAll(async () => {
    opened = await openPage(renderHtml(pageReport(report), await clientScript()));
  });

  afterAll(async () => opened?.close());

  test.each(['light', 'dark'] as const)('in the %s scheme liquidations are crosses in the colour of a loss', async (scheme) => {
    await opened.page.emulateMedia({ colorScheme: scheme });
    expect(await pixels(opened.page, '#price-chart', PALETTES[scheme].loss)).toBeGreaterThan(50);
  });

  test('no label of the price axis is cut at its top', async () => {
    await opened.page.locator('#price-symbol').selectOption(String(report.charts.length - 1));
    for (let frame = 0; frame < 4; frame++) await opened.page.evaluate('new Promise((done) => requestAnimationFrame(done))');
    expect(await opened.page.evaluate(TOP_OF_AXIS)).toBe(1);
  });

  test('the trades fit, exit tags and all', async () => {
    const [table, card] = (await opened.page.evaluate(WIDTHS)) as [number, number];
    expect(table).toBeLessThanOrEqual(card);
    expect(await opened.page.evaluate(CUT_CELLS)).toBe(0);
  });

  test('there were no network requests and no errors', () => {
    expect(opened.requests).toHaveLength(1);
    expect(opened.complaints).toEqual([]);
  });
});

/** In the page: the width that the table of trades wants, and that of its card. */
const WIDTHS = `(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector('.dense'))`;
const CUT_CELLS = `[...document.querySelectorAll('.dense td')].filter((cell) => cell.scrollWidth > cell.clientWidth).length`;
/** In the page: how many colours the topmost row of the price axis has; the text of a label there would bring more. */
const TOP_OF_AXIS = `(() => {
  const canvases = [...document.querySelectorAll('#price-chart tr:first-child td:last-child canvas')];
  const [{ width }] = canvases;
  const context = Object.assign(document.createElement('canvas'), { width, height: 1 }).getContext('2d', { willReadFrequently: true });
  for (const canvas of canvases) context.drawImage(canvas, 0, 0);
  return new Set(new Uint32Array(context.getImageData(0, 0, width, 1).data.buffer)).size;
})()`;
