import { EXIT_CODES } from '../base/exit-codes.ts';
import { Search } from './search.ts';
import { SearchProgress } from './search-progress.ts';
import { writeStudyPage } from './study-page.ts';
import { searchText } from './study-text.ts';

export interface SearchOptions {
  readonly set?: readonly string[];
  readonly over?: readonly string[];
  readonly out?: string;
  readonly from?: string;
  readonly workers?: number;
  readonly queue?: string;
  readonly secretFile?: string;
  readonly resume?: boolean;
  readonly estimate?: boolean;
  readonly keep?: number;
  readonly hash?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/**
 * Runs the search of a config, or goes on with it, and prints its best trials. @returns the exit code.
 * @throws TidegateError for an error before the first trial, or if code or data change while it runs.
 */
export async function runSearch(configPath: string, options: SearchOptions): Promise<number> {
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  const { queue: url, secretFile, estimate = false, ...terms } = options;
  const notify = (text: string) => void process.stderr.write(`${text}\n`);
  const search = await Search.open(configPath, {
    ...terms,
    signal: stop.signal,
    // Workers may be of other machines, with other speeds.
    queue: url === undefined || estimate ? undefined : { url, secretFile, notify },
  });
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    return await (estimate ? estimated(search, options) : searched(search, options));
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
    await search.close();
  }
}

async function searched(search: Search, { keep, json, quiet }: SearchOptions): Promise<number> {
  const { plan } = search;
  const study = search.study();
  try {
    const progress = new SearchProgress(plan, quiet === true || json === true ? undefined : process.stderr);
    try {
      for await (const { trial, isNew } of search.trials(study)) progress.ended(trial, isNew);
    } finally {
      progress.close();
    }
    if (keep !== undefined && !search.stopped) await search.keep(study, keep);
    const { stopped, shortOf } = search;
    const page = await writeStudyPage(study);
    const found = searchText(study, plan, { shortOf, stopped, page });
    if (json === true) process.stdout.write(`${JSON.stringify(found.json)}\n`);
    else if (quiet !== true) process.stdout.write(found.text);
    return stopped ? EXIT_CODES.interrupted : EXIT_CODES.ok;
  } finally {
    study.close();
  }
}

async function estimated(search: Search, { json }: SearchOptions): Promise<number> {
  const found = await search.estimate();
  if (found === undefined) return EXIT_CODES.interrupted;
  const { estimate, trial } = found;
  if (trial.outcome !== 'done') process.stderr.write(`the first trial has no figures: ${trial.reason}\n`);
  const text = [
    `Trials:  ${estimate.trials}${search.plan.search.where.length > 0 ? ' at most, before `where`' : ''}`,
    `Time:    ${estimate.hours} hours with ${estimate.workers} workers (the first trial took ${estimate.trialMs} ms)`,
    `Memory:  ${estimate.processMb} MB now with all workers, ${estimate.sharedMb} MB of it data that they share`,
  ];
  process.stdout.write(json === true ? `${JSON.stringify(estimate)}\n` : `${text.join('\n')}\n`);
  return EXIT_CODES.ok;
}
