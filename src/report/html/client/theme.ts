import type { Palette } from '../palette.ts';
import { data } from './page.ts';

type Scheme = 'light' | 'dark';
type Painter = (palette: Palette) => void;

const STORED = 'tidegate-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const painters = new Map<Painter, Element>();

/** Calls `paint` with the colours of the page, now and whenever they change, for as long as the page has `owner`. */
export function onPaint(owner: Element, paint: Painter): void {
  painters.set(paint, owner);
  paint(data.palettes[shown()]);
}

/** Paints all canvases in these colours; the page itself follows its style sheet. */
export function repaint(palette: Palette = data.palettes[shown()]): void {
  for (const [paint, owner] of painters) {
    if (owner.isConnected) paint(palette);
    else painters.delete(paint);
  }
}

/** The page follows the system until the reader chooses a theme. The choice is kept for later reports, where the browser allows it. */
export function startTheme(button: HTMLElement): void {
  choose(stored());
  button.hidden = false;
  button.addEventListener('click', () => {
    const wanted: Scheme = shown() === 'dark' ? 'light' : 'dark';
    choose(wanted === systems() ? undefined : wanted);
  });
  system.addEventListener('change', () => choose(undefined));

  function choose(scheme: Scheme | undefined): void {
    if (scheme === undefined) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = scheme;
    store(scheme);
    button.textContent = shown() === 'dark' ? 'Light theme' : 'Dark theme';
    repaint();
  }
}

function systems(): Scheme {
  return system.matches ? 'dark' : 'light';
}

function shown(): Scheme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : systems();
}

/** Pages opened from a file may have no storage: then the choice is kept for this page only. */
function stored(): Scheme | undefined {
  try {
    const theme = localStorage.getItem(STORED);
    return theme === 'light' || theme === 'dark' ? theme : undefined;
  } catch {
    return undefined;
  }
}

function store(scheme: Scheme | undefined): void {
  try {
    if (scheme === undefined) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, scheme);
  } catch {
    // No storage: see above.
  }
}
