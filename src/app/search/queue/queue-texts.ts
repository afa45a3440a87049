import { deserialize, serialize } from 'node:v8';
import type { JobEnd } from '../trial-pool.ts';
import type { TrialJob } from '../worker-protocol.ts';

// The texts between a search and its workers. They are read only after their signature was checked, and both sides have the same version
// of Node, so that V8's own form of values is safe and exact: it keeps -0, NaN and arrays of doubles.

/** The queue that lists the studies, the one that holds their bundles, and the queues of one study. */
export const STUDIES_QUEUE = 'studies';
export const BUNDLES_QUEUE = 'bundles';
export const trialsQueue = (run: string) => `study-${run}`;
export const notesQueue = (run: string) => `notes-${run}`;

/** A study as the search announces it, again and again. */
export interface Announcement {
  /** One run of the search: each has other jobs. */
  readonly run: string;
  readonly name: string;
  /** Another number each time: a search whose number stays has ended without a word. */
  readonly beat: number;
  readonly tidegate: { readonly version: string; readonly sha256: string };
  readonly node: string;
}

/** A job without the terms that each worker has of its own. */
export type SentJob = Omit<TrialJob, 'terms'>;

export const jobText = (job: SentJob): string => serialize(job).toString('base64');
export const readJob = (text: string) => deserialize(Buffer.from(text, 'base64')) as SentJob;

export const endText = (end: JobEnd): string => serialize(end).toString('base64');
export const readEnd = (text: string) => deserialize(Buffer.from(text, 'base64')) as JobEnd;
