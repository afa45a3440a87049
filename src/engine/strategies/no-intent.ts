import { TidegateError } from '../../model/errors.ts';

const EXPECTED = 'hooks return intents made by place(), cancel(), protect(), setTimer() or cancelTimer(), lists of them, or nothing';
/** Characters of a value that a message shows. */
const SHOWN = 80;

/** The error for what a strategy returned, or its stream emitted, in place of an intent. */
export function noIntent(value: unknown): TidegateError {
  const promise = isPromise(value);
  // The run stops here; what the promise comes to later must not stop the process as well.
  if (promise) value.then(undefined, () => {});
  return wrongAnswer(promise ? `got a Promise; ${EXPECTED}; hooks cannot be async` : `got ${shown(value)}; ${EXPECTED}`);
}

/** An error found after the strategy's code has returned: the lines on the stack would not be its own. */
export function wrongAnswer(text: string): TidegateError {
  const error = new TidegateError('STRATEGY_THREW', text);
  error.stack = '';
  return error;
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  try {
    return JSON.stringify(value).slice(0, SHOWN);
  } catch {
    return 'an object';
  }
}
