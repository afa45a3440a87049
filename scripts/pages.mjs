// npm run pages [-- --pictures]: opens every page of `serve` in Chromium, at the widths of a desk and of a phone, light and dark, with bots
// and without any. A message on the console, a request to anywhere else, a page that is wider than its screen or a serious finding of
// axe-core ends it with 1. All pictures are in a temporary folder; `--pictures` writes those of docs/images anew.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import { lists, seenBots } from './pages-bots.mjs';
import { buildIfNeeded, root } from './tools.mjs';

const BROWSERS = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update'];
const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const PARTS = ['equity', 'orders', 'fills', 'denials', 'latches', 'log'];
/** The pictures that docs/images has. */
const PICTURES = new Map([
  ['bots-1440-light', 'serve-bots.webp'],
  ['bot-equity-1440-dark', 'serve-bot.webp'],
  ['bots-390-dark', 'serve-phone.webp'],
]);
/** Short: a bot that has answered at the first look is silent at the next. */
const LOOK_MS = 500;
const GRAVE = new Set(['serious', 'critical']);

const executablePath = BROWSERS.find((path) => path && existsSync(path));
if (executablePath === undefined) {
  console.log('skipped: there is no Chromium. Install it (apt-get install chromium), or name it in CHROMIUM_PATH.');
  process.exit(0);
}
await buildIfNeeded();
const { startServe } = await import(new URL('../dist/app/serve/run-serve.js', import.meta.url));
const { idOf } = await import(new URL('../dist/app/serve/fleet/fleet-watch.js', import.meta.url));
const isForDocs = process.argv.includes('--pictures');
const folder = mkdtempSync(join(tmpdir(), 'tidegate-pages-'));
const findings = [];
let opened = 0;

async function withServer(bots, work) {
  const dir = mkdtempSync(join(folder, 'serve-'));
  const parts = {
    env: {},
    now: Date.now,
    report: (text) => findings.push(text),
    watch: { lookAt: async () => ({ bots: bots() }), everyMs: LOOK_MS },
  };
  const server = await startServe([folder], { port: 0, dir }, parts);
  const { operator } = JSON.parse(readFileSync(server.tokenFile, 'utf8'));
  try {
    await work({ url: server.url, token: operator });
  } finally {
    await server.close();
  }
}

/** A page that reports what it must not do. The lists of its journal are examples, as no bot runs. */
async function openPage(browser, viewport, colorScheme, url, what) {
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce', bypassCSP: false });
  const page = await context.newPage();
  page.on('console', (message) => findings.push(`${what}: console: ${message.text()}`));
  page.on('pageerror', (error) => findings.push(`${what}: ${error}`));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== new URL(url).origin)
      findings.push(`${what}: asks ${request.url()}`);
  });
  for (const [path, answer] of Object.entries(lists(Date.now())))
    await page.route(new RegExp(`/api/${path}(\\?.*)?$`), (route) => route.fulfill({ json: answer }));
  return { page, close: () => context.close() };
}

async function login(page, url, token) {
  await page.goto(`${url}/`);
  await page.fill('#token', token);
  await page.click('button[type=submit]');
  await page.waitForSelector('header nav');
}

/** Looks at what is shown: its width, its accessibility and its picture. */
async function inspect(page, name) {
  opened += 1;
  const { findings: found, wide } = await page.evaluate(
    `(async () => { ${axe.source}; const { violations } = await axe.run({ resultTypes: ['violations'] });
      return { wide: document.documentElement.scrollWidth - innerWidth, findings: violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes.map(({ target, failureSummary }) => target.join(' ') + ' ' + failureSummary) })) }; })()`,
  );
  for (const { id, impact, where } of found)
    if (GRAVE.has(impact)) findings.push(`${name}: axe ${id} (${impact}): ${where.slice(0, 2).join('; ')}`);
  if (wide > 0) findings.push(`${name}: ${wide} px wider than the screen`);
  const picture = PICTURES.get(name);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  if (isForDocs && picture !== undefined) {
    mkdirSync(join(root, 'docs/images'), { recursive: true });
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
    writeFileSync(join(root, 'docs/images', picture), Buffer.from(data, 'base64'));
  }
}

const browser = await chromium.launch({ executablePath, args: ARGUMENTS, timeout: 0 });
for (const viewport of [DESK, PHONE])
  for (const scheme of ['light', 'dark']) {
    const look = `${viewport.width}-${scheme}`;
    const bots = seenBots(Date.now);
    await withServer(bots, async ({ url, token }) => {
      const { page, close } = await openPage(browser, viewport, scheme, url, look);
      await page.goto(`${url}/`);
      await page.waitForSelector('#token');
      await inspect(page, `login-${look}`);
      await login(page, url, token);
      await page.waitForSelector('.age');
      await inspect(page, `bots-${look}`);
      const [trading, , broken] = bots().map(idOf);
      const show = async (hash, name, selector) => {
        await page.evaluate(`location.hash = '${hash}'`);
        await page.waitForSelector(selector);
        await inspect(page, `${name}-${look}`);
      };
      await show(`#/bots/${trading}`, 'bot', '.facts');
      for (const part of PARTS)
        await show(`#/bots/${trading}/${part}`, `bot-${part}`, part === 'equity' ? '.u-over' : part === 'log' ? '.log' : '.table');
      await show(`#/bots/${broken}`, 'broken', '.empty');
      for (const list of ['runs', 'studies', 'data']) await show(`#/${list}`, list, '.table');
      await page.evaluate(`location.hash = '#/bots/${trading}'`);
      await page.click('.act.flatten');
      await page.waitForSelector('dialog[open]');
      await inspect(page, `flatten-${look}`);
      await close();
    });
    await withServer(
      () => [],
      async ({ url, token }) => {
        const { page, close } = await openPage(browser, viewport, scheme, url, `none ${look}`);
        await login(page, url, token);
        await page.waitForSelector('.empty code');
        await inspect(page, `none-${look}`);
        await close();
      },
    );
  }
await browser.close();
for (const finding of new Set(findings)) console.error(finding);
if (findings.length > 0) {
  console.error(`pictures: ${folder}`);
  process.exitCode = 1;
} else {
  console.log(`${opened} pages without a finding`);
  rmSync(folder, { recursive: true, force: true });
}
