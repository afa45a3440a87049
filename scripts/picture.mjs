// npm run picture: runs the bracket breakout example and photographs its report for README.md.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { buildIfNeeded, root, run } from './tools.mjs';

const BROWSERS = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** From the title to the end of the equity chart. */
const CLIP = { x: 0, y: 0, width: 1180, height: 1160 };

await buildIfNeeded();
const out = mkdtempSync(join(tmpdir(), 'tidegate-picture-'));
const code = await run(process.execPath, [
  join(root, 'bin/tidegate.mjs'),
  'backtest',
  'configs/bracket-breakout.yaml',
  '--quiet',
  '--out',
  join(out, 'bracket-breakout-1'),
]);
if (code !== 0) process.exit(code);
const browser = await chromium.launch({
  executablePath: BROWSERS.find((path) => path && existsSync(path)),
  // The charts ask the screen for its scale, which playwright's own deviceScaleFactor does not reach.
  args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--force-device-scale-factor=1.5', '--window-size=1180,1400'],
});
try {
  const page = await browser.newPage({ viewport: null, colorScheme: 'light' });
  await page.goto(pathToFileURL(join(out, 'bracket-breakout-1', 'report.html')).href);
  await page.waitForSelector('#equity-chart canvas');
  // The charts draw in animation frames of their own.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  const path = join(root, 'docs/images/report.png');
  await page.screenshot({ path, clip: CLIP });
  console.log(`wrote ${path}`);
} finally {
  await browser.close();
  rmSync(out, { recursive: true });
}
