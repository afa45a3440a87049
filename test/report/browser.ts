import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Page } from 'playwright-core';

const CANDIDATES = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Undefined where there is no browser to test with. */
export const CHROMIUM = CANDIDATES.find((path) => path !== undefined && path !== '' && existsSync(path));
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface OpenPage {
  readonly page: Page;
  /** What the page said on the console, threw, or asked in a dialog. */
  readonly complaints: readonly string[];
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** Opens a page in Chromium without a network, and waits until a part of it is drawn: of a report, its prices. */
export async function openPage(html: string, drawn = '#price-chart canvas'): Promise<OpenPage> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-report-'));
  const file = join(folder, 'report.html');
  writeFileSync(file, html);
  const browser = await chromium.launch({ executablePath: CHROMIUM!, args: QUIET, timeout: 0 });
  const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 } });
  // The limit of jest is enough.
  context.setDefaultTimeout(0);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector(drawn);
  // Long tables are closed at first.
  await page.evaluate('for (const fold of document.querySelectorAll("details.rows")) fold.open = true');
  const close = async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { page, complaints, requests, close };
}

/** Frames that a chart may take to be painted anew. */
const PATIENT_FRAMES = 300;

/** How many pixels of a chart have exactly a palette's colour; waits until there are some. */
export async function pixels(page: Page, selector: string, color: string): Promise<number> {
  // The page forbids eval, which playwright's own waiting would use.
  for (let frame = 0; frame < PATIENT_FRAMES; frame++) {
    const count = Number(await page.evaluate(`(${COUNT_PIXELS})('${selector}', '${color}')`));
    if (count > 0) return count;
    await page.evaluate('new Promise((done) => requestAnimationFrame(done))');
  }
  return 0;
}

export function rgb(hex: string): number[] {
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
