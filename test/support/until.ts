const LOOK_MS = 50;
/** Below the limit of jest, so that the error has what was seen. */
const PATIENCE_MS = 600_000;

/** Looks again and again until it holds: how long that takes is no matter of a test. @throws with what was seen last. */
export async function until<T>(look: () => Promise<T> | T, holds: (seen: T) => boolean): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (performance.now() > end) throw new Error(`never: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
