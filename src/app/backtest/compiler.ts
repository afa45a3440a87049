import { setFlagsFromString } from 'node:v8';

/** Bytes of bytecode that may be inlined into one function; V8's 920 are used up half-way through a turn. */
const INLINED_BYTES = 4_500;

/**
 * A function of more bytes is compiled by itself; V8 says 460. The loop over quotes is one: as a part of what calls it, the bytes above
 * are shared with that, and now and then too few were left for the compiler to see that nobody keeps a quote.
 */
const INLINED_FUNCTION_BYTES = 250;

/**
 * Sets V8's compiler to replays, for the whole process and before the first event: the way of a market event
 * leads through some thirty small functions and is worth compiling as one.
 */
export function tuneCompiler(): void {
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${INLINED_BYTES}`);
  setFlagsFromString(`--max-inlined-bytecode-size=${INLINED_FUNCTION_BYTES}`);
}
