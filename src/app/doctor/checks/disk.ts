import { isRemote } from '../../../recording/remote/storage-url.ts';
import { type Check, failed, ok, warning } from '../check.ts';
import type { Patient } from '../patient.ts';

const MB = 1_000_000;
/** A bot on a full disk stops. A month of a price a second is some 220 MB. */
const LEAST = 100 * MB;
const ENOUGH = 1_000 * MB;

export const disk: Check = {
  id: 'disk',
  title: 'there is room on the disk',
  needs: ['config'],
  mend: 'let this user see the disk of the folder',
  run(patient) {
    const places = placesOf(patient).map((path) => ({ path, free: patient.machine.freeBytes(path) }));
    const [worst] = places.sort((a, b) => a.free - b.free);
    if (worst === undefined) return ok('nothing is kept on a disk');
    const found = `${Math.floor(worst.free / MB)} MB are free at ${worst.path}`;
    if (worst.free < LEAST) return failed(found, 'make room: a bot that cannot write its journal stops');
    return worst.free < ENOUGH ? warning(found, 'make room before long: a month of one price a second is 220 MB') : ok(found);
  },
};

function placesOf(patient: Patient): string[] {
  const { dataDir } = patient.loaded.config;
  const data = isRemote(dataDir) ? [] : [dataDir];
  return patient.mode === 'backtest' ? data : [...data, patient.folder.path];
}
