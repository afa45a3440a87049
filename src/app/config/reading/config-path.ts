/** Where a value stands in a config: map keys and list indices, from the top. */
export type ConfigPath = readonly (string | number)[];

/** `strategies[0].params.fast`; empty text for the top. */
export function formatPath(path: ConfigPath): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? part : `.${part}`;
  }
  return text;
}
