import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OWN_FILES } from '../base/own-files.ts';
import { moduleCacheFolder } from '../loader/bundle-strategy.ts';

/**
 * Notices what the code of a trial reads besides its config and its recordings: files, the environment, the clock and random numbers. The next
 * trial, or the backtest of this one, may read something else.
 *
 * Every function still does what it did. Who calls it is looked up in the stack, once for each name and trial if a strategy does: so a
 * strategy that reads the clock at each bar is not slowed. Not noticed: what native code, other threads and other processes read, the
 * network, and functions that a package kept before the first trial.
 */
export class OutsideReads {
  readonly #seen = new Set<string>();
  readonly #modules = moduleCacheFolder();
  readonly #own = dirname(fileURLToPath(OWN_FILES.index));

  /** Replaces the functions of this thread. */
  install(): void {
    this.#watch(Math, 'random', 'Math.random');
    this.#watch(performance, 'now', 'performance.now');
    this.#watch(process.hrtime, 'bigint', 'process.hrtime');
    this.#watch(process, 'hrtime', 'process.hrtime');
    this.#watchDate();
    this.#watchEnvironment();
    for (const name of FILE_READERS) this.#watch(fs, name, `fs.${name}`);
    for (const name of PROMISED_READERS) this.#watch(fs.promises, name, `fs.promises.${name}`);
    syncBuiltinESMExports();
  }

  /** The reads since the last call, by name. */
  take(): string[] {
    const taken = [...this.#seen].sort();
    this.#seen.clear();
    return taken;
  }

  #watch(owner: object, name: string, shown: string): void {
    const own = Reflect.get(owner, name) as object;
    const apply = (target: object, self: unknown, parts: unknown[]) => {
      this.#note(shown);
      return Reflect.apply(target as () => unknown, self, parts);
    };
    Reflect.set(owner, name, new Proxy(own, { apply }));
  }

  #watchDate(): void {
    const RealDate = Date;
    this.#watch(RealDate, 'now', 'Date.now');
    const watched = new Proxy(RealDate, {
      construct: (target, parts: unknown[], self) => {
        if (parts.length === 0) this.#note('new Date');
        return Reflect.construct(target, parts, self) as object;
      },
      apply: (target, self, parts) => {
        this.#note('Date');
        return Reflect.apply(target, self, parts) as string;
      },
    });
    RealDate.prototype.constructor = watched;
    globalThis.Date = watched;
  }

  #watchEnvironment(): void {
    process.env = new Proxy(process.env, {
      get: (target, key) => {
        if (typeof key === 'string' && key !== OF_YAML) this.#note(`process.env.${key}`);
        return Reflect.get(target, key) as string | undefined;
      },
      has: (target, key) => {
        if (typeof key === 'string') this.#note(`process.env.${key}`);
        return Reflect.has(target, key);
      },
      ownKeys: (target) => {
        this.#note('process.env');
        return Reflect.ownKeys(target);
      },
    });
  }

  #note(name: string): void {
    if (!this.#seen.has(name) && this.#isOfTrial()) this.#seen.add(name);
  }

  /** Whether a strategy or a model has called, by itself or through a package, and not through Tidegate. */
  #isOfTrial(): boolean {
    const files = callers();
    const nearest = files.find((file) => !file.startsWith('node:'));
    if (nearest?.startsWith(this.#own) !== false) return false;
    return files.some((file) => file.startsWith(this.#modules));
  }
}

const FILE_READERS = [
  ...['readFileSync', 'readFile', 'openSync', 'open', 'createReadStream', 'existsSync', 'exists'],
  ...['statSync', 'stat', 'readdirSync', 'readdir'],
];
/** The parser of configs reads it at each of its tokens, some hundred times a trial. */
const OF_YAML = 'LOG_TOKENS';
const PROMISED_READERS = ['readFile', 'open', 'stat', 'readdir'];
/** A strategy may be so many calls below. */
const DEPTH = 50;
/** `#isOfTrial`, `#note`, and the function that was replaced. */
const OWN_CALLS = 4;

/** The files of the present calls, the nearest first. Source maps are not read: the module of a strategy has its own name. */
function callers(): string[] {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Error.stackTraceLimit = DEPTH;
  Error.prepareStackTrace = (_error, sites) => sites;
  const sites = new Error().stack as unknown as readonly NodeJS.CallSite[];
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  return sites.slice(OWN_CALLS).flatMap((site) => {
    const file = site.getFileName();
    return file === null || file === undefined ? [] : [file.replace(/^file:\/\//, '')];
  });
}
