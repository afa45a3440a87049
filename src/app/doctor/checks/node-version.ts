import { readFileSync } from 'node:fs';
import { OWN_FILES } from '../../own-files.ts';
import { type Check, failed, ok } from '../check.ts';

export const nodeVersion: Check = {
  id: 'node',
  title: 'Node is new enough',
  mend: 'install Node anew',
  run({ machine: { nodeVersion: found } }) {
    const { engines } = JSON.parse(readFileSync(OWN_FILES.packageJson, 'utf8')) as { engines: { node: string } };
    const wanted = engines.node.replace(/^\D+/, '');
    if (found.localeCompare(wanted, 'en', { numeric: true }) >= 0) return ok(`Node ${found}, at least ${wanted} is needed`);
    return failed(`Node ${found}, at least ${wanted} is needed`, `install Node ${wanted} or newer`);
  },
};
