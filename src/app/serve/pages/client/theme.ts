type Theme = 'light' | 'dark';

const STORED = 'tidegate-theme';
const system = () => matchMedia('(prefers-color-scheme: dark)');

function systems(): Theme {
  return system().matches ? 'dark' : 'light';
}

/** The theme of the page: that of the system until the reader chooses another. */
export function theme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : systems();
}

export function startTheme(): void {
  const kept = read(STORED);
  if (kept === 'light' || kept === 'dark') document.documentElement.dataset.theme = kept;
}

/** Takes the other theme. The choice is kept, unless it is what the system wants anyway. */
export function switchTheme(): void {
  const wanted: Theme = theme() === 'dark' ? 'light' : 'dark';
  if (wanted === systems()) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = wanted;
  keep(STORED, wanted === systems() ? undefined : wanted);
  for (const listener of listeners) listener();
}

const listeners = new Set<() => void>();

/** Calls back when the colours have changed. @returns ends it. */
export function onTheme(listener: () => void): () => void {
  const query = system();
  listeners.add(listener);
  query.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    query.removeEventListener('change', listener);
  };
}

/** A choice of the reader; a browser without storage forgets it. */
export function read(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // No storage: see above.
  }
}
