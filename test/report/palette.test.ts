import { describe, expect, test } from '@jest/globals';
import { PALETTES, type Palette } from '../../src/report/html/palette.ts';

type Rgb = readonly [number, number, number];

/** Machado, Oliveira and Fernandes (2009), severity 1.0, over linear RGB. */
const SIGHT: Readonly<Record<string, readonly Rgb[]>> = {
  'full colour sight': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function linear(hex: string): Rgb {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return [red!, green!, blue!];
}

function luminance(hex: string): number {
  const [red, green, blue] = linear(hex);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2. */
function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high! + 0.05) / (low! + 0.05);
}

/** CIE L*a*b*, D65. */
function lab(color: Rgb): Rgb {
  const [red, green, blue] = color.map((share) => Math.max(0, Math.min(1, share))) as unknown as Rgb;
  const [x, y, z] = [
    (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047,
    0.2126 * red + 0.7152 * green + 0.0722 * blue,
    (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883,
  ].map((share) => (share > 216 / 24389 ? Math.cbrt(share) : (24389 / 27 / 116) * share + 16 / 116)) as unknown as Rgb;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** CIE76: 2.3 is just noticeable. */
function difference(a: string, b: string, matrix: readonly Rgb[]): number {
  const seen = (hex: string) => {
    const color = linear(hex);
    return lab(matrix.map((row) => row[0] * color[0] + row[1] * color[1] + row[2] * color[2]) as unknown as Rgb);
  };
  const [first, second] = [seen(a), seen(b)];
  return Math.hypot(first[0] - second[0], first[1] - second[1], first[2] - second[2]);
}

const SCHEMES = [
  ['light', PALETTES.light],
  ['dark', PALETTES.dark],
] as const;

describe.each(SCHEMES)('the %s colours', (_, palette) => {
  test.each(Object.keys(SIGHT))('that mean opposites are far apart to %s', (sight) => {
    for (const [a, b] of [
      ['gain', 'loss'],
      ['buy', 'sell'],
      ['accent', 'benchmark'],
      ['accent', 'loss'],
    ] as const)
      expect({ pair: `${a} ${b}`, far: difference(palette[a], palette[b], SIGHT[sight]!) > 20 }).toEqual({ pair: `${a} ${b}`, far: true });
  });

  test('candles that rise and fall differ in lightness, which everybody sees', () => {
    expect(contrast(palette.candleUp, palette.candleDown)).toBeGreaterThan(1.9);
  });

  test.each(['ink', 'muted', 'accent', 'gain', 'loss', 'warn'] as const)(
    '%s can be read on the paper and on the cards: WCAG AA',
    (text) => {
      for (const ground of ['paper', 'card'] as const)
        expect(contrast(palette[text as keyof Palette], palette[ground])).toBeGreaterThanOrEqual(4.5);
    },
  );

  test.each(['buy', 'sell', 'benchmark', 'candleDown', 'volume'] as const)(
    '%s stands out from the card as a mark: WCAG non-text contrast',
    (mark) => {
      expect(contrast(palette[mark], palette.card)).toBeGreaterThanOrEqual(mark === 'candleDown' || mark === 'volume' ? 1.5 : 3);
    },
  );
});

test('black on white is 21 to 1, and red and green of one lightness are one to deuteranopia', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  const [full, deutan] = ['full colour sight', 'deuteranopia'].map((sight) => difference('#b85c00', '#6f7f00', SIGHT[sight]!));
  expect(deutan! / full!).toBeLessThan(0.35);
});
