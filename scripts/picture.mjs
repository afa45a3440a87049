// npm run picture: runs examples and photographs their results for README.md, docs/reference/report.md and docs/reference/search.md.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { buildIfNeeded, root } from './tools.mjs';

const BROWSERS = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const IMAGES = join(root, 'docs/images');
/** Each kind of run: an example, and the settings that make it end so. */
const RUNS = {
  winning: ['bracket-breakout'],
  latched: ['sma-cross', 'risk.account.maxDrawdown=0.02'],
  grid: ['grid'],
  // Without a margin, five coins for the cash of one: fees and falls take everything.
  ruined: [
    'sma-cross',
    ...['account.kind=netting', 'strategies.0.params.quantity=5', 'risk.positions.BTC-USDT=5', 'risk.orders.maxNotional=900000'],
    'risk.account.maxDrawdown=1',
  ],
};
/** A desk and a phone. */
const SCREENS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
const COLUMNS = 80;
/** Lines of the terminal on a picture. */
const LINES = 46;
const QUALITY = 40;

/** Runs the example in a terminal of 80 columns. @returns what it prints, with its colours. */
function terminalOf(name, [config, ...settings], folder) {
  const set = settings.map((setting) => `--set ${setting}`).join(' ');
  const program = `'${process.execPath}' '${join(root, 'bin/tidegate.mjs')}' backtest '${join(root, `configs/${config}.yaml`)}' ${set} --out ${name}`;
  const command = `stty cols ${COLUMNS} rows 24; ${program}`;
  const { status, stdout, error } = spawnSync('script', ['-qefc', command, '/dev/null'], { cwd: folder, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stdout}`);
  // The progress is erased before the result.
  return stdout.slice(stdout.lastIndexOf('\u001b[2K')).replaceAll('\r', '');
}

/** The text of a terminal as a page. */
function terminalPage(text) {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').split('\n').slice(0, LINES).join('\n');
  const styled = escaped
    .replaceAll('\u001b[1m', '<b>')
    .replaceAll('\u001b[2m', '<b class="dim">')
    .replaceAll('\u001b[0m', '</b>')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the other sequences of the terminal.
    .replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '');
  return `<style>body{margin:12px;background:#14181a;color:#d8dcda}pre{font:14px/17px "DejaVu Sans Mono",monospace;margin:0;width:${COLUMNS}ch}.dim{color:#8d9693;font-weight:400}</style><pre>${styled}</pre>`;
}

/** @param clip a part of the page, also below the screen. */
async function save(page, name, clip) {
  const session = await page.context().newCDPSession(page);
  const part = clip && { clip: { ...clip, scale: 1 }, captureBeyondViewport: true };
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY, ...part });
  const path = join(IMAGES, name);
  writeFileSync(path, Buffer.from(data, 'base64'));
  console.log(`wrote ${path} (${Math.round(statSync(path).size / 1024)} kB)`);
}

/** Opens the report of a run, once its charts are drawn. */
async function openReport(page, folder, name) {
  await page.goto(pathToFileURL(join(folder, name, 'report.html')).href);
  await page.waitForSelector('#equity-chart canvas');
  // The charts draw in animation frames of their own.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/** Searches the example's parameters. @returns the page of its study. */
function studyOf(folder) {
  const out = join(folder, 'study');
  const program = [join(root, 'bin/tidegate.mjs'), 'search', join(root, 'configs/search-sma.yaml'), '--out', out, '--quiet'];
  const { status, stderr } = spawnSync(process.execPath, program, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the search ended with ${status}: ${stderr}`);
  return join(out, 'study.html');
}

/** The sections of a study's page from its heat map to its slices. */
async function saveStudy(browser, file) {
  const page = await browser.newPage({ viewport: SCREENS[0], colorScheme: 'light' });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('#heat-map td');
  const [from, to] = [await page.locator('#heat').boundingBox(), await page.locator('#slices').boundingBox()];
  const margin = 28;
  const clip = { x: from.x - margin, y: from.y - margin, width: from.width + 2 * margin, height: to.y + to.height - from.y + 2 * margin };
  await save(page, `study-plots-${SCREENS[0].width}.webp`, clip);
  await page.close();
}

await buildIfNeeded();
const folder = mkdtempSync(join(tmpdir(), 'tidegate-picture-'));
try {
  const browser = await chromium.launch({
    executablePath: BROWSERS.find((path) => path && existsSync(path)),
    args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
  });
  for (const [name, run] of Object.entries(RUNS)) {
    const text = terminalOf(name, run, folder);
    for (const viewport of SCREENS) {
      const page = await browser.newPage({ viewport, colorScheme: 'light' });
      await openReport(page, folder, name);
      await save(page, `${name}-${viewport.width}.webp`);
      await page.close();
    }
    const page = await browser.newPage({ viewport: { width: 720, height: 100 } });
    await page.setContent(terminalPage(text));
    const { x, y, width, height } = await page.locator('pre').boundingBox();
    await page.setViewportSize({ width: Math.ceil(width + 2 * x), height: Math.ceil(height + 2 * y) });
    await save(page, `${name}-${COLUMNS}.webp`);
    await page.close();
  }
  await saveStudy(browser, studyOf(folder));
  await browser.close();
} finally {
  rmSync(folder, { recursive: true });
}
