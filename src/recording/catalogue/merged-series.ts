import { createHash } from 'node:crypto';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { mergedClock } from '../columns/clock-offsets.ts';
import { decimalText, gcd, POWERS_OF_TEN } from '../columns/decimal-units.ts';
import type { SeriesMeta } from '../columns/series-meta.ts';
import type { SeriesPart, StoredSeries } from '../columns/series-reader.ts';

/**
 * A series made of its parts, in order of time.
 * @param parts at least one, of one symbol, kind and interval.
 * @param folder where they lie, for messages.
 * @throws TidegateError DATA_INVALID where parts overlap in time.
 */
export function mergedSeries(parts: readonly SeriesPart[], folder: string): StoredSeries {
  const ordered = parts.toSorted((a, b) => a.meta.firstTime - b.meta.firstTime);
  const metas = ordered.map(({ meta }) => meta);
  if (metas.length === 1) return { meta: metas[0]!, parts: ordered };
  metas.reduce((before, next) => {
    if (next.firstTime >= before.lastTime + (before.intervalMs ?? 0)) return next;
    const [begins, lasts] = [isoTime(next.firstTime), isoTime(before.lastTime)];
    throw new TidegateError(
      'DATA_INVALID',
      `${folder}: one part lasts to ${lasts}, and the next begins at ${begins}: they overlap; remove one`,
    );
  });
  return { meta: mergedMeta(metas), parts: ordered };
}

/** What holds for all parts of a series. @param metas in order of time, at least one. */
export function mergedMeta(metas: readonly SeriesMeta[]): SeriesMeta {
  if (metas.length === 1) return metas[0]!;
  const first = metas[0]!;
  const last = metas.at(-1)!;
  const priceDecimals = Math.max(...metas.map((meta) => meta.priceDecimals));
  const made = JSON.stringify(first.synthetic);
  return {
    ...first,
    rows: metas.reduce((sum, meta) => sum + meta.rows, 0),
    lastTime: last.lastTime,
    priceDecimals,
    quantityDecimals: Math.max(...metas.map((meta) => meta.quantityDecimals)),
    priceStep: decimalText(metas.map((meta) => unitsOf(meta.priceStep, priceDecimals)).reduce(gcd), priceDecimals),
    sha256: createHash('sha256')
      .update(metas.map(({ sha256 }) => sha256).join())
      .digest('hex'),
    source: [...new Set(metas.flatMap(({ source }) => source))],
    synthetic: metas.every(({ synthetic }) => JSON.stringify(synthetic) === made) ? first.synthetic : undefined,
    clock: mergedClock(metas.map(({ clock }) => clock)),
    ...(first.kind === 'depth' && { snapshots: metas.reduce((sum, { snapshots = 0 }) => sum + snapshots, 0) }),
    ...(first.intervalMs === undefined ? {} : { gaps: gapsOf(metas, first.intervalMs) }),
  };
}

/** Those inside the parts and those between them. */
function gapsOf(metas: readonly SeriesMeta[], intervalMs: number): number {
  return metas.reduce((sum, meta, index) => {
    const seam = index > 0 && meta.firstTime !== metas[index - 1]!.lastTime + intervalMs ? 1 : 0;
    return sum + (meta.gaps ?? 0) + seam;
  }, 0);
}

function unitsOf(step: string, decimals: number): number {
  const [whole = '', fraction = ''] = step.split('.');
  return Number(`${whole}${fraction}`) * POWERS_OF_TEN[decimals - fraction.length]!;
}
