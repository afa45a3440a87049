/** Collects the values of a repeatable option in their order. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
