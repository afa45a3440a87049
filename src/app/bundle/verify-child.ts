import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { takeStorageSecrets } from '../../recording/remote-storage.ts';
import { runBacktest } from '../backtest/run-backtest.ts';
import { type SentError, sentError } from '../backtest/worker-protocol.ts';
import { confineSources } from '../loader/bundle-strategy.ts';
import { forbidExit } from '../wiring/stray-errors.ts';
import type { BundleContent } from './bundle-file.ts';

/** The job of the child process of `verify`: to run an unpacked bundle. */
export interface VerifyJob {
  readonly configPath: string;
  readonly set: readonly string[];
  /** Folder for the results. */
  readonly out: string;
  readonly code: Pick<BundleContent['code'], 'options' | 'terms'>;
  /** Keys of remote storage, which are not in the environment. */
  readonly storage: Readonly<Record<string, string | undefined>>;
  /** A secret that proves that the reply comes from this program: strategies do not receive it. */
  readonly token: string;
}

/** The reply after the run has ended or failed. Without it, nothing has been verified. */
export interface VerifyReply {
  readonly token: string;
  readonly failure: SentError | undefined;
}

async function run({ configPath, set, out, code: { options, terms }, storage }: VerifyJob): Promise<SentError | undefined> {
  try {
    takeStorageSecrets({ ...storage });
    confineSources(dirname(configPath));
    const { failure } = await runBacktest(configPath, {
      ...options,
      set,
      out,
      terms: { datedTicks: new Set(terms.datedTicks), warnings: terms.warnings },
      stopwatch: () => performance.now(),
    });
    return failure === undefined ? undefined : sentError(failure.error);
  } catch (error) {
    return sentError(error);
  }
}

const send = process.send as (message: VerifyReply) => boolean;
// Strategies receive neither this function nor the secret.
delete process.send;
forbidExit();
process.once('message', (job: VerifyJob) => {
  void run(job).then((failure) => send.call(process, { token: job.token, failure }));
});
