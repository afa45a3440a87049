import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clientScript } from '../../src/app/write-report.ts';
import { PALETTES } from '../../src/report/html/palette.ts';
import { renderSeriesPage, type TitledSeries } from '../../src/report/html/series-page.ts';
import { CHROMIUM, type OpenPage, openPage, pixels } from './browser.ts';

const HOSTILE = '</script><img src=x onerror=alert(1)>';
const describeInBrowser = CHROMIUM === undefined ? describe.skip : describe;
const t = Array.from({ length: 200 }, (_, index) => index * 60);
const wave = (phase: number) => t.map((_, index) => Number((100 + Math.sin(index / 9 + phase)).toFixed(2)));

function shown(picture: TitledSeries['picture']): TitledSeries {
  const meta = {} as TitledSeries['meta'];
  const row = ['1970-01-01T00:00:00Z', '1'];
  const rest = { names: ['time', 'x'], head: [row], tail: [row], statistics: [], note: HOSTILE };
  return { meta, title: `series ${HOSTILE}`, rows: 200, from: 'a', to: 'b', picture, ...rest };
}

describeInBrowser('the page of recorded data in Chromium (skipped without one: set CHROMIUM_PATH)', () => {
  let opened: OpenPage;

  beforeAll(async () => {
    const candles = { o: wave(0), h: wave(0).map((value) => value + 1), l: wave(0).map((value) => value - 1), c: wave(0.3) };
    const pictures = [
      { places: 2, t, stepSeconds: 60, candles, lines: [], volume: wave(1) },
      {
        places: 2,
        t,
        stepSeconds: 60,
        lines: [
          { label: 'bid', values: wave(0) },
          { label: 'ask', values: wave(0).map((value) => value + 0.5) },
        ],
      },
      { places: 4, t, stepSeconds: 60, lines: [{ label: 'price', values: wave(0).map((value) => value / 1e4) }], volume: wave(1) },
    ];
    opened = await openPage(renderSeriesPage(HOSTILE, pictures.map(shown), await clientScript()), '#series-2-chart canvas');
  });

  afterAll(async () => opened?.close());

  test.each([
    ['rising candles', '#series-0-chart', 'candleUp'],
    ['falling candles', '#series-0-chart', 'candleDown'],
    ['volumes', '#series-0-chart', 'volume'],
    ['bids', '#series-1-chart', 'accent'],
    ['asks', '#series-1-chart', 'loss'],
    ['small prices', '#series-2-chart', 'accent'],
    ['quantities', '#series-2-chart', 'volume'],
  ] as const)('the %s are drawn', async (_, selector, color) => {
    expect(await pixels(opened.page, selector, PALETTES.light[color])).toBeGreaterThan(50);
  });

  test('the legend shows the last values', async () => {
    expect(await opened.page.locator('#series-0-legend').innerText()).toMatch(
      /open [\d.]+ high [\d.]+ low [\d.]+ close [\d.]+ volume [\d.]+/,
    );
    expect(await opened.page.locator('#series-2-legend').innerText()).toMatch(/price 0\.01\d\d/);
  });

  test('nothing is requested from the network, and no text becomes code', () => {
    expect(opened.complaints).toEqual([]);
    expect(opened.requests).toHaveLength(1);
  });
});
