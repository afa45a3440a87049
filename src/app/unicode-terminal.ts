/** Whether the locale says that the terminal shows more than ASCII; Windows has no locale there, and shows it. */
export function showsUnicode(env: Readonly<Record<string, string | undefined>>, platform: string): boolean {
  if (platform === 'win32') return true;
  return /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '');
}
