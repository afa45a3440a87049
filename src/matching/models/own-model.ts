import { TidegateError } from '../../model/errors.ts';

/** A model of the user: its class is in a file that the config names. */
export interface OwnModel<Model> {
  /** Its setting, such as `backtest.fills.slippage`. */
  readonly setting: string;
  /** The path of its file, as messages show it. */
  readonly file: string;
  /** SHA-256 of its sources, the same on every machine. */
  readonly sourceHash: string;
  readonly params: unknown;
  /** Seed of the random numbers that it receives. */
  readonly seed: number;
  /** Makes the model of one run. */
  readonly create: () => Model;
}

/** A setting that is either one of Tidegate's own rules or a model of the user. */
export function isOwnModel<Model>(setting: unknown | OwnModel<Model>): setting is OwnModel<Model> {
  return typeof setting === 'object' && setting !== null && 'create' in setting;
}

/** An error in a model: it has thrown, or its answer is not allowed. */
export function modelFailed(
  { setting, file }: Pick<OwnModel<unknown>, 'setting' | 'file'>,
  problem: string,
  cause?: unknown,
): TidegateError {
  return new TidegateError('MODEL_FAILED', `${setting}: the model of ${file}: ${problem}`, { cause });
}

/** Constructs the model of one run. @throws TidegateError MODEL_FAILED if its constructor throws. */
export function madeModel<Model>(own: OwnModel<Model>): Model {
  return answerOf(
    own,
    'its constructor',
    () => own.create(),
    () => true,
    '',
  );
}

/**
 * The answer of a model.
 * @param question the call with its arguments, as messages show it.
 * @param expected the allowed answers, in words.
 * @throws TidegateError MODEL_FAILED if the model throws, or if its answer is not allowed.
 */
export function answerOf<Answer>(
  model: Pick<OwnModel<unknown>, 'setting' | 'file'>,
  question: string,
  ask: () => Answer,
  allows: (answer: Answer) => boolean,
  expected: string,
): Answer {
  let answer: Answer;
  try {
    answer = ask();
  } catch (error) {
    const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw modelFailed(model, `${question} threw ${said}`, error);
  }
  if (allows(answer)) return answer;
  // A promise that nobody awaits would end the process if it is rejected.
  if (answer instanceof Promise) answer.catch(() => {});
  throw modelFailed(model, `${question} returned ${shown(answer)}; expected ${expected}`);
}

/** Checks a field of a model that may be absent. @throws TidegateError MODEL_FAILED */
export function requireField(
  model: Pick<OwnModel<unknown>, 'setting' | 'file'>,
  name: string,
  value: unknown,
  allows: (value: unknown) => boolean,
  expected: string,
): void {
  if (value !== undefined && !allows(value)) throw modelFailed(model, `${name} is ${shown(value)}; expected ${expected}`);
}

export function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}

/** The most characters of an answer in a message. */
const MOST_SHOWN = 80;

/** A value of any type in one line. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, MOST_SHOWN));
  if (typeof value === 'function') return 'a function';
  if (value instanceof Promise) return 'a promise';
  try {
    return String(value).slice(0, MOST_SHOWN);
  } catch {
    return 'an object';
  }
}
