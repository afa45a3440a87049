import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { clientScript } from '../../src/app/write-report.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { renderHtml } from '../../src/report/html/render-html.ts';
import { pageReport } from '../../src/report/page-report.ts';
import { CHROMIUM, type OpenPage, openPage } from './browser.ts';
import { closedTrade } from './builders.ts';
import { fullReport } from './full-report.ts';

const describeInBrowser = CHROMIUM === undefined ? describe.skip : describe;

/** 120 trades with known figures; the third gains most, the fifth lost most, the second was held longest. */
const trades = Array.from({ length: 120 }, (_, index) =>
  closedTrade({
    symbol: index % 2 === 0 ? 'BTC-USDT' : 'ETH-USDT',
    entryTime: index * 60_000,
    exitTime: (index + 1) * 60_000,
    netProfit: new Decimal([0, 0, 1234.5, 0, -1234.5][index] ?? index),
    holdingMs: index === 1 ? 90_000_000 : 60_000 + index,
    tag: index === 7 ? 'only-one' : 'many',
  }),
);

describeInBrowser('the tables of the page in Chromium (skipped without one: set CHROMIUM_PATH)', () => {
  let opened: OpenPage;
  let page: Page;
  let section: Locator;

  beforeAll(async () => {
    opened = await openPage(renderHtml(pageReport({ ...fullReport({ days: 40 }), trades }), await clientScript()));
    page = opened.page;
    section = page.locator('#trades');
  });

  afterAll(async () => opened?.close());

  const head = (label: string) => section.locator('th', { hasText: new RegExp(`^${label}$`) });
  const shown = async (label: string) => {
    const labels = await section.locator('th').allInnerTexts();
    const cells = await section.locator(`tbody tr:visible td:nth-child(${labels.indexOf(label) + 1})`).allInnerTexts();
    return cells.map((text) => text.trim());
  };
  const sort = (label: string) => head(label).locator('button').click();

  test('figures sort as numbers, ascending, then descending, then as they were', async () => {
    await sort('Net profit');
    expect(await head('Net profit').getAttribute('aria-sort')).toBe('ascending');
    expect((await shown('Net profit')).slice(0, 2)).toEqual(['\u22121,234.50', '0.00']);
    await sort('Net profit');
    expect(await head('Net profit').getAttribute('aria-sort')).toBe('descending');
    expect((await shown('Net profit')).slice(0, 2)).toEqual(['1,234.50', '119.00']);
    await sort('Net profit');
    expect(await head('Net profit').getAttribute('aria-sort')).toBeNull();
    expect((await shown('Net profit')).slice(0, 5)).toEqual(['0.00', '0.00', '1,234.50', '0.00', '\u22121,234.50']);
  });

  test('durations sort by their length, not by their text', async () => {
    await sort('Held');
    await sort('Held');
    expect((await shown('Held')).slice(0, 2)).toEqual(['1 d 1 h', '1 min']);
    await sort('Held');
  });

  test('the keyboard sorts too, and the head that sorts has a visible focus', async () => {
    await head('Symbol').locator('button').focus();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Side');
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.keyboard.press('Enter');
    expect(await head('Symbol').getAttribute('aria-sort')).toBe('ascending');
    expect(new Set(await shown('Symbol'))).toEqual(new Set(['BTC-USDT']));
    await page.keyboard.press('Space');
    expect(new Set(await shown('Symbol'))).toEqual(new Set(['ETH-USDT']));
    await page.keyboard.press('Enter');
  });

  test('long tables have pages of fifty rows', async () => {
    expect(await section.locator('output').innerText()).toBe('1 to 50 of 120');
    expect(await section.getByLabel('Previous page').isDisabled()).toBe(true);
    await section.getByLabel('Next page').click();
    await section.getByLabel('Next page').click();
    expect(await section.locator('output').innerText()).toBe('101 to 120 of 120');
    expect(await shown('Symbol')).toHaveLength(20);
    expect(await section.getByLabel('Next page').isDisabled()).toBe(true);
  });

  test('the filter keeps the rows that contain every word, and shows the total', async () => {
    const filter = page.getByLabel('Filter trades', { exact: true });
    await filter.fill('ONLY eth');
    expect(await shown('Tag')).toEqual(['only-one']);
    expect(await section.locator('output').innerText()).toBe('1 to 1 of 1 that match, of 120');
    await filter.fill('-1,234.50');
    expect(await shown('Net profit')).toEqual(['\u22121,234.50']);
    await filter.fill('nothing like this');
    expect(await shown('Tag')).toEqual([]);
    expect(await section.locator('output').innerText()).toBe('no row matches, of 120');
    await filter.fill('');
    expect(await section.locator('output').innerText()).toBe('1 to 50 of 120');
  });

  test('in print every row that the filter leaves is there, and no button', async () => {
    await page.emulateMedia({ media: 'print' });
    expect(await shown('Symbol')).toHaveLength(120);
    expect(await section.getByLabel('Next page').isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
  });

  test('short tables sort without a filter; findings sort by severity', async () => {
    const findings = page.locator('#findings');
    expect(await findings.locator('input').count()).toBe(0);
    const severities = () => findings.locator('tbody tr td:first-child').allInnerTexts();
    await findings.locator('th', { hasText: 'Severity' }).locator('button').click();
    expect(await severities()).toEqual(['i info', '! warning', '✕ critical']);
  });

  test('nothing complained', () => expect(opened.complaints).toEqual([]));
});
