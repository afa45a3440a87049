/** The items of one page; `page` counts from 0. */
export function pageOf<T>(items: readonly T[], page: number, size: number): T[] {
  return items.slice(page * size, (page + 1) * size);
}

/** Epoch ms as the wire has them: whole. */
export function wireTime(time: number): number {
  return Number.isNaN(time) ? 0 : Math.floor(time);
}
