import type { PlotColor } from '../../ports/plots.ts';

/**
 * The page's colours, for CSS as custom properties and for the canvases as data. Good and bad are blue and orange-red, which people who
 * confuse red and green can distinguish. A sign, a shape or a position always shows the same.
 */
export interface Palette {
  readonly paper: string;
  readonly card: string;
  readonly ink: string;
  readonly muted: string;
  readonly rule: string;
  readonly accent: string;
  readonly accentSoft: string;
  readonly benchmark: string;
  readonly gain: string;
  readonly loss: string;
  readonly lossSoft: string;
  readonly candleUp: string;
  readonly candleDown: string;
  readonly volume: string;
  readonly buy: string;
  readonly sell: string;
  readonly warn: string;
}

export const PALETTES: { readonly light: Palette; readonly dark: Palette } = {
  light: {
    paper: '#f7f6f2',
    card: '#fffefb',
    ink: '#1b2426',
    muted: '#5c6a6d',
    rule: '#e0ddd3',
    accent: '#0c6b66',
    accentSoft: 'rgba(12, 107, 102, 0.14)',
    benchmark: '#8a5a9c',
    gain: '#17619e',
    loss: '#b03a26',
    lossSoft: 'rgba(176, 58, 38, 0.18)',
    candleUp: '#45a89a',
    candleDown: '#8f4a5c',
    volume: '#8fa3ad',
    buy: '#1d5fd0',
    sell: '#c8650a',
    warn: '#8a5a00',
  },
  dark: {
    paper: '#0f1517',
    card: '#161e21',
    ink: '#e4eaea',
    muted: '#94a4a6',
    rule: '#2a3639',
    accent: '#4cc3b5',
    accentSoft: 'rgba(76, 195, 181, 0.16)',
    benchmark: '#c79be0',
    gain: '#6cb4f4',
    loss: '#f0816b',
    lossSoft: 'rgba(240, 129, 107, 0.2)',
    candleUp: '#5cc2b4',
    candleDown: '#a05a70',
    volume: '#51697a',
    buy: '#6ea8ff',
    sell: '#ffb057',
    warn: '#e6b450',
  },
};

/** The colours of plots, by the names that strategies use. Plots without a colour get those in this order that no other plot of the symbol has. */
export const PLOT_SHADES = {
  purple: 'benchmark',
  orange: 'sell',
  teal: 'accent',
  blue: 'buy',
  gold: 'warn',
  red: 'loss',
  gray: 'muted',
} as const satisfies Readonly<Record<PlotColor, keyof Palette>>;

/** The palette as CSS custom properties: `--accent-soft: ...`. */
export function customProperties(palette: Palette): string {
  return Object.entries(palette)
    .map(([name, color]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${color};`)
    .join(' ');
}
