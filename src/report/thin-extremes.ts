/** How extremes are sought: of each of these figures the lowest and the highest point of every stretch is kept. */
export type Figure<Item> = (item: Item) => number;

/**
 * At most about `limit` of the items, themselves and in their order: they are cut into stretches of equal length, and of each
 * stretch the lowest and the highest item by every figure stays, so that no peak and no trough is lost. The first and the last
 * item always stay; so does what `keep` says, even beyond the limit. Lists within the limit are given back as they are.
 */
export function thinExtremes<Item>(
  items: readonly Item[],
  limit: number,
  figures: readonly Figure<Item>[],
  keep: (item: Item) => boolean = () => false,
): readonly Item[] {
  if (items.length <= limit) return items;
  const stretches = Math.max(1, Math.floor((limit - 2) / (2 * figures.length)));
  const kept = new Set([0, items.length - 1]);
  items.forEach((item, index) => {
    if (keep(item)) kept.add(index);
  });
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * items.length) / stretches);
    const to = Math.floor(((stretch + 1) * items.length) / stretches);
    for (const figure of figures) for (const index of extremes(items, from, to, figure)) kept.add(index);
  }
  return [...kept].sort((a, b) => a - b).map((index) => items[index]!);
}

/** Indices of the lowest and the highest in [from, to), the earlier one of equals; none where nothing has a figure. */
function extremes<Item>(items: readonly Item[], from: number, to: number, figure: Figure<Item>): number[] {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [low, high] = [-1, -1];
  for (let index = from; index < to; index++) {
    const value = figure(items[index]!);
    if (value < lowest) [lowest, low] = [value, index];
    if (value > highest) [highest, high] = [value, index];
  }
  return low < 0 ? [] : [low, high];
}
