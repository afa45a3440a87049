/** Gathers the values of an option that may be given several times, in their order. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
