import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { OWN_FILES } from '../own-files.ts';

let made: Promise<string> | undefined;

/** The script of the report's page as one classic script: its modules bundled, once a process, in some 20 ms. */
export function clientScript(): Promise<string> {
  made ??= bundle();
  return made;
}

async function bundle(): Promise<string> {
  const build = await rolldown({ input: fileURLToPath(OWN_FILES.pageScript), platform: 'browser', tsconfig: false, logLevel: 'silent' });
  try {
    const { output } = await build.generate({ format: 'iife', sourcemap: false, sourcemapIgnoreList: false });
    return output[0].code;
  } finally {
    await build.close();
  }
}
