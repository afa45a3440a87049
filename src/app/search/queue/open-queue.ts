import { openData } from '../../planning/plan-backtest.ts';
import { shareKey } from '../../planning/shared-data.ts';
import type { TrialRunner } from '../trial-pool.ts';
import { openBackend } from './backend.ts';
import { sealOf } from './seal.ts';
import { type BundleParts, packBundle, studyBundle } from './study-bundle.ts';
import { TrialQueue } from './trial-queue.ts';

interface QueueOptions {
  readonly secretFile: string | undefined;
  readonly notify: (text: string) => void;
}

/** The queue of a search, before its study is known. */
interface OpenQueue {
  runner(parts: BundleParts): Promise<TrialRunner>;
  close(): Promise<void>;
}

/** Reads the secret, and connects to the server. @throws TidegateError KEYS_INVALID, USAGE, QUEUE_UNREACHABLE */
export async function openQueue(url: string, { secretFile, notify }: QueueOptions): Promise<OpenQueue> {
  const seal = sealOf(process.env, secretFile);
  const backend = await openBackend(url, process.env);
  return {
    async runner(parts) {
      const { loaded, ground } = parts;
      const bundle = packBundle(await studyBundle(parts));
      const here = (await openData(loaded)).series.map(shareKey);
      const series = new Set([...here, ...ground.series.map(({ key }) => key)]);
      return new TrialQueue({ backend, seal, name: loaded.config.name, bundle, series, notify });
    },
    close: () => backend.close(),
  };
}
