import type { SeriesMeta, SyntheticOrigin } from '../columns/series-meta.ts';
import type { SynthStream } from './synth-stream.ts';

/** One synthetic series while it is made from the steps of its instrument's stream. */
export interface SynthWork {
  /** Up to where it needs the stream, epoch ms; `-Infinity` where it needs none of it. */
  readonly streamEndMs: number;
  /** Takes the stream's present step in; steps after the end are left out. */
  add(stream: SynthStream): void;
  finish(stream: SynthStream, synthetic: SyntheticOrigin): SeriesMeta;
  abort(): void;
}
