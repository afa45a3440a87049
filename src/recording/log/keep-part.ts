import { keepSeries } from '../catalogue/keep-series.ts';
import type { PartRows } from './part-rows.ts';
import { writePart } from './write-part.ts';

/** The recording that the series belongs to. */
export interface PartTarget {
  readonly dataDir: string;
  readonly name: string;
}

/**
 * Makes the rows durable as a file of their own in their series, in place of what an earlier try left of them.
 * @param log whose rows they are: the file's name, without its ending.
 * @throws TidegateError DATA_INVALID where prices do not fit, or the disk takes nothing.
 */
export async function keepPart({ dataDir, name }: PartTarget, log: string, part: PartRows): Promise<void> {
  await keepSeries({ dataDir, name, part: log }, (staging) => [writePart(staging, log, part)]);
}
