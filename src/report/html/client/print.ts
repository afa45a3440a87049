import { data, make } from './page.ts';
import { repaint } from './theme.ts';
import { drawn } from './time-chart.ts';

/** On paper charts are pictures of themselves in light colours, as wide as the paper, and what is folded is open. */
export function startPrint(): void {
  let folded: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    repaint({ ...data.palettes.light, card: '#ffffff', paper: '#ffffff' });
    for (const [element, chart] of drawn) {
      const picture = make('img', 'picture');
      picture.alt = element.dataset.label ?? '';
      picture.src = chart.takeScreenshot().toDataURL('image/png');
      element.querySelector('.picture')?.remove();
      element.append(picture);
    }
    folded = [...document.querySelectorAll<HTMLDetailsElement>('details:not([open])')];
    for (const element of folded) element.open = true;
  });
  addEventListener('afterprint', () => {
    repaint();
    for (const picture of document.querySelectorAll('.picture')) picture.remove();
    for (const element of folded) element.open = false;
  });
}
