/** MB that are in use on this thread's heap once everything that can go has gone. @throws Error without `--expose-gc`. */
export function heapMb(): number {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('the heap is measured with --expose-gc');
  gc();
  gc();
  return Math.round(process.memoryUsage().heapUsed / 10_000) / 100;
}
