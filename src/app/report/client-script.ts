import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** The page's own modules: beside this code as it runs, sources and built ones alike. */
const ENTRY = fileURLToPath(new URL(`../../report/html/client/main.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url));

let made: Promise<string> | undefined;

/** The script of the report's page as one classic script: its modules bundled, once a process, in some 20 ms. */
export function clientScript(): Promise<string> {
  made ??= bundle();
  return made;
}

async function bundle(): Promise<string> {
  const build = await rolldown({ input: ENTRY, platform: 'browser', tsconfig: false, logLevel: 'silent' });
  try {
    const { output } = await build.generate({ format: 'iife', sourcemap: false, sourcemapIgnoreList: false });
    return output[0].code;
  } finally {
    await build.close();
  }
}
