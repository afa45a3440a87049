import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { studyReport } from '../../src/app/search/study-page.ts';
import { searchText, soughtOf } from '../../src/app/search/study-text.ts';
import { clientScript } from '../../src/app/write-report.ts';
import { renderStudyPage } from '../../src/report/html/study-page.ts';
import { dotsOf } from '../../src/report/study-report.ts';
import type { Study } from '../../src/search/study.ts';
import { CHROMIUM, type OpenPage, openPage } from '../report/browser.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { draws, gridPoints, studyOf, walk } from './studies.ts';

const folder = temporaryFolder('study-page');
const HOSTILE = '</script><img src=x onerror=alert(1)>';

async function pageOf(study: Study): Promise<string> {
  const html = renderStudyPage(studyReport(study), await clientScript());
  study.close();
  return html;
}

/** The texts of the page without its style, its script and its data. */
function textOf(html: string): string {
  return html
    .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
}

const LINE = { parameters: { window: { min: '1', max: '7' } } };
/** The objectives of seven trials on a line: the best leads the median of 2 by 7; its neighbors have 3 and 8. */
const VALUES = [1, 2, 3, 9, 8, 1, 2];

describe('the page of a study', () => {
  test.each([
    ['largest', {}, (value: number) => ({ sharpe: value }), 'Best Sharpe ratio, in sample 9.00 trial 4 Median Sharpe ratio 2.00'],
    [
      'smallest',
      { objective: { minimize: 'maxDrawdown' } },
      (value: number) => ({ maxDrawdown: 0.1 - value / 100 }),
      'Best Max drawdown, in sample 1.00 % trial 4 Median Max drawdown 8.00 %',
    ],
  ])(
    'begins with the %s value, in sample, with the median, and with what the neighbors keep of the lead',
    async (name, more, statistics, head) => {
      const study = studyOf(folder, name, { ...LINE, ...more }, gridPoints(7), (_, index) => ({ statistics: statistics(VALUES[index]!) }));
      // (5.5 - 2) / (9 - 2) is a half.
      const { text } = searchText(study, soughtOf(study), { shortOf: undefined, stopped: false, page: 'study.html' });
      expect(text).toContain('The neighbors of the best keep 50.00 % of its lead over the median trial: slope.');
      const kept = 'Neighbors keep 50.00 % slope: median of 2 trials within 0.17';
      expect(textOf(await pageOf(study))).toContain(
        `${head} of 7 trials that meet all constraints ${kept} Trials 7 0 failed, 0 missed a constraint`,
      );
    },
  );

  test('counts trials that failed, that missed a constraint and that have no objective, with their reasons', async () => {
    const study = studyOf(folder, 'ends', { ...LINE, constraints: ['trades >= 5'] }, gridPoints(7), (_, index) => {
      if (index < 3) return { outcome: index < 2 ? 'failed' : 'timeout', reason: `because of ${HOSTILE}`, statistics: {} };
      return { statistics: { sharpe: index === 3 ? null : index, trades: index } };
    });
    const html = await pageOf(study);
    expect(html).not.toContain(HOSTILE);
    const text = textOf(html);
    // Of four trials with figures, those with 3 and 4 trades miss the constraint; the one with 3 has no objective either.
    expect(text).toContain('Trials 7 2 failed, 2 missed a constraint, 1 timeout');
    expect(text).toContain('2 of 7 trials have an objective and meet all constraints.');
    expect(text).toMatch(/missed trades &gt;= 5 2 failed because of &lt;\/script&gt;.*? 2 timeout because of .*? 1 /);
    expect(text).toContain('All 3 trials with an objective. 4 have none. Gray squares miss a constraint.');
  });

  test('has no plots where no trial has an objective, and no neighbors', async () => {
    const study = studyOf(folder, 'none', LINE, gridPoints(7), () => ({ statistics: { sharpe: null } }));
    const text = textOf(await pageOf(study));
    expect(text).toContain('Best Sharpe ratio, in sample n/a no trial has an objective and meets all constraints');
    expect(text).toContain('Neighbors keep n/a Trials 7 0 failed, 0 missed a constraint, 7 without an objective');
    expect(text).not.toMatch(/Equity curves|Objective over trials|One parameter/);
    expect(textOf(await pageOf(studyOf(folder, 'empty', LINE, [], () => ({ statistics: {} }))))).toContain('No trial has ended yet.');
  });

  test.each([
    ['luck', 0, /Luck or skill luck deflated Sharpe ratio 0\.\d\d, 40 independent trials/],
    ['skill', 0.006, /Luck or skill skill deflated Sharpe ratio (0\.9\d|1\.00), 40 independent trials/],
  ])('has the verdict on the best trial: %s', async (name, drift, tile) => {
    const draw = draws(7);
    const search = { parameters: { window: { min: '1', max: '40' } } };
    const study = studyOf(folder, `verdict-${name}`, search, gridPoints(40), (_, index) => {
      const returns = walk(400, index === 0 ? drift : 0, 0.02, draw);
      return { statistics: { sharpe: returns.reduce((sum, value) => sum + value, 0), annualDays: 365 }, returns };
    });
    expect(textOf(await pageOf(study))).toMatch(tile);
  });

  test('says where the best trial is at the end of a range', async () => {
    const section = { parameters: { a: { min: '1', max: '3' }, b: { min: '1', max: '3' }, c: { values: ['x', 'y', 'z'] } } };
    const study = studyOf(folder, 'edge', section, gridPoints(3, 3, 3), ({ a, b, c }) => ({
      statistics: { sharpe: Number(a) - Math.abs(Number(b) - 2) + (c === '"z"' ? 1 : 0) },
    }));
    expect(textOf(await pageOf(study))).toContain(
      'Best trial, in sample: a 3, b 2, c z It is at the end of the range of a : better ones may be beyond.',
    );
  });

  test('is the same for the same trials, whatever time they took, and in whatever order they ended', async () => {
    const draw = draws(1);
    const made = gridPoints(7).map((_, index) => ({ statistics: { sharpe: VALUES[index]! }, returns: walk(30, 0.001, 0.01, draw) }));
    const first = studyOf(folder, 'same', LINE, gridPoints(7), (_, index) => made[index]!);
    const trials = [...first.trials()];
    const page = await pageOf(first);
    const second = studyOf(temporaryFolder('elsewhere'), 'same', LINE, [], () => made[0]!);
    for (const trial of trials.reverse()) second.add({ ...trial, durationMs: 1_000 * trial.number });
    expect(await pageOf(second)).toBe(page);
  });

  test('of 10,000 trials is under 3 MB even with 64 parameters, and says what it leaves out', async () => {
    const draw = draws(2);
    const parameters = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`parameter${index}`, { min: '0.0', max: '1.0' }]));
    const points = Array.from({ length: 10_000 }, () => Array.from({ length: 64 }, draw));
    const study = studyOf(folder, 'large', { method: 'random', parameters }, points, ({ parameter0 }) => ({
      statistics: { sharpe: Number(parameter0), totalReturn: 0.12345, maxDrawdown: 0.2, trades: 100 },
      returns: walk(1_000, 0.0001, 0.01, draw),
    }));
    const html = await pageOf(study);
    expect(html.length).toBeLessThan(3_000_000);
    const text = textOf(html);
    expect(text).toMatch(/The \d\d\d best of 10,000, in sample; the others are left out here and in print/);
    expect(text).toMatch(/4\d\d of 10,000 trials with an objective, evenly chosen, and the best ten\./);
    expect(text).toMatch(/Made of 4,\d\d\d of 10,000 trials, evenly chosen, and the best ten\./);
    expect(text).toMatch(
      /of the 10,000 trials that meet all constraints: the best ten, and one of every \d+ by rank\. The first 16 of 64 parameters\./,
    );
    expect(text).toContain(
      'the 30 best of 10,000, the best first. All curves are in sample. Each is drawn with one day of every 3 and its last day',
    );
  });

  test('leaves out no value of a grid where it leaves out trials', () => {
    const study = studyOf(
      folder,
      'thinned',
      { parameters: { a: { min: '1', max: '1000' }, b: { min: '1', max: '5' } } },
      gridPoints(1_000, 5),
      (_, index) => ({
        statistics: { sharpe: -index },
      }),
    );
    const dots = dotsOf(studyReport(study));
    study.close();
    // 2,000 of 5,000 in all: 400 of each value of `b`.
    const counts = [1, 2, 3, 4, 5].map((value) => dots.filter(({ params }) => params[1] === String(value)).length);
    for (const count of counts) expect(Math.abs(count - 400)).toBeLessThan(10);
  });
});

