import type { AccountPicture } from './account-picture.ts';

/**
 * The earlier picture, in which separated positions that were closed and opened again since bear names of their own: the new
 * one has the old one's id, and so has its isolated margin, but the sums of both begin anew.
 */
export function renamedReborn(before: AccountPicture, now: AccountPicture): AccountPicture {
  const names = new Map<string, string>();
  for (const { id, born, orderId } of before.positions) {
    if (orderId !== '' && now.positions.some((one) => one.id === id && one.born !== born)) names.set(id, `${id} ${born}`);
  }
  if (names.size === 0) return before;
  return {
    ...before,
    positions: before.positions.map((one) => ({ ...one, id: names.get(one.id) ?? one.id })),
    collaterals: before.collaterals.map((one) => ({ ...one, key: names.get(one.key) ?? one.key })),
  };
}
