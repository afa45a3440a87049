import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clientScript } from '../../src/app/write-report.ts';
import { renderHtml } from '../../src/report/html/render-html.ts';
import { pageReport } from '../../src/report/page-report.ts';
import { CHROMIUM, type OpenPage, openPage } from './browser.ts';
import { fullReport } from './full-report.ts';

const describeInBrowser = CHROMIUM === undefined ? describe.skip : describe;
const CHARTS = ['equity', 'exposure', 'allocation', 'rolling', 'price'];

describeInBrowser('the page on paper in Chromium (skipped without one: set CHROMIUM_PATH)', () => {
  let opened: OpenPage;

  beforeAll(async () => {
    opened = await openPage(renderHtml(pageReport(fullReport({ days: 100 })), await clientScript()));
    // A browser tells of printing before it lays the page out for paper.
    await opened.page.emulateMedia({ colorScheme: 'dark' });
    await opened.page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await opened.page.emulateMedia({ media: 'print' });
  });

  afterAll(async () => opened?.close());

  test('is white even where the screen is dark, and shows nothing to press', async () => {
    const { page } = opened;
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    for (const selector of ['nav', '#theme', '.filter', '.page', '.skip', '.frame'])
      expect(await page.locator(selector).first().isVisible()).toBe(false);
  });

  test.each(CHARTS)('has the %s chart as a picture on white, as wide as its card', async (id) => {
    const picture = opened.page.locator(`#${id}-chart .picture`);
    expect(await picture.isVisible()).toBe(true);
    const [wide, around] = [await picture.boundingBox(), await opened.page.locator(`#${id}-chart`).boundingBox()];
    expect(wide!.width).toBeCloseTo(around!.width, 0);
    expect(await opened.page.evaluate(`(${CORNER})('#${id}-chart .picture')`)).toEqual([255, 255, 255, 255]);
  });

  test('has everything that is folded open, and folds it again', async () => {
    const { page } = opened;
    expect(await page.locator('details:not([open])').count()).toBe(0);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    // The summary, and five of the tables by time: the one of 24 hours is too long to be open.
    expect(await page.locator('details:not([open])').count()).toBe(6);
    expect(await page.locator('.picture').count()).toBe(0);
  });

  test('fills sheets when it is really printed, and complains of nothing', async () => {
    const paper = await opened.page.pdf({ format: 'A4' });
    expect(paper.subarray(0, 5).toString()).toBe('%PDF-');
    expect(paper.length).toBeGreaterThan(100_000);
    expect(opened.complaints).toEqual([]);
  });
});

/** In the page: the colour of a picture's top left corner. */
const CORNER = `async (selector) => {
  const picture = document.querySelector(selector);
  await picture.decode();
  const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d');
  context.drawImage(picture, 0, 0);
  return [...context.getImageData(0, 0, 1, 1).data];
}`;