const describeInBrowser = CHROMIUM === undefined ? describe.skip : describe;

describeInBrowser('the page of a study in Chromium (skipped without one: set CHROMIUM_PATH)', () => {
  let opened: OpenPage;
  let page: Page;

  beforeAll(async () => {
    const draw = draws(4);
    const section = {
      constraints: ['trades >= 10'],
      parameters: { fast: { min: '1', max: '3' }, slow: { values: [10, 20] }, [HOSTILE]: { values: ['p', HOSTILE, 'q'] } },
    };
    // 18 trials: the objective is 1 to 18, and the last but one misses its constraint.
    const study = studyOf(folder, 'browser', section, gridPoints(3, 2, 3), (_, index) => ({
      statistics: { sharpe: index + 1, trades: index === 16 ? 9 : 10, totalReturn: 0.1, maxDrawdown: 0.1 },
      returns: walk(40, 0.001 * index, 0.001, draw),
    }));
    opened = await openPage(await pageOf(study), '#heat-map td');
    page = opened.page;
  });

  afterAll(async () => opened?.close());

  const cells = () =>
    page
      .locator('#heat-map tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)));
  const heads = () => page.locator('#heat-map th').allInnerTexts();

  test('the heat map has the median, the best or the number of the trials of each two values', async () => {
    expect(await heads()).toEqual(['slow \\ fast', '1', '2', '3', '10', '20']);
    // With 1 and 10, trials 1 to 3; with 3 and 20, trials 16 and 18, as 17 misses its constraint.
    const medians = [
      ['2.0', '8.0', '14.0'],
      ['5.0', '11.0', '17.0 ★'],
    ];
    expect(await cells()).toEqual(medians);
    await page.locator('#heat-shows').selectOption({ label: 'best, in sample' });
    expect(await cells()).toEqual([
      ['3.0', '9.0', '15.0'],
      ['6.0', '12.0', '18.0 ★'],
    ]);
    await page.locator('#heat-shows').selectOption({ label: 'trials' });
    expect(await cells()).toEqual([
      ['3', '3', '3'],
      ['3', '3', '3 ★'],
    ]);
    expect(await page.locator('#heat-map .of-best').getAttribute('title')).toBe(
      'fast 3, slow 20: 3 trials, median 17, best 18 in sample (trial 18); 1 without an objective, or missed a constraint',
    );
    await page.locator('#heat-shows').selectOption('0');
    // A parameter takes the place of the other one.
    await page.locator('#heat-x').selectOption('1');
    expect(await page.locator('#heat-y').inputValue()).toBe('0');
    expect(await cells()).toEqual(medians[0]!.map((_, column) => medians.map((row) => row[column])));
  });

  test('ten curves are shown, and their buttons choose others', async () => {
    const shown = () =>
      page.locator('#curves .run:not([hidden])').evaluateAll((paths) => paths.map((path) => Number(path.getAttribute('data-trial'))));
    // The best is drawn last. Trial 17 misses its constraint.
    expect(await shown()).toEqual([8, 9, 10, 11, 12, 13, 14, 15, 16, 18]);
    await page.locator('.chip[data-trial="7"]').click();
    await page.locator('.chip[data-trial="18"]').focus();
    await page.keyboard.press('Enter');
    expect(await shown()).toEqual([7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
    expect(await page.locator('.chip[data-trial="18"]').getAttribute('aria-pressed')).toBe('false');
    expect(await page.locator('.chip').count()).toBe(17);
  });

  test('pointing at a dot shows its trial', async () => {
    const plot = page.locator('#course .plot');
    await plot.scrollIntoViewIfNeeded();
    const [x, y] = (await plot.evaluate((svg) => {
      // The last dot is that of the last trial, which is the best one.
      const [, along, up] = [
        ...svg
          .querySelector('.dots-trial')!
          .getAttribute('d')!
          .matchAll(/M([\d.]+) ([\d.]+)/g),
      ].at(-1)!;
      const { left, top, width } = svg.getBoundingClientRect();
      return [left + (Number(along) * width) / 1160, top + (Number(up) * width) / 1160];
    })) as [number, number];
    await page.mouse.move(x, y);
    expect(await page.locator('#course .dot-tip').innerText()).toBe(`Trial 18, fast 3, slow 20, ${HOSTILE} q: Sharpe ratio 18`);
    await page.mouse.move(0, 0);
    expect(await page.locator('#course .dot-tip').isVisible()).toBe(false);
  });

  test('the lines of the parallel coordinates are of all trials, or of the best', async () => {
    const visible = () =>
      page.locator('.parallel path[class^=q]').evaluateAll((paths) => paths.filter((path) => path.getClientRects().length > 0).length);
    expect(await visible()).toBe(13);
    await page.locator('#parallel-shows').selectOption('ten');
    expect(await visible()).toBe(10);
  });

  test.each(['best', 'equity', 'course', 'heat', 'parallel', 'trials'])(
    'the section %s says that its best values are in sample',
    async (id) => {
      expect(await page.locator(`#${id}`).innerText()).toContain('in sample');
    },
  );

  test('the table is sorted by a click', async () => {
    await page
      .locator('#trials th', { hasText: /^Trial$/ })
      .locator('button')
      .click();
    expect(await page.locator('#trials tbody tr td:first-child').first().innerText()).toBe('1');
  });

  test.each([1440, 390])('the page fits %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });

  test('on paper no plot is wider than the sheet, and the buttons are gone', async () => {
    await page.setViewportSize({ width: 700, height: 900 });
    await page.emulateMedia({ media: 'print' });
    const widths = await page.locator('.plot').evaluateAll((plots) => plots.map((plot) => plot.getBoundingClientRect().right));
    expect(Math.max(...widths)).toBeLessThanOrEqual(700);
    expect(await page.locator('#curve-chips').isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
  });

  test('no text becomes code, nothing is requested from the network, and nothing complains', async () => {
    expect(await page.locator('img').count()).toBe(0);
    expect(opened.requests).toHaveLength(1);
    expect(opened.complaints).toEqual([]);
  });
});
