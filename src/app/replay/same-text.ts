/** Whether two texts of the journal's codec say the same: the order of an object's fields says nothing. */
export function sameText(one: string, other: string): boolean {
  return one === other || canonical(JSON.parse(one)) === canonical(JSON.parse(other));
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}
