import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { clientScript } from '../../src/app/write-report.ts';
import { PALETTES } from '../../src/report/html/palette.ts';
import { renderHtml } from '../../src/report/html/render-html.ts';
import { pageReport } from '../../src/report/page-report.ts';
import { CHROMIUM, type OpenPage, openPage, rgb } from './browser.ts';
import { fullReport } from './full-report.ts';

const describeInBrowser = CHROMIUM === undefined ? describe.skip : describe;

describeInBrowser('the page by keyboard in Chromium (skipped without one: set CHROMIUM_PATH)', () => {
  const report = fullReport({ days: 100 });
  let opened: OpenPage;
  let page: Page;

  beforeAll(async () => {
    opened = await openPage(renderHtml(pageReport(report), await clientScript()));
    page = opened.page;
  });

  afterAll(async () => opened?.close());

  /** What the chart says it shows, in hours from its first candle; undefined when that is all. */
  const period = async (id: string) => {
    await frames(page);
    const text = await page.locator(`#${id}-period`).innerText();
    const [from, to] = text.split(' to ').map((part) => (Date.parse(`${part.replace(' ', 'T')}Z`) - report.from) / 3_600_000);
    return from === undefined || to === undefined ? undefined : { from, to, length: to - from };
  };
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };

  test('the first stop is a link over the head to the results', async () => {
    await press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the results');
    await press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
  });

  test('the navigation leads to every section', async () => {
    const targets = await page.locator('nav a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    const sections = await page.locator('header section, main section').evaluateAll((parts) => parts.map((part) => `#${part.id}`));
    expect(targets).toEqual(sections);
  });

  test.each(['equity', 'exposure', 'rolling', 'price'])('the %s chart zooms and moves by keys, and back to all', async (id) => {
    await page.locator(`#${id}-chart .frame`).focus();
    expect(await period(id)).toBeUndefined();
    await press('+', '+', '+');
    const near = await period(id);
    await press('ArrowRight');
    const right = await period(id);
    await press('ArrowLeft', 'ArrowLeft');
    const left = await period(id);
    await press('-');
    const farther = await period(id);
    // 0.6 cubed is 0.216.
    expect(near!.length / (100 * 24)).toBeLessThan(0.3);
    expect(right!.from).toBeGreaterThan(near!.from);
    expect(left!.from).toBeLessThan(near!.from);
    expect(farther!.length).toBeGreaterThan(near!.length);
    await press('Home');
    const first = await period(id);
    await press('End');
    const last = await period(id);
    expect(first!.from).toBeLessThan(near!.from);
    expect(last!.to).toBeGreaterThan(right!.to);
    await press('0');
    expect(await period(id)).toBeUndefined();
  });

  test('the entry of a trade shows its candles, with the chart of its symbol', async () => {
    const link = page.locator('[data-jump^="1 "]').first();
    const [, from, to] = (await link.getAttribute('data-jump'))!.split(' ').map((part) => (Number(part) * 1000 - report.from) / 3_600_000);
    await link.evaluate((element) => (element as unknown as { click(): void }).click());
    // A part of the chart is shown only after the new chart was drawn.
    await page.locator('#price-period:not(:empty)').waitFor();
    const shown = await period('price');
    expect(await page.locator('#price-symbol').inputValue()).toBe('1');
    expect(shown!.from).toBeLessThanOrEqual(from!);
    expect(shown!.to).toBeGreaterThanOrEqual(to!);
    await page.locator('#price-symbol').selectOption('0');
  });

  test('the equity has a scale in percent', async () => {
    const picture = () =>
      page
        .locator('#equity-chart canvas')
        .evaluateAll((all) => all.map((one) => (one as unknown as { toDataURL(): string }).toDataURL()).join());
    await frames(page);
    const money = await picture();
    await page.locator('#equity-scale').selectOption('2');
    await frames(page);
    expect(await picture()).not.toBe(money);
    await page.locator('#equity-scale').selectOption('0');
  });

  test('n and p go from fill to fill of the price chart, and the legend shows each', async () => {
    await page.locator('#price-chart .frame').focus();
    const { fills } = report.charts[0]!;
    await press('n');
    await frames(page);
    expect(await page.locator('#price-legend').innerText()).toContain(
      new Date(fills.at(0)!.time).toISOString().slice(0, 16).replace('T', ' '),
    );
    await press('n', 'n', 'p');
    await frames(page);
    expect(await page.locator('#price-legend').innerText()).toContain(
      new Date(fills.at(1)!.time).toISOString().slice(0, 16).replace('T', ' '),
    );
    // Thirty candles on each side, of an hour each.
    expect((await period('price'))!.length).toBe(60);
    await press('0');
  });

  test('the browser keeps its own keys', async () => {
    await page.locator('#price-chart .frame').focus();
    await press('Control+0');
    expect(await period('price')).toBeUndefined();
    await press('Tab');
    expect(await page.evaluate("document.activeElement.classList.contains('frame')")).toBe(false);
  });

  test('the theme is chosen by a key, over the system, and holds when the page is opened again', async () => {
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const of = (scheme: 'light' | 'dark') => `rgb(${rgb(PALETTES[scheme].paper).join(', ')})`;
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await paper()).toBe(of('light'));
    await page.locator('#theme').focus();
    await press('Enter');
    expect([await paper(), await page.locator('#theme').textContent()]).toEqual([of('dark'), 'Light theme']);
    await page.reload();
    expect(await paper()).toBe(of('dark'));
    await page.locator('#theme').focus();
    await press('Space');
    expect([await paper(), await page.locator('#theme').textContent()]).toEqual([of('light'), 'Dark theme']);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await paper()).toBe(of('dark'));
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('nothing complained', () => expect(opened.complaints).toEqual([]));
});

/** The charts draw in animation frames of their own. */
async function frames(page: Page): Promise<void> {
  for (let frame = 0; frame < 4; frame++) await page.evaluate('new Promise((done) => requestAnimationFrame(done))');
}
