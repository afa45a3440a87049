import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { PALETTES } from '../../src/report/html/palette.ts';
import { renderHtml } from '../../src/report/html/render-html.ts';
import { sampleReport } from './sample-report.ts';

const CANDIDATES = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = CANDIDATES.find((path) => path !== undefined && path !== '' && existsSync(path));
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const HOSTILE = '</script><img src=x onerror=alert(1)>';
/** Starting a browser on a busy machine. */
const PATIENCE_MS = 60_000;

(executablePath ? describe : describe.skip)('the page in Chromium (skipped without one: set CHROMIUM_PATH)', () => {
  const report = sampleReport({ tag: HOSTILE });
  let folder: string;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  const requests: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tidegate-report-'));
    const file = join(folder, 'report.html');
    writeFileSync(file, renderHtml(report));
    browser = await chromium.launch({ executablePath: executablePath!, args: QUIET });
    const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 } });
    page = await context.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    await page.waitForSelector('#price-chart canvas');
  }, PATIENCE_MS);

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** How many pixels of a chart have exactly a palette's colour; waits until there are some. */
  async function pixels(selector: string, color: string): Promise<number> {
    const count = `(${COUNT_PIXELS})('${selector}', '${color}')`;
    await page.waitForFunction(`${count} > 0`, undefined, { timeout: 5_000 });
    return Number(await page.evaluate(count));
  }

  describe.each(['light', 'dark'] as const)('in the %s scheme', (scheme) => {
    beforeAll(async () => page.emulateMedia({ colorScheme: scheme }));

    test('the paper has its colour', async () => {
      const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(paper).toBe(`rgb(${rgb(PALETTES[scheme].paper).join(', ')})`);
    });

    test.each([
      ['equity', '#equity-chart', 'accent'],
      ['drawdown', '#equity-chart', 'loss'],
      ['rising candles', '#price-chart', 'candleUp'],
      ['falling candles', '#price-chart', 'candleDown'],
      ['buys', '#price-chart', 'buy'],
      ['sells', '#price-chart', 'sell'],
    ] as const)('the %s are drawn', async (_, selector, color) => {
      expect(await pixels(selector, PALETTES[scheme][color])).toBeGreaterThan(50);
    });
  });

  test('equity and drawdown are two panes over one axis', async () => {
    expect(await page.locator('#equity-chart tr').count()).toBeGreaterThanOrEqual(3);
    expect(await page.locator('#equity-legend').innerText()).toMatch(/Equity [\d,.]+ USDT Drawdown [\d.]+ %/);
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
    expect(await rows('By tag')).toBe(2);
    expect(await rows('Monthly returns')).toBe(2);
    expect(await rows('Denied intents')).toBe(2);
  });

  test('pointing at a statistic shows its formula', async () => {
    await page.locator('.term', { hasText: 'Sharpe ratio' }).hover();
    expect(await page.locator('#formula-sharpe').isVisible()).toBe(true);
  });

  test('a tag is text, in the table and in the data', async () => {
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('td', { hasText: HOSTILE }).count()).toBeGreaterThan(0);
  });

  test('the page fits a phone', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  test('nothing was asked of the network and nothing complained', () => {
    expect(requests).toHaveLength(1);
    expect(complaints).toEqual([]);
  });
});

function rgb(hex: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

/** In the page: reads copies of a chart's canvases, so that the page's own are left as they are. */
const COUNT_PIXELS = `(selector, color) => {
  const wanted = parseInt(color.slice(1), 16);
  let count = 0;
  for (const canvas of document.querySelectorAll(selector + ' canvas')) {
    if (canvas.width === 0 || canvas.height === 0) continue;
    const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
    const context = copy.getContext('2d', { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    for (let at = 0; at < data.length; at += 4) if ((data[at] << 16 | data[at + 1] << 8 | data[at + 2]) === wanted) count += 1;
  }
  return count;
}`;
