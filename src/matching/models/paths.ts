import { Random } from '../../model/random.ts';
import type { PathModel, PathStep } from '../../ports/models.ts';
import type { BarPath, FillSettings } from '../settings.ts';
import { answerOf, isFlag, isOwnModel, madeModel, type OwnModel } from './own-model.ts';

/** The paths of Tidegate. */
const PATHS: Readonly<Record<BarPath, PathModel>> = {
  ohlc: { highFirst: () => true },
  olhc: { highFirst: () => false },
  nearest: { highFirst: ({ highTicks, lowTicks, priceTicks }) => highTicks - priceTicks < priceTicks - lowTicks },
  worst: { highFirst: ({ highIsWorse }) => highIsWorse },
  best: { highFirst: ({ highIsWorse }) => !highIsWorse },
};

/** A path with the seed of its random numbers. */
export interface SeededPath extends PathModel {
  readonly seed?: number | undefined;
}

/** The path of a run. */
export function pathOf(path: FillSettings['path']): SeededPath {
  return isOwnModel<PathModel>(path) ? new CheckedPath(path) : PATHS[path];
}

/** The random number of a bar: it depends on nothing else of the run, so it is the same at each step. */
export function chanceOf(symbol: string, time: number, seed = 0): number {
  return new Random(seed, `fills/path/${symbol}/${time}`).uniform();
}

/** A model of the user whose answers are checked. */
class CheckedPath implements SeededPath {
  readonly #model: PathModel;

  constructor(private readonly own: OwnModel<PathModel>) {
    this.#model = madeModel(own);
  }

  get seed(): number {
    return this.own.seed;
  }

  highFirst(step: PathStep): boolean {
    return answerOf(
      this.own,
      `highFirst(${step.symbol} at ${step.priceTicks} ticks, ${step.lowTicks} to ${step.highTicks})`,
      () => this.#model.highFirst(step),
      isFlag,
      'true or false',
    );
  }
}
