import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { performance } from 'node:perf_hooks';
import { Random } from '../../model/random.ts';

/** What strategies read while they were made and ran, with the stack of each reading. */
export interface Reading {
  readonly path: string;
  readonly stack: string;
}

const READERS = ['readFileSync', 'openSync', 'readFile', 'open', 'createReadStream'] as const;
const RealDate = Date;
const readClock = performance.now.bind(performance);

/** Lets the wall clock of this thread go ahead, and draws chance from a seed, the same unless told: a run that hangs on neither does not notice. */
export function changeWorld({
  clockMs = 0,
  seed = 0,
}: {
  readonly clockMs?: number | undefined;
  readonly seed?: number | undefined;
}): void {
  const draws = new Random(seed, 'world');
  Math.random = () => draws.uniform();
  performance.now = () => readClock() + clockMs;
  globalThis.Date =
    clockMs === 0
      ? RealDate
      : new Proxy(RealDate, {
          construct: (target, parts: unknown[], self) =>
            Reflect.construct(target, parts.length === 0 ? [RealDate.now() + clockMs] : parts, self) as object,
          get: (target, key, self) => (key === 'now' ? () => RealDate.now() + clockMs : Reflect.get(target, key, self)),
        });
}

/** Notes every file that is opened from now on, by whoever. */
export function watchFiles(readings: Reading[]): void {
  const watched = (owner: object, name: string) => {
    const own = Reflect.get(owner, name) as (...parts: unknown[]) => unknown;
    Reflect.set(owner, name, function (this: unknown, ...parts: unknown[]) {
      if (typeof parts[0] === 'string' || parts[0] instanceof URL || parts[0] instanceof Uint8Array) {
        readings.push({ path: String(parts[0]), stack: new Error('read').stack ?? '' });
      }
      return Reflect.apply(own, this, parts);
    });
  };
  for (const name of READERS) watched(fs, name);
  for (const name of ['readFile', 'open']) watched(fs.promises, name);
  syncBuiltinESMExports();
}
